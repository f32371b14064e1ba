## Numbers and days

number-separators = { $region ->
    [CA]  ,
    [CH] ',
    [LU] .,
    [MA] .,
    [RW] ,.
   *[other]  ,
}
percent = { $number } %
day = { $day ->
    [1] 1er { $month } { $year }
   *[other] { $day } { $month } { $year }
}
month-name = { $month ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
}

## Every page

skip = Aller au contenu
pages = Pages
reviews-of = Avis sur { $business }
nav-reviews = Avis
nav-insights = Ce que disent les clients
nav-website = Site web
nav-developers = Pour les développeurs
nav-transparency = Comment ces avis sont recueillis et vérifiés
newest-feed = Les 50 avis les plus récents
about-figures = Les chiffres reposent sur les avis publiés, sauf indication contraire.

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
verified-job_match = vérifié d’après l’intervention
verified-source_platform = vérifié par la plateforme
verified-invite = vérifié par invitation
verified-manual = ajouté par l’entreprise
no-comment = Sans commentaire.
review-report = Signaler cet avis
read-on = Lire la suite
about = Mentionne
answer-from = Réponse de { $name }
review-by = Avis de { $author }
review-by-on = Avis de { $author }, { $day }
review-title = { $heading } : avis de { $author } sur { $business }
all-reviews-of = { $count ->
    [one] Le seul avis sur { $business }
   *[other] Les { $number } avis sur { $business }
}

## The front page

rating-from = { $count ->
    [one] sur 5, d’après { $number } avis
   *[other] sur 5, d’après { $number } avis
}
rating-summary = { $count ->
    [one] { $rating } étoiles sur 5 d’après { $number } avis sur { $business }.
   *[other] { $rating } étoiles sur 5 d’après { $number } avis sur { $business }.
}
number-verified = { $count ->
    [one] { $number } est vérifié par une plateforme, une intervention ou une invitation.
   *[other] { $number } sont vérifiés par une plateforme, une intervention ou une invitation.
}
period = Du { $from } au { $to }
withheld = { $count ->
    [one] { $number } avis retenu, et pourquoi
   *[other] { $number } avis retenus, et pourquoi
}
none-withheld = Aucun avis n’est retenu.
reviews-by-stars = Avis par étoiles
reviews-by-source = Avis par source
stars-and-reviews = { $stars } : { $reviews }
average = Moyenne
source = Source
number-of-reviews = Avis
no-reviews = Il n’y a pas encore d’avis.
write-review = Rédiger un avis
write-review-on = Rédiger un avis sur { $site }
too-few-aspects = Trop peu d’avis mentionnent encore les mêmes sujets.
more-topics = { $count ->
    [one] { $number } autre sujet
   *[other] { $number } autres sujets
}
all-insights = Tous les sujets, personnes, services et tendances
search-reviews = Rechercher dans les avis
search = Rechercher
newest-reviews = Avis les plus récents
show = Afficher
lowest-first = Les moins bons d’abord
with-answer = Avec réponse
all-reviews = { $count ->
    [one] Le seul avis
   *[other] Les { $number } avis
}

## For developers

developers-lead = Affichez la note sur votre site ou utilisez les avis dans vos propres programmes.
on-your-site = Sur votre site
on-your-site-text = Une ligne affiche la note et les avis les plus récents.
see-embed = Voir le résultat
badge = En badge
badge-text = Une image de la note actuelle.
for-agents = Pour les agents IA (MCP)
for-agents-text = Des outils pour rechercher, comparer et citer ces avis.
for-programs = Pour les programmes et lecteurs de flux
data-reviews = Tous les avis
data-docs = Essayer chaque opération
data-description = Description de l’API
change-notices = Notifications de changements (WebSub)
change-notices-text = Abonnez-vous à ce hub pour recevoir chaque changement.
copy-snippet = Copier l’extrait
copy-address = Copier l’adresse
copied = Copié.
selected = Sélectionné ; copiez-le avec le clavier.

## Insights

insights-of = Ce que les clients disent de { $business }
insights-described = Ce que disent les avis sur { $business }, en chiffres : sujets, personnes, services et tendances, avec les phrases correspondantes.
made-of = Compté dans { $texts } sur { $reviews }. Chaque chiffre mène aux avis correspondants.
made-of-period = Compté dans { $texts } sur { $reviews }, du { $from } au { $to }. Chaque chiffre mène aux avis correspondants.
texts = { $count ->
    [one] { $number } texte
   *[other] { $number } textes
}
on-this-page = Sur cette page
what-they-judge = Ce qu’ils jugent
in-short = En bref
summary-report = Signaler ce résumé
in-the-words-of = Selon { $business }
nothing-counted = Aucun avis ne mentionne encore quoi que ce soit de chiffrable.
people = Personnes citées
services = Services
areas = Lieux
name = Nom
said-where-named = Ce qui en est dit
topics = Mots marquants
faq = Questions et réponses
method = Comment c’est calculé
method-measured = Les textes en anglais sont analysés par des règles fixes pour ce secteur ({ $trade }) et chaque avis compte une fois par sujet. La précision de l’analyse a été mesurée.
method-unmeasured = Les textes en anglais sont analysés par des règles fixes pour ce secteur ({ $trade }) et chaque avis compte une fois par sujet. La précision de l’analyse n’a pas été mesurée.
insights-json = Tous les chiffres, la méthode et sa qualité mesurée en JSON
legend = Signification des couleurs
positive = positifs
negative = négatifs
mixed = mitigés
neutral = neutres
uncertain = incertains
figure-positive = { $positive } positifs
figure-positive-of = { $positive } positifs sur { $judged }
figure-share = { $percent } positifs : { $positive } sur { $judged }
figure-none = aucun avis ne le juge
number-negative = { $count ->
    [one] { $number } négatif
   *[other] { $number } négatifs
}
number-mixed = { $count ->
    [one] { $number } mitigé
   *[other] { $number } mitigés
}
number-neutral = { $count ->
    [one] { $number } neutre
   *[other] { $number } neutres
}
number-uncertain = { $count ->
    [one] { $number } incertain
   *[other] { $number } incertains
}
bar = { $name } : { $figure }
trend-up = Mieux que le semestre précédent.
trend-down = Moins bien que le semestre précédent.
trend-flat = Pas de différence nette avec le semestre précédent.
all-reviews-about = { $count ->
    [one] L’avis sur { $topic }
   *[other] Les { $number } avis sur { $topic }
}
more-about = Plus sur { $topic }
show-more = Afficher plus
praise = Éloge
complaint = Critique

## The summary in sentences

summary-overall = { $count ->
    [one] { $number } avis dont le texte a été analysé : { $positive } positif, { $negative } négatif et { $neither } mitigé, neutre ou peu clair dans l’ensemble.
   *[other] Sur les { $number } avis dont le texte a été analysé, { $positive } sont positifs dans l’ensemble, { $negative } négatifs et { $neither } mitigés, neutres ou peu clairs.
}
summary-not-analysed = Textes dans une langue qui n’est pas analysée : { $foreign } sur { $with_text }.
summary-aspect = { $topic } : { $figure }.
summary-complaint-quote = L’un d’eux : « { $quote } »

## Comment les avis sont recueillis et vérifiés

transparency-described = D’où viennent les avis sur { $business }, comment ils sont vérifiés et lesquels ne sont pas affichés.
which-shown = Quels avis sont affichés
published-reviews = { $count ->
    [one] { $number } avis est publié. Il a { $mean } étoiles sur 5.
   *[other] { $number } avis sont publiés. Leur moyenne est de { $mean } étoiles sur 5.
}
mean-of-all = Tous les avis publiés comptent autant.
taken-in = Avis recueillis : { $taken }. Publiés : { $published }. Retenus : { $withheld }. Supprimés par l’entreprise : { $deleted }.
not-taken-in = Ce qu’un fichier avait en plus, erroné ou douteux, n’est dans aucun de ces nombres.
hidden-by-business = Sur les { $taken } avis recueillis, l’entreprise en a retenu { $withheld } et supprimé { $deleted }.
source-stated = { $source } en indique { $total } le { $day } : { $here } ici, { $withheld } retenus, { $deleted } supprimés, { $difference } absents.
source-exceeded = { $source } en indique { $total } le { $day } : { $here } ici, { $withheld } retenus, { $deleted } supprimés, { $difference } de plus ici que là-bas.
shown-order = Tous les avis publiés sont affichés, bons ou mauvais. Le plus récent vient en premier, et aucun n’est mis en avant.
withheld-reviews = { $count ->
    [one] { $number } avis n’est pas affiché. La raison :
   *[other] { $number } avis ne sont pas affichés. Les raisons :
}
withheld-mean = Les avis que l’entreprise a choisi de ne pas afficher ont une moyenne de { $withheld } étoiles. Les avis publiés ont une moyenne de { $published }.
deleted-reviews = { $count ->
    [one] L’entreprise a supprimé { $number } avis. Rien n’en est conservé, ses étoiles ne sont donc pas connues. La raison :
   *[other] L’entreprise a supprimé { $number } avis. Rien n’en est conservé, leurs étoiles ne sont donc pas connues. Les raisons :
}
other-reasons = autres raisons
changed-reviews = { $count ->
    [0] Aucun avis publié n’affiche des étoiles, une date, un auteur, un titre ou un texte différents des derniers transmis par sa source.
    [one] { $number } avis publié affiche des étoiles, une date, un auteur, un titre ou un texte différents des derniers transmis par sa source.
   *[other] { $number } avis publiés affichent des étoiles, une date, un auteur, un titre ou un texte différents des derniers transmis par leur source.
}
where-from = D’où viennent les avis
arrives-scheduled = Récupérés automatiquement à la source.
arrives-scheduled-last = Récupérés automatiquement à la source, la dernière fois le { $day }.
arrives-imported = Importés par l’entreprise.
arrives-imported-last = Importés par l’entreprise, la dernière fois le { $day }.
arrives-by-hand = Saisis par l’entreprise.
how-checked = Comment les avis sont vérifiés
way-and-reviews = { $way } : { $reviews }
checked-job_match = L’avis correspond à une intervention qui figure dans les registres de l’entreprise.
checked-source_platform = L’avis a été écrit sur une plateforme d’avis, qui applique ses propres règles aux avis qu’elle affiche.
checked-invite = Seuls les clients invités par l’entreprise pouvaient écrire cet avis.
checked-manual = L’entreprise a ajouté l’avis et dit qu’il vient d’un client. Aucune plateforme, intervention ou invitation ne le confirme.
policy-collection = Comment elle recueille les avis
policy-verification = Comment elle vérifie qu’un avis vient d’un client
policy-moderation = Quels avis elle n’affiche pas
policy-incentives = Si les clients reçoivent quelque chose pour un avis
policy-contact = Où signaler un avis
reason-not-stated = non précisé
reason-not-verified = non vérifié
reason-not-published = non publié à la source
reason-perhaps-not-published = peut-être non publié à la source
reason-gone = n’est plus à la source
reason-without-stars = recommandation sans étoiles
policy-not-stated = Non précisé par l’entreprise.
made-by-program = Les sujets, les chiffres et le résumé sont établis par un programme à partir des avis, pas par une personne.
run-by = Ce site est exploité par { $business }
transparency-json = Ces chiffres en JSON

## Names of topics and trades: the id is made of the English name

name-rooms-and-place = Chambres et lieu
name-location = Emplacement
name-places-to-stay = Hébergements
name-any-business = Toute entreprise
name-atmosphere = Ambiance
name-cleanliness = Propreté
name-communication = Communication
name-food-and-drink = Plats et boissons
name-getting-the-order-right = Commande exacte
name-home-services = Services à domicile
name-honesty = Honnêteté
name-overall = Dans l’ensemble
name-price = Prix
name-professionalism-and-manners = Professionnalisme et amabilité
name-punctuality = Ponctualité
name-quality-of-the-work = Qualité du travail
name-response-time = Réactivité
name-scheduling = Prise de rendez-vous
name-staff-and-manners = Personnel et accueil
name-waiting = Attente
name-warranty-and-standing-behind-the-work = Garantie et suivi

## Embed and badge

embed-filtered = Filtre : seuls les avis d’au moins { $stars } étoiles sont affichés ; la moyenne porte sur tous.
see-all = Voir les { $number }
newest-first = Les plus récents d’abord.
badge-no-reviews = pas encore d’avis

## Errors

not-found = Page introuvable
not-found-text = Cette page n’existe pas, ou l’avis n’est plus publié.
bad-request = Cette adresse est incorrecte
bad-request-text = Une partie de l’adresse n’est pas compréhensible.
too-busy = Veuillez réessayer dans un instant
too-busy-text = Le site est très sollicité en ce moment.
failed = Cela n’a pas fonctionné
failed-text = La page n’a pas pu être affichée. Revenez en arrière ou repartez des avis.
not-set-up = Ce service n’est pas encore configuré
not-set-up-text = Il n’a pas encore d’entreprise dont il pourrait montrer les avis. Si vous l’exploitez, cette commande le configure :
all-reviews-link = Tous les avis sur { $business }
search-them = Y rechercher

## The page that shows the options of the frame

try-title = Les avis sur { $business } sur votre site
try-heading = Les avis sur votre site
try-lead = Choisissez l’apparence des avis, puis collez les lignes dans votre page. Ils restent à jour d’eux-mêmes.
try-options = Options
try-layout = Disposition
try-layout-list = Liste
try-layout-grid = Grille
try-limit = Nombre d’avis
try-min-rating = Étoiles au minimum
try-theme = Couleurs
try-theme-light = Claires
try-theme-dark = Sombres
try-theme-auto = Celles du système du lecteur
try-accent = Couleur d’accent
try-language = Langue
try-language-business = Celle de l’entreprise
try-show = Afficher
try-line = Les lignes à coller
try-script = Le script donne au cadre la hauteur de son contenu. Sans lui, la hauteur reste de 480 pixels et un contenu plus long défile.
try-shown = Aperçu
try-badge = Le badge

## The search

review-original = original
find-filters = Filtres
find-more = Plus de filtres
find-counts = { $count ->
    [one] Les nombres portent sur { $number } avis.
   *[other] Les nombres portent sur l’ensemble des { $number } avis.
}
find-years = Par année
find-results = Résultats
find-feed = Flux Atom de cette recherche
find-remove = retirer ce filtre
find-remove-all = Retirer tous les filtres
find-pages = Pages de résultats
find-next = { $number } suivants
find-page-title = { $heading } : avis sur { $business }
find-more-than = Plus de { $number } avis
find-filtered = { $count ->
    [one] Avec filtres, sur { $number } avis :
   *[other] Avec filtres, sur { $number } avis :
}
find-page-is-empty = Il n’y a plus d’avis sur cette page.
find-none = Aucun avis trouvé
find-nothing = Aucun avis ne correspond à tous ces filtres.
nearest-name = Rechercher plutôt « { $name } »
nearest-by-words = Chaque mot, dans n’importe quel ordre
order-newest = Plus récents
order-oldest = Plus anciens
order-highest = Plus d’étoiles
order-lowest = Moins d’étoiles
field-query = Mots dans les avis
field-rating = Étoiles
field-min_rating = Étoiles, au moins
field-max_rating = Étoiles, au plus
field-mentions_service = Service
field-mentions_area = Lieu
field-mentions_technician = Technicien
field-source = Source
field-since = Du jour
field-until = Au jour
field-language = Langue
field-aspect = Sujet
field-polarity = Opinion sur le sujet
field-match = Comment trouver les mots
field-verified = Vérifié
field-has_text = Avec commentaire
field-has_reply = Avec réponse
field-sort = Ordre
choice-any = tous
choice-yes = oui
choice-no = non
choice-or-more = { $stars } ou plus
choice-or-fewer = { $stars } ou moins
choice-words = tous les mots
choice-substring = exactement comme écrit
filter-query = { $match ->
    [substring] avec exactement « { $value } »
   *[words] avec « { $value } »
}
filter-rating = { $value }
filter-min_rating = { $value } étoiles ou plus
filter-max_rating = { $value } étoiles ou moins
filter-since = depuis le { $value }
filter-until = jusqu’au { $value }
filter-mentions_technician = qui nomment { $value }
filter-mentions_service = sur { $value }
filter-mentions_area = à { $value }
filter-language = en langue { $value }
filter-source = de { $value }
filter-aspect = sujet : { $value }
filter-polarity = opinion : { $value }
filter-verified = { $value ->
    [true] vérifiés
   *[false] non vérifiés
}
filter-has_text = { $value ->
    [true] avec commentaire
   *[false] sans commentaire
}
filter-has_reply = { $value ->
    [true] avec réponse
   *[false] sans réponse
}
# After the name of a parameter.
fault-value = ne peut pas être « { $value } »
