# Consent, search engines, a copy of everything, deleting everything, and the owner's link on a badge.

data-title = Seus dados

data-consent-title = Antes de gravar
data-consent-purpose = { $institution } guarda uma gravação do seu nome, para que outras pessoas possam ouvir como ele é falado.
data-consent-choice = Você decide quem pode ouvir. Pode trocar ou excluir a gravação quando quiser, e retirar seu consentimento.
data-consent-never = Sua voz não é usada para mais nada: nunca para criar impressões vocais, que reconhecem as pessoas pela voz, e nunca para treinar programas.
data-consent-agree = Concordo
data-consent-done = Agradecemos. Agora você pode gravar seu nome.
data-consent-needed = Concorde primeiro com o texto sobre as gravações. Abra esta página de novo em outra aba, concorde lá e depois envie sua gravação daqui.
data-consent-section = Seu consentimento
data-consent-since = Em { $date }, você concordou que seu nome seja gravado.
data-consent-read = Ler o texto com que você concordou
data-consent-withdraw = Retirar meu consentimento
data-consent-withdraw-explained = Escolha o que acontece com suas gravações. As ligações que você está esperando são canceladas. Para gravar seu nome de novo, basta concordar outra vez.
data-consent-withdraw-pause = Retirar e manter minhas gravações sem que ninguém possa ouvi-las
data-consent-withdraw-delete = Retirar e excluir minhas gravações
data-consent-withdrawn = Você retirou seu consentimento.

data-search-title = Mecanismos de busca
data-search-label = Os mecanismos de busca podem mostrar meu nome
data-search-hint = Isso só vale enquanto qualquer pessoa com o link puder ouvir seu nome. Caso contrário, pedimos aos mecanismos de busca que ignorem sua página.

data-copy = Baixar uma cópia de tudo
data-copy-hint = Um arquivo ZIP com suas gravações e imagens, e com tudo o mais que está guardado sobre você.

data-sign-out-everywhere = Sair em todos os dispositivos

data-delete = Excluir tudo
data-delete-title = Excluir tudo sobre você?
data-delete-lead = Isso não pode ser desfeito. Em { $institution }, será excluído:
data-delete-pages = Seu nome nestas páginas:
data-delete-recordings = Suas gravações e imagens, com todos os links
data-delete-rest = Seu número de telefone, ligações, configurações, consentimentos e acessos
data-delete-courses = Se você ainda está em um curso, seu nome pode voltar quando o curso for sincronizado, mas sem nada do que você excluir agora.
data-delete-elsewhere = O que sua instituição guarda em outros sistemas não é excluído. As cópias de segurança anteriores mantêm seus dados até serem excluídas também.
data-delete-now = Excluir tudo sobre mim
data-deleted-title = Tudo foi excluído
data-deleted = Nada mais sobre você está guardado aqui, e sua sessão foi encerrada em todos os lugares.
data-deleting-title = Seus dados estão sendo excluídos
data-deleting = Seu nome foi excluído daqui, e sua sessão foi encerrada em todos os lugares. Alguns arquivos com seus dados, por exemplo a gravação de uma ligação, ainda estão sendo excluídos. Você não precisa fazer nada.

data-handed-over-title = Este dispositivo só pode gravar
data-handed-over = Você chegou aqui escaneando um código, o que basta para gravar seu nome. Para fazer isto, entre com seu e-mail.

data-badge-mine = Sou eu: alterar
