## Numbers and days

percent = { $number } %
day = { $day ->
    [1] 1er { $month } { $year }
   *[other] { $day } { $month } { $year }
}
month = { $month } { $year }
january = janvier
february = février
march = mars
april = avril
may = mai
june = juin
july = juillet
august = août
september = septembre
october = octobre
november = novembre
december = décembre
list = { $rest } et { $last }

## Every page

skip = Aller au contenu
pages = Pages
reviews-of = Avis sur { $business }
nav-reviews = Avis
nav-insights = Ce que disent les clients
nav-website = Site web
nav-developers = Pour les développeurs
newest-feed = Les 50 avis les plus récents
about-figures = Tous les chiffres reposent sur les avis publiés.

## A review

stars-of-5 = { $stars } étoiles sur 5
stars = { $count ->
    [one] { $number } étoile
   *[other] { $number } étoiles
}
reviews = { $count ->
    [one] { $number } avis
   *[other] { $number } avis
}
not-verified = non vérifié
verified-by-job = vérifié d’après l’intervention
verified-by-platform = vérifié par la plateforme
verified-by-invitation = vérifié par invitation
verified-by-business = ajouté par l’entreprise
no-comment = Sans commentaire.
read-on = Lire la suite
about = Mentionne
answer-from = Réponse de { $name }
review-by = Avis de { $author }
review-by-on = Avis de { $author }, { $day }
review-title = { $heading } : avis de { $author } sur { $business }
all-reviews-of = { $count ->
    [one] Le seul avis sur { $business }
   *[other] Les { $number } avis sur { $business }
}

## The search

review-original = original
find-title = Rechercher dans les avis
find-submit = Rechercher
find-filters = Filtres
find-more = Plus de filtres
find-counts = { $count ->
    [one] Les nombres portent sur { $number } avis.
   *[other] Les nombres portent sur l’ensemble des { $number } avis.
}
find-years = Par année
find-results = Résultats
find-remove = retirer ce filtre
find-remove-all = Retirer tous les filtres
find-order = Ordre
find-pages = Pages de résultats
find-previous = { $number } précédents
find-next = { $number } suivants
find-page-title = { $heading } : avis sur { $business }
find-more-than = Plus de { $number } avis
find-filtered = { $count ->
    [one] Avec filtres, sur { $number } avis :
   *[other] Avec filtres, sur { $number } avis :
}
find-page-is-empty = Il n’y a plus d’avis sur cette page.
find-none = Aucun avis trouvé
find-no-reviews = Il n’y a pas encore d’avis.
find-nothing = Aucun avis ne correspond à tous ces filtres.
find-refused = Quelque chose ne va pas dans cette recherche
find-not-searched = Rien n’a été recherché. Modifiez ce qui est signalé, puis relancez la recherche.
nearest-name = Rechercher plutôt « { $name } »
nearest-words = Seulement « { $text } »
nearest-by-words = Chaque mot, dans n’importe quel ordre
nearest-without = Rechercher sans ce filtre : { $filter }
order-newest = Plus récents
order-oldest = Plus anciens
order-most-stars = Plus d’étoiles
order-fewest-stars = Moins d’étoiles
field-words = Mots dans les avis
field-stars = Étoiles
field-min-stars = Étoiles, au moins
field-max-stars = Étoiles, au plus
field-service = Service
field-technician = Technicien
field-source = Source
field-since = Du jour
field-until = Au jour
field-language = Langue
field-aspect = Sujet
field-polarity = Opinion sur le sujet
field-match = Comment trouver les mots
field-has-text = Avec commentaire
field-has-response = Avec réponse
choice-any = tous
choice-yes = oui
choice-no = non
choice-or-more = { $stars } ou plus
choice-or-fewer = { $stars } ou moins
choice-words = chaque mot, dans n’importe quel ordre
choice-substring = exactement comme écrit
polarity-positive = positive
polarity-negative = négative
polarity-mixed = mitigée
polarity-neutral = neutre
polarity-uncertain = incertaine
filter-words = avec « { $text } »
filter-substring = avec exactement « { $text } »
filter-min-stars = { $stars } étoiles ou plus
filter-max-stars = { $stars } étoiles ou moins
filter-since = depuis le { $day }
filter-until = jusqu’au { $day }
filter-technician = qui nomment { $name }
filter-service = sur { $name }
filter-language = en langue { $tag }
filter-source = de { $name }
filter-aspect = sujet : { $name }
filter-polarity = opinion : { $polarity }
filter-text = avec commentaire
filter-no-text = sans commentaire
filter-response = avec réponse
filter-no-response = sans réponse
fault-stars = Choisissez un nombre d’étoiles de 1 à 5.
fault-day = Écrivez le jour ainsi : 2024-02-29.
fault-text = Utilisez au plus 1 000 caractères, une seule fois.
fault-polarity = Choisissez-en une dans la liste, et aussi un sujet.
fault-limit = Une page contient de 1 à 100 avis.
fault-page = Cette page appartient à une autre recherche. Commencez par la première page.
fault-choice = Choisissez dans la liste.
