# 姓名页面：登记、自己的记录、海报。

page-date = 日期：{ $date }
page-lead = 大家在这里录下自己名字的读法，让每个人都能读对。大约需要一分钟。
page-closes = 请在 { $time }（{ $zone }）之前录下你的名字。
page-closed = 本页面已于 { $time }（{ $zone }）关闭，不能再登记或录音。
page-archived = 本页面已归档，不能再作任何更改。

page-window = 在单独的窗口中打开本页面
page-own-link = 前往我的记录
page-register-link = 在这里登记
page-people-link = 收听名字
page-known = 我已经登记过
page-not-permitted = 你登录的地址是 { $email }，而本页面是给其他人用的。如果你有别的地址，请先退出登录，再使用那个地址。否则请询问让你来这里的人。
page-who = 你登录的地址是 { $email }。

page-ask-title = 开始
page-ask-lead = 请输入你的电子邮箱地址。我们会给你发送一封带有验证码的邮件，以免别人用你的名义登记。你不需要密码。
page-ask-later = 目前登记的人太多。请在大约一小时后再试。
page-ask-invited = 本页面只对受邀的人开放。如果你收到了邀请，请打开邀请中的链接，或在这里输入你的电子邮箱地址。我们会给你发送一封带有验证码的邮件。
page-ask-closed = 如果你已经登记，请输入你的电子邮箱地址来查看你的记录。我们会给你发送一封带有验证码的邮件。
page-domains = 请使用以下域名的地址：{ $domains }。
page-event-code = 活动代码
page-event-code-hint = 你可以在海报上，或在带你来这里的消息中找到它。
page-event-code-missing = 请输入活动代码。
page-event-code-wrong = 这不是本页面的活动代码。请检查一下。
page-code-lead = 如果这个地址可以在 { $page } 登记，或已经登记，一封带有验证码的邮件很快就会送到。请在这里输入验证码，或打开邮件中的链接。两者都只能使用一次，十分钟内有效。
page-code-none = 没有收到邮件？请查看垃圾邮件文件夹，并检查地址。
page-code-again = 重新输入地址

page-asked-title = 我们希望你提供
page-asked-recording = 你名字的录音：你可以先试听，想重录多少次都可以
page-asked-name = 你的名字
page-asked-photo = 一张照片
page-optional = 选填

page-form-title = 你的名字
page-form-lead = 这些内容会显示在 { $page } 上你的录音旁边。
page-form-send = 继续录音
page-first-name = 名
page-last-name = 姓
page-names-hint = 如果你只有一个名字，请把另一栏留空。
page-name-blank = 请输入你的名字。

page-done-registered = 登记完成。现在请录下你的名字。
page-finished = 完成了。你的名字已经录好。
page-finished-lead = 谢谢！你可以关闭本页面，也可以重新录音。
page-held = 录音正在等待批准。在此之前，只有你和本页面的管理者可以听到。
page-only = 只在本页面使用新录音
page-only-hint = 否则它会用在你的所有页面上。
page-missing = 还缺少：
page-me-link = 我的所有页面，以及谁可以听到我

page-nav = 管理本页面
page-nav-page = 页面
page-nav-people = 人员
page-nav-invitations = 邀请
page-nav-moderation = 审核
page-nav-messages = 消息
page-nav-import = 导入
page-nav-export = 导出
page-nav-poster = 海报

page-poster-how = 请选择纸张，然后用浏览器打印本页面。只会打印海报。
page-poster-a4 = A4
page-poster-letter = 信纸
page-poster-download = 下载二维码
page-poster-call = 录下你名字的读法
page-poster-scan = 用手机扫描二维码，或访问：
page-poster-qr = 通往本姓名页面的二维码
