# O cartão, e o player em outros sites.

badge-title = { $name }: como se pronuncia
badge-description = O cartão com o nome de { $name }.
badge-description-recorded = Ouça { $name } dizer o próprio nome.
badge-description-phonetic = Pronuncia-se assim: { $phonetic }.
badge-description-both = Pronuncia-se assim: { $phonetic }. Ouça { $name } dizer o próprio nome.
badge-say-like = Pronuncia-se assim:
badge-note = Pronuncia-se assim: { $phonetic }
badge-recording-of = Como se pronuncia { $name }
badge-play = Reproduzir o nome de { $name }
badge-play-legal = Reproduzir o nome civil de { $name }
badge-none = Ainda não há uma gravação deste nome.
badge-notes = Observações
badge-legal = Nome civil
badge-save-contact = Salvar contato
badge-save-recording = Salvar gravação
badge-copy = Copiar link
badge-copied = Copiado
badge-inside-title = Você não pode abrir este cartão com o nome
badge-inside = Este cartão com o nome é só para pessoas de { $institution }. Se você deveria ser uma delas, saia e entre com outro e-mail.

# O player. As palavras curtas devem caber em um quadro de 48 pixels.
badge-player-fault = { $label } (não é possível neste momento)
badge-player-none = Ainda não há uma gravação de { $name }.
badge-player-none-legal = Ainda não há uma gravação do nome civil de { $name }.
badge-player-none-short = Sem áudio
badge-player-gone = Este nome não está mais aqui.
badge-player-gone-short = Removido
badge-player-later = O player não pode ser mostrado neste momento; tente de novo daqui a pouco.
badge-player-later-short = Depois
