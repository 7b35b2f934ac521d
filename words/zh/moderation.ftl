# 姓名页面的审核：管理者的列表，以及录音者看到的说明。

moderation-title = 审核
moderation-lead = 新录音在这里等待你的批准。在此之前，只有你和录音者本人能听到。
moderation-lead-off = 此页面的新录音立即可以收听。听众的举报会出现在这里。
moderation-lists = 待办列表
moderation-open = 待处理
moderation-decided = 最近 30 天内已处理
moderation-none = 没有需要处理的内容。
moderation-none-decided = 最近 30 天内没有处理任何内容。
moderation-keys = 使用键盘：按 Tab 移到一条录音，再用方向键移到下一条或上一条；空格键播放，A 批准，R 填写理由，D 驳回举报。
moderation-play = 播放{ $name }的录音
moderation-held = 自 { $date } 起等待批准
moderation-wrong-person = 举报：这是另一个人的名字
moderation-offensive = 举报：冒犯性内容
moderation-unintelligible = 举报：听不清
moderation-reports =
    { $count ->
       *[other] { $count } 次举报
    }
moderation-approve = 批准
moderation-reject = 拒绝
moderation-remove = 移除
moderation-reason = 理由
moderation-reason-hint = 对方会收到你的理由，以及重新录音的链接。
moderation-reject-now = 拒绝这条录音
moderation-remove-now = 移除这条录音
moderation-dismiss = 驳回举报
moderation-restore = 恢复
moderation-state-approved = 由 { $by } 于 { $date } 批准
moderation-state-rejected = 由 { $by } 于 { $date } 拒绝
moderation-state-removed = 由 { $by } 于 { $date } 移除
moderation-state-dismissed = 由 { $by } 于 { $date } 驳回
moderation-state-restored = 由 { $by } 于 { $date } 恢复
moderation-until = 在 { $date } 之前可以恢复
moderation-more = 更多
moderation-done-approved = 这条录音现在可以收听了。
moderation-done-rejected = 这条录音已被拒绝，对方会得知理由。
moderation-done-removed = 这条录音已被移除，对方会得知理由。
moderation-done-dismissed = 举报已驳回。
moderation-done-restored = 这条录音又可以收听了。
moderation-done-decided = 在此期间已有其他人处理。没有做任何更改。
moderation-done-newer = 有一条更新的录音，因此没有做任何更改。请先听更新的那一条。
moderation-gone = 这条录音已不存在，可能已被本人删除。
moderation-fault-reason = 请填写理由。对方会收到它。
moderation-own-held = 你的录音正在等待批准。在此之前，只有你和管理此页面的人能听到。
moderation-own-held-earlier = 你的新录音正在等待批准。在此之前，其他人听到的是之前的录音。
moderation-own-refused = 你的录音未被接受。请重新录制你的名字。理由：
