## Numbers and days

percent = { $number } %
day = { $day }. { $month } { $year }
month = { $month } { $year }
january = Januar
february = Februar
march = März
april = April
may = Mai
june = Juni
july = Juli
august = August
september = September
october = Oktober
november = November
december = Dezember
list = { $rest } und { $last }

## Every page

skip = Zum Inhalt springen
pages = Seiten
reviews-of = Bewertungen von { $business }
nav-reviews = Bewertungen
nav-insights = Was Kunden sagen
nav-website = Website
nav-developers = Für Entwickler
newest-feed = Die 50 neuesten Bewertungen
about-figures = Alle Zahlen beruhen auf den veröffentlichten Bewertungen.

## A review

stars-of-5 = { $stars } von 5 Sternen
stars = { $count ->
    [one] { $number } Stern
   *[other] { $number } Sterne
}
reviews = { $count ->
    [one] { $number } Bewertung
   *[other] { $number } Bewertungen
}
not-verified = nicht geprüft
verified-by-job = anhand des Auftrags geprüft
verified-by-platform = von der Plattform geprüft
verified-by-invitation = per Einladung geprüft
verified-by-business = vom Unternehmen hinzugefügt
no-comment = Ohne Kommentar.
read-on = Weiterlesen
about = Erwähnt
answer-from = Antwort von { $name }
review-by = Bewertung von { $author }
review-by-on = Bewertung von { $author }, { $day }
review-title = { $heading }: Bewertung von { $business } durch { $author }
all-reviews-of = { $count ->
    [one] Die einzige Bewertung von { $business }
   *[other] Alle { $number } Bewertungen von { $business }
}

## The page that shows the options of the frame

try-title = Bewertungen von { $business } auf Ihrer Website
try-heading = Bewertungen auf Ihrer Website
try-lead = Wählen Sie, wie die Bewertungen aussehen, und fügen Sie die Zeilen in Ihre Seite ein. Sie bleiben von selbst aktuell.
try-options = Optionen
try-layout = Anordnung
try-layout-list = Liste
try-layout-grid = Raster
try-layout-carousel = Karussell
try-limit = Anzahl der Bewertungen
try-min-rating = Mindestens so viele Sterne
try-theme = Farben
try-theme-light = Hell
try-theme-dark = Dunkel
try-theme-auto = Wie im System des Lesers
try-accent = Akzentfarbe
try-language = Sprache
try-language-business = Die des Unternehmens
try-show = Anzeigen
try-line = Die Zeilen zum Einfügen
try-copy = Kopieren
try-script = Das Skript gibt dem Rahmen die Höhe seines Inhalts. Ohne es bleibt die Höhe 480 Pixel, und längerer Inhalt wird gescrollt.
try-shown = So sieht es aus
try-badge = Das Abzeichen
newest-reviews = Neueste Bewertungen
