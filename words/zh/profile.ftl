# The photo, name badges, custom fields and legal name on a person's own page.

profile-badge = 名牌

profile-photo-title = 你的照片
profile-photo-alt = 你的照片
profile-photo-choose = 选择一张你的照片
profile-photo-replace = 选择另一张照片
profile-photo-hint = JPEG、PNG、WebP 或 GIF 文件。照片会以正方形显示在你的所有页面上。
profile-photo-partial = 你的一些页面还没有显示这张照片。请重新选择一次，让它显示在所有页面上。
profile-photo-delete = 移除我的照片
profile-photo-send = 使用这张照片
profile-photo-no-file = 请先选择一张照片。
profile-photo-other = 我们无法使用这个文件。请选择 JPEG、PNG、WebP 或 GIF 图片。
profile-photo-heic = 这是 HEIC 图片，我们无法使用。请先将它另存为 JPEG，或者截屏后再上传。
profile-photo-damaged = 这张图片已损坏或不完整。请重新保存，或者选择另一张。
profile-photo-large = 这张图片太大了。请选择一张小一些的。

profile-crop-preview = 别人将看到的照片
profile-crop-hint = 拖动图片或使用滑块，直到方框里的部分让你满意。
profile-crop-ready = 选择别人会看到的部分，然后按“使用这张照片”。
profile-crop-zoom = 缩放
profile-crop-x = 左右移动
profile-crop-y = 上下移动

profile-done-photo = 照片已保存。
profile-done-photo-deleted = 照片已移除。

profile-fixed = 这些内容只能由你所在的机构修改。如果有误，请联系你所在的机构。
profile-field-none = 未填写
profile-field-yes = 是
profile-field-no = 否
profile-field-not-included = 请选择其中一个答案。

profile-guide-examples = 例如：
profile-guide-example-1 = Siobhán：shi-VAWN
profile-guide-example-2 = 单雄：shàn-xióng（“单”与“善”同音）
profile-guide-example-3 = 仇英：qiú-yīng（“仇”与“球”同音）

profile-legal-title = 你的法定姓名
profile-legal-lead = 你所在的机构在必要时使用它，例如印在毕业证书上。你可以录下它的读音。
profile-legal-all = 同一段录音用于所有这些页面。
profile-legal-open = 收听或录制你的法定姓名
profile-legal-none = 你所在的机构还没有填写你的法定姓名。
profile-legal-play = { $page } 上你的法定姓名
profile-legal-unrecorded = 还没有录音。
profile-legal-delete = 删除我的法定姓名的录音
profile-legal-delete-explained = 你的法定姓名的录音会从你的所有页面上移除，它的链接也会失效。此操作无法撤销。你日常所用名字的录音会保留。你可以随时重新录制法定姓名。
profile-legal-delete-now = 删除这段录音
profile-legal-ready = 按下按钮，用正确的读法说出你的法定姓名。在别人听到之前，你可以先试听。
profile-legal-consent = 若要录音，请先同意关于录音的说明。
