# A página de uma pessoa.

me-title = Seu nome
me-back = Voltar ao seu nome
me-gone-title = Sua sessão terminou
me-gone = Sua instituição não tem mais um registro seu aqui. Se for um engano, entre em contato com sua instituição.

me-recording-title = Sua gravação
me-recording-play = Sua gravação em { $page }
me-recording-none = As outras pessoas ainda não podem ouvir seu nome.
me-recording-paused = Sua gravação está guardada, mas por enquanto ninguém pode ouvi-la.
me-recording-only-here = Você a gravou só para esta página.
me-recording-delete = Excluir minha gravação
me-recording-delete-explained = Sua gravação será removida de todas as suas páginas, e os links para ela deixarão de funcionar. Isso não pode ser desfeito. Você pode gravar seu nome de novo quando quiser.
me-recording-delete-now = Excluir de todas as páginas
me-recording-delete-page = Excluir a gravação para { $page }
me-recording-delete-page-explained = Esta gravação será removida desta página, e o link para ela deixará de funcionar. Isso não pode ser desfeito.
me-recording-delete-page-now = Excluir desta página
me-record-for = Gravar para
me-record-for-all = Todas as minhas páginas
me-record-for-one = Só { $page }

me-audience-heading = Privacidade
me-directory-hold = Sua instituição definiu uma reserva de diretório para você: o público não fica sabendo nada sobre você. Seu cartão com o nome está fechado, e você não está em páginas de nomes públicas, seja qual for a sua escolha abaixo. Somente quem ensina em uma das suas páginas de nomes ou a administra pode ouvir seu nome, após entrar. Para encerrar a reserva, fale com sua instituição.
me-audience-title = Quem pode ouvir sua gravação
me-audience-public = Qualquer pessoa com o link
me-audience-public-hint = Todas as pessoas que têm o link do seu nome podem ouvir.
me-audience-institution = Minha instituição
me-audience-institution-hint = As pessoas da sua instituição podem ouvir, nos sistemas da própria instituição ou depois de entrar.
me-audience-paused = Ninguém por enquanto
me-audience-paused-hint = Sua gravação fica guardada, mas nenhum link para ela funciona até você escolher outra opção.

me-details-title = Por escrito
me-phonetic = Escrita fonética
me-phonetic-hint = Escreva seu nome do jeito que ele soa, por exemplo chi-VON.
me-phonetic-guide-title = Como escrever um nome do jeito que ele soa
me-phonetic-guide = Escreva de forma que alguém que nunca viu seu nome o leia corretamente.
me-phonetic-guide-syllables = Ponha um hífen entre as sílabas: chi-von.
me-phonetic-guide-stress = Use maiúsculas na parte mais forte: chi-VON.
me-phonetic-guide-rhyme = Se um som for difícil de escrever, diga uma palavra que rime: “rima com bom”.
me-notes = Observações
me-notes-hint = Qualquer outra coisa que as pessoas devam saber sobre seu nome.

me-call-lead = Você recebe uma ligação automática e diz seu nome ao telefone.
me-call-soon = Em breve você receberá uma ligação. Você pode informar outro número.
me-call-send = Ligar para mim
me-phone-number = Número de telefone
me-phone-number-hint = Com o código do país, como +12025550123.

me-done-recording = Sua gravação foi salva.
me-done-deleted = Sua gravação foi excluída.
me-done-audience = Sua escolha foi salva.
me-done-details = Suas alterações foram salvas.
me-done-call = Em breve você receberá uma ligação.

me-fault-long = Está longo demais. Use no máximo { $most } caracteres.
me-fault-characters = Há caracteres que não podem ser usados aqui.
me-fault-phone-blank = Digite um número de telefone.
me-fault-phone = Não podemos usar este número de telefone. Ele deve ser parecido com +12025550123.
me-fault-not-callable = Não podemos ligar para este número. Tente outro número ou grave seu nome aqui.
me-fault-too-many-calls = Você já recebeu ligações demais hoje. Tente de novo amanhã ou grave seu nome aqui.
me-fault-audience = Sua instituição não oferece esta opção. Escolha outra, por favor.
me-fault-page = Seu nome não está mais nessa página. Recarregue e escolha outra, por favor.
me-kept-title = Suas gravações substituídas
me-kept-about = Outra pessoa substituiu gravações que você fez. Ninguém ouve as suas até que você as restaure.
me-kept-replaced = Substituída: { $time }.
me-kept-until = Guardada até { $time }.
me-kept-put-back = Restaurar minha gravação
me-kept-done = Sua gravação está de volta.
