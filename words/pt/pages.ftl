# A página inicial e as páginas de erro. A referência da API existe só em inglês.

pages-site = Site
pages-reference = Referência da API
pages-home-title = Endonym: os nomes, ditos por quem os tem
pages-home-heading = Os nomes, ditos por quem os tem
pages-home-lead = Este é um servidor Endonym. As pessoas gravam como se pronuncia o nome delas; diretórios, plataformas de aprendizagem e outros aplicativos mostram os nomes e reproduzem as gravações.
pages-home-promise = Os clientes da Name Pronunciation Integration API, versões 5 a 2, funcionam aqui sem mudanças: só a URL base é diferente.
pages-base-url = URL base
pages-developers = Para quem desenvolve
pages-reference-link = Referência da API (em inglês)
pages-reference-about = Cada operação com seus parâmetros, suas respostas e um comando para testá-la.
pages-openapi = Documento OpenAPI, { $version }
pages-openapi-about = Para ferramentas que geram clientes e testes.
pages-operators = Para quem opera o servidor
pages-healthz = O processo está ativo?
pages-readyz = Ele pode atender: o banco de dados está acessível e em dia?
pages-go-home = Ir para a página inicial
pages-method-title = Não disponível aqui
pages-method = { $method } não está disponível neste endereço.
