# O gravador. O script põe no lugar de %s uma duração, como “2 segundos”, ou o nome de um arquivo em recorder-chosen.

recorder-record = Gravar meu nome
recorder-stop = Parar
recorder-play = Reproduzir
recorder-again = Gravar de novo
recorder-keep = Usar esta gravação
recorder-retry = Tentar de novo
recorder-file = Enviar um arquivo
recorder-phone = Continuar no celular
recorder-call = Receber uma ligação
recorder-own-window = Abrir em outra janela
recorder-countdown = Contar 3, 2, 1 antes de começar
recorder-others = Outras formas
recorder-time-left = Tempo restante
recorder-progress = Envio

recorder-ready = Pressione o botão e diga seu nome do jeito que você gosta de ouvi-lo. Você pode escutar antes de qualquer outra pessoa.
recorder-asking = Permita o uso do microfone. Seu navegador está perguntando agora.
recorder-get-ready = Prepare-se…
recorder-recording = Gravando. Pressione Parar quando terminar.
recorder-not-heard = Ainda não ouvimos nada. Fale um pouco mais alto ou confira se o microfone está ligado.
recorder-working = Um momento…
recorder-take = Sua gravação tem %s. Escute, use ou grave de novo.
recorder-chosen = Seu arquivo: %s. Escute ou use.

# Dicas antes do envio de uma gravação.
recorder-silent = Não ouvimos nenhuma voz. Confira se o microfone certo está ligado e grave de novo.
recorder-short = Está muito curta. Grave de novo e diga seu nome inteiro.
recorder-cut = Parece que falta o começo. Grave de novo e espere a palavra “Gravando” aparecer antes de falar.
recorder-clipped = O som está alto demais e distorcido. Grave de novo, um pouco mais longe do microfone.
recorder-quiet = O som está muito baixo. Grave de novo, mais perto do microfone; aumentaremos o volume para você.
recorder-noisy = Há muito ruído ao seu redor. Grave de novo em um lugar mais silencioso; reduziremos o ruído para você.
recorder-unplayable = Este navegador não consegue reproduzir a gravação antes de ela ser salva. Você pode usá-la e escutar depois.
recorder-empty = Seu navegador não gravou nada. Grave de novo ou escolha outra forma abaixo.
recorder-interrupted = A gravação foi interrompida, por exemplo por uma ligação. Nada foi salvo. Grave de novo, por favor.

# Envio.
recorder-sending = Salvando sua gravação…
recorder-kept = Gravação salva. É assim que as outras pessoas ouvirão seu nome.
recorder-offline = A conexão foi perdida. Sua gravação continua aqui: tente de novo quando a conexão voltar.
recorder-busy = Muita gente está gravando neste momento. Sua gravação continua aqui: tente de novo daqui a pouco.
recorder-signed-out = Sua sessão terminou: entre em outra aba e tente de novo. Sua gravação continua aqui.
recorder-refused = Não podemos usar esta gravação. Grave de novo ou escolha outro arquivo.
recorder-trouble = Algo deu errado do nosso lado. Sua gravação continua aqui: tente de novo, por favor.

# Quando não há microfone.
recorder-denied = Esta página não tem permissão para usar seu microfone. Permita o uso na barra de endereço ou nas configurações do navegador e pressione o botão de novo, ou escolha outra forma abaixo.
recorder-none-found = Não encontramos nenhum microfone. Conecte um e pressione o botão de novo, ou escolha outra forma abaixo.
recorder-in-use = Outro aplicativo está usando seu microfone. Feche-o, por exemplo uma chamada de vídeo, e pressione o botão de novo.
recorder-not-secure = Seu navegador só permite gravar em páginas seguras (https), e esta não é. Escolha outra forma abaixo.
recorder-framed = O site em volta desta página não permite que ela use seu microfone. Abra-a em outra janela ou escolha outra forma abaixo.
recorder-unsupported = Este navegador não consegue gravar. Escolha outra forma abaixo.
recorder-found = Agora há um microfone conectado. Pressione o botão para gravar.

# Um arquivo.
recorder-file-label = Uma gravação do seu nome
recorder-file-hint = Alguns segundos, em qualquer formato de áudio comum.
recorder-file-send = Enviar

# No celular.
recorder-phone-how = Escaneie este código com a câmera do celular. Ele funciona uma só vez, durante dez minutos.
recorder-phone-code = Código para escanear com o celular
recorder-phone-address = Ou abra este endereço no celular:
recorder-phone-waiting = Esperando seu celular. Esta página avisa quando sua gravação chegar.
recorder-phone-failed = Não conseguimos criar um código agora. Tente de novo daqui a pouco.
recorder-phone-expired = O código expirou. Peça um novo.
recorder-arrived = Sua gravação chegou do celular. É assim que as outras pessoas ouvirão seu nome.

# Recusas do servidor.
recorder-fault-no-file = Escolha primeiro um arquivo.
recorder-fault-too-large = Este arquivo é grande demais para a gravação de um nome. Escolha um menor.
recorder-fault-not-sound = Não conseguimos ler esta gravação. Escolha um arquivo WAV, MP3, M4A, AAC, Ogg, WebM ou FLAC.
recorder-fault-damaged = Esta gravação está danificada ou incompleta. Grave de novo ou escolha o arquivo outra vez.
recorder-fault-closed = Esta página de nomes está fechada e não aceita mais gravações.
recorder-fault-unusual = Não conseguimos ler este tipo de gravação. Grave de novo aqui ou escolha outro arquivo.
recorder-fault-too-long =
    { $seconds ->
        [one] Esta gravação tem mais de { $seconds } segundo. Diga só o seu nome.
       *[other] Esta gravação tem mais de { $seconds } segundos. Diga só o seu nome.
    }
recorder-fault-too-short = Esta gravação é curta demais. Diga seu nome inteiro.
recorder-fault-silent = Não ouvimos nada nesta gravação. Confira seu microfone e grave de novo.
