# Cartas sobre páginas de nomes, a página onde uma instituição as altera e a página onde se deixa de recebê-las. Em uma carta, a linha cujo
# dado falta é omitida, e o link fica em uma linha própria.

letters-invitation-subject = Grave como se pronuncia o seu nome: { $page }
letters-invitation-text =
    Olá, { $name },

    Grave, por favor, como se pronuncia o seu nome para { $page }. Leva cerca de um minuto, no navegador, e você pode mudar a gravação quando quiser.

    { $link }

    É possível gravar até { $closes }.

    Este link é só para você. Por favor, não o compartilhe.
letters-reminder-subject = Lembrete para gravar o seu nome: { $page }
letters-reminder-text =
    Olá, { $name },

    Ainda falta a sua gravação para { $page }. Leva cerca de um minuto, no navegador.

    { $link }

    É possível gravar até { $closes }.

    Este link é só para você. Por favor, não o compartilhe.
letters-rejection-subject = Por favor, grave o seu nome de novo: { $page }
letters-rejection-text =
    Olá, { $name },

    A sua gravação para { $page } não foi aceita. Este é o motivo:

    { $reason }

    Você pode gravar o seu nome de novo:

    { $link }

    É possível gravar até { $closes }.
letters-request-subject = Alguém quer ouvir o seu nome: { $page }
letters-request-text =
    Olá, { $name },

    Alguém em { $page } quer pronunciar bem o seu nome, e ainda não há gravação dele. Leva cerca de um minuto, no navegador.

    { $link }

    É possível gravar até { $closes }.

    Você pode desativar pedidos como este na sua própria página, em “Pedidos de gravação”.
letters-retention-subject = As gravações serão excluídas: { $page }
letters-retention-text =
    Olá, { $name },

    As gravações de { $page } serão excluídas em { $date }, e a sua é uma delas. Você não precisa fazer nada.

    Se quiser guardar a sua gravação, você pode ouvi-la e baixá-la até lá:

    { $link }
letters-button-record = Gravar o seu nome
letters-button-page = Abrir a página
letters-why = { $institution } envia esta mensagem com o Endonym, para que os nomes sejam bem pronunciados.
letters-stop = Para não receber mais mensagens como esta, abra este link. As mensagens que você pedir para entrar continuarão chegando.
letters-stop-link = Não receber mais mensagens como esta
letters-stop-title = Mensagens sobre páginas de nomes
letters-stop-lead = { $institution } pode enviar mensagens sobre páginas de nomes para { $email }: convites, lembretes e o que acontece com as gravações.
letters-stop-what = Se você as cancelar, continuará recebendo as mensagens que pedir para entrar. Você pode mudar isso aqui quando quiser.
letters-stop-button = Cancelar as mensagens
letters-stopped = { $institution } não envia mais mensagens para { $email }. Você continuará recebendo as mensagens que pedir para entrar.
letters-start-lead = Foi um engano? Então você pode voltar a receber mensagens.
letters-start-button = Voltar a receber mensagens
letters-stop-unknown-title = Este link não funciona
letters-stop-unknown = Verifique se você copiou o link inteiro da mensagem.
letters-page-title = Mensagens
letters-page-lead = Estes textos valem para todas as páginas de nomes de { $institution }. Cada mensagem está no idioma de quem a recebe.
letters-page-kind = Mensagem
letters-page-language = Idioma
letters-page-show = Mostrar
letters-kind-invitation = Convite
letters-kind-reminder = Lembrete
letters-kind-rejection = Gravação não aceita
letters-kind-request = Pedido de gravação
letters-kind-retention = As gravações serão excluídas
letters-page-built-in = Este é o texto que vem com o Endonym.
letters-page-own = Este é o texto de vocês.
letters-page-unsaved = Este texto ainda não foi salvo.
letters-page-outdated = Alguém mudou o texto enquanto você escrevia, e nada seu foi salvo ainda. Este é o texto dessa pessoa. Salve de novo para substituir.
letters-page-outdated-reset = Alguém voltou ao texto original enquanto você escrevia, e nada seu foi salvo ainda. Este é o texto original. Salve de novo para substituir.
letters-page-not-reset = Alguém mudou o texto depois que você abriu esta página, e o texto original não foi restaurado. Este é o texto dessa pessoa. Para substituí-lo, escolha de novo “Voltar ao texto original”.
letters-page-subject = Assunto
letters-page-subject-help = Pode conter: { $placeholders }
letters-page-text = Texto
letters-page-text-help = Pode conter: { $placeholders }. O link é obrigatório. A linha cujo dado falta é omitida. Linhas em branco separam parágrafos.
letters-page-preview = Mostrar prévia
letters-page-reset = Voltar ao texto original
letters-page-preview-title = Prévia
letters-page-test-title = Mensagem de teste
letters-page-test-lead = O texto salvo é enviado, com conteúdo fictício, para { $email }.
letters-page-test = Enviar uma mensagem de teste para mim
letters-page-saved = O texto está salvo.
letters-page-was-reset = O texto original voltou a ser usado.
letters-page-tested = A mensagem de teste está a caminho.
letters-fault-blank = Digite um texto, por favor.
letters-fault-long = O texto é longo demais. Ele pode ter { $most } caracteres.
letters-fault-characters = O texto contém caracteres que não podem ser enviados.
letters-fault-unknown = { $placeholder } não é um marcador que é substituído aqui. Verifique a escrita e as chaves.
letters-fault-missing = O texto precisa conter { $placeholder }.
letters-sample-page = Página de exemplo
letters-sample-reason = O som da gravação está muito baixo.
