# 多个部分共用的布局、导航、按钮和错误提示。

shared-skip = 跳到正文
shared-language = 语言
shared-sign-out = 退出登录
shared-save = 保存
shared-continue = 继续
shared-blank = 请填写此项。
shared-cannot-play = 目前无法播放这段录音。请稍后再试。
shared-trouble-title = 出了点问题
shared-trouble = 这是我们的问题。请稍后再试。
shared-nothing-title = 这里什么也没有
shared-nothing = 你要找的页面不存在。
shared-unreadable-title = 操作没有成功
shared-unreadable = 你的浏览器发送了我们无法读取的内容。请返回后再试一次。
shared-busy = 服务器正忙。请稍后再试。
shared-form-expired-title = 请重新提交
shared-form-expired = 这个页面打开的时间太长，或者是从其他网站提交的。请返回，刷新页面后重新提交。
