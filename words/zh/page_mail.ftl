# 关于姓名页面的信件、机构修改信件的页面，以及停止接收信件的页面。信件中缺少内容的行会被省略，链接单独成行。

page-mail-invitation-subject = 请录制你的姓名读法：{ $page }
page-mail-invitation-text =
    { $name }，你好！

    请为 { $page } 录制你的姓名读法。在浏览器中大约需要一分钟，你可以随时更改。

    { $link }

    录音截止时间：{ $closes }。

    此链接仅供你本人使用，请勿转发。
page-mail-reminder-subject = 提醒：请录制你的姓名：{ $page }
page-mail-reminder-text =
    { $name }，你好！

    { $page } 还缺少你的录音。在浏览器中大约需要一分钟。

    { $link }

    录音截止时间：{ $closes }。

    此链接仅供你本人使用，请勿转发。
page-mail-rejection-subject = 请重新录制你的姓名：{ $page }
page-mail-rejection-text =
    { $name }，你好！

    你为 { $page } 录制的录音未被接受，原因如下：

    { $reason }

    你可以重新录制你的姓名：

    { $link }

    录音截止时间：{ $closes }。
page-mail-entry-rejection-subject = 请再次查看你的条目：{ $page }
page-mail-entry-rejection-text =
    { $name }，你好！

    你在 { $page } 的条目未被接受，因此其他人看不到它。原因如下：

    { $reason }

    你可以在这里修改：

    { $link }

    录音截止时间：{ $closes }。
page-mail-request-subject = 有人想听你的姓名：{ $page }
page-mail-request-text =
    { $name }，你好！

    { $page } 上有人想正确读出你的姓名，但还没有录音。在浏览器中大约需要一分钟。

    { $link }

    录音截止时间：{ $closes }。

    你可以在自己的页面的“录音请求”中关闭此类请求。
page-mail-retention-subject = 录音即将删除：{ $page }
page-mail-retention-text =
    { $name }，你好！

    { $page } 的录音将于 { $date } 删除，其中包括你的录音。你无需做任何事。

    如果想保留你的录音，在此之前可以收听和下载：

    { $link }
page-mail-button-record = 录制你的姓名
page-mail-button-page = 打开页面
page-mail-why = { $institution } 通过 Endonym 发送此邮件，以便大家正确读出姓名。
page-mail-stop = 如果不想再收到此类邮件，请打开此链接。你请求的登录邮件仍会送达。
page-mail-stop-link = 不再接收此类邮件
page-mail-stop-title = 关于姓名页面的邮件
page-mail-stop-lead = { $institution } 可能会向 { $email } 发送关于姓名页面的邮件：邀请、提醒以及录音的处理情况。
page-mail-stop-what = 停止后，你请求的登录邮件仍会送达。你可以随时在此更改。
page-mail-stop-button = 停止接收邮件
page-mail-stopped = { $institution } 不再向 { $email } 发送邮件。你请求的登录邮件仍会送达。
page-mail-start-lead = 点错了吗？你可以重新接收邮件。
page-mail-start-button = 重新接收邮件
page-mail-stop-unknown-title = 此链接无效
page-mail-stop-unknown = 请检查是否复制了邮件中的完整链接。
page-mail-page-title = 邮件
page-mail-page-lead = 这些文本用于 { $institution } 的所有姓名页面。每封邮件都使用收件人的语言。
page-mail-page-kind = 邮件
page-mail-page-language = 语言
page-mail-page-show = 显示
page-mail-kind-invitation = 邀请
page-mail-kind-reminder = 提醒
page-mail-kind-rejection = 录音未被接受
page-mail-kind-entry-rejection = 条目未被接受
page-mail-kind-request = 请求录音
page-mail-kind-retention = 录音即将删除
page-mail-page-built-in = 这是 Endonym 自带的文本。
page-mail-page-own = 这是你们自己的文本。
page-mail-page-unsaved = 这段文本尚未保存。
page-mail-page-outdated = 在你填写期间，其他人修改了文本，你的内容尚未保存。以下是对方的文本。再次保存即可替换。
page-mail-page-outdated-reset = 在你填写期间，其他人恢复了原来的文本，你的内容尚未保存。以下是原来的文本。再次保存即可替换。
page-mail-page-not-reset = 在你打开此页面之后，其他人修改了文本，因此没有恢复原来的文本。以下是对方的文本。如要替换，请再次选择“恢复原来的文本”。
page-mail-page-subject = 主题
page-mail-page-subject-help = 可以包含：{ $placeholders }
page-mail-page-text = 正文
page-mail-page-text-help = 可以包含：{ $placeholders }。必须有链接。缺少内容的行会被省略。空行分隔段落。
page-mail-page-preview = 显示预览
page-mail-page-reset = 恢复原来的文本
page-mail-page-preview-title = 预览
page-mail-page-test-title = 测试邮件
page-mail-page-test-lead = 已保存的文本将以虚构内容发送到 { $email }。
page-mail-page-test = 给我发送测试邮件
page-mail-page-saved = 文本已保存。
page-mail-page-was-reset = 已恢复使用原来的文本。
page-mail-page-tested = 测试邮件正在发送。
page-mail-fault-blank = 请输入文本。
page-mail-fault-long = 文本太长，最多 { $most } 个字符。
page-mail-fault-characters = 文本包含无法发送的字符。
page-mail-fault-unknown = { $placeholder } 不是此处可替换的占位符。请检查拼写和花括号。
page-mail-fault-missing = 文本必须包含 { $placeholder }。
page-mail-sample-page = 示例页面
page-mail-sample-reason = 录音声音太小。
