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
