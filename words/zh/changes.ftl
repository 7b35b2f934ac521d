# 谁更改了一个人的数据：个人页面的一部分。

changes-title = 你的记录的更改
changes-hint = 你的机构会记录谁更改了你的数据。以下是最近的更改。
changes-none = 目前还没有任何更改。

changes-act-created = 你的记录已创建
changes-act-updated = 你的信息已更改
changes-act-deleted = 你的记录已删除
changes-act-hidden = 你已从一个页面移除
changes-act-shown = 你已重新出现在一个页面上
changes-act-recording = 你的录音已保存
changes-act-recording-held = 你的录音正在等待批准
changes-act-recording-deleted = 你的录音已删除
changes-act-photo = 你的照片已保存
changes-act-photo-deleted = 你的照片已移除
changes-act-consent = 你同意了关于录音的说明
changes-act-consent-withdrawn = 你撤回了同意
changes-act-approved = 你的录音或条目已获批准
changes-act-refused = 你的录音或条目未被接受
changes-act-restored = 你的录音或条目已恢复
changes-act-settings = 你的设置已更改
changes-act-directory-hold = 你的目录保密已设置或解除
changes-act-role = 你的角色已更改
changes-act-invitation = 你的邀请已更改
changes-act-call = 给你的电话已更改
changes-act-mail = 给你的邮件已更改
changes-act-copy = 你的数据已被复制一份
changes-act-link = 已创建一个以你的身份登录的链接
changes-act-other = 其他内容已更改

changes-by-you = 你
changes-by-staff = 你机构的工作人员
changes-by-member = 你机构的工作人员（{ $email }）
changes-by-token = 你机构的系统（{ $name }）
changes-by-system = 自动
changes-by-named-system = 你的学习平台（{ $name }）
