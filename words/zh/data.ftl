# Consent, search engines, a copy of everything, deleting everything, and the owner's link on a badge.

data-title = 你的数据

data-consent-title = 录音之前
data-consent-purpose = { $institution }会保存你名字的录音，让别人听到你的名字应该怎么读。
data-consent-choice = 由你决定谁可以听到录音。你可以随时更换或删除录音，也可以撤回同意。
data-consent-never = 你的声音不会用于任何其他用途：绝不用于通过声音识别人的声纹，也绝不用于训练软件。
data-consent-agree = 我同意
data-consent-done = 谢谢。你现在可以录制自己的名字了。
data-consent-needed = 请先同意关于录音的说明。请在另一个标签页中再次打开本页，在那里表示同意，然后从这里发送你的录音。
data-consent-section = 你的同意
data-consent-since = 你已于 { $date } 同意录制自己的名字。
data-consent-read = 阅读你同意的内容
data-consent-withdraw = 撤回我的同意
data-consent-withdraw-explained = 请选择如何处理你的录音。你正在等待的来电会被取消。如果想再次录制自己的名字，只需重新同意即可。
data-consent-withdraw-pause = 撤回同意，保留我的录音，但任何人都听不到
data-consent-withdraw-delete = 撤回同意，并删除我的录音
data-consent-withdrawn = 你已撤回同意。

data-search-title = 搜索引擎
data-search-label = 搜索引擎可以显示我的名字
data-search-hint = 只有在任何拥有链接的人都可以听到你的名字时才有效。否则，我们会请搜索引擎不要收录你的页面。

data-copy = 下载全部数据的副本
data-copy-hint = 一个 ZIP 文件，包含你的录音和图片，以及这里保存的有关你的所有其他信息。

data-sign-out-everywhere = 在所有设备上退出登录

data-delete = 删除全部数据
data-delete-title = 要删除有关你的全部数据吗？
data-delete-lead = 此操作无法撤销。在{ $institution }，以下内容将被删除：
data-delete-pages = 你在这些页面上的名字：
data-delete-recordings = 你的录音和图片，以及指向它们的所有链接
data-delete-rest = 你的电话号码、通话、设置、同意记录和登录记录
data-delete-courses = 如果你仍在某门课程中，课程同步时你的名字可能会再次出现，但不会包含你现在删除的任何内容。
data-delete-elsewhere = 你所在的机构在其他系统中保存的内容不会被删除。之前的备份在被删除之前仍然包含你的数据。
data-delete-now = 删除有关我的全部数据
data-deleted-title = 全部数据已删除
data-deleted = 这里不再保存有关你的任何信息，你已在所有设备上退出登录。
data-deleting-title = 正在删除你的数据
data-deleting = 你的名字已从这里删除，你已在所有设备上退出登录。有些包含你的数据的文件（例如通话录音）仍在删除中。你不需要做任何事。

data-handed-over-title = 此设备只能录音
data-handed-over = 你是通过扫码来到这里的，这足以录制自己的名字。若要进行此操作，请用你的电子邮箱登录。

data-badge-mine = 这是我：修改
