# The console: name pages, moderation and custom fields.

console-pages-search = 按标题或地址搜索
console-pages-state = 状态
console-pages-any = 开放和已关闭
console-pages-show = 显示
console-pages-new = 新建姓名页面
console-pages-none = 还没有姓名页面。请先创建一个，然后邀请人员。
console-pages-none-found = 没有符合条件的姓名页面。
console-pages-none-given = 你还没有被分配姓名页面。机构的所有者可以为你分配。
console-pages-more = 更早的姓名页面
console-pages-start = 返回最新

console-page-title = 标题
console-page-title-hint = 例如“2027 届”。
console-page-date = 日期
console-page-date-hint = 典礼或第一堂课的日期。可以留空。
console-page-people = 人员
console-page-recorded = 已录音
console-page-invited = 已邀请
console-page-open = 开放
console-page-closed = 已关闭
console-page-archived = 已归档
console-page-slug = 地址
console-page-slug-hint = 页面地址的末尾：小写字母、数字和连字符。留空时根据标题生成。
console-page-access-code = 访问代码
console-page-access-code-hint = 供使用旧版 API 的程序使用。留空时自动生成。
console-page-create = 创建姓名页面
console-page-created = 姓名页面已创建。现在请检查设置并邀请人员。
console-page-saved = 设置已保存。
console-page-copied = 这是副本。请检查日期和关闭时间。
console-page-copied-people = 这是副本。人员将在几分钟内复制完成。请检查日期和关闭时间。
console-page-was-archived = 姓名页面已归档。
console-page-was-restored = 姓名页面已取消归档。
console-page-deleted = 姓名页面已删除。
console-page-print = 打印姓名
console-page-archived-note = 此页面已归档。恢复后才能更改设置。
console-page-basics = 页面信息
console-page-description = 说明
console-page-description-hint = 访问者看到的页面说明。
console-page-registering = 登记
console-page-register = 谁可以登记

console-register-invited = 受邀人员
console-register-domain = 电子邮箱属于下列域名之一的人员
console-register-code = 知道活动代码的人员
console-register-open = 任何人

console-page-domains = 域名
console-page-domains-hint = 每行一个，例如 example.edu；子域名用 *.example.edu。
console-page-closes = 关闭时间
console-page-closes-hint = 此后无人可以登记或录音。时区为 { $zone }。可以留空。
console-page-asked = 需要填写的内容

console-asked-name = 姓名
console-asked-pronouns = 代词
console-asked-off = 不询问
console-asked-optional = 选填
console-asked-required = 必填
console-asked-default = 按自定义字段的设置

console-page-listening = 收听
console-page-listen = 谁可以收听

console-listen-managers = 仅管理或可阅读此页面的成员
console-listen-registered = 还包括在此页面登记的人员
console-listen-institution = 还包括已登录的本机构人员
console-listen-link = 任何持有链接的人

console-page-moderation = 新录音

console-moderation-off = 立即可以收听
console-moderation-hold = 等待管理者批准

console-page-recordings = 录音
console-page-take = 最长录音时间（秒）
console-page-take-hint = 留空时使用本系统的限制。
console-page-days = 在日期之后多少天删除录音
console-page-days-hint = 会提前 14 天通知相关人员。留空则保留录音。
console-page-deletes = 录音将于 { $date } 删除。
console-page-api = API 第 2 版
console-page-v2 = 响应知道访问代码的程序
console-page-v2-hint = 知道代码的任何人无需令牌即可读取此页面所有人的姓名、电子邮箱和录音。请像密码一样保管该代码。
console-page-acts = 复制、归档、删除
console-page-archive = 归档
console-page-restore = 恢复
console-page-archive-hint = 已归档的页面不接受登记和录音，不发送提醒，并可随时恢复。
console-page-copy = 复制姓名页面
console-page-copy-lead = 副本具有相同的设置和文字，询问相同的字段，并由相同的人管理。它有自己的代码。
console-page-copy-people = 同时复制人员
console-page-copy-people-hint = 所有有电子邮箱的人员，不含录音和照片。不会给任何人写信或打电话。
console-page-copy-now = 创建副本
console-page-delete = 删除姓名页面
console-page-delete-lead = 这将删除页面及其全部内容，且无法撤销。如果只想结束使用，请将其归档。
console-page-delete-people = 同时删除的人员：{ $count }
console-page-delete-recordings = 同时删除的录音：{ $count }
console-page-delete-now = 永久删除

console-moderation-lead = 你管理的所有姓名页面上等待批准的录音和听众的举报。

console-fields-lead = 自定义字段是你的机构在姓名之外要求填写的内容。无论类型如何，程序都通过 API 以纯文本读写。
console-fields-none = 还没有自定义字段。请在下方创建第一个，例如代词或学位。
console-fields-new = 新建自定义字段

console-field-label = 标签
console-field-label-hint = 人们看到的名称，例如“代词”。
console-field-name = 名称
console-field-name-hint = 供程序使用：小写字母、数字和下划线，例如 gender_pronouns。之后不能更改。
console-field-import-key = 导入和请求中的键
console-field-kind = 类型

console-kind-text = 文本
console-kind-long-text = 长文本
console-kind-choice = 单选
console-kind-choices = 多选
console-kind-yes-no = 是或否

console-field-options = 可选内容
console-field-options-hint = 仅用于选择：每行一个，不含分号。更改后，已有的值会保留。
console-field-edited-by = 谁可以更改

console-edited-by-person = 本人
console-edited-by-staff = 仅工作人员。页面询问时，本人可回答一次。

console-field-asked = 在所有姓名页面上
console-field-on-badge = 在名牌上显示
console-field-on-badge-hint = 任何拥有名牌链接的人都可以看到。代词始终显示。
console-field-order = 顺序
console-field-up = 上移 { $field }
console-field-down = 下移 { $field }
console-field-create = 创建自定义字段
console-field-created = 自定义字段已创建。
console-field-saved = 自定义字段已保存。
console-field-deleted = 自定义字段已删除。
console-field-pages = 有单独设置的姓名页面
console-field-pages-lead = 这些页面自行决定是否询问此字段。其他页面按上面的选择。
console-field-pages-none = 没有姓名页面对此字段有单独设置。
console-field-page = 姓名页面
console-field-page-hint = 页面地址的末尾或活动代码。
console-field-how = 此页面如何询问
console-field-delete = 删除自定义字段
console-field-delete-lead = 这将在页面和 API 中删除该字段及其所有值，且无法撤销。
console-field-values = 有值的人员：{ $count }
console-field-values-partial = 最新的 { $people } 人中有值的人员：{ $count }
console-field-delete-now = 永久删除

console-set-outdated = 你打开之后有其他人作了更改，因此没有保存。你输入的内容仍在这里。与当前保存的内容不同之处，会在字段下方说明。再次保存即可使用你输入的内容。
console-set-now = 当前保存的内容：{ $value }
console-set-now-nothing = 当前这里没有保存内容。
console-set-rejected = 尚未保存。请检查标出的字段。
console-set-type-title = 输入标题以确认：{ $title }
console-set-type-name = 输入名称以确认：{ $name }
console-set-fault-typed = 内容不一致。没有删除任何内容。
console-set-fault-taken = 已被使用。请另选一个。
console-set-fault-slug = 只能使用小写字母、数字和连字符，且不能以连字符开头或结尾。
console-set-fault-code = 最多 100 个可见字符，不含空格。
console-set-fault-code-short = 至少 8 个字符。
console-set-fault-field-name = 请以字母开头，只使用小写字母、数字和下划线。
console-set-fault-reserved = 已有名为 { $name } 的字段。请另选名称。
console-set-fault-date = 这不是日期。格式应为 2027-05-31。
console-set-fault-date-needed = 请输入日期：录音要在该日期之后若干天删除。
console-set-fault-closing = 这不是日期和时间。格式应为 2027-05-31 18:00。
console-set-fault-domain = { $domain } 不是域名。格式应为 example.edu。
console-set-fault-domains-needed = 请至少输入一个域名，或另选可登记的人员。
console-set-fault-many = 太多了。最多 { $most } 个。
console-set-fault-range = 请输入 { $least } 到 { $most } 之间的数字。
console-set-fault-options = 请输入可选内容，每行一个。
console-set-fault-option = { $option } 含有用于分隔选项的分号。请去掉。
console-set-fault-page = 没有这个姓名页面。请检查地址。
