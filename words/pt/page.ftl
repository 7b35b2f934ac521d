# Uma página de nomes: o cadastro, o próprio registro, o cartaz.

page-date = Data: { $date }
page-lead = Aqui as pessoas gravam como se pronuncia o nome delas, para que todo mundo acerte. Leva cerca de um minuto.
page-closes = Grave seu nome antes de { $time } ({ $zone }).
page-closed = Esta página fechou em { $time } ({ $zone }). Ninguém mais pode se cadastrar nem gravar aqui.
page-archived = Esta página está arquivada. Nada mais pode ser alterado aqui.

page-window = Abrir esta página em sua própria janela
page-own-link = Ir para o meu registro
page-register-link = Fazer meu cadastro aqui
page-people-link = Ouvir os nomes
page-known = Já fiz meu cadastro
page-not-permitted = Você entrou como { $email }, e esta página é para outras pessoas. Se você tiver outro endereço, saia e use esse. Se não, pergunte a quem enviou você para cá.
page-who = Você entrou como { $email }.

page-ask-title = Começar
page-ask-lead = Digite seu endereço de e-mail. Enviaremos uma mensagem com um código, para que ninguém mais se cadastre em seu nome. Você não precisa de senha.
page-ask-later = Há pessoas demais se cadastrando neste momento. Tente de novo em cerca de uma hora.
page-ask-invited = Esta página é para pessoas convidadas. Se você recebeu um convite, abra o link dele ou digite aqui seu endereço de e-mail. Enviaremos uma mensagem com um código.
page-ask-closed = Se você já fez seu cadastro, digite seu endereço de e-mail para ver seu registro. Enviaremos uma mensagem com um código.
page-domains = Use um endereço de { $domains }.
page-event-code = Código do evento
page-event-code-hint = Ele está no cartaz ou na mensagem que trouxe você até aqui.
page-event-code-missing = Digite o código do evento.
page-event-code-wrong = Este não é o código do evento desta página. Confira o código.
page-code-lead = Se este endereço pode se cadastrar em { $page }, ou já está cadastrado lá, uma mensagem com um código está a caminho. Digite o código aqui ou abra o link da mensagem. Os dois funcionam uma só vez, durante dez minutos.
page-code-none = A mensagem não chegou? Procure na pasta de spam e confira o endereço.
page-code-again = Digitar o endereço de novo

page-asked-title = O que pedimos a você
page-asked-recording = Uma gravação do seu nome: você pode ouvir antes e tentar de novo quantas vezes quiser
page-asked-name = Seu nome
page-asked-photo = Uma foto
page-optional = opcional

page-form-title = Seu nome
page-form-lead = Isto aparece ao lado da sua gravação em { $page }.
page-form-send = Continuar para a gravação
page-first-name = Nome
page-last-name = Sobrenome
page-names-hint = Se você tem um só nome, deixe o outro campo vazio.
page-name-blank = Digite seu nome.

page-done-registered = Seu cadastro está feito. Agora grave seu nome.
page-finished = Pronto. Seu nome está gravado.
page-finished-lead = Agradecemos! Você pode fechar esta página ou gravar de novo.
page-held = A gravação aguarda aprovação. Até lá, só você e quem cuida desta página podem ouvir.
page-only = Usar a nova gravação só nesta página
page-only-hint = Caso contrário, ela é usada em todas as suas páginas.
page-missing = Ainda falta:
page-me-link = Todas as minhas páginas e quem pode me ouvir

page-nav = Cuidar desta página
page-nav-page = Página
page-nav-people = Pessoas
page-nav-invitations = Convites
page-nav-moderation = Moderação
page-nav-messages = Mensagens
page-nav-import = Importar
page-nav-export = Exportar
page-nav-poster = Cartaz

page-poster-how = Escolha o papel e imprima esta página com seu navegador. Só o cartaz é impresso.
page-poster-a4 = A4
page-poster-letter = Carta
page-poster-download = Baixar o código QR
page-poster-call = Grave como se pronuncia seu nome
page-poster-scan = Escaneie o código com seu telefone ou acesse:
page-poster-qr = Código QR que leva a esta página de nomes
