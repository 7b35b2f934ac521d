# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = 使用 { $name } 登录
sso-over-title = 请重新登录
sso-over = 此次登录已过期、已使用过，或是在另一个浏览器中开始的。请从登录页面重新开始。
sso-denied-title = 你尚未登录
sso-denied = 你取消了登录，或 { $name } 未允许你登录。请重试，或改用电子邮件登录。
sso-away-title = { $name } 没有响应
sso-away = 我们目前无法连接到 { $name }。请过几分钟再试，或改用电子邮件登录。
sso-setup-title = 无法使用 { $name } 登录
sso-setup = 我们与 { $name } 之间的连接设置有误。请告知你所在的机构。在修复之前，你可以使用电子邮件登录。
sso-forged-title = 登录没有成功
sso-forged = 我们无法验证 { $name } 的响应。请从登录页面重试。
sso-no-email-title = 缺少你的电子邮箱地址
sso-no-email = { $name } 没有向我们提供你的电子邮箱地址，因此我们无法在这里找到你的名字。请改用电子邮件登录。
sso-unverified-title = 你的电子邮箱地址未经确认
sso-unverified = { $name } 尚未确认这个电子邮箱地址属于你。请在那里确认，或改用电子邮件登录。
sso-domain-title = 此地址不能在这里使用
sso-domain = 你在 { $name } 登录的地址是 { $email }，但这个机构不接受此类地址。请换一个账号重试。
sso-unknown-title = 你尚未登记
sso-unknown = { $name } 已确认你是 { $email }，但这里没有人用这个地址登记。请让你所在的机构添加你，或换一个账号重试。
sso-wait-title = 请稍等一会儿
sso-wait = 目前来自你所在网络的登录次数过多。请一分钟后再试。
sso-signed-out-title = 你已退出登录
sso-signed-out = 你已在这里退出登录。接下来我们会带你前往 { $name }，以便你也在那里退出登录。
sso-unconfirmed-title = 我们无法确认是你本人
sso-unconfirmed = 要进行这一步，我们需要知道你刚刚通过 { $name } 登录，但它没有告诉我们。请在那里退出并重新登录，然后重复这一步。如果仍然不行，请向本服务的运营人员索取登录链接。
sso-tenant = 你在 { $name } 登录的账号不属于这个机构。请换一个账号再试。
