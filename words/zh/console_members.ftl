# The console: members and audit.

console-members-lead = 成员管理或收听机构的姓名页面。登录方式与其他人相同。
console-members-add = 添加成员
console-members-owners-only = 只有所有者可以添加、更改和移除成员。
console-members-none = 还没有人拥有角色。请先把自己添加为所有者。
console-members-email = 电子邮箱
console-members-email-hint = 此人使用这个邮箱登录。
console-members-email-fault = 这个电子邮箱无法使用，请检查。
console-members-known = 此人已经是成员。你可以在列表中更改角色。
console-members-role = 角色
console-members-since = 加入时间
console-members-act = 操作
console-members-change = 更改
console-members-change-title = 更改成员
console-members-you = 你
console-members-only-owner = 唯一的所有者
console-members-first = 回到开头
console-members-back = 返回成员列表
console-members-owner = 所有者
console-members-owner-hint = 可以在所有页面上做任何事。
console-members-admin = 管理员
console-members-admin-hint = 可以做任何事，但不能更改成员、设置单点登录或删除机构。
console-members-manager = 页面管理者
console-members-manager-hint = 管理所选页面：人员、邀请、审核、导出。
console-members-reader = 收听者
console-members-reader-hint = 只能收听所选页面上的姓名。
console-members-all-pages = 全部
console-members-no-pages = 无
console-members-more-pages = { $count ->
   *[other] 以及另外 { $count } 个
}
console-members-pages-now = { $count ->
   *[other] { $count } 个姓名页面
}
console-members-pages-hint = 适用于页面管理者和收听者。所有者和管理员拥有全部页面。
console-members-pages-many = 页面太多（上限为 { $most }）。请改为让此人成为管理员。
console-members-page-unknown = 其中一个页面不存在，请检查代码。
console-members-more = 其他页面
console-members-more-hint = 这里只显示最新的页面。较早的页面请填写代码或短名称，用逗号分隔。
console-members-last-owner = 机构需要一位所有者。请先让其他人成为所有者。
console-members-added = 成员已添加，可以在这里登录：{ $address }
console-members-changed = 已保存，立即生效。
console-members-removed = 角色已结束。
console-members-remove = 移除此成员
console-members-remove-lead = 角色立即结束。此人为自己录制的内容会保留。

console-audit-lead = 每次更改都记录在这里：谁在什么时候更改，以及之前的内容。
console-audit-search = 全文搜索
console-audit-act = 操作
console-audit-any = 全部
console-audit-who = 操作者
console-audit-person = 谁的数据
console-audit-from = 开始日期
console-audit-to = 结束日期
console-audit-day-fault = 请按 2026-07-01 的格式填写日期。
console-audit-clear = 显示全部
console-audit-about-one = 仅显示以下对象的更改：
console-audit-none = 没有找到任何内容。请减少关键词或更换日期。
console-audit-go-on = 目前没有结果。请查看更早的记录以继续搜索。
console-audit-when = 时间
console-audit-subject = 对象
console-audit-fields = 更改的字段
console-audit-origin = 来源
console-audit-newest = 最新
console-audit-older = 更早
console-audit-export = 导出
console-audit-export-lead = 搜索到的所有记录，包括旧值和新值。文件包含个人数据。
console-audit-csv = 表格 (CSV)
console-audit-json = 供程序使用 (JSON lines)
console-audit-retention = 保留时间
console-audit-kept = { $days ->
   *[other] 记录在 { $days } 天后删除。
}
console-audit-kept-forever = 记录永不删除。
console-audit-keep = 保留记录
console-audit-keep-days = 一段时间
console-audit-days = 天数
console-audit-days-fault = 请填写天数，从 1 到 36500。
console-audit-keep-forever = 永久
console-audit-owners-only = 只有所有者可以更改。
console-audit-entry = 一次更改
console-audit-back = 返回审计日志
console-audit-no-values = 没有更改任何值。
console-audit-field = 字段
console-audit-before = 之前
console-audit-after = 之后
console-audit-by-token = 访问令牌
console-audit-by-operator = 服务器运维
console-audit-by-member = 成员
console-audit-by-person = 本人
console-audit-by-lti = 本人，在学习平台中
console-audit-by-phone = 本人，通过电话
console-audit-by-scim = 目录
console-audit-by-system = 自动
