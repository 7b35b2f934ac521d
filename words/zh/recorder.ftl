# 录音。脚本会把 %s 换成时长（如“2秒钟”），在 recorder-chosen 中则换成文件名。

recorder-record = 录下我的名字
recorder-stop = 停止
recorder-play = 播放
recorder-again = 重新录制
recorder-keep = 使用这段录音
recorder-retry = 重试
recorder-file = 改为上传文件
recorder-phone = 在手机上继续
recorder-call = 改为通过来电录音
recorder-own-window = 在单独的窗口中打开
recorder-countdown = 先倒数 3、2、1
recorder-others = 其他方式
recorder-time-left = 剩余时间
recorder-progress = 上传进度

recorder-ready = 按下按钮，用你喜欢听到的读法说出自己的名字。在别人听到之前，你可以先试听。
recorder-asking = 请允许使用麦克风。你的浏览器正在询问你。
recorder-get-ready = 请准备……
recorder-recording = 正在录音。说完后请按“停止”。
recorder-not-heard = 我们还没有听到声音。请说大声一点，或检查麦克风是否已打开。
recorder-working = 请稍等……
recorder-take = 你录了 %s。你可以试听、使用这段录音，或重新录制。
recorder-chosen = 你的文件：%s。你可以试听或使用它。

# 发送录音前的提示。
recorder-silent = 录音里听不到人声。请检查打开的麦克风是否正确，然后重新录制。
recorder-short = 录音很短。请重新录制，并完整地说出你的名字。
recorder-cut = 开头似乎没有录到。请重新录制，等出现“正在录音”后再开始说。
recorder-clipped = 声音太大，有些失真。请离麦克风稍远一点，重新录制。
recorder-quiet = 声音很小。请离麦克风近一点，重新录制；我们会帮你调大音量。
recorder-noisy = 你周围的噪音很大。请到安静一些的地方重新录制；我们会帮你减弱噪音。
recorder-unplayable = 这个浏览器无法在保存前播放录音。你可以先使用这段录音，之后再听。
recorder-empty = 浏览器没有录到任何声音。请重新录制，或选择下面的其他方式。
recorder-interrupted = 录音被打断了，例如有电话打进来。没有保存任何内容。请重新录制。

# 发送。
recorder-sending = 正在保存你的录音……
recorder-kept = 已保存。别人会这样听到你的名字。
recorder-offline = 网络连接已断开。你的录音还在这里：请在恢复联网后重试。
recorder-busy = 现在录音的人很多。你的录音还在这里：请稍后重试。
recorder-signed-out = 你的登录已失效：请在另一个标签页中登录，然后重试。你的录音还在这里。
recorder-refused = 我们无法使用这段录音。请重新录制，或选择其他文件。
recorder-trouble = 我们这边出了问题。你的录音还在这里：请重试。

# 没有麦克风时。
recorder-denied = 这个页面不能使用你的麦克风。请在浏览器的地址栏或设置中允许使用，然后再按一次按钮，或者选择下面的其他方式。
recorder-none-found = 我们没有找到麦克风。请连接麦克风后再按一次按钮，或者选择下面的其他方式。
recorder-in-use = 另一个应用正在使用你的麦克风。请关闭它（例如视频通话），然后再按一次按钮。
recorder-not-secure = 你的浏览器只允许在安全页面（https）上录音，而这个页面不是。请选择下面的其他方式。
recorder-framed = 嵌入这个页面的网站不允许它使用你的麦克风。请在单独的窗口中打开，或者选择下面的其他方式。
recorder-unsupported = 这个浏览器无法录音。请选择下面的其他方式。
recorder-found = 麦克风已连接。按下按钮即可录音。

# 文件。
recorder-file-label = 你名字的录音
recorder-file-hint = 几秒钟即可，常见的音频格式都可以。
recorder-file-send = 上传

# 在手机上。
recorder-phone-how = 请用手机相机扫描这个二维码。它只能使用一次，十分钟内有效。
recorder-phone-code = 用手机扫描的二维码
recorder-phone-address = 或者在手机上打开这个网址：
recorder-phone-waiting = 正在等待你的手机。录音传到后，这个页面会自动显示。
recorder-phone-failed = 我们暂时无法生成二维码。请稍后再试。
recorder-phone-expired = 二维码已过期。请重新获取。
recorder-arrived = 已收到你在手机上的录音。别人会这样听到你的名字。

# 服务器拒绝时的提示。
recorder-fault-no-file = 请先选择文件。
recorder-fault-too-large = 作为名字的录音，这个文件太大了。请选择小一点的文件。
recorder-fault-not-sound = 这不是我们能读取的录音。请选择 WAV、MP3、M4A、AAC、Ogg、WebM 或 FLAC 文件。
recorder-fault-damaged = 这段录音已损坏或不完整。请重新录制，或重新选择文件。
recorder-fault-closed = 此姓名页面已关闭，不再接受录音。
recorder-fault-unusual = 我们无法读取这种录音。请在这里重新录制，或选择其他文件。
recorder-fault-too-long = 这段录音超过了 { $seconds } 秒。请只说你的名字。
recorder-fault-too-short = 这段录音太短。请完整地说出你的名字。
recorder-fault-silent = 这段录音里听不到任何声音。请检查麦克风，然后重新录制。
