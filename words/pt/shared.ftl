# Layout, navegação, botões e erros que várias áreas usam.

shared-skip = Ir para o conteúdo
shared-language = Idioma
shared-sign-out = Sair
shared-save = Salvar
shared-continue = Continuar
shared-blank = Preencha este campo.
shared-cannot-play = Não é possível reproduzir esta gravação agora. Tente de novo daqui a pouco.
shared-trouble-title = Algo deu errado
shared-trouble = O erro é nosso. Tente de novo daqui a pouco.
shared-nothing-title = Não há nada aqui
shared-nothing = A página que você procura não existe.
shared-unreadable-title = Não funcionou
shared-unreadable = Seu navegador enviou algo que não conseguimos ler. Volte e tente de novo.
shared-busy = O servidor está ocupado. Tente de novo daqui a pouco.
shared-form-expired-title = Envie de novo, por favor
shared-form-expired = Esta página ficou aberta por tempo demais ou foi enviada de outro site. Volte, recarregue a página e envie de novo.
