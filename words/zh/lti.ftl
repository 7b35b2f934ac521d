# 学习平台中的页面。

lti-course-title = { $course }：名字和读法
lti-own-title = { $name }：怎么读
lti-time = { $year }年{ $month }月{ $day }日 { $time }（{ $zone }）

# 教师看到的课程。why 是学习平台或服务器的英文提示。
lti-sync-fetching = 正在从你的学习平台获取名单。
lti-sync-running = 正在同步。名单截至 { $time }。
lti-sync-done = 已于 { $time } 与你的学习平台同步。
lti-sync-none = 尚未与你的学习平台同步。
lti-sync-fetch-failed = 无法获取名单：{ $why }。
lti-sync-failed = 名单截至 { $time }。上一次同步没有成功：{ $why }。
lti-sync-ended = 同步已结束。
lti-sync-show = 显示新名单
lti-sync-again = 再看一次
lti-sync-now = 立即同步
lti-note = 有些内容没有从你的学习平台传过来。学习平台的管理员或本站的运营者可以查看原因。
lti-own-why = 你的学生可以听到你的名字怎么读。
lti-own-add = 添加你自己的名字
lti-own-change = 修改你自己的记录
lti-own-link = 你自己的名字
lti-find = 查找名字
lti-find-send = 查找
lti-shown = 显示哪些人
lti-everybody = 所有人
lti-unrecorded = 尚未录音
lti-first = 请稍等片刻。名字会自动出现在这里。
lti-found = 找到 { $count } 人。
lti-found-nobody = 这里没有人叫 { $search }。
lti-show-everybody = 显示所有人
lti-all-recorded = 所有人都已录下自己的名字。
lti-nobody = 这门课程里还没有人。
lti-pages = 页码
lti-page = 第 { $page } 页，共 { $pages } 页
lti-back = 上一页
lti-next = 下一页
lti-staff = 本课程的教师

# 自己的记录。
lti-play-own = 播放你的录音
lti-only-here = 仅用于这门课程
lti-only-here-hint = 如果不勾选，你的录音会用于你的所有课程。
lti-is-only-here = 这段录音只用于这门课程。
lti-called = 你很快会接到电话。听到提示后，请说出你的名字。
lti-called-at = 我们会拨打 { $number }。听到提示后，请说出你的名字。
lti-saved = 已保存。
lti-delete-explained = 你的录音会从这门课程中移除，它的链接也会失效。此操作无法撤销。你可以随时重新录制自己的名字。
lti-withdraw-explained = 你的录音会被删除，你正在等待的来电会被取消。如果想再次录制自己的名字，只需重新同意即可。
lti-own-page = 你自己的页面：谁可以听你的录音、你的照片以及其他所有设置
lti-own-page-hint = 它会在新标签页中打开，你可能需要在那里登录。
lti-another-number = 另一个电话号码
lti-signed-out = 你的登录已失效：请在另一个标签页中从课程重新打开这个页面，并在那里录下你的名字。在此之前，你的录音还在这里。

# 在课程中添加链接。
lti-link-title = 在你的课程中添加链接
lti-link-lead = 教师可以在那里看到所有人的名字和录音。学生可以在那里看到自己的名字并录音。
lti-link-label = 链接标题
lti-link-default = 名字和读法
lti-link-add = 添加
lti-link-cancel = 取消
lti-return-title = 返回你的课程
lti-return-link = 正在把链接交给你的学习平台。
lti-return-none = 你的课程中没有添加任何内容。
lti-return-press = 如果没有反应，请按下按钮。

# 学习平台的注册，供其管理员使用。
lti-register-link-title = 请把这个链接提供给你的学习平台
lti-register-link = 这个链接供你的学习平台使用：在注册新 LTI 工具的地方，把它粘贴为注册网址。
lti-register-link-where = 在 Moodle 中，位置是“网站管理”、“插件”、“外部工具”、“管理工具”。在其他平台中，请查找“动态注册”。
lti-registered-title = 注册成功
lti-registered = { $name } 已注册，ID 为 { $id }。
lti-registered-activate = 可能还需要先在你的学习平台中启用这个工具，然后才能使用。
lti-registered-unconfirmed = 在本站的运营者用 { $command } 确认之前，任何人都不能进入。
lti-updated-title = 更新成功
lti-updated = { $name } 已是最新状态，ID 为 { $id }。
lti-updated-kept = 这里原有的设置都保持不变。
lti-no-deployment = 你的学习平台没有发送部署 ID。本站的运营者可以用 { $command } 加上学习平台显示的 ID 来添加。

# 可以怎么做。
lti-reopen = 请从你的课程重新打开。
lti-contact = 如果仍然不行，请告诉你学习平台的管理员。
lti-tell = 请告诉你学习平台的管理员。
lti-go-back = 你可以返回课程。

# 拒绝。
lti-too-large = 发送的内容太大。
lti-too-slow = 发送的内容传输时间太长。
lti-incomplete-title = 没有可打开的内容
lti-incomplete = 这个地址供学习平台使用；学习平台发送的内容应比这里收到的更多。
lti-unknown-platform-title = 这个学习平台没有在这里登记
lti-unknown-platform = 它没有注册，或者它的签发者（issuer）和客户端 ID 与注册时的不一致。或者它使用的不是本站告知它的地址。
lti-disabled-title = 这个连接已关闭
lti-disabled = 你的学习平台与本站之间的连接已被关闭。
lti-unconfirmed-title = 这个连接尚未确认
lti-unconfirmed = 目前还不能确定这个学习平台就是它所声称的那个。在确认之前，任何人都不能进入。
lti-foreign-title = 这个链接指向别处
lti-foreign = 你课程中的链接指向一个不属于本站的地址。
lti-used-title = 这个页面已经打开过
lti-used = 每次从课程打开的入口只能使用一次，几分钟内有效。
lti-browser-title = 你的浏览器使这个页面无法在这里使用
lti-browser = 它不允许本站在你的学习平台页面中保存 Cookie，因此我们无法确认打开页面的是不是你本人。
lti-browser-window = 在单独的窗口中可以使用。
lti-platform-title = 你的学习平台没有让你进入
lti-platform = 它的提示：{ $said }
lti-no-keys-title = 目前无法连接你的学习平台
lti-no-keys = 无法获取用来验证其消息的公钥。
lti-deployment-title = 这个部署没有在这里登记
lti-deployment = 你的学习平台把它称为 { $deployment }。
lti-deployment-add = 本站的运营者可以用 { $command } 添加它。
lti-no-links-title = 无法在这里添加链接
lti-no-links = 你的学习平台要的不是链接。
lti-untrusted-title = 无法打开这个页面
lti-untrusted = 你的学习平台发送的内容不符合要求，因此我们无法信任它。
lti-no-course-title = 这不是一门课程
lti-no-course = 这里的页面属于课程，而这个链接是在课程之外打开的。
lti-no-part-title = 这里没有你要做的事
lti-no-part = 这些页面供课程的教师和学生使用。
lti-preview-title = 你正在以学生身份查看
lti-preview = 这门课程的学生可以在这里看到自己的名字，试听、写下读法并录音。
lti-preview-unlisted = 你不会被加入学生名单。
lti-anonymous-title = 你的学习平台没有说明你是谁
lti-anonymous = 没有这项信息，就无法显示你的名字。
lti-closed-title = 这个页面已关闭
lti-closed = 它已经打开了几个小时，或者是在另一个浏览器中打开的。
lti-invite-title = 这个邀请无法使用
lti-invite = 学习平台通过一个链接注册，该链接只能使用一次，七天内有效。本站的运营者用 { $command } 创建链接。
lti-registration-title = 注册没有成功
lti-registration = 原因：{ $why }。
lti-registration-again = 这个链接可以再次使用。
lti-too-many-title = 同时打开的页面太多
lti-too-many = 从你的网络同时打开的页面超过了上限。请一分钟后再试。
