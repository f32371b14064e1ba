## Numbers and days

percent = { $number } %
day = { $day } de { $month } de { $year }
month = { $month } de { $year }
january = enero
february = febrero
march = marzo
april = abril
may = mayo
june = junio
july = julio
august = agosto
september = septiembre
october = octubre
november = noviembre
december = diciembre
list = { $rest } y { $last }

## Every page

skip = Ir al contenido
pages = Páginas
reviews-of = Reseñas de { $business }
nav-reviews = Reseñas
nav-insights = Lo que dicen los clientes
nav-website = Sitio web
nav-developers = Para desarrolladores
newest-feed = Las 50 reseñas más recientes
about-figures = Todas las cifras se basan en las reseñas publicadas.

## A review

stars-of-5 = { $stars } de 5 estrellas
stars = { $count ->
    [one] { $number } estrella
   *[other] { $number } estrellas
}
reviews = { $count ->
    [one] { $number } reseña
   *[other] { $number } reseñas
}
not-verified = no verificada
verified-by-job = verificada con el trabajo realizado
verified-by-platform = verificada por la plataforma
verified-by-invitation = verificada por invitación
verified-by-business = añadida por la empresa
no-comment = Sin comentario.
read-on = Leer más
about = Menciona
answer-from = Respuesta de { $name }
review-by = Reseña de { $author }
review-by-on = Reseña de { $author }, { $day }
review-title = { $heading }: reseña de { $business } por { $author }
all-reviews-of = { $count ->
    [one] La única reseña de { $business }
   *[other] Las { $number } reseñas de { $business }
}

## The search

review-original = original
find-title = Buscar en las reseñas
find-submit = Buscar
find-filters = Filtros
find-more = Más filtros
find-counts = { $count ->
    [one] Los números cuentan la única reseña ({ $number }).
   *[other] Los números cuentan todas las reseñas: { $number }.
}
find-years = Por año
find-results = Resultados
find-remove = quitar este filtro
find-remove-all = Quitar todos los filtros
find-order = Orden
find-pages = Páginas de resultados
find-previous = { $number } anteriores
find-next = { $number } siguientes
find-page-title = { $heading }: reseñas sobre { $business }
find-more-than = Más de { $number } reseñas
find-filtered = { $count ->
    [one] Con filtros, de { $number } reseña:
   *[other] Con filtros, de { $number } reseñas:
}
find-page-is-empty = Ya no hay reseñas en esta página.
find-none = No se han encontrado reseñas
find-no-reviews = Todavía no hay reseñas.
find-nothing = Ninguna reseña cumple todos estos filtros.
find-refused = Algo no está bien en esta búsqueda
find-not-searched = No se ha buscado nada. Cambie lo marcado y busque de nuevo.
nearest-name = Buscar «{ $name }»
nearest-words = Solo «{ $text }»
nearest-by-words = Cada palabra, en cualquier orden
nearest-without = Buscar sin este filtro: { $filter }
order-newest = Más recientes
order-oldest = Más antiguas
order-most-stars = Más estrellas
order-fewest-stars = Menos estrellas
field-words = Palabras en las reseñas
field-stars = Estrellas
field-min-stars = Estrellas, como mínimo
field-max-stars = Estrellas, como máximo
field-service = Servicio
field-technician = Técnico
field-source = Fuente
field-since = Desde el día
field-until = Hasta el día
field-language = Idioma
field-aspect = Tema
field-polarity = Opinión sobre el tema
field-match = Cómo se buscan las palabras
field-has-text = Con comentario
field-has-response = Con respuesta
choice-any = cualquiera
choice-yes = sí
choice-no = no
choice-or-more = { $stars } o más
choice-or-fewer = { $stars } o menos
choice-words = cada palabra, en cualquier orden
choice-substring = exactamente como está escrito
polarity-positive = positiva
polarity-negative = negativa
polarity-mixed = mixta
polarity-neutral = neutra
polarity-uncertain = incierta
filter-words = con «{ $text }»
filter-substring = con exactamente «{ $text }»
filter-min-stars = { $stars } estrellas o más
filter-max-stars = { $stars } estrellas o menos
filter-since = desde el { $day }
filter-until = hasta el { $day }
filter-technician = que nombran a { $name }
filter-service = sobre { $name }
filter-language = en el idioma { $tag }
filter-source = de { $name }
filter-aspect = tema: { $name }
filter-polarity = opinión: { $polarity }
filter-text = con comentario
filter-no-text = sin comentario
filter-response = con respuesta
filter-no-response = sin respuesta
fault-stars = Elija un número de estrellas de 1 a 5.
fault-day = Escriba el día así: 2024-02-29.
fault-text = Use como máximo 1000 caracteres, una sola vez.
fault-polarity = Elija una de la lista, y también un tema.
fault-limit = Una página tiene de 1 a 100 reseñas.
fault-page = Esta página es de otra búsqueda. Empiece por la primera página.
fault-choice = Elija uno de la lista.
