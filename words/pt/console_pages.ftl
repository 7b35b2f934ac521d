# The console: name pages, moderation and custom fields.

console-pages-search = Pesquisar por título ou endereço
console-pages-state = Situação
console-pages-any = Abertas e encerradas
console-pages-show = Mostrar
console-pages-new = Nova página de nomes
console-pages-none = Ainda não há páginas de nomes. Crie a primeira e depois convide as pessoas.
console-pages-none-found = Nenhuma página de nomes corresponde.
console-pages-none-given = Você ainda não recebeu páginas de nomes. Alguém com a função de titular pode fazer isso.
console-pages-more = Páginas de nomes mais antigas
console-pages-start = Voltar às mais recentes

console-page-title = Título
console-page-title-hint = Por exemplo, “Turma de 2027”.
console-page-date = Data
console-page-date-hint = O dia da cerimônia ou da primeira aula. Pode ficar em branco.
console-page-people = Pessoas
console-page-recorded = Com gravação
console-page-invited = Com convite
console-page-open = Aberta
console-page-closed = Encerrada
console-page-archived = Arquivada
console-page-slug = Endereço
console-page-slug-hint = O fim do endereço da página: letras minúsculas, algarismos e hifens. Se ficar em branco, é formado com o título.
console-page-access-code = Código de acesso
console-page-access-code-hint = Para programas que usam versões antigas da API. Se ficar em branco, um é criado.
console-page-create = Criar a página de nomes
console-page-created = A página de nomes está criada. Agora confira as configurações e convide as pessoas.
console-page-saved = As configurações foram salvas.
console-page-copied = Esta é a cópia. Confira a data e o horário de encerramento.
console-page-copied-people = Esta é a cópia. As pessoas chegam em alguns minutos. Confira a data e o horário de encerramento.
console-page-was-archived = A página de nomes foi arquivada.
console-page-was-restored = A página de nomes não está mais arquivada.
console-page-deleted = A página de nomes foi excluída.
console-page-print = Imprimir os nomes
console-page-archived-note = Esta página está arquivada. As configurações podem ser alteradas depois que você a restaurar.
console-page-basics = Sobre a página
console-page-description = Descrição
console-page-description-hint = O que se lê ao visitar a página.
console-page-registering = Inscrição
console-page-register = Quem pode se inscrever

console-register-invited = As pessoas convidadas
console-register-domain = Quem tem um endereço de e-mail em um dos domínios abaixo
console-register-code = Quem sabe o código do evento
console-register-open = Qualquer pessoa

console-page-domains = Domínios
console-page-domains-hint = Um em cada linha, como example.edu, ou *.example.edu para os subdomínios.
console-page-closes = Horário de encerramento
console-page-closes-hint = A partir daí, ninguém pode se inscrever nem gravar. No fuso horário { $zone }. Pode ficar em branco.
console-page-asked = O que se pede

console-asked-name = Nome
console-asked-pronouns = Pronomes
console-asked-off = Não se pede
console-asked-optional = Opcional
console-asked-required = Obrigatório
console-asked-default = Como o campo personalizado indica

console-page-listening = Escuta
console-page-listen = Quem pode ouvir

console-listen-managers = Só responsáveis e ouvintes da página
console-listen-registered = Também as pessoas inscritas nela
console-listen-institution = Também as pessoas da instituição que entraram
console-listen-link = Qualquer pessoa com o link

console-page-moderation = Novas gravações

console-moderation-off = Podem ser ouvidas na hora
console-moderation-hold = Esperam até que uma pessoa responsável pela página as aprove

console-page-recordings = Gravações
console-page-take = Duração máxima de uma gravação, em segundos
console-page-take-hint = Se ficar em branco, vale o limite desta instalação.
console-page-days = Excluir as gravações tantos dias depois da data
console-page-days-hint = As pessoas são avisadas 14 dias antes. Se ficar em branco, as gravações são mantidas.
console-page-deletes = As gravações são excluídas em { $date }.
console-page-api = Versão 2 da API
console-page-v2 = Responder a programas que sabem o código de acesso
console-page-v2-hint = Quem sabe o código pode então ler, sem token, os nomes, os endereços de e-mail e as gravações de todas as pessoas desta página. Trate o código como uma senha.
console-page-acts = Copiar, arquivar, excluir
console-page-archive = Arquivar
console-page-restore = Restaurar
console-page-archive-hint = Uma página arquivada não aceita inscrições nem gravações, não envia lembretes e pode ser restaurada a qualquer momento.
console-page-copy = Copiar a página de nomes
console-page-copy-lead = A cópia tem as mesmas configurações e textos, pede os mesmos campos e é cuidada pelas mesmas pessoas. Ela tem códigos próprios.
console-page-copy-people = Copiar também as pessoas
console-page-copy-people-hint = Todas que têm endereço de e-mail, sem gravações nem fotos. Ninguém recebe mensagens nem ligações.
console-page-copy-now = Criar a cópia
console-page-delete = Excluir a página de nomes
console-page-delete-lead = Isso exclui a página com tudo o que há nela. Não pode ser desfeito. Se quiser apenas encerrá-la, arquive-a.
console-page-delete-people = Pessoas excluídas com ela: { $count }
console-page-delete-recordings = Gravações excluídas com ela: { $count }
console-page-delete-now = Excluir para sempre

console-moderation-lead = O que espera aprovação e o que foi denunciado, em todas as páginas de nomes de que você cuida.

console-fields-lead = Os campos personalizados são o que a sua instituição pede além do nome. Os programas os leem e gravam pela API como texto simples, seja qual for o tipo.
console-fields-none = Ainda não há campos personalizados. Crie o primeiro abaixo, por exemplo para pronomes ou o curso.
console-fields-new = Novo campo personalizado

console-field-label = Rótulo
console-field-label-hint = O que as pessoas leem, por exemplo “Pronomes”.
console-field-name = Nome interno
console-field-name-hint = O que os programas usam: letras minúsculas, algarismos e sublinhados, como gender_pronouns. Não pode ser alterado depois.
console-field-import-key = Chave em importações e solicitações
console-field-kind = Tipo

console-kind-text = Texto
console-kind-long-text = Texto longo
console-kind-choice = Uma opção
console-kind-choices = Várias opções
console-kind-yes-no = Sim ou não

console-field-options = O que se pode escolher
console-field-options-hint = Só para opções: uma em cada linha, sem ponto e vírgula. Os valores que já existem ficam quando você muda isto.
console-field-edited-by = Quem pode alterá-lo

console-edited-by-person = A própria pessoa
console-edited-by-staff = Só a equipe. Onde uma página pede, as pessoas respondem uma vez.

console-field-asked = Em todas as páginas de nomes
console-field-on-badge = Mostrar nos cartões com o nome
console-field-on-badge-hint = Qualquer pessoa que tenha o link de um cartão pode ler. Os pronomes são sempre mostrados.
console-field-order = Ordem
console-field-up = Mover { $field } para cima
console-field-down = Mover { $field } para baixo
console-field-create = Criar o campo personalizado
console-field-created = O campo personalizado foi criado.
console-field-saved = O campo personalizado foi salvo.
console-field-deleted = O campo personalizado foi excluído.
console-field-pages = Páginas de nomes com configuração própria
console-field-pages-lead = Estas páginas indicam por si mesmas se pedem este campo. As outras seguem a escolha acima.
console-field-pages-none = Nenhuma página de nomes tem configuração própria para este campo.
console-field-page = Página de nomes
console-field-page-hint = O fim do endereço ou o código do evento.
console-field-how = Como esta página o pede
console-field-delete = Excluir o campo personalizado
console-field-delete-lead = Isso exclui o campo com todos os valores, nas páginas e na API. Não pode ser desfeito.
console-field-values = Pessoas com um valor: { $count }
console-field-values-partial = Pessoas com um valor, entre as { $people } mais recentes: { $count }
console-field-delete-now = Excluir para sempre

console-set-outdated = Outra pessoa mudou isto desde que você abriu, e nada foi salvo. O que você digitou continua aqui. Onde difere do que está salvo agora, isso é dito abaixo do campo. Salve de novo para usar o que você digitou.
console-set-now = Salvo agora: { $value }
console-set-now-nothing = Nada está salvo aqui agora.
console-set-rejected = Nada foi salvo ainda. Confira os campos marcados.
console-set-type-title = Digite o título para confirmar: { $title }
console-set-type-name = Digite o nome interno para confirmar: { $name }
console-set-fault-typed = Não é igual. Nada foi excluído.
console-set-fault-taken = Já está em uso. Escolha outro.
console-set-fault-slug = Use só letras minúsculas, algarismos e hifens, sem hífen no início nem no fim.
console-set-fault-code = Use no máximo 100 caracteres visíveis, sem espaços.
console-set-fault-code-short = Use pelo menos 8 caracteres.
console-set-fault-field-name = Comece com uma letra e use só letras minúsculas, algarismos e sublinhados.
console-set-fault-reserved = Já existe um campo chamado { $name }. Escolha outro nome.
console-set-fault-date = Isto não é uma data. Deve ter a forma 2027-05-31.
console-set-fault-date-needed = Informe uma data: as gravações devem ser excluídas alguns dias depois.
console-set-fault-closing = Isto não é uma data com hora. Deve ter a forma 2027-05-31 18:00.
console-set-fault-domain = { $domain } não é um domínio. Deve ter a forma example.edu.
console-set-fault-domains-needed = Informe pelo menos um domínio ou escolha quem mais pode se inscrever.
console-set-fault-many = É demais. Use no máximo { $most }.
console-set-fault-range = Digite um número de { $least } a { $most }.
console-set-fault-options = Digite o que se pode escolher, uma opção em cada linha.
console-set-fault-option = { $option } contém um ponto e vírgula, que separa as opções. Retire-o.
console-set-fault-page = Essa página de nomes não existe. Confira o endereço.
