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
