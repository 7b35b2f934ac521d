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
mail-merged-subject = Duas entradas foram mescladas: { $institution }
mail-merged-own = A sua entrada para { $page } foi mesclada com uma entrada que tinha outro endereço de e-mail. Ela pode ter assumido uma gravação dela.
mail-merged-other = A sua entrada para { $page } foi mesclada em uma entrada com outro endereço de e-mail. O que ela tinha, como a sua gravação, pode agora pertencer àquele endereço, e com este você não pode alterá-lo.
mail-merged-then = Se estas entradas não são da mesma pessoa, avise { $institution } imediatamente.
