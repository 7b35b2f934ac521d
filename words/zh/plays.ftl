# 名字被播放了多少次：个人页面的一部分。

plays-title = 你的名字被播放的次数
plays-none = 过去 30 天里还没有人听过你的名字。有人听了之后，你会在这里看到。
plays-sum = 过去 30 天里，你的名字被播放了 { $times } 次。
plays-chart = 过去 30 天的图表，一天最多播放 { $most } 次。
plays-counted = 我们只统计你的录音被播放的次数和位置，并不知道是谁在听。
plays-today = 今天
plays-details = 查看位置和日期
plays-place = 位置
plays-day = 日期
plays-times = 播放次数
plays-from-badge = 你的名牌
plays-from-player = 未知的网站
plays-from-sites = 其他网站
plays-from-link = 链接或应用
plays-from-lti = 你的学习平台
plays-from-page = 姓名页面
plays-date = { $month }月{ $day }日
