# The console: access tokens.

console-tokens-about = 程序使用访问令牌通过 API 读取和更改你所在机构的人员。
console-tokens-docs = API 参考
console-tokens-none = 没有有效的访问令牌。请为每个程序单独创建一个，这样可以单独撤销它。
console-tokens-new = 新建访问令牌
console-tokens-show-ended = 同时显示已过期和已撤销的令牌
console-tokens-hide-ended = 仅显示有效令牌
console-tokens-name = 名称
console-tokens-name-hint = 哪个程序使用此令牌，例如“学生信息系统”。
console-tokens-state = 状态
console-tokens-active = 有效
console-tokens-replaced = 已替换，仍然有效
console-tokens-expired = 已过期
console-tokens-revoked = 已撤销
console-tokens-soon = 即将过期
console-tokens-replacement = 替换它的令牌
console-tokens-scope = 权限
console-tokens-read = 读取
console-tokens-read-hint = 列出、搜索和查询人员，以及读取导出。
console-tokens-write = 读取和写入
console-tokens-write-hint = 还可创建、更改和删除人员与录音。
console-tokens-sync = 同步课程
console-tokens-sync-hint = 仅可启动与学习平台的课程同步。
console-tokens-everything = 全部
console-tokens-everything-hint = 读取、写入和同步课程。
console-tokens-pages = 姓名页面
console-tokens-all-pages = 所有姓名页面
console-tokens-all-pages-hint = 包括以后创建的页面。
console-tokens-some-pages = 仅限以下姓名页面
console-tokens-no-pages = 已无页面
console-tokens-pages-none = 请至少选择一个姓名页面。
console-tokens-pages-many = 选择过多。请最多选择 { $most } 个姓名页面，或选择全部。
console-tokens-rows = 行
console-tokens-newest = 每人一行
console-tokens-newest-hint = 如果某人在多个姓名页面上，按电子邮件或标识符查询时只返回录音最新的记录。
console-tokens-held = 包括目录保密的人
console-tokens-held-hint = 其他令牌会将这些人显示为未录音。仅用于只有工作人员使用的程序。
console-tokens-held-short = 目录保密
console-tokens-maker = 创建者
console-tokens-maker-unknown = 未知
console-tokens-maker-left = 已离开
console-tokens-created = 创建时间
console-tokens-used = 上次使用
console-tokens-never-used = 从未
console-tokens-expires = 过期时间
console-tokens-forever = 不过期
console-tokens-life = 令牌有效期
console-tokens-days =
    { $count ->
       *[other] { $count } 天
    }
console-tokens-hours =
    { $count ->
       *[other] { $count } 小时
    }
console-tokens-create = 创建令牌
console-tokens-made-title = 新令牌
console-tokens-made-once = 仅在此时显示。请将其复制到使用它的地方：我们不会保存副本。
console-tokens-overlap = 旧令牌在 { $until } 之前有效。请在此之前全部替换。
console-tokens-secret = 令牌
console-tokens-copy-secret = 复制令牌
console-tokens-copy-curl = 复制命令
console-tokens-copied = 已复制
console-tokens-curl-title = 试一试
console-tokens-curl-about = 将此行粘贴到终端中，它会列出你所在机构的人员。
console-tokens-curl-sync = 将此行粘贴到终端中，并将 API_TOKEN 替换为学习平台的 API 令牌，将 COURSE_ID 替换为课程的 ID。
console-tokens-go-on = 我已复制
console-tokens-requests = 请求数（30 天）
console-tokens-requests-title = 每日请求数
console-tokens-requests-sum =
    { $count ->
       *[other] 过去 30 天内有 { $count } 个请求。
    }
console-tokens-chart = 每日请求数，最多 { $most }
console-tokens-since = 从 { $day } 到今天
console-tokens-by-day = 每日数字
console-tokens-day = 日期
console-tokens-counted = 请求会在几秒钟后显示。
console-tokens-rotate-title = 替换令牌
console-tokens-rotate-about = 你会获得一个权限相同的新令牌。旧令牌会继续有效一段时间，以免服务中断。
console-tokens-overlap-label = 旧令牌继续有效
console-tokens-overlap-none = 立即失效
console-tokens-rotate = 创建新令牌
console-tokens-revoke-title = 撤销令牌
console-tokens-revoke-about = 它会在一秒内失效，并且无法恢复。
console-tokens-revoke-confirm = 使用此令牌的程序将停止工作
console-tokens-revoke-unconfirmed = 请确认。
console-tokens-revoke = 撤销令牌
console-tokens-done-revoked = 令牌已撤销。
