# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = 使用 { $name } 登录
sso-over-title = 请重新登录
sso-over = 此次登录已过期、已使用过，或是在另一个浏览器中开始的。请从登录页面重新开始。
sso-denied-title = 您尚未登录
sso-denied = 您取消了登录，或 { $name } 未允许您登录。请重试，或改用电子邮件登录。
sso-away-title = { $name } 没有响应
sso-away = 我们目前无法连接到 { $name }。请过几分钟再试，或改用电子邮件登录。
sso-setup-title = 无法使用 { $name } 登录
sso-setup = 我们与 { $name } 之间的连接设置有误。请告知您的机构。在修复之前，您可以使用电子邮件登录。
sso-forged-title = 未能登录
sso-forged = 我们无法验证 { $name } 的响应。请从登录页面重试。
sso-no-email-title = 缺少您的电子邮件地址
sso-no-email = { $name } 没有向我们提供您的电子邮件地址，因此我们无法在这里找到您的姓名。请改用电子邮件登录。
sso-unverified-title = 您的电子邮件地址未经确认
sso-unverified = { $name } 尚未确认该电子邮件地址属于您。请在那里确认，或改用电子邮件登录。
sso-domain-title = 此地址不能在这里使用
sso-domain = 您在 { $name } 登录的地址是 { $email }，该机构不接受此类地址。请换一个账号重试。
sso-unknown-title = 您尚未登记
sso-unknown = { $name } 已确认您是 { $email }，但这里没有人使用此地址登记。请让您的机构添加您，或换一个账号重试。
sso-wait-title = 请稍等
sso-wait = 目前来自您所在网络的登录次数过多。请一分钟后再试。
sso-signed-out-title = 您已退出登录
sso-signed-out = 您已在这里退出登录。接下来我们会带您前往 { $name }，以便您也在那里退出。
