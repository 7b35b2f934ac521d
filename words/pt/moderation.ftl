# Moderação de uma página de nomes: a lista de quem a administra e o que cada pessoa lê sobre a sua gravação.

moderation-title = Moderação
moderation-lead = As novas gravações, e as novas entradas de pessoas por quem ninguém responde, esperam aqui pela sua aprovação. Até lá, só você e essas pessoas as ouvem e veem.
moderation-lead-off = As novas gravações desta página podem ser ouvidas na hora. O que os ouvintes denunciam chega aqui.
moderation-lists = Casos
moderation-open = Para decidir
moderation-decided = Decididos nos últimos 30 dias
moderation-none = Não há nada para decidir.
moderation-none-decided = Nada foi decidido nos últimos 30 dias.
moderation-keys = Com o teclado: use Tab até uma gravação e as setas para ir à próxima ou à anterior; a barra de espaço a reproduz, A aprova, R leva ao motivo e D descarta uma denúncia.
moderation-play = Ouvir a gravação de { $name }
moderation-held = Espera aprovação desde { $date }
moderation-wrong-person = Denúncia: é o nome de outra pessoa
moderation-offensive = Denúncia: ofensiva
moderation-unintelligible = Denúncia: não dá para entender
moderation-reports =
    { $count ->
        [one] Uma denúncia
       *[other] { $count } denúncias
    }
moderation-approve = Aprovar
moderation-reject = Recusar
moderation-remove = Remover
moderation-reason = Motivo
moderation-reason-hint = A pessoa recebe o seu motivo, com um link para gravar de novo.
moderation-reject-now = Recusar a gravação
moderation-remove-now = Remover a gravação
moderation-dismiss = Descartar a denúncia
moderation-restore = Restaurar
moderation-state-approved = Aprovada por { $by } em { $date }
moderation-state-rejected = Recusada por { $by } em { $date }
moderation-state-removed = Removida por { $by } em { $date }
moderation-state-dismissed = Descartada por { $by } em { $date }
moderation-state-restored = Restaurada por { $by } em { $date }
moderation-until = Pode ser restaurada até { $date }
moderation-more = Mais
moderation-done-approved = A gravação já pode ser ouvida.
moderation-done-rejected = A gravação foi recusada, e a pessoa fica sabendo o motivo.
moderation-done-removed = A gravação foi removida, e a pessoa fica sabendo o motivo.
moderation-done-dismissed = A denúncia foi descartada.
moderation-done-restored = A gravação pode ser ouvida de novo.
moderation-done-decided = Enquanto isso, outra pessoa já decidiu. Nada foi alterado.
moderation-done-newer = Há uma gravação mais recente, por isso nada foi alterado. Ouça primeiro a mais recente.
moderation-gone = Esta gravação não existe mais. Talvez a pessoa a tenha apagado.
moderation-fault-reason = Escreva um motivo. A pessoa o recebe.
moderation-own-held = Sua gravação espera aprovação. Até lá, só você e quem administra esta página podem ouvi-la.
moderation-own-held-earlier = Sua nova gravação espera aprovação. Até lá, os outros ouvem a anterior.
moderation-own-refused = Sua gravação não foi aceita. Grave seu nome de novo. O motivo:
moderation-photo = Foto de { $name }
moderation-entry = Trata-se de toda a entrada: nome, transcrição, dados e foto.
moderation-silenced = Esta pessoa pausou as suas gravações ou retirou o seu consentimento, por isso ninguém mais ouve esta gravação e ela não pode ser aprovada.
moderation-reject-entry-now = Recusar a entrada
moderation-remove-entry-now = Remover a entrada
moderation-entry-reason-hint = A pessoa recebe o seu motivo, com um link para alterar a entrada.
moderation-done-entry-shown = Os outros já podem ver a entrada.
moderation-done-entry-refused = Os outros não veem a entrada, e a pessoa fica sabendo o motivo.
moderation-done-entry-newer = A entrada mudou nesse meio-tempo, por isso nada foi decidido. Veja-a de novo primeiro.
moderation-done-silenced = A pessoa pausou a gravação ou retirou o seu consentimento. Nada foi alterado.
moderation-own-entry-held = Sua entrada espera aprovação. Até lá, só você e quem administra esta página a veem.
moderation-own-entry-refused = Sua entrada não foi aceita. Altere-a. O motivo:
