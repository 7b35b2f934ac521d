# The console: access tokens.

console-tokens-about = Programas usam tokens de acesso para ler e alterar as pessoas da sua instituição por meio da API.
console-tokens-docs = Referência da API
console-tokens-none = Não há tokens de acesso que funcionem. Crie um para cada programa, para poder revogá-lo separadamente.
console-tokens-new = Novo token de acesso
console-tokens-show-ended = Mostrar também os tokens expirados e revogados
console-tokens-hide-ended = Somente os tokens que funcionam
console-tokens-name = Nome
console-tokens-name-hint = Qual programa usa o token, por exemplo “Sistema acadêmico”.
console-tokens-state = Estado
console-tokens-active = Funciona
console-tokens-replaced = Substituído, ainda funciona
console-tokens-expired = Expirado
console-tokens-revoked = Revogado
console-tokens-soon = Expira em breve
console-tokens-replacement = O token que o substitui
console-tokens-scope = Permissões
console-tokens-read = Leitura
console-tokens-read-hint = Listas, buscas e consultas de pessoas, e leitura de exportações.
console-tokens-write = Leitura e escrita
console-tokens-write-hint = Também cria, altera e exclui pessoas e gravações.
console-tokens-sync = Sincronizar cursos
console-tokens-sync-hint = Inicia a sincronização de cursos com a sua plataforma de aprendizagem, e nada mais.
console-tokens-everything = Tudo
console-tokens-everything-hint = Lê, escreve e sincroniza cursos.
console-tokens-pages = Páginas de nomes
console-tokens-all-pages = Todas as páginas de nomes
console-tokens-all-pages-hint = Também as que forem criadas mais tarde.
console-tokens-some-pages = Somente estas páginas de nomes
console-tokens-no-pages = Nenhuma mais
console-tokens-pages-none = Escolha pelo menos uma página de nomes.
console-tokens-pages-many = São muitas. Escolha no máximo { $most } páginas de nomes, ou todas.
console-tokens-rows = Linhas
console-tokens-newest = Uma linha por pessoa
console-tokens-newest-hint = Se alguém está em várias páginas de nomes, uma consulta por e-mail ou identificador devolve apenas o registro com a gravação mais recente.
console-tokens-held = Incluir pessoas com reserva de diretório
console-tokens-held-hint = Os outros tokens mostram essas pessoas como se não tivessem gravado. Somente para programas usados apenas pela equipe.
console-tokens-held-short = Reserva de diretório
console-tokens-maker = Criado por
console-tokens-maker-unknown = Não se sabe
console-tokens-maker-left = Saiu
console-tokens-created = Criado
console-tokens-used = Último uso
console-tokens-never-used = Nunca
console-tokens-expires = Expira
console-tokens-forever = Não expira
console-tokens-life = Por quanto tempo o token funciona
console-tokens-days =
    { $count ->
        [one] { $count } dia
       *[other] { $count } dias
    }
console-tokens-hours =
    { $count ->
        [one] { $count } hora
       *[other] { $count } horas
    }
console-tokens-create = Criar o token
console-tokens-made-title = O novo token
console-tokens-made-once = Isto é mostrado somente agora. Copie para onde será usado: não guardamos nenhuma cópia.
console-tokens-overlap = O token antigo funciona até { $until }. Substitua-o em toda parte antes disso.
console-tokens-secret = Token
console-tokens-copy-secret = Copiar o token
console-tokens-copy-curl = Copiar o comando
console-tokens-copied = Copiado
console-tokens-curl-title = Experimente
console-tokens-curl-about = Cole esta linha em um terminal. Ela lista pessoas da sua instituição.
console-tokens-curl-sync = Cole esta linha em um terminal. Nela, troque API_TOKEN pelo token de API de uma plataforma de aprendizagem e COURSE_ID pelo identificador de um curso.
console-tokens-go-on = Já copiei
console-tokens-requests = Requisições, 30 dias
console-tokens-requests-title = Requisições por dia
console-tokens-requests-sum =
    { $count ->
        [one] { $count } requisição nos últimos 30 dias.
       *[other] { $count } requisições nos últimos 30 dias.
    }
console-tokens-chart = Requisições por dia, no máximo { $most }
console-tokens-since = De { $day } até hoje
console-tokens-by-day = Números por dia
console-tokens-day = Dia
console-tokens-counted = As requisições aparecem aqui após alguns segundos.
console-tokens-rotate-title = Substituir o token
console-tokens-rotate-about = Você recebe um novo token com as mesmas permissões. O antigo funciona por algum tempo, para que nada seja interrompido.
console-tokens-overlap-label = O token antigo funciona por
console-tokens-overlap-none = Nada
console-tokens-rotate = Criar um novo token
console-tokens-revoke-title = Revogar o token
console-tokens-revoke-about = Ele deixa de funcionar em menos de um segundo e não pode voltar a funcionar.
console-tokens-revoke-confirm = Os programas que usam este token deixarão de funcionar
console-tokens-revoke-unconfirmed = Confirme isto, por favor.
console-tokens-revoke = Revogar o token
console-tokens-done-revoked = O token foi revogado.
