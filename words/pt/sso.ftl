# Signing in and out through an institution's OpenID provider. $name is the provider's name.

sso-button = Entrar com { $name }
sso-over-title = Entre de novo, por favor
sso-over = Este acesso expirou, já foi usado ou foi iniciado em outro navegador. Comece de novo pela página de entrada.
sso-denied-title = Você não entrou
sso-denied = Você cancelou, ou { $name } não permitiu sua entrada. Tente de novo ou entre por e-mail.
sso-away-title = { $name } não responde
sso-away = Não conseguimos contatar { $name } agora. Tente de novo em alguns minutos ou entre por e-mail.
sso-setup-title = A entrada com { $name } não funciona
sso-setup = A conexão entre nós e { $name } não está configurada corretamente. Avise sua instituição. Enquanto isso, você pode entrar por e-mail.
sso-forged-title = Não foi possível entrar
sso-forged = Não conseguimos verificar a resposta de { $name }. Tente de novo pela página de entrada.
sso-no-email-title = Falta seu endereço de e-mail
sso-no-email = { $name } não nos enviou seu endereço de e-mail, por isso não encontramos seu nome aqui. Entre por e-mail.
sso-unverified-title = Seu endereço de e-mail não está confirmado
sso-unverified = { $name } não confirmou que o endereço de e-mail pertence a você. Confirme-o lá ou entre por e-mail.
sso-domain-title = Este endereço não pode ser usado aqui
sso-domain = Você entrou em { $name } como { $email }, mas esta instituição não aceita endereços desse tipo. Tente de novo com outra conta.
sso-unknown-title = Você não tem um registro aqui
sso-unknown = { $name } confirmou que você é { $email }, mas não há ninguém registrado aqui com esse endereço. Peça à sua instituição que adicione você ou tente de novo com outra conta.
sso-wait-title = Espere um pouco, por favor
sso-wait = Há acessos demais a partir da sua rede neste momento. Tente de novo em um minuto.
sso-signed-out-title = Você saiu
sso-signed-out = Você saiu daqui. Agora levamos você a { $name }, para que possa sair de lá também.
sso-unconfirmed-title = Não foi possível confirmar que é você
sso-unconfirmed = Para esta etapa, precisamos saber que você acabou de entrar com { $name }, e isso não nos foi informado. Saia de lá, entre novamente e repita a etapa. Se não ajudar, peça um link de acesso a quem administra este serviço.
sso-tenant = Você entrou em { $name } com uma conta que não pertence a esta instituição. Tente novamente com outra conta.
