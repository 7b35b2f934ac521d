# 面向管理或收听姓名页面的成员。

member-title = 你的页面
member-back = 返回你的页面
member-manage-title = 你管理的页面
member-hear-title = 你可以收听的页面
member-open-title = 你可以添加名字的页面
member-newest = 此处仅显示最新的页面。
member-none = 你还没有页面。你所在的机构可以分配页面给你。
member-delete-role = 你在页面管理中的角色
member-last-owner-title = 你是唯一的所有者
member-last-owner = 你所在的机构需要一位所有者。请先让其他人成为所有者，之后你就可以删除所有内容。

member-export-title = 导出人员
member-export-xlsx = 所有人，电子表格（XLSX）
member-export-csv = 所有人，简单表格（CSV）
member-export-zip = 所有录音，MP3 文件（ZIP）
member-export-vcard = 所有人，用于通讯录（vCard）
member-export-hint = 这些文件包含电子邮件地址和其他个人数据。已暂停或等待批准的录音不包含在内。
