# 个人页面。

me-title = 你的名字
me-back = 返回你的名字
me-gone-title = 你已退出登录
me-gone = 你所在的机构在这里已没有你的记录。如果这是个错误，请联系你所在的机构。

me-recording-title = 你的录音
me-recording-play = 你在 { $page } 上的录音
me-recording-none = 别人还听不到你的名字。
me-recording-paused = 你的录音已保留，目前没有人能听到。
me-recording-only-here = 这段录音只用于这个页面。
me-recording-delete = 删除我的录音
me-recording-delete-explained = 你的录音会从你的所有页面上移除，它的链接也会失效。此操作无法撤销。你可以随时重新录制自己的名字。
me-recording-delete-now = 全部删除
me-recording-delete-page = 删除 { $page } 的录音
me-recording-delete-page-explained = 这个录音会从此页面上移除，它的链接也会失效。此操作无法撤销。
me-recording-delete-page-now = 从此页面删除
me-record-for = 录音用于
me-record-for-all = 我的所有页面
me-record-for-one = 仅 { $page }

me-audience-heading = 隐私
me-directory-hold = 你的机构已为你设置目录保密：不会向公众透露你的任何信息。无论你在下面如何选择，你的名牌都已关闭，你也不会出现在公开的姓名页面上。只有在你的某个姓名页面授课或管理该页面的人登录后才能听到你的姓名。如需解除，请联系你的机构。
me-audience-title = 谁可以听你的录音
me-audience-public = 任何有链接的人
me-audience-public-hint = 每个拥有你名字链接的人都可以听。
me-audience-institution = 我所在的机构
me-audience-institution-hint = 你所在机构的人可以在机构自己的系统中听，或登录后听。
me-audience-paused = 暂时不让任何人听
me-audience-paused-hint = 你的录音会保留，但在你选择其他选项之前，它的链接都无法使用。

me-details-title = 文字说明
me-phonetic = 读音拼写
me-phonetic-hint = 按读音写出你的名字，例如 shi-VAWN。
me-phonetic-guide-title = 怎样按读音写名字
me-phonetic-guide = 写法要让从没见过你名字的人也能读对。
me-phonetic-guide-syllables = 在音节之间加连字符：shi-vawn。
me-phonetic-guide-stress = 重读的部分用大写字母：shi-VAWN。
me-phonetic-guide-rhyme = 如果某个音很难写出来，可以举一个押韵的词：“与 lawn 押韵”。
me-notes = 备注
me-notes-hint = 关于你的名字，其他希望别人知道的事。

me-call-lead = 你会接到一通自动电话，在电话里说出自己的名字。
me-call-soon = 你很快会接到电话。你也可以输入另一个号码。
me-call-send = 给我打电话
me-phone-number = 电话号码
me-phone-number-hint = 请包含国家或地区代码，例如 +12025550123。

me-done-recording = 你的录音已保存。
me-done-deleted = 你的录音已删除。
me-done-audience = 你的选择已保存。
me-done-details = 你的更改已保存。
me-done-call = 你很快会接到电话。

me-fault-long = 内容太长。请最多使用 { $most } 个字符。
me-fault-characters = 内容中有不能在这里使用的字符。
me-fault-phone-blank = 请输入电话号码。
me-fault-phone = 我们无法使用这个电话号码。正确的格式类似 +12025550123。
me-fault-not-callable = 我们无法拨打这个号码。请换一个号码，或在这里录下你的名字。
me-fault-too-many-calls = 今天给你打电话的次数太多。请明天再试，或在这里录下你的名字。
me-fault-audience = 你所在的机构不提供这个选项。请选择其他选项。
me-fault-page = 你已不在这个页面上。请刷新，然后选择其他页面。
me-kept-title = 您被替换的录音
me-kept-about = 有人替换了您录制的录音。在您恢复之前，没有人能听到您的录音。
me-kept-replaced = 替换时间：{ $time }。
me-kept-until = 保留至 { $time }。
me-kept-put-back = 恢复我的录音
me-kept-done = 您的录音已恢复。
