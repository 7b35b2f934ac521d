# The console: its frame, overview and search.

console-overview = Visão geral
console-people = Pessoas
console-name-pages = Páginas de nomes
console-moderation = Moderação
console-custom-fields = Campos personalizados
console-tokens = Tokens de acesso
console-learning-systems = Plataformas de aprendizagem
console-phone = Telefone
console-messages = Mensagens
console-jobs = Exportações e tarefas
console-settings = Configurações
console-members = Membros
console-audit = Registro de auditoria
console-title = Console
console-menu = Menu
console-own-page = Sua própria página
console-forbidden-title = Isto não faz parte da sua função
console-forbidden = Uma pessoa proprietária ou administradora da sua instituição pode fazer isso, ou dar a você essa função.
console-sign-in-again = Entre novamente para fazer isto.
