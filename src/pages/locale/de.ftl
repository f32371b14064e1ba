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
