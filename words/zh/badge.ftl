# 名牌，以及其他网站上的播放器。

badge-title = { $name }：怎么读
badge-description = { $name } 的名牌。
badge-description-recorded = 听 { $name } 说自己的名字。
badge-description-phonetic = 读法：{ $phonetic }。
badge-description-both = 读法：{ $phonetic }。听 { $name } 说自己的名字。
badge-say-like = 读法：
badge-note = 读法：{ $phonetic }
badge-recording-of = { $name } 的读法
badge-play = 播放 { $name } 的名字
badge-play-legal = 播放 { $name } 的法定姓名
badge-none = 这个名字还没有录音。
badge-notes = 备注
badge-legal = 法定姓名
badge-save-contact = 保存联系人
badge-save-recording = 保存录音
badge-copy = 复制链接
badge-copied = 已复制
badge-inside-title = 你不能打开这个名牌
badge-inside = 这个名牌仅供{ $institution }的人查看。如果你应该可以查看，请退出登录，再用其他邮箱登录。

# 播放器。短语必须能放进 48 像素的框。
badge-player-fault = { $label }（目前无法播放）
badge-player-none = 还没有 { $name } 的录音。
badge-player-none-legal = 还没有 { $name } 法定姓名的录音。
badge-player-none-short = 无录音
badge-player-gone = 这里已经没有这个名字。
badge-player-gone-short = 已移除
badge-player-later = 目前无法显示播放器；请稍后再试。
badge-player-later-short = 稍后
