# Para membros, que administram ou ouvem páginas de nomes.

member-title = Suas páginas
member-back = Voltar às suas páginas
member-manage-title = Páginas que você administra
member-hear-title = Páginas que você pode ouvir
member-open-title = Páginas às quais você pode adicionar seu nome
member-newest = Aqui aparecem apenas as páginas mais recentes.
member-none = Você ainda não tem nenhuma página. Sua instituição pode dar uma a você.
member-delete-role = Sua função na administração de páginas
member-last-owner-title = Ninguém mais tem a função de titular
member-last-owner = Sua instituição precisa de pelo menos uma pessoa titular. Primeiro, dê essa função a outra pessoa. Depois disso, você poderá excluir tudo.

member-export-title = Exportar pessoas
member-export-xlsx = Todas as pessoas, como planilha (XLSX)
member-export-csv = Todas as pessoas, como tabela simples (CSV)
member-export-zip = Todas as gravações, como arquivos MP3 (ZIP)
member-export-vcard = Todas as pessoas, para um catálogo de endereços (vCard)
member-export-hint = Os arquivos contêm endereços de e-mail e outros dados pessoais. Gravações pausadas ou à espera de aprovação não são incluídas.
