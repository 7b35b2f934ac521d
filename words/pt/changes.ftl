# Quem mudou os dados de uma pessoa: uma seção da própria página.

changes-title = Mudanças no seu registro
changes-hint = Sua instituição guarda um histórico de quem muda os seus dados. Estas são as mudanças mais recentes.
changes-none = Nada foi mudado ainda.

changes-act-created = Seu registro foi criado
changes-act-updated = Seus dados foram mudados
changes-act-deleted = Seu registro foi excluído
changes-act-hidden = Seu registro foi retirado de uma página
changes-act-shown = Seu registro voltou para uma página
changes-act-recording = Sua gravação foi salva
changes-act-recording-held = Sua gravação aguarda aprovação
changes-act-recording-deleted = Sua gravação foi excluída
changes-act-photo = Sua foto foi salva
changes-act-photo-deleted = Sua foto foi removida
changes-act-consent = Você aceitou o texto sobre gravações
changes-act-consent-withdrawn = Você retirou o seu consentimento
changes-act-approved = Sua gravação ou sua entrada foi aprovada
changes-act-refused = Sua gravação ou sua entrada não foi aceita
changes-act-restored = Sua gravação ou sua entrada foi restaurada
changes-act-settings = Suas configurações foram mudadas
changes-act-directory-hold = Sua reserva de diretório foi definida ou encerrada
changes-act-role = Sua função foi mudada
changes-act-invitation = Seu convite foi mudado
changes-act-call = Uma ligação para você foi mudada
changes-act-mail = As mensagens para você foram mudadas
changes-act-copy = Uma cópia dos seus dados foi feita
changes-act-link = Um link para entrar em seu nome foi criado
changes-act-other = Outra coisa foi mudada

changes-by-you = Você
changes-by-staff = A equipe da sua instituição
changes-by-member = A equipe da sua instituição ({ $email })
changes-by-token = Um sistema da sua instituição ({ $name })
changes-by-system = Automaticamente
changes-by-named-system = Sua plataforma de aprendizagem ({ $name })
