# Páginas dentro de plataformas de aprendizagem.

lti-course-title = { $course }: os nomes e como se pronunciam
lti-own-title = { $name }: como se pronuncia
lti-time = { $day ->
        [1] 1º
       *[other] { $day }
    } de { $month ->
        [1] janeiro
        [2] fevereiro
        [3] março
        [4] abril
        [5] maio
        [6] junho
        [7] julho
        [8] agosto
        [9] setembro
        [10] outubro
        [11] novembro
       *[12] dezembro
    } de { $year }, { $time } ({ $zone })

# O curso, para quem ensina. why é uma mensagem da plataforma ou do servidor, em inglês.
lti-sync-fetching = A lista está sendo buscada na sua plataforma de aprendizagem.
lti-sync-running = Sincronizando agora. Data da lista: { $time }.
lti-sync-done = Sincronizado com sua plataforma de aprendizagem em { $time }.
lti-sync-none = Ainda não foi sincronizado com sua plataforma de aprendizagem.
lti-sync-fetch-failed = Não foi possível buscar a lista: { $why }.
lti-sync-failed = Data da lista: { $time }. A última sincronização não funcionou: { $why }.
lti-sync-ended = A sincronização terminou.
lti-sync-show = Mostrar a nova lista
lti-sync-again = Verificar de novo
lti-sync-now = Sincronizar agora
lti-note = Nem tudo chegou da sua plataforma de aprendizagem. Quem a administra, ou quem administra este site, pode ver por quê.
lti-own-why = Seus estudantes podem ouvir como se pronuncia o seu nome.
lti-own-add = Adicionar seu nome
lti-own-change = Alterar seu registro
lti-own-link = Seu nome
lti-find = Procurar um nome
lti-find-send = Procurar
lti-shown = Quais pessoas são mostradas
lti-everybody = Todas as pessoas
lti-unrecorded = Ainda sem gravação
lti-first = Isto leva um momento. Os nomes aparecerão aqui automaticamente.
lti-found =
    { $count ->
        [one] { $count } pessoa encontrada.
       *[other] { $count } pessoas encontradas.
    }
lti-found-nobody = Ninguém aqui se chama { $search }.
lti-show-everybody = Mostrar todas as pessoas
lti-all-recorded = Todas as pessoas gravaram seu nome.
lti-nobody = Ainda não há ninguém neste curso.
lti-pages = Páginas
lti-page = Página { $page } de { $pages }
lti-back = Anterior
lti-next = Próxima
lti-staff = Ensinam neste curso

# O próprio registro.
lti-play-own = Reproduzir sua gravação
lti-only-here = Só para este curso
lti-only-here-hint = Se você não marcar, sua gravação será usada em todos os seus cursos.
lti-is-only-here = Você a gravou só para este curso.
lti-called = Em breve você receberá uma ligação. Diga seu nome quando for pedido.
lti-called-at = Você receberá uma ligação no número { $number }. Diga seu nome quando for pedido.
lti-saved = Salvo.
lti-delete-explained = Sua gravação será removida deste curso, e o link para ela deixará de funcionar. Isso não pode ser desfeito. Você pode gravar seu nome de novo quando quiser.
lti-withdraw-explained = Sua gravação é excluída, e a ligação que você está esperando é cancelada. Para gravar seu nome de novo, basta concordar outra vez.
lti-own-page = Sua própria página: quem pode ouvir sua gravação, sua foto e todo o resto
lti-own-page-hint = Ela abre em outra aba. Talvez você precise entrar lá.
lti-another-number = Outro número de telefone
lti-signed-out = Sua sessão terminou: abra esta página de novo a partir do seu curso, em outra aba, e grave seu nome lá. Enquanto isso, sua gravação continua aqui.

# Adicionar um link a um curso.
lti-link-title = Adicionar um link ao seu curso
lti-link-lead = Quem ensina encontra lá o nome de todas as pessoas, com a gravação. Cada estudante encontra o próprio nome, para gravá-lo.
lti-link-label = Título do link
lti-link-default = Os nomes e como se pronunciam
lti-link-add = Adicionar
lti-link-cancel = Cancelar
lti-return-title = Voltar ao seu curso
lti-return-link = O link é entregue à sua plataforma de aprendizagem.
lti-return-none = Nada é adicionado ao seu curso.
lti-return-press = Se nada acontecer, pressione o botão.

# Registro de uma plataforma de aprendizagem, para quem a administra.
lti-register-link-title = Dê este link à sua plataforma de aprendizagem
lti-register-link = Este link é para sua plataforma de aprendizagem: cole-o como URL de registro no lugar em que se registra uma nova ferramenta LTI.
lti-register-link-where = No Moodle: Administração do site, Plugins, Ferramenta externa, Gerenciar ferramentas. Em outras, procure o registro dinâmico.
lti-registered-title = Registro concluído
lti-registered = { $name } está registrado, com o ID { $id }.
lti-registered-activate = Talvez seja preciso ativar a ferramenta na sua plataforma de aprendizagem antes de usá-la.
lti-registered-unconfirmed = Ninguém pode entrar até que quem administra este site a confirme com { $command }.
lti-updated-title = Atualização concluída
lti-updated = { $name } está em dia, com o ID { $id }.
lti-updated-kept = Tudo o que estava configurado aqui continua como estava.
lti-no-deployment = Sua plataforma de aprendizagem não enviou o ID de implantação. Quem administra este site o adiciona com { $command } e o ID que sua plataforma mostra.

# O que se pode fazer.
lti-reopen = Abra de novo a partir do seu curso, por favor.
lti-contact = Se isso não ajudar, avise quem administra sua plataforma de aprendizagem.
lti-tell = Avise quem administra sua plataforma de aprendizagem, por favor.
lti-go-back = Você pode voltar ao seu curso.

# Recusas.
lti-too-large = O que foi enviado é grande demais.
lti-too-slow = O que foi enviado demorou demais para chegar.
lti-incomplete-title = Nada para abrir
lti-incomplete = Este endereço é para plataformas de aprendizagem, que enviam mais do que chegou aqui.
lti-unknown-platform-title = Esta plataforma de aprendizagem não é conhecida aqui
lti-unknown-platform = Ela não foi registrada, ou o emissor (issuer) e o ID de cliente não são os que foram registrados. Ou ela usa outro endereço deste site que não o que lhe foi informado.
lti-disabled-title = Esta conexão está desativada
lti-disabled = A conexão entre sua plataforma de aprendizagem e este site foi desativada.
lti-unconfirmed-title = Esta conexão ainda não está confirmada
lti-unconfirmed = Ainda não é certo que a plataforma de aprendizagem é a que diz ser. Até que isso seja confirmado, ninguém pode entrar.
lti-foreign-title = Este link leva a outro lugar
lti-foreign = O link no seu curso leva a um endereço que não pertence a este site.
lti-used-title = Isto já foi aberto
lti-used = Cada abertura a partir do seu curso funciona uma só vez, durante alguns minutos.
lti-browser-title = Seu navegador impede que esta página funcione aqui
lti-browser = Ele não deixa este site guardar um cookie dentro da página da sua plataforma de aprendizagem, então não podemos saber se foi mesmo você quem a abriu.
lti-browser-window = Em outra janela, ela funciona.
lti-platform-title = Sua plataforma de aprendizagem não deixou você entrar
lti-platform = A mensagem dela: { $said }
lti-no-keys-title = Não é possível acessar sua plataforma de aprendizagem neste momento
lti-no-keys = Não foi possível buscar as chaves públicas dela, que servem para verificar suas mensagens.
lti-deployment-title = Esta implantação não é conhecida aqui
lti-deployment = Sua plataforma de aprendizagem a chama de { $deployment }.
lti-deployment-add = Quem administra este site pode adicioná-la com { $command }.
lti-no-links-title = Não é possível adicionar um link aqui
lti-no-links = Sua plataforma de aprendizagem pede algo que não é um link.
lti-untrusted-title = Não é possível abrir esta página
lti-untrusted = O que sua plataforma de aprendizagem enviou não está como deveria, então não podemos confiar nisso.
lti-no-course-title = Isto não é um curso
lti-no-course = Estas páginas pertencem a cursos, e o link foi aberto fora de um.
lti-no-part-title = Não há nada para você fazer aqui
lti-no-part = Estas páginas são para quem ensina ou estuda em um curso.
lti-preview-title = Você está vendo isto como estudante
lti-preview = Cada estudante deste curso encontra aqui o próprio nome, para ouvi-lo, escrever como se pronuncia e gravá-lo.
lti-preview-unlisted = Seu nome não entra na lista de estudantes.
lti-anonymous-title = Sua plataforma de aprendizagem não diz quem você é
lti-anonymous = Sem isso, seu nome não pode ser mostrado.
lti-closed-title = Esta página está fechada
lti-closed = Ela ficou aberta por algumas horas ou foi aberta em outro navegador.
lti-invite-title = Este convite não pode ser usado
lti-invite = As plataformas de aprendizagem se registram com um link que funciona uma só vez, durante sete dias. Quem administra este site cria um com { $command }.
lti-registration-title = O registro não funcionou
lti-registration = Motivo: { $why }.
lti-registration-again = O link pode ser usado de novo.
lti-too-many-title = Páginas demais ao mesmo tempo
lti-too-many = Da sua rede foram abertas mais páginas do que é possível ao mesmo tempo. Tente de novo em um minuto.
