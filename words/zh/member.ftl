# 面向管理或收听名字页面的成员。

member-title = 你的页面
member-manage-title = 你管理的页面
member-hear-title = 你可以收听的页面
member-open-title = 你可以添加名字的页面
member-newest = 此处仅显示最新的页面。
member-none = 你还没有页面。你所在的机构可以分配页面给你。
member-delete-role = 你在页面管理中的角色
member-last-owner-title = 你是唯一的所有者
member-last-owner = 你所在的机构需要一位所有者。请先让其他人成为所有者，之后你就可以删除所有内容。
