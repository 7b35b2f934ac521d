# 邮件。主题把机构名称放在最后，因为它可能使用另一种文字。

mail-sign-in-subject = 你的登录验证码：{ $institution }
mail-sign-in-title = 登录
mail-sign-in-code = 请在你申请验证码的页面上输入：
mail-sign-in-link = 或者在这台或另一台设备上打开这个链接：
mail-sign-in-button = 继续登录
mail-sign-in-once = 验证码和链接都只能使用一次，十分钟内有效。
mail-sign-in-why = 有人申请用地址 { $email } 登录。
mail-sign-in-ignore = 如果不是你本人，请忽略这封邮件。没有验证码或链接，任何人都无法登录，所以请不要把它们转给别人。
mail-test-subject = 测试邮件
mail-test-title = 邮件功能正常
mail-test-body = 这是来自 Endonym 的测试邮件。如果你能读到它，说明这个系统可以发送邮件。
mail-address-subject = 您的邮箱地址已更改：{ $institution }
mail-address-what = { $institution } 已将您条目的地址从 { $old } 更改为 { $new }。该条目及其录音，以及用于修改它们的页面，现在属于新地址。
mail-address-then = 如果您没有预料到此更改，请立即询问 { $institution }。使用新地址可在此查看您的条目：
mail-replaced-subject = 您的录音已被替换：{ $institution }
mail-replaced-what = 在 { $institution } 的页面 { $page } 上，有人替换了您自己录制的姓名录音。
mail-replaced-then = 您自己的录音将保留至 { $date }。您可以在自己的页面上一键恢复：
mail-merged-subject = 两个条目已合并：{ $institution }
mail-merged-own = 你在 { $page } 的条目已与另一个电子邮件地址的条目合并。它可能沿用了对方的录音。
mail-merged-other = 你在 { $page } 的条目已并入另一个电子邮件地址的条目。其中的内容，例如你的录音，现在可能属于那个地址，你无法用这个地址更改它。
mail-merged-then = 如果这两个条目不属于同一个人，请立即告知 { $institution }。
