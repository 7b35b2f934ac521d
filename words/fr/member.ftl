# Pour les membres, qui gèrent ou écoutent des pages de noms.

member-title = Vos pages
member-back = Revenir à vos pages
member-manage-title = Pages que vous gérez
member-hear-title = Pages que vous pouvez écouter
member-open-title = Pages auxquelles vous pouvez ajouter votre nom
member-newest = Seules les pages les plus récentes sont affichées ici.
member-none = Vous n’avez pas encore de page. Votre établissement peut vous en confier une.
member-delete-role = Votre rôle dans la gestion des pages
member-last-owner-title = Personne d’autre n’a le rôle « Propriétaire »
member-last-owner = Votre établissement a besoin d’une personne propriétaire. Veuillez d’abord confier ce rôle à quelqu’un d’autre. Vous pourrez ensuite tout supprimer.

member-export-title = Exporter des personnes
member-export-xlsx = Tout le monde, dans une feuille de calcul (XLSX)
member-export-csv = Tout le monde, dans un tableau simple (CSV)
member-export-zip = Tous les enregistrements, en fichiers MP3 (ZIP)
member-export-vcard = Tout le monde, pour un carnet d’adresses (vCard)
member-export-hint = Les fichiers contiennent des adresses e-mail et d’autres données personnelles. Les enregistrements en pause ou en attente d’approbation n’y figurent pas.
