# Cartas sobre páginas de nomes, a página onde uma instituição as altera e a página onde se deixa de recebê-las. Em uma carta, a linha cujo
# dado falta é omitida, e o link fica em uma linha própria.

page-mail-invitation-subject = Grave como se pronuncia o seu nome: { $page }
page-mail-invitation-text =
    Olá, { $name },

    Grave, por favor, como se pronuncia o seu nome para { $page }. Leva cerca de um minuto, no navegador, e você pode mudar a gravação quando quiser.

    { $link }

    É possível gravar até { $closes }.

    Este link é só para você. Por favor, não o compartilhe.
page-mail-reminder-subject = Lembrete para gravar o seu nome: { $page }
page-mail-reminder-text =
    Olá, { $name },

    Ainda falta a sua gravação para { $page }. Leva cerca de um minuto, no navegador.

    { $link }

    É possível gravar até { $closes }.

    Este link é só para você. Por favor, não o compartilhe.
page-mail-rejection-subject = Por favor, grave o seu nome de novo: { $page }
page-mail-rejection-text =
    Olá, { $name },

    A sua gravação para { $page } não foi aceita. Este é o motivo:

    { $reason }

    Você pode gravar o seu nome de novo:

    { $link }

    É possível gravar até { $closes }.
page-mail-entry-rejection-subject = Por favor, reveja a sua entrada: { $page }
page-mail-entry-rejection-text =
    Olá, { $name },

    A sua entrada para { $page } não foi aceita, por isso os outros não a veem. Este é o motivo:

    { $reason }

    Você pode alterá-la aqui:

    { $link }

    É possível gravar até { $closes }.
page-mail-request-subject = Alguém quer ouvir o seu nome: { $page }
page-mail-request-text =
    Olá, { $name },

    Alguém em { $page } quer pronunciar bem o seu nome, e ainda não há gravação dele. Leva cerca de um minuto, no navegador.

    { $link }

    É possível gravar até { $closes }.

    Você pode desativar pedidos como este na sua própria página, em “Pedidos de gravação”.
page-mail-retention-subject = As gravações serão excluídas: { $page }
page-mail-retention-text =
    Olá, { $name },

    As gravações de { $page } serão excluídas em { $date }, e a sua é uma delas. Você não precisa fazer nada.

    Se quiser guardar a sua gravação, você pode ouvi-la e baixá-la até lá:

    { $link }
page-mail-button-record = Gravar o seu nome
page-mail-button-page = Abrir a página
page-mail-why = { $institution } envia esta mensagem com o Endonym, para que os nomes sejam bem pronunciados.
page-mail-stop = Para não receber mais mensagens como esta, abra este link. As mensagens que você pedir para entrar continuarão chegando.
page-mail-stop-link = Não receber mais mensagens como esta
page-mail-stop-title = Mensagens sobre páginas de nomes
page-mail-stop-lead = { $institution } pode enviar mensagens sobre páginas de nomes para { $email }: convites, lembretes e o que acontece com as gravações.
page-mail-stop-what = Se você as cancelar, continuará recebendo as mensagens que pedir para entrar. Você pode mudar isso aqui quando quiser.
page-mail-stop-button = Cancelar as mensagens
page-mail-stopped = { $institution } não envia mais mensagens para { $email }. Você continuará recebendo as mensagens que pedir para entrar.
page-mail-start-lead = Foi um engano? Então você pode voltar a receber mensagens.
page-mail-start-button = Voltar a receber mensagens
page-mail-stop-unknown-title = Este link não funciona
page-mail-stop-unknown = Verifique se você copiou o link inteiro da mensagem.
page-mail-page-title = Mensagens
page-mail-page-lead = Estes textos valem para todas as páginas de nomes de { $institution }. Cada mensagem está no idioma de quem a recebe.
page-mail-page-kind = Mensagem
page-mail-page-language = Idioma
page-mail-page-show = Mostrar
page-mail-kind-invitation = Convite
page-mail-kind-reminder = Lembrete
page-mail-kind-rejection = Gravação não aceita
page-mail-kind-entry-rejection = Entrada não aceita
page-mail-kind-request = Pedido de gravação
page-mail-kind-retention = As gravações serão excluídas
page-mail-page-built-in = Este é o texto que vem com o Endonym.
page-mail-page-own = Este é o texto de vocês.
page-mail-page-unsaved = Este texto ainda não foi salvo.
page-mail-page-outdated = Alguém mudou o texto enquanto você escrevia, e nada seu foi salvo ainda. Este é o texto dessa pessoa. Salve de novo para substituir.
page-mail-page-outdated-reset = Alguém voltou ao texto original enquanto você escrevia, e nada seu foi salvo ainda. Este é o texto original. Salve de novo para substituir.
page-mail-page-not-reset = Alguém mudou o texto depois que você abriu esta página, e o texto original não foi restaurado. Este é o texto dessa pessoa. Para substituí-lo, escolha de novo “Voltar ao texto original”.
page-mail-page-subject = Assunto
page-mail-page-subject-help = Pode conter: { $placeholders }
page-mail-page-text = Texto
page-mail-page-text-help = Pode conter: { $placeholders }. O link é obrigatório. A linha cujo dado falta é omitida. Linhas em branco separam parágrafos.
page-mail-page-preview = Mostrar prévia
page-mail-page-reset = Voltar ao texto original
page-mail-page-preview-title = Prévia
page-mail-page-test-title = Mensagem de teste
page-mail-page-test-lead = O texto salvo é enviado, com conteúdo fictício, para { $email }.
page-mail-page-test = Enviar uma mensagem de teste para mim
page-mail-page-saved = O texto está salvo.
page-mail-page-was-reset = O texto original voltou a ser usado.
page-mail-page-tested = A mensagem de teste está a caminho.
page-mail-fault-blank = Digite um texto, por favor.
page-mail-fault-long = O texto é longo demais. Ele pode ter { $most } caracteres.
page-mail-fault-characters = O texto contém caracteres que não podem ser enviados.
page-mail-fault-unknown = { $placeholder } não é um marcador que é substituído aqui. Verifique a escrita e as chaves.
page-mail-fault-missing = O texto precisa conter { $placeholder }.
page-mail-sample-page = Página de exemplo
page-mail-sample-reason = O som da gravação está muito baixo.
