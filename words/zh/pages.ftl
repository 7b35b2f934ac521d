# 首页和错误页面。API 参考文档只有英文版。

pages-site = 网站
pages-reference = API 参考文档
pages-home-title = Endonym：听名字的主人怎么读
pages-home-heading = 听名字的主人怎么读
pages-home-lead = 这是一个 Endonym 服务器。人们录下自己名字的读法；通讯录、学习平台和其他应用显示名字并播放录音。
pages-home-promise = Name Pronunciation Integration API 第 5 版到第 2 版的客户端无需改动即可在这里使用：只有基础网址不同。
pages-base-url = 基础网址
pages-developers = 开发者
pages-reference-link = API 参考文档（英文）
pages-reference-about = 每个操作的参数、响应，以及可以试用的命令。
pages-openapi = OpenAPI 文档，{ $version }
pages-openapi-about = 供生成客户端和测试的工具使用。
pages-operators = 运营者
pages-healthz = 进程是否在运行？
pages-readyz = 是否可以接受请求：数据库能否连接、是否为最新？
pages-go-home = 前往首页
pages-method-title = 这里不提供
pages-method = 这个地址不提供 { $method }。
