# The console: people.

console-people-search = Nome, e-mail ou ID
console-people-search-send = Mostrar
console-people-reset = Mostrar todas as pessoas
console-people-filters = Filtros
console-people-page = Página de nomes
console-people-any = Qualquer
console-people-field = Campo personalizado
console-people-value = Valor do campo
console-people-sort = Ordem
console-people-sort-name = Por nome
console-people-sort-changed = Alteração mais recente primeiro
console-people-sort-recorded = Gravação mais recente primeiro (só com gravação)
console-people-recorded = Com gravação
console-people-unrecorded = Sem gravação
console-people-waiting = Aguardando aprovação
console-people-paused = Em pausa
console-people-invited-yes = Com convite
console-people-invited-no = Sem convite
console-people-phone-yes = Com número
console-people-phone-no = Sem número
console-people-count =
    { $count ->
        [one] { $count } pessoa
       *[other] { $count } pessoas
    }
console-people-cut-walked = Pessoas verificadas até agora: { $count }. A próxima parte continua a partir daí.
console-people-cut-found = Pessoas demais correspondem; só algumas aparecem (limite: { $count }). Digite mais do nome para encontrar outras.
console-people-building = A busca está sendo atualizada. Algumas pessoas podem faltar por alguns minutos.
console-people-nobody-found = Ninguém corresponde. Tente com menos letras ou outro filtro.
console-people-nobody = Ainda não há ninguém. Primeiro crie uma página de nomes e depois importe um arquivo ou convide pessoas ali.
console-people-to-pages = Páginas de nomes
console-people-name = Nome
console-people-without-name = Sem nome
console-people-changed = Última alteração
console-people-selected = Seleção
console-people-select = Selecionar { $name }
console-people-select-all = Selecionar todas as pessoas desta parte da lista
console-people-with-selected = Com as pessoas selecionadas
console-people-everybody = Todas as pessoas que correspondem, não só as selecionadas
console-people-first = Primeira parte
console-people-next = Próxima parte
console-people-undo = Desfazer
console-people-cancel = Cancelar
console-people-choose = Escolha uma opção
console-people-invite = Convidar
console-people-invite-lead = Elas recebem uma mensagem com um link pessoal. Quem já gravou, não quer e-mails ou tem um convite válido fica de fora.
console-people-remind = Lembrar
console-people-remind-lead = Quem foi convidado por e-mail e não gravou recebe um lembrete: no máximo três no total, e pelo menos um dia após a última mensagem.
console-people-move = Mover para outra página de nomes
console-people-move-lead = As gravações e os links não mudam. As pessoas de um curso ficam onde a plataforma de aprendizagem as colocou.
console-people-move-choose = Escolha uma página de nomes.
console-people-tag = Preencher um campo personalizado
console-people-tag-choose = Escolha um campo personalizado.
console-people-tag-hint = Deixe vazio para limpar o campo.
console-people-merge = Unir dois registros de uma pessoa
console-people-merge-two = Volte e selecione exatamente duas pessoas para unir.
console-people-delete-many = Excluir pessoas
console-people-delete-lead =
    { $days ->
        [one] Elas somem de todas as listas, e seus links deixam de funcionar. Você pode desfazer isso por { $days } dia.
       *[other] Elas somem de todas as listas, e seus links deixam de funcionar. Você pode desfazer isso por { $days } dias.
    }
console-people-delete-number = Para confirmar, digite o número de pessoas: { $count }
console-people-delete-wrong = Este não é o número de pessoas.
console-people-bulk-count =
    { $count ->
        [one] Isto diz respeito a { $count } pessoa.
       *[other] Isto diz respeito a { $count } pessoas.
    }
console-people-bulk-cut = Mais pessoas correspondem do que é possível tratar de uma vez. Repita depois para as outras.
console-people-bulk-nobody = Ninguém está selecionado. Volte e selecione as pessoas primeiro.
console-people-bulk-no-mail = Nenhum servidor de e-mail está configurado aqui. Em uma página de nomes, você pode distribuir links pessoais em “Convites”.
console-people-task-progress = Feito: { $done } de { $total }
console-people-task-done = Concluído.
console-people-task-failed = Não foi possível concluir. O que foi feito permanece; os outros registros não mudaram.
console-people-outcome-done = Feito
console-people-outcome-unchanged = Nada a fazer
console-people-outcome-gone = Não está mais aqui
console-people-outcome-taken = Já existe alguém com o mesmo e-mail ou ID
console-people-outcome-without-email = Sem e-mail
console-people-outcome-recorded = Já gravou
console-people-outcome-unreachable = Não quer e-mails ou o endereço não funciona
console-people-outcome-not-invited = Sem convite por e-mail
console-people-outcome-just-written = Recebeu mensagem há pouco ou já teve todos os lembretes
console-people-outcome-in-course = Pertence a um curso
console-people-outcome-closed = A página de nomes está fechada ou arquivada
console-people-edit = Editar registro
console-people-badge = Cartão com o nome
console-people-listen = Página para ouvir
console-people-delete = Excluir registro
console-people-delete-title = Excluir { $name }?
console-people-audience-institution = Pessoas da instituição
console-people-recording = Gravação
console-people-recordings = Gravações
console-people-legal-recording = Gravação do nome civil
console-people-removed = Não aceita
console-people-paused-lead = A pessoa pausou suas gravações, por isso ninguém pode ouvi-las.
console-people-hold = Reserva de diretório
console-people-hold-lead = O público não fica sabendo nada sobre esta pessoa. Somente quem administra esta página, ou ouve ou ensina aqui, ouve o nome, após entrar.
console-people-hold-hint = Para pessoas que pediram para não constar em diretórios (FERPA). Vale para todas as páginas de nomes da pessoa.
console-people-hold-yes = Sim: não informar nada ao público
console-people-hold-no = Não
console-people-hold-elsewhere = Somente titulares ou admins podem encerrar isto: a pessoa também está em outras páginas de nomes.
console-people-no-recording = Ainda não há gravação.
console-people-record = Gravar ou enviar
console-people-record-lead = Faça isso só para alguém que concordou. Substitui a gravação atual.
console-people-record-ready = Aperte o botão e diga o nome.
console-people-photo = Uma foto da pessoa
console-people-photo-send = Enviar a foto
console-people-calls = Chamadas
console-people-no-calls = Não houve chamadas.
console-people-call = Ligar para esta pessoa
console-people-called-soon = Esta pessoa receberá uma chamada em breve.
console-people-call-scheduled = Agendada
console-people-call-active = Em andamento
console-people-call-no-answer = Sem resposta
console-people-call-busy = Ocupado
console-people-call-failed = Não funcionou
console-people-call-canceled = Cancelada
console-people-no-messages = Não há mensagens.
console-people-to-invitations = Convites desta página de nomes
console-people-mail-sign-in = E-mail para entrar
console-people-mail-queued = Aguardando envio
console-people-mail-sent = Enviado
console-people-mail-failed = Recusado pelo servidor de e-mail
console-people-mail-unconfirmed = Talvez enviado
console-people-mail-expired = Não enviado a tempo
console-people-others = Outros registros desta pessoa
console-people-history = Histórico
console-people-no-history = O registro de auditoria não tem nada sobre este registro.
console-people-all-changes = Todas as alterações nos dados desta pessoa
console-people-merge-with = Unir a este registro
console-people-done-saved = O registro foi salvo.
console-people-done-recorded = O arquivo foi salvo.
console-people-done-called = A chamada está agendada.
console-people-done-merged = Os dois registros foram unidos.
console-people-done-restored = O registro foi restaurado.
console-people-done-deleted = O registro foi excluído.
console-people-edit-fixed = O e-mail e o ID identificam o registro e não podem ser alterados aqui.
console-people-edit-course = Uma plataforma de aprendizagem fornece os nomes desta pessoa e pode alterá-los de novo.
console-people-edit-changed = Outra pessoa alterou este registro nesse meio-tempo. O que você digitou continua aqui; os campos diferentes mostram o valor atual. Salve de novo para substituí-lo.
console-people-edit-theirs = Valor atual: { $value }
console-people-deleted = Excluídas recentemente
console-people-deleted-none =
    { $days ->
        [one] Ninguém foi excluído no último dia.
       *[other] Ninguém foi excluído nos últimos { $days } dias.
    }
console-people-deleted-by = Excluída por
console-people-purged-on = Excluída definitivamente em
console-people-restore = Restaurar
console-people-restore-taken = Agora há alguém com o mesmo e-mail ou ID. Exclua primeiro esse registro.
console-people-merge-lead = O registro mantido recebe do outro o que lhe falta. Depois, o outro é excluído definitivamente.
console-people-merge-field = Campo
console-people-merge-kept = Registro mantido
console-people-merge-other = Outro registro
console-people-merge-result = Resultado
console-people-merge-send = Unir
console-people-merge-swap = Manter o outro registro
console-people-merge-email = Os dois registros têm e-mails diferentes. Este é abandonado: { $email }
console-people-merge-changed = Um dos registros mudou nesse meio-tempo. Confira novamente.
console-people-merge-course = Uma plataforma de aprendizagem precisa do outro registro, porque ele pertence a um curso. Mantenha aquele.
console-people-refused = Desativadas por um diretório
console-people-refused-about = Um diretório desativou ou excluiu estas pessoas. Elas não podem voltar com um convite nem se registrando, até que o diretório as ative ou você as readmita.
console-people-refused-none = Ninguém está desativado.
console-people-refused-since = Desde
console-people-readmit = Readmitir
console-people-readmitted = Esta pessoa pode ser convidada novamente. Envie a ela um novo convite.
console-people-merge-admin = Estas entradas têm e-mails diferentes, então podem ser duas pessoas. Só um proprietário ou administrador pode mesclá-las.
console-people-merge-paused = A pessoa da outra entrada pausou as suas gravações ou retirou o seu consentimento, e tem outro e-mail. As duas entradas não podem ser mescladas.
console-messages-notice = Aviso de dados alterados
