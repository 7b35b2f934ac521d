# The listening page of a name page: the list, asking for a recording, reporting one.

people-title = { $page }: nomes e como se pronunciam
people-coverage =
    { $recorded ->
        [one] { $recorded } de { $registered } pessoas gravou o nome.
       *[other] { $recorded } de { $registered } pessoas gravaram o nome.
    }
people-find = Procurar um nome
people-find-send = Procurar
people-shown = Quais pessoas são mostradas
people-everybody = Todas as pessoas
people-unrecorded = Ainda sem gravação
people-recorded = Com gravação
people-letters = Letras iniciais
people-found =
    { $count ->
        [one] { $count } pessoa.
       *[other] { $count } pessoas.
    }
people-found-nobody = Ninguém aqui se chama { $search }.
people-show-everybody = Mostrar todas as pessoas
people-all-recorded = Todas as pessoas gravaram o nome.
people-nobody = Ainda não há ninguém aqui.
people-pages = Partes da lista
people-page = Página { $page } de { $pages }
people-back = Anterior
people-next = Próxima
people-list = Voltar para a lista
people-play-all = Tocar todos
people-play-all-file = Tocar todos em um único arquivo
people-stop = Parar
people-print = Versão para impressão
people-print-now = Imprimir
people-keys = Teclado
people-keys-hint = Vá para a lista com a tecla Tab ou, no campo de busca, com a seta para baixo.
people-keys-arrows = A pessoa seguinte ou a anterior
people-keys-space-name = Espaço
people-keys-space = Tocar o nome, ou parar
people-keys-home-name = Home
people-keys-end-name = End
people-keys-ends = A primeira ou a última pessoa
people-name = Nome
people-phonetic = Como se pronuncia
people-pronouns = Pronomes
people-recording = Gravação
people-inside = Entre para ouvir este nome
people-only-inside = Só para pessoas de { $institution }
people-ask = Pedir uma gravação
people-ask-outside = Abra esta página em uma aba própria para pedir gravações
people-asked = Agradecemos. Transmitimos o seu pedido, no máximo uma vez por semana e somente se a pessoa quiser receber essas mensagens.
people-report = Denunciar
people-report-label = Denunciar a entrada de { $name } (abre em outra aba)
people-report-title = Denunciar uma entrada
people-report-lead = Você está denunciando a entrada de { $name }. Quem administra esta página vai vê-la e decidir.
people-report-about = O que você quer denunciar?
people-report-about-recording = A gravação
people-report-about-entry = O nome, a transcrição ou a foto
people-report-why = O que há de errado?
people-report-wrong-person = É o nome ou a voz de outra pessoa
people-report-offensive = É ofensiva
people-report-unintelligible = Não dá para entender
people-report-sentence = Conte mais
people-report-sentence-hint = Uma frase basta.
people-report-sentence-fault = Escreva uma frase, com no máximo 1.000 caracteres.
people-report-choose = Escolha o que há de errado.
people-report-send = Enviar
people-reported = Agradecemos. Quem administra esta página vai verificar.
people-too-many-title = Espere um pouco
people-too-many = Houve pedidos demais da sua rede. Tente novamente em uma hora.
people-closed-title = Você não pode ouvir aqui
people-closed = Só algumas pessoas podem ouvir os nomes desta página. Se você deveria ser uma delas, fale com quem administra a página ou entre com outro e-mail.
people-requests-title = Pedidos de gravação
people-requests-label = Outras pessoas podem pedir que eu grave meu nome
people-requests-hint = Você recebe no máximo uma mensagem por semana, e somente enquanto não houver gravação do seu nome.
people-requests-done = Salvo.
