# The console: members and audit.

console-members-lead = Os membros gerenciam as páginas de nomes da instituição ou as ouvem. Eles entram como todo mundo.
console-members-add = Adicionar um membro
console-members-owners-only = Só titulares podem adicionar, alterar e remover membros.
console-members-none = Ninguém tem uma função ainda. Adicione primeiro você, com a função de titular.
console-members-email = E-mail
console-members-email-hint = A pessoa entra com este endereço.
console-members-email-fault = Este e-mail não pode ser usado. Verifique o endereço.
console-members-known = Esta pessoa já é membro. Você pode alterar a função na lista.
console-members-role = Função
console-members-since = Desde
console-members-act = Ações
console-members-change = Alterar
console-members-change-title = Alterar um membro
console-members-you = Você
console-members-only-owner = a única pessoa com esta função
console-members-first = Para o início
console-members-back = Voltar aos membros
console-members-owner = Titular
console-members-owner-hint = Pode fazer tudo, em todas as páginas.
console-members-admin = Admin
console-members-admin-hint = Pode fazer tudo, exceto alterar membros, configurar o login único e os diretórios, definir por quanto tempo o registro de auditoria é mantido e excluir a instituição.
console-members-manager = Responsável
console-members-manager-hint = Gerencia as páginas escolhidas: pessoas, convites, moderação e exportações.
console-members-reader = Ouvinte
console-members-reader-hint = Ouve os nomes das páginas escolhidas, e nada mais.
console-members-all-pages = Todas
console-members-no-pages = Nenhuma
console-members-more-pages = { $count ->
    [one] e mais { $count }
   *[other] e mais { $count }
}
console-members-pages-now = { $count ->
    [one] { $count } página de nomes
   *[other] { $count } páginas de nomes
}
console-members-pages-hint = Para responsáveis e ouvintes. Titulares e admins têm todas as páginas.
console-members-pages-many = São páginas demais (o limite é { $most }). Dê à pessoa a função de admin.
console-members-page-unknown = Uma destas páginas não existe mais ou o código está errado.
console-members-more = Outras páginas
console-members-more-hint = Aqui aparecem só as páginas mais recentes. Indique as mais antigas pelo código ou nome curto, separados por vírgulas.
console-members-last-owner = Sua instituição precisa de alguém com a função de titular. Dê a função antes a outra pessoa.
console-members-added = O membro foi adicionado e pode entrar aqui: { $address }
console-members-changed = Salvo. Vale imediatamente.
console-members-removed = A função terminou.
console-members-remove = Remover este membro
console-members-remove-lead = A função termina imediatamente. O que a pessoa gravou para si é mantido.
console-members-tokens = Tokens de acesso que esta pessoa criou
console-members-tokens-lead = Esta pessoa os conhece, e eles continuam funcionando. O que deve acontecer com eles?
console-members-tokens-keep = Manter
console-members-tokens-keep-hint = Os programas continuam funcionando. Depois, substitua cada um destes tokens, para que ninguém que saiu os conheça.
console-members-tokens-revoke = Revogar
console-members-tokens-revoke-hint = Os programas que os usam param de funcionar em um segundo.
console-members-tokens-fault = Escolha o que deve acontecer com os tokens de acesso.
console-members-groups = Funções por grupo
console-members-groups-lead = Quem está em um grupo do seu login único recebe a função ao entrar da próxima vez, e a perde depois de sair do grupo. De vários grupos, vale a função mais alta. Funções dadas manualmente são mantidas.
console-members-groups-none = Configure primeiro o login único.
console-members-groups-empty = Nenhum grupo tem uma função ainda.
console-members-group = Grupo
console-members-group-hint = Exatamente como o seu provedor escreve. O Microsoft Entra escreve o ID de objeto do grupo.
console-members-group-add = Salvar a função do grupo
console-members-group-remove = Remover
console-members-group-pages-hint = Para responsáveis e ouvintes: códigos ou nomes curtos de páginas, separados por vírgulas.
console-members-claim = Nome do claim com os grupos
console-members-claim-hint = A maioria dos provedores usa: groups
console-members-by-group = por grupo

console-audit-lead = Cada alteração fica anotada aqui: quem fez, quando, e como era antes.
console-audit-search = Pesquisar em tudo
console-audit-act = O quê
console-audit-any = Tudo
console-audit-who = Quem
console-audit-person = Dados de quem
console-audit-from = Do dia
console-audit-to = Até o dia
console-audit-day-fault = Escreva o dia assim: 2026-07-01.
console-audit-clear = Mostrar tudo
console-audit-about-one = Só alterações disto:
console-audit-none = Nada foi encontrado. Tente com menos palavras ou outros dias.
console-audit-go-on = Nada até agora. Veja os registros mais antigos para continuar a pesquisa.
console-audit-when = Quando
console-audit-subject = De quê
console-audit-fields = Alterado
console-audit-origin = De onde
console-audit-newest = Mais recentes
console-audit-older = Mais antigos
console-audit-export = Exportar
console-audit-export-lead = Todos os registros que a pesquisa encontra, com os valores antigos e novos. O arquivo contém dados pessoais.
console-audit-csv = Como tabela (CSV)
console-audit-json = Para programas (linhas JSON)
console-audit-retention = Por quanto tempo é mantido
console-audit-kept = { $days ->
    [one] Os registros são excluídos após { $days } dia.
   *[other] Os registros são excluídos após { $days } dias.
}
console-audit-kept-forever = Os registros nunca são excluídos.
console-audit-keep = Manter os registros
console-audit-keep-days = Por algum tempo
console-audit-days = Dias
console-audit-days-fault = Escreva um número de dias, de 1 a 36500.
console-audit-keep-forever = Para sempre
console-audit-owners-only = Só titulares podem alterar isto.
console-audit-entry = Uma alteração
console-audit-back = Voltar ao registro de auditoria
console-audit-no-values = Nenhum valor foi alterado.
console-audit-field = Campo
console-audit-before = Antes
console-audit-after = Depois
console-audit-by-token = token de acesso
console-audit-by-operator = operação do servidor
console-audit-by-member = membro
console-audit-by-person = a própria pessoa
console-audit-by-lti = a própria pessoa, em uma plataforma de aprendizagem
console-audit-by-phone = a própria pessoa, por telefone
console-audit-by-scim = diretório
console-audit-by-system = automaticamente
