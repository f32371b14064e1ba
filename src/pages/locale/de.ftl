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

## The search

review-original = Original
find-title = Bewertungen durchsuchen
find-submit = Suchen
find-filters = Filter
find-more = Weitere Filter
find-counts = { $count ->
    [one] Gezählt wird { $number } Bewertung.
   *[other] Die Zahlen zählen alle { $number } Bewertungen.
}
find-years = Nach Jahr
find-results = Ergebnisse
find-remove = diesen Filter entfernen
find-remove-all = Alle Filter entfernen
find-order = Reihenfolge
find-pages = Ergebnisseiten
find-previous = Vorige { $number }
find-next = Nächste { $number }
find-page-title = { $heading }: Bewertungen von { $business }
find-more-than = Mehr als { $number } Bewertungen
find-filtered = { $count ->
    [one] Gefiltert, von { $number } Bewertung:
   *[other] Gefiltert, von { $number } Bewertungen:
}
find-page-is-empty = Auf dieser Seite gibt es keine Bewertungen mehr.
find-none = Keine Bewertungen gefunden
find-no-reviews = Es gibt noch keine Bewertungen.
find-nothing = Keine Bewertung erfüllt alle diese Filter.
find-refused = Etwas an dieser Suche stimmt nicht
find-not-searched = Es wurde nicht gesucht. Ändern Sie, was markiert ist, und suchen Sie erneut.
nearest-name = Stattdessen nach „{ $name }“ suchen
nearest-words = Nur „{ $text }“
nearest-by-words = Jedes Wort, in beliebiger Reihenfolge
nearest-without = Ohne diesen Filter suchen: { $filter }
order-newest = Neueste
order-oldest = Älteste
order-most-stars = Meiste Sterne
order-fewest-stars = Wenigste Sterne
field-words = Wörter in den Bewertungen
field-stars = Sterne
field-min-stars = Sterne, mindestens
field-max-stars = Sterne, höchstens
field-service = Leistung
field-technician = Techniker
field-source = Quelle
field-since = Ab Tag
field-until = Bis Tag
field-language = Sprache
field-aspect = Thema
field-polarity = Meinung zum Thema
field-match = Wie Wörter gefunden werden
field-has-text = Mit Kommentar
field-has-response = Mit Antwort
choice-any = beliebig
choice-yes = ja
choice-no = nein
choice-or-more = { $stars } oder mehr
choice-or-fewer = { $stars } oder weniger
choice-words = jedes Wort, in beliebiger Reihenfolge
choice-substring = genau wie geschrieben
polarity-positive = positiv
polarity-negative = negativ
polarity-mixed = gemischt
polarity-neutral = neutral
polarity-uncertain = unklar
filter-words = mit „{ $text }“
filter-substring = mit genau „{ $text }“
filter-min-stars = { $stars } Sterne oder mehr
filter-max-stars = { $stars } Sterne oder weniger
filter-since = seit { $day }
filter-until = bis { $day }
filter-technician = die { $name } nennen
filter-service = über { $name }
filter-language = in der Sprache { $tag }
filter-source = von { $name }
filter-aspect = Thema: { $name }
filter-polarity = Meinung: { $polarity }
filter-text = mit Kommentar
filter-no-text = ohne Kommentar
filter-response = mit Antwort
filter-no-response = ohne Antwort
fault-stars = Wählen Sie 1 bis 5 Sterne.
fault-day = Schreiben Sie den Tag so: 2024-02-29.
fault-text = Verwenden Sie höchstens 1.000 Zeichen, nur einmal.
fault-polarity = Wählen Sie eine aus der Liste, und dazu ein Thema.
fault-limit = Eine Seite hat 1 bis 100 Bewertungen.
fault-page = Diese Seite gehört zu einer anderen Suche. Beginnen Sie mit der ersten Seite.
fault-choice = Wählen Sie etwas aus der Liste.
