## Numbers and days

number-separators = { $region ->
    [AR] .,
    [BO] .,
    [BR] ,.
    [BZ] ,.
    [CL] .,
    [CO] .,
    [CR]  ,
    [CU] ,.
    [DO] ,.
    [EC] .,
    [GT] ,.
    [HN] ,.
    [JP] ,.
    [MX] ,.
    [NI] ,.
    [PA] ,.
    [PE] ,.
    [PR] ,.
    [PY] .,
    [SV] ,.
    [US] ,.
    [UY] .,
    [VE] .,
   *[other] .,
}
percent = { $number } %
day = { $day } de { $month } de { $year }
month-name = { $month ->
    [1] enero
    [2] febrero
    [3] marzo
    [4] abril
    [5] mayo
    [6] junio
    [7] julio
    [8] agosto
    [9] septiembre
    [10] octubre
    [11] noviembre
   *[12] diciembre
}

## Every page

skip = Ir al contenido
pages = Páginas
reviews-of = Reseñas de { $business }
nav-reviews = Reseñas
nav-insights = Lo que dicen los clientes
nav-website = Sitio web
nav-developers = Para desarrolladores
nav-transparency = Cómo se recogen y comprueban estas reseñas
newest-feed = Las 50 reseñas más recientes
about-figures = Las cifras se basan en las reseñas publicadas, salvo que se indique lo contrario.

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
verified-job_match = verificada con el trabajo realizado
verified-source_platform = verificada por la plataforma
verified-invite = verificada por invitación
verified-manual = añadida por la empresa
no-comment = Sin comentario.
review-report = Denunciar esta reseña
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

## The front page

rating-from = { $count ->
    [one] de 5, según { $number } reseña
   *[other] de 5, según { $number } reseñas
}
rating-summary = { $count ->
    [one] { $rating } de 5 estrellas según { $number } reseña de { $business }.
   *[other] { $rating } de 5 estrellas según { $number } reseñas de { $business }.
}
number-verified = { $count ->
    [one] { $number } está verificada por una plataforma, un trabajo o una invitación.
   *[other] { $number } están verificadas por una plataforma, un trabajo o una invitación.
}
period = Del { $from } al { $to }
withheld = { $count ->
    [one] { $number } reseña retenida y por qué
   *[other] { $number } reseñas retenidas y por qué
}
none-withheld = No se retiene ninguna reseña.
reviews-by-stars = Reseñas por estrellas
reviews-by-source = Reseñas por fuente
stars-and-reviews = { $stars }: { $reviews }
average = Media
source = Fuente
number-of-reviews = Reseñas
no-reviews = Todavía no hay reseñas.
write-review = Escribir una reseña
write-review-on = Escribir una reseña en { $site }
too-few-aspects = Todavía son pocas las reseñas que mencionan los mismos temas.
more-topics = { $count ->
    [one] { $number } tema más
   *[other] { $number } temas más
}
all-insights = Todos los temas, personas, servicios y tendencias
search-reviews = Buscar en las reseñas
search = Buscar
newest-reviews = Reseñas más recientes
show = Mostrar
lowest-first = Peor valoradas primero
with-answer = Con respuesta
all-reviews = { $count ->
    [one] La única reseña
   *[other] Las { $number } reseñas
}

## For developers

developers-lead = Ponga la valoración en su sitio o use las reseñas en sus propios programas.
on-your-site = En su sitio
on-your-site-text = Una línea muestra la valoración y las reseñas más recientes.
see-embed = Ver cómo queda
badge = Como insignia
badge-text = Una imagen de la valoración actual.
for-agents = Para agentes de IA (MCP)
for-agents-text = Herramientas para buscar, comparar y citar estas reseñas.
for-programs = Para programas y lectores de feeds
data-reviews = Todas las reseñas
data-docs = Probar cada operación
data-description = Descripción de la API
change-notices = Avisos de cambios (WebSub)
change-notices-text = Suscríbase en este hub para recibir cada cambio.
copy-snippet = Copiar el fragmento
copy-address = Copiar la dirección
copied = Copiado.
selected = Seleccionado; cópielo con el teclado.

## Insights

insights-of = Lo que dicen los clientes de { $business }
insights-described = Lo que dicen las reseñas de { $business }, en cifras: temas, personas, servicios y tendencias, cada uno con sus frases.
made-of = Contado en { $texts } de { $reviews }. Cada cifra lleva a las opiniones en las que se basa.
made-of-period = Contado en { $texts } de { $reviews }, del { $from } al { $to }. Cada cifra lleva a las opiniones en las que se basa.
texts = { $count ->
    [one] { $number } texto
   *[other] { $number } textos
}
on-this-page = En esta página
what-they-judge = Lo que valoran
in-short = En resumen
summary-report = Denunciar este resumen
in-the-words-of = En palabras de { $business }
nothing-counted = Todavía ninguna reseña menciona nada que se pueda contar.
people = Personas que nombran
services = Servicios
areas = Lugares
name = Nombre
said-where-named = Lo que se dice cuando se nombran
topics = Palabras que destacan
faq = Preguntas y respuestas
method = Cómo se ha hecho
method-measured = Los textos en inglés se analizan con reglas fijas para este sector ({ $trade }) y cada reseña cuenta una vez por tema. La precisión del análisis se ha medido.
method-unmeasured = Los textos en inglés se analizan con reglas fijas para este sector ({ $trade }) y cada reseña cuenta una vez por tema. La precisión del análisis no se ha medido.
insights-json = Todas las cifras, el método y su calidad medida en JSON
legend = Qué significan los colores
positive = positivas
negative = negativas
mixed = mixtas
neutral = neutras
uncertain = dudosas
figure-positive = { $positive } positivas
figure-positive-of = { $positive } de { $judged } positivas
figure-share = { $percent } positivas: { $positive } de { $judged }
figure-none = ninguna reseña lo valora
number-negative = { $count ->
    [one] { $number } negativa
   *[other] { $number } negativas
}
number-mixed = { $count ->
    [one] { $number } mixta
   *[other] { $number } mixtas
}
number-neutral = { $count ->
    [one] { $number } neutra
   *[other] { $number } neutras
}
number-uncertain = { $count ->
    [one] { $number } dudosa
   *[other] { $number } dudosas
}
bar = { $name }: { $figure }
trend-up = Mejor que en el semestre anterior.
trend-down = Peor que en el semestre anterior.
trend-flat = Sin diferencia clara con el semestre anterior.
all-reviews-about = { $count ->
    [one] La reseña sobre { $topic }
   *[other] Las { $number } reseñas sobre { $topic }
}
more-about = Más sobre { $topic }
show-more = Mostrar más
praise = Elogio
complaint = Crítica

## The summary in sentences

summary-overall = { $count ->
    [one] { $number } reseña cuyo texto se analizó: { $positive } positiva, { $negative } negativa y { $neither } mixta, neutra o poco clara en conjunto.
   *[other] De las { $number } reseñas cuyo texto se analizó, { $positive } son positivas en conjunto, { $negative } negativas y { $neither } mixtas, neutras o poco claras.
}
summary-not-analysed = Textos en un idioma que no se analiza: { $foreign } de { $with_text }.
summary-aspect = { $topic }: { $figure }.
summary-complaint-quote = Una de ellas: «{ $quote }»

## Cómo se recogen y comprueban las reseñas

transparency-described = De dónde vienen las reseñas de { $business }, cómo se comprueban y cuáles no se muestran.
which-shown = Qué reseñas se muestran
published-reviews = { $count ->
    [one] Hay { $number } reseña publicada. Tiene { $mean } de 5 estrellas.
   *[other] Hay { $number } reseñas publicadas. Su media es de { $mean } de 5 estrellas.
}
mean-of-all = Todas las reseñas publicadas cuentan lo mismo.
taken-in = Reseñas recogidas: { $taken }. Publicadas: { $published }. Retenidas: { $withheld }. Borradas por la empresa: { $deleted }.
not-taken-in = Lo demás que tenía un archivo, erróneo o dudoso, no está en ninguna de estas cifras.
hidden-by-business = De las { $taken } reseñas recogidas, la empresa retuvo { $withheld } y borró { $deleted }.
source-stated = { $source } indica { $total } el { $day }: { $here } aquí, { $withheld } retenidas, { $deleted } borradas, { $difference } que no están aquí.
source-exceeded = { $source } indica { $total } el { $day }: { $here } aquí, { $withheld } retenidas, { $deleted } borradas, { $difference } más aquí que allí.
shown-order = Se muestran todas las reseñas publicadas, buenas o malas. La más reciente va primero y ninguna se adelanta.
withheld-reviews = { $count ->
    [one] { $number } reseña no se muestra. El motivo:
   *[other] { $number } reseñas no se muestran. Los motivos:
}
withheld-mean = Las reseñas que la empresa decidió no mostrar tienen una media de { $withheld } estrellas. Las publicadas tienen una media de { $published }.
deleted-reviews = { $count ->
    [one] La empresa borró { $number } reseña. No se guarda nada de ella, así que no se conocen sus estrellas. El motivo:
   *[other] La empresa borró { $number } reseñas. No se guarda nada de ellas, así que no se conocen sus estrellas. Los motivos:
}
other-reasons = otros motivos
changed-reviews = { $count ->
    [0] Ninguna reseña publicada muestra estrellas, fecha, autor, título o texto distintos de los últimos que comunicó su fuente.
    [one] { $number } reseña publicada muestra estrellas, fecha, autor, título o texto distintos de los últimos que comunicó su fuente.
   *[other] { $number } reseñas publicadas muestran estrellas, fecha, autor, título o texto distintos de los últimos que comunicó su fuente.
}
where-from = De dónde vienen las reseñas
arrives-scheduled = Se obtienen de la fuente de forma automática.
arrives-scheduled-last = Se obtienen de la fuente de forma automática; la última vez, el { $day }.
arrives-imported = Importadas por la empresa.
arrives-imported-last = Importadas por la empresa; la última vez, el { $day }.
arrives-by-hand = Introducidas por la empresa.
how-checked = Cómo se comprueban las reseñas
way-and-reviews = { $way }: { $reviews }
checked-job_match = La reseña corresponde a un trabajo que consta en los registros de la empresa.
checked-source_platform = La reseña se escribió en una plataforma de reseñas, que aplica sus propias reglas a las reseñas que muestra.
checked-invite = Solo los clientes invitados por la empresa podían escribir la reseña.
checked-manual = La empresa añadió la reseña y dice que es de un cliente. No lo confirma ninguna plataforma, trabajo ni invitación.
policy-collection = Cómo recoge las reseñas
policy-verification = Cómo comprueba que una reseña es de un cliente
policy-moderation = Qué reseñas no muestra
policy-incentives = Si los clientes reciben algo por una reseña
policy-contact = Dónde denunciar una reseña
reason-not-stated = no indicado
reason-not-verified = no verificada
reason-not-published = no publicada en la fuente
reason-perhaps-not-published = quizá no publicada en la fuente
reason-gone = ya no está en la fuente
reason-without-stars = recomendación sin estrellas
policy-not-stated = La empresa no lo indica.
made-by-program = Los temas, las cifras y el resumen los elabora un programa a partir de las reseñas, no una persona.
run-by = { $business } gestiona este sitio
transparency-json = Estas cifras en JSON

## Names of topics and trades: the id is made of the English name

name-rooms-and-place = Habitaciones y lugar
name-location = Ubicación
name-places-to-stay = Alojamientos
name-any-business = Cualquier empresa
name-atmosphere = Ambiente
name-cleanliness = Limpieza
name-communication = Comunicación
name-food-and-drink = Comida y bebida
name-getting-the-order-right = Pedidos correctos
name-home-services = Servicios para el hogar
name-honesty = Honestidad
name-overall = En general
name-price = Precio
name-professionalism-and-manners = Profesionalidad y trato
name-punctuality = Puntualidad
name-quality-of-the-work = Calidad del trabajo
name-response-time = Tiempo de respuesta
name-scheduling = Programación de citas
name-staff-and-manners = Personal y trato
name-waiting = Espera
name-warranty-and-standing-behind-the-work = Garantía y responsabilidad

## Embed and badge

embed-filtered = Filtro: solo se muestran reseñas de { $stars } estrellas o más; la cifra es de todas.
see-all = Ver las { $number }
newest-first = Las más recientes primero.
badge-no-reviews = todavía sin reseñas

## Errors

not-found = Página no encontrada
not-found-text = Esta página no existe o la reseña ya no está publicada.
bad-request = Esta dirección no es correcta
bad-request-text = Una parte de la dirección no se entiende.
too-busy = Inténtelo de nuevo en un momento
too-busy-text = El sitio está ocupado en este momento.
failed = Esto no ha funcionado
failed-text = No se ha podido mostrar la página. Vuelva atrás o empiece por las reseñas.
not-set-up = Este servicio aún no está configurado
not-set-up-text = Todavía no tiene una empresa cuyas reseñas pueda mostrar. Si usted lo administra, este comando lo configura:
all-reviews-link = Todas las reseñas de { $business }
search-them = Buscar en ellas

## The page that shows the options of the frame

try-title = Ponga las reseñas de { $business } en su sitio
try-heading = Reseñas en su sitio
try-lead = Elija el aspecto de las reseñas y pegue las líneas en su página. Se actualizan solas.
try-options = Opciones
try-layout = Disposición
try-layout-list = Lista
try-layout-grid = Cuadrícula
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
try-script = El script da al marco la altura de su contenido. Sin él, la altura es de 480 píxeles y el contenido más largo se desplaza.
try-shown = Así se ve
try-badge = El distintivo

## The search

review-original = original
find-filters = Filtros
find-more = Más filtros
find-counts = { $count ->
    [one] Los números cuentan la única reseña ({ $number }).
   *[other] Los números cuentan todas las reseñas: { $number }.
}
find-years = Por año
find-results = Resultados
find-feed = Feed Atom de esta búsqueda
find-remove = quitar este filtro
find-remove-all = Quitar todos los filtros
find-pages = Páginas de resultados
find-next = { $number } siguientes
find-page-title = { $heading }: reseñas sobre { $business }
find-more-than = Más de { $number } reseñas
find-filtered = { $count ->
    [one] Con filtros, de { $number } reseña:
   *[other] Con filtros, de { $number } reseñas:
}
find-page-is-empty = Ya no hay reseñas en esta página.
find-none = No se han encontrado reseñas
find-nothing = Ninguna reseña cumple todos estos filtros.
nearest-name = Buscar «{ $name }»
nearest-by-words = Cada palabra, en cualquier orden
order-newest = Más recientes
order-oldest = Más antiguas
order-highest = Más estrellas
order-lowest = Menos estrellas
field-query = Palabras del texto
field-rating = Estrellas
field-min_rating = Estrellas, como mínimo
field-max_rating = Estrellas, como máximo
field-mentions_service = Servicio
field-mentions_area = Zona
field-mentions_technician = Técnico
field-source = Fuente
field-since = Desde el día
field-until = Hasta el día
field-language = Idioma
field-aspect = Tema
field-polarity = Opinión sobre el tema
field-match = Cómo se buscan las palabras
field-verified = Verificada
field-has_text = Con comentario
field-has_reply = Con respuesta
field-sort = Orden
choice-any = cualquiera
choice-yes = sí
choice-no = no
choice-or-more = { $stars } o más
choice-or-fewer = { $stars } o menos
choice-words = todas las palabras
choice-substring = exactamente como está escrito
filter-query = { $match ->
    [substring] con exactamente «{ $value }»
   *[words] con «{ $value }»
}
filter-rating = { $value }
filter-min_rating = { $value } estrellas o más
filter-max_rating = { $value } estrellas o menos
filter-since = desde el { $value }
filter-until = hasta el { $value }
filter-mentions_technician = que nombran a { $value }
filter-mentions_service = sobre { $value }
filter-mentions_area = en { $value }
filter-language = en el idioma { $value }
filter-source = de { $value }
filter-aspect = tema: { $value }
filter-polarity = opinión: { $value }
filter-verified = { $value ->
    [true] verificadas
   *[false] sin verificar
}
filter-has_text = { $value ->
    [true] con comentario
   *[false] sin comentario
}
filter-has_reply = { $value ->
    [true] con respuesta
   *[false] sin respuesta
}
# After the name of a parameter.
fault-value = no puede ser «{ $value }»
