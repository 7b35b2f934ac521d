# The console: its frame, overview and search.

console-overview = 概览
console-people = 人员
console-name-pages = 姓名页面
console-moderation = 审核
console-custom-fields = 自定义字段
console-tokens = 访问令牌
console-learning-systems = 学习平台
console-phone = 电话
console-messages = 消息
console-jobs = 导出与任务
console-settings = 设置
console-members = 成员
console-audit = 审计日志
console-title = 控制台
console-menu = 菜单
console-own-page = 你自己的页面
console-forbidden-title = 这不属于你的角色
console-forbidden = 你所在机构的所有者或管理员可以执行此操作，或授予你该角色。
console-sign-in-again = 请重新登录后再执行此操作。
