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
mail-address-subject = Seu endereço foi alterado: { $institution }
mail-address-what = { $institution } alterou o endereço do seu registro de { $old } para { $new }. O registro com as gravações, e a página para alterá-las, pertencem agora ao novo endereço.
mail-address-then = Se você não esperava isso, pergunte logo a { $institution }. Com o novo endereço, você vê seu registro aqui:
mail-replaced-subject = Sua gravação foi substituída: { $institution }
mail-replaced-what = Outra pessoa substituiu a gravação do seu nome que você fez, na página { $page } de { $institution }.
mail-replaced-then = Sua própria gravação é guardada até { $date }. Você a restaura com um clique na sua página:
mail-merged-subject = Duas entradas foram mescladas: { $institution }
mail-merged-own = A sua entrada para { $page } foi mesclada com uma entrada que tinha outro endereço de e-mail. Ela pode ter assumido uma gravação dela.
mail-merged-other = A sua entrada para { $page } foi mesclada em uma entrada com outro endereço de e-mail. O que ela tinha, como a sua gravação, pode agora pertencer àquele endereço, e com este você não pode alterá-lo.
mail-merged-then = Se estas entradas não são da mesma pessoa, avise { $institution } imediatamente.
