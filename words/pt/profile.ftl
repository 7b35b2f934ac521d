# The photo, name badges, custom fields and legal name on a person's own page.

profile-badge = Cartão com seu nome

profile-photo-title = Sua foto
profile-photo-alt = Foto sua
profile-photo-choose = Escolha uma foto sua
profile-photo-replace = Escolha outra foto
profile-photo-hint = Um arquivo JPEG, PNG, WebP ou GIF. A foto aparece como um quadrado em todas as suas páginas.
profile-photo-partial = Algumas das suas páginas ainda não a mostram. Escolha-a de novo para mostrá-la em todas.
profile-photo-delete = Remover minha foto
profile-photo-send = Usar esta foto
profile-photo-no-file = Escolha uma foto primeiro.
profile-photo-other = Não podemos usar este arquivo. Escolha uma imagem JPEG, PNG, WebP ou GIF.
profile-photo-heic = Esta é uma imagem HEIC, que não podemos usar. Salve-a antes como JPEG ou faça uma captura de tela.
profile-photo-damaged = Esta imagem está danificada ou incompleta. Salve-a de novo ou escolha outra.
profile-photo-large = Esta imagem é grande demais. Escolha uma menor.

profile-crop-preview = Sua foto, como as outras pessoas a verão
profile-crop-hint = Arraste a imagem ou use os controles deslizantes até gostar do que aparece no quadrado.
profile-crop-ready = Escolha a parte que as outras pessoas verão e pressione “Usar esta foto”.
profile-crop-zoom = Zoom
profile-crop-x = Esquerda ou direita
profile-crop-y = Para cima ou para baixo

profile-done-photo = Sua foto foi salva.
profile-done-photo-deleted = Sua foto foi removida.

profile-fixed = Só a sua instituição pode alterar estes dados. Se algo estiver errado, entre em contato com ela.
profile-field-none = Sem resposta
profile-field-yes = Sim
profile-field-no = Não
profile-field-not-included = Escolha uma das respostas.

profile-guide-examples = Por exemplo:
profile-guide-example-1 = Siobhán: chi-VON
profile-guide-example-2 = Giulia: DJU-lia
profile-guide-example-3 = Michael: MAI-col

profile-legal-title = Seu nome civil
profile-legal-lead = Sua instituição usa esse nome onde é necessário, por exemplo em um diploma. Você pode gravar como ele se pronuncia.
profile-legal-all = Uma só gravação é usada em todas estas páginas.
profile-legal-open = Ouvir ou gravar seu nome civil
profile-legal-none = Sua instituição não informou um nome civil para você.
profile-legal-play = Seu nome civil em { $page }
profile-legal-unrecorded = Ainda não está gravado.
profile-legal-delete = Excluir a gravação do meu nome civil
profile-legal-delete-explained = A gravação do seu nome civil será removida de todas as suas páginas, e os links para ela deixarão de funcionar. Isso não pode ser desfeito. A gravação do nome que você usa permanece. Você pode gravar seu nome civil de novo quando quiser.
profile-legal-delete-now = Excluir esta gravação
profile-legal-ready = Pressione o botão e diga seu nome civil como ele deve ser pronunciado. Você pode escutar antes de qualquer outra pessoa.
profile-legal-consent = Para gravá-lo, concorde primeiro com o texto sobre as gravações.
