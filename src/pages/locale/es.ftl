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

## The page that shows the options of the frame

try-title = Ponga las reseñas de { $business } en su sitio
try-heading = Reseñas en su sitio
try-lead = Elija el aspecto de las reseñas y pegue las líneas en su página. Se actualizan solas.
try-options = Opciones
try-layout = Disposición
try-layout-list = Lista
try-layout-grid = Cuadrícula
try-layout-carousel = Carrusel
try-limit = Número de reseñas
try-min-rating = Estrellas como mínimo
try-theme = Colores
try-theme-light = Claros
try-theme-dark = Oscuros
try-theme-auto = Los del sistema del lector
try-accent = Color de acento
try-language = Idioma
try-language-business = El de la empresa
try-show = Mostrar
try-line = Las líneas para pegar
try-copy = Copiar
try-script = El script da al marco la altura de su contenido. Sin él, la altura es de 480 píxeles y el contenido más largo se desplaza.
try-shown = Así se ve
try-badge = El distintivo
newest-reviews = Reseñas más recientes
