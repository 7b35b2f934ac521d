# E-mails. O assunto traz o nome da instituição por último, porque ele pode estar em outra escrita.

mail-sign-in-subject = Seu código para entrar: { $institution }
mail-sign-in-title = Entrar
mail-sign-in-code = Digite este código na página em que você o pediu:
mail-sign-in-link = Ou abra este link, neste ou em outro dispositivo:
mail-sign-in-button = Continuar para entrar
mail-sign-in-once = O código e o link funcionam uma só vez, durante dez minutos.
mail-sign-in-why = Alguém pediu para entrar com o endereço { $email }.
mail-sign-in-ignore = Se não foi você, ignore esta mensagem. Ninguém pode entrar sem o código ou o link, então não os passe a ninguém.
mail-test-subject = Mensagem de teste
mail-test-title = O e-mail funciona
mail-test-body = Esta é uma mensagem de teste do Endonym. Se você consegue ler isto, esta instalação pode enviar e-mails.
