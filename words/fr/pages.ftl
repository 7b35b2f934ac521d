# La page d’accueil et les pages d’erreur. La référence de l’API n’existe qu’en anglais.

pages-site = Site
pages-reference = Référence de l’API
pages-home-title = Endonym : les noms, dits par celles et ceux qui les portent
pages-home-heading = Les noms, dits par celles et ceux qui les portent
pages-home-lead = Ceci est un serveur Endonym. Chacun enregistre la façon de dire son nom ; annuaires, plateformes d’apprentissage et autres applications affichent les noms et font écouter les enregistrements.
pages-home-promise = Les clients de la Name Pronunciation Integration API, versions 5 à 2, fonctionnent ici sans changement : seule l’URL de base est différente.
pages-base-url = URL de base
pages-developers = Pour le développement
pages-reference-link = Référence de l’API (en anglais)
pages-reference-about = Chaque opération avec ses paramètres, ses réponses et une commande pour l’essayer.
pages-openapi = Document OpenAPI, { $version }
pages-openapi-about = Pour les outils qui génèrent des clients et des tests.
pages-operators = Pour l’exploitation
pages-healthz = Le processus est-il en vie ?
pages-readyz = Est-il prêt à répondre : la base de données est-elle joignable et à jour ?
pages-go-home = Aller à la page d’accueil
pages-method-title = Non proposé ici
pages-method = { $method } n’est pas proposé à cette adresse.
