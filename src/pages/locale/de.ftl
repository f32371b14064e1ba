## Numbers and days

number-separators = { $region ->
    [AT]  ,
    [CH] '.
    [LI] '.
   *[other] .,
}
percent = { $number } %
day = { $day }. { $month } { $year }
month-name = { $month ->
    [1] Januar
    [2] Februar
    [3] März
    [4] April
    [5] Mai
    [6] Juni
    [7] Juli
    [8] August
    [9] September
    [10] Oktober
    [11] November
   *[12] Dezember
}

## Every page

skip = Zum Inhalt springen
pages = Seiten
reviews-of = Bewertungen von { $business }
nav-reviews = Bewertungen
nav-insights = Was Kunden sagen
nav-website = Website
nav-developers = Für Entwickler
nav-transparency = Wie diese Bewertungen gesammelt und geprüft werden
newest-feed = Die 50 neuesten Bewertungen
about-figures = Die Zahlen beruhen auf den veröffentlichten Bewertungen, wenn nichts anderes angegeben ist.

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
verified-job_match = anhand des Auftrags geprüft
verified-source_platform = von der Plattform geprüft
verified-invite = per Einladung geprüft
verified-manual = vom Unternehmen hinzugefügt
no-comment = Ohne Kommentar.
review-report = Diese Bewertung melden
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

## The front page

rating-from = { $count ->
    [one] von 5, aus { $number } Bewertung
   *[other] von 5, aus { $number } Bewertungen
}
rating-summary = { $count ->
    [one] { $rating } von 5 Sternen aus { $number } Bewertung von { $business }.
   *[other] { $rating } von 5 Sternen aus { $number } Bewertungen von { $business }.
}
number-verified = { $count ->
    [one] { $number } davon ist von einer Plattform, anhand eines Auftrags oder per Einladung geprüft.
   *[other] { $number } davon sind von einer Plattform, anhand eines Auftrags oder per Einladung geprüft.
}
period = { $from } bis { $to }
withheld = { $count ->
    [one] { $number } zurückgehalten, und warum
   *[other] { $number } zurückgehalten, und warum
}
none-withheld = Keine Bewertung wird zurückgehalten.
reviews-by-stars = Bewertungen nach Sternen
reviews-by-source = Bewertungen nach Quelle
stars-and-reviews = { $stars }: { $reviews }
average = Durchschnitt
source = Quelle
number-of-reviews = Bewertungen
no-reviews = Es gibt noch keine Bewertungen.
write-review = Bewertung schreiben
write-review-on = Bewertung auf { $site } schreiben
too-few-aspects = Noch nennen zu wenige Bewertungen dieselben Themen.
more-topics = { $count ->
    [one] { $number } weiteres Thema
   *[other] { $number } weitere Themen
}
all-insights = Alle Themen, Personen, Leistungen und Trends
search-reviews = Bewertungen durchsuchen
search = Suchen
newest-reviews = Neueste Bewertungen
show = Anzeigen
lowest-first = Schlechteste zuerst
with-answer = Mit Antwort
all-reviews = { $count ->
    [one] Die einzige Bewertung
   *[other] Alle { $number } Bewertungen
}

## For developers

developers-lead = Zeigen Sie die Bewertung auf Ihrer Website oder nutzen Sie die Daten in eigenen Programmen.
on-your-site = Auf Ihrer Website
on-your-site-text = Eine Zeile zeigt die Bewertung und die neuesten Texte.
see-embed = So sieht es aus
badge = Als Siegel
badge-text = Ein Bild mit der aktuellen Bewertung.
for-agents = Für KI-Agenten (MCP)
for-agents-text = Werkzeuge zum Durchsuchen, Vergleichen und Zitieren dieser Bewertungen.
for-programs = Für Programme und Feedreader
data-reviews = Alle Bewertungen
data-docs = Jede Abfrage ausprobieren
data-description = Beschreibung der API
change-notices = Benachrichtigungen über Änderungen (WebSub)
change-notices-text = Abonnieren Sie diesen Hub, um jede Änderung zu erhalten.
copy-snippet = Code kopieren
copy-address = Adresse kopieren
copied = Kopiert.
selected = Markiert; kopieren Sie es mit der Tastatur.

## Insights

insights-of = Was Kunden über { $business } sagen
insights-described = Was die Bewertungen von { $business } sagen, gezählt: Themen, Personen, Leistungen, Trends, jeweils mit den Sätzen dahinter.
made-of = Gezählt in { $texts } aus { $reviews }. Jede Zahl führt zu den Bewertungen dahinter.
made-of-period = Gezählt in { $texts } aus { $reviews }, { $from } bis { $to }. Jede Zahl führt zu den Bewertungen dahinter.
texts = { $count ->
    [one] { $number } Text
   *[other] { $number } Texten
}
on-this-page = Auf dieser Seite
what-they-judge = Was sie beurteilen
in-short = Kurz gefasst
summary-report = Diese Zusammenfassung melden
in-the-words-of = In den Worten von { $business }
nothing-counted = Noch nennt keine Bewertung etwas, das sich zählen lässt.
people = Genannte Personen
services = Leistungen
areas = Orte
name = Name
said-where-named = Was dazu gesagt wird
topics = Auffällige Wörter
faq = Fragen und Antworten
method = Wie das entstanden ist
method-measured = Englische Texte werden nach festen Regeln für diese Branche ausgewertet ({ $trade }), und jede Bewertung zählt je Thema einmal. Wie genau die Auswertung ist, wurde gemessen.
method-unmeasured = Englische Texte werden nach festen Regeln für diese Branche ausgewertet ({ $trade }), und jede Bewertung zählt je Thema einmal. Wie genau die Auswertung ist, wurde nicht gemessen.
insights-json = Alle Zahlen, die Methode und ihre gemessene Güte als JSON
legend = Was die Farben bedeuten
positive = positiv
negative = negativ
mixed = gemischt
neutral = neutral
uncertain = unsicher
figure-positive = { $positive } positiv
figure-positive-of = { $positive } von { $judged } positiv
figure-share = { $percent } positiv: { $positive } von { $judged }
figure-none = keine Bewertung beurteilt es
number-negative = { $number } negativ
number-mixed = { $number } gemischt
number-neutral = { $number } neutral
number-uncertain = { $number } unsicher
bar = { $name }: { $figure }
trend-up = Besser als im Halbjahr davor.
trend-down = Schlechter als im Halbjahr davor.
trend-flat = Kein klarer Unterschied zum Halbjahr davor.
all-reviews-about = { $count ->
    [one] Die Bewertung zum Thema { $topic }
   *[other] Alle { $number } Bewertungen zum Thema { $topic }
}
more-about = Mehr zum Thema { $topic }
show-more = Mehr anzeigen
praise = Lob
complaint = Kritik

## The summary in sentences

summary-overall = { $count ->
    [one] { $number } Bewertung, deren Text ausgewertet wurde: insgesamt { $positive } positiv, { $negative } negativ und { $neither } gemischt, neutral oder unklar.
   *[other] Von { $number } Bewertungen, deren Text ausgewertet wurde, sind insgesamt { $positive } positiv, { $negative } negativ und { $neither } gemischt, neutral oder unklar.
}
summary-not-analysed = Texte in einer Sprache, die nicht ausgewertet wird: { $foreign } von { $with_text }.
summary-aspect = { $topic }: { $figure }.
summary-complaint-quote = Eine davon: „{ $quote }“

## Wie die Bewertungen gesammelt und geprüft werden

transparency-described = Woher die Bewertungen von { $business } kommen, wie sie geprüft werden und welche nicht gezeigt werden.
which-shown = Welche Bewertungen gezeigt werden
published-reviews = { $count ->
    [one] { $number } Bewertung ist veröffentlicht. Sie hat { $mean } von 5 Sternen.
   *[other] { $number } Bewertungen sind veröffentlicht. Ihr Durchschnitt ist { $mean } von 5 Sternen.
}
mean-of-all = Jede veröffentlichte Bewertung zählt gleich viel.
taken-in = Aufgenommene Bewertungen: { $taken }. Veröffentlicht: { $published }. Zurückgehalten: { $withheld }. Vom Unternehmen gelöscht: { $deleted }.
not-taken-in = Was eine Datei sonst noch hatte, fehlerhaft oder zweifelhaft, ist in keiner dieser Zahlen.
hidden-by-business = Das Unternehmen hat von den { $taken } aufgenommenen Bewertungen { $withheld } zurückgehalten und { $deleted } gelöscht.
source-stated = { $source } nennt am { $day } { $total }: { $here } hier, { $withheld } zurückgehalten, { $deleted } gelöscht, { $difference } nicht hier.
source-exceeded = { $source } nennt am { $day } { $total }: { $here } hier, { $withheld } zurückgehalten, { $deleted } gelöscht, { $difference } mehr hier als dort.
shown-order = Jede veröffentlichte Bewertung wird gezeigt, ob gut oder schlecht. Die neueste steht oben, und keine wird vorgezogen.
withheld-reviews = { $count ->
    [one] { $number } Bewertung wird nicht gezeigt. Der Grund:
   *[other] { $number } Bewertungen werden nicht gezeigt. Die Gründe:
}
withheld-mean = Die Bewertungen, die das Unternehmen von sich aus nicht zeigt, haben im Durchschnitt { $withheld } Sterne. Die veröffentlichten haben im Durchschnitt { $published }.
deleted-reviews = { $count ->
    [one] Das Unternehmen hat { $number } Bewertung gelöscht. Nichts davon ist aufbewahrt, deshalb sind ihre Sterne nicht bekannt. Der Grund:
   *[other] Das Unternehmen hat { $number } Bewertungen gelöscht. Nichts davon ist aufbewahrt, deshalb sind ihre Sterne nicht bekannt. Die Gründe:
}
other-reasons = andere Gründe
changed-reviews = { $count ->
    [0] Keine veröffentlichte Bewertung zeigt andere Sterne, einen anderen Tag, Namen, Titel oder Text, als ihre Quelle zuletzt gemeldet hat.
    [one] { $number } veröffentlichte Bewertung zeigt andere Sterne, einen anderen Tag, Namen, Titel oder Text, als ihre Quelle zuletzt gemeldet hat.
   *[other] { $number } veröffentlichte Bewertungen zeigen andere Sterne, einen anderen Tag, Namen, Titel oder Text, als ihre Quelle zuletzt gemeldet hat.
}
where-from = Woher die Bewertungen kommen
arrives-scheduled = Automatisch von der Quelle abgerufen.
arrives-scheduled-last = Automatisch von der Quelle abgerufen, zuletzt am { $day }.
arrives-imported = Vom Unternehmen importiert.
arrives-imported-last = Vom Unternehmen importiert, zuletzt am { $day }.
arrives-by-hand = Vom Unternehmen eingegeben.
how-checked = Wie die Bewertungen geprüft werden
way-and-reviews = { $way }: { $reviews }
checked-job_match = Die Bewertung passt zu einem Auftrag in den Unterlagen des Unternehmens.
checked-source_platform = Die Bewertung wurde auf einer Bewertungsplattform geschrieben, die nach eigenen Regeln entscheidet, was sie zeigt.
checked-invite = Nur Kunden, die das Unternehmen eingeladen hat, konnten die Bewertung schreiben.
checked-manual = Das Unternehmen hat die Bewertung hinzugefügt und sagt, dass sie von einem Kunden stammt. Keine Plattform, kein Auftrag und keine Einladung bestätigt das.
policy-collection = Wie es Bewertungen sammelt
policy-verification = Wie es prüft, ob eine Bewertung von einem Kunden stammt
policy-moderation = Welche Bewertungen es nicht zeigt
policy-incentives = Ob Kunden etwas für eine Bewertung bekommen
policy-contact = Wo man eine Bewertung melden kann
reason-not-stated = nicht angegeben
reason-not-verified = nicht geprüft
reason-not-published = an der Quelle nicht veröffentlicht
reason-perhaps-not-published = an der Quelle vielleicht nicht veröffentlicht
reason-gone = an der Quelle nicht mehr vorhanden
reason-without-stars = Empfehlung ohne Sterne
policy-not-stated = Vom Unternehmen nicht angegeben.
made-by-program = Die Themen, die Zahlen und die Zusammenfassung erstellt ein Programm aus den Bewertungen, nicht ein Mensch.
run-by = Diese Seite betreibt { $business }
transparency-json = Diese Zahlen als JSON

## Names of topics and trades: the id is made of the English name

name-rooms-and-place = Zimmer und Haus
name-location = Lage
name-places-to-stay = Unterkünfte
name-any-business = Jedes Unternehmen
name-atmosphere = Atmosphäre
name-cleanliness = Sauberkeit
name-communication = Kommunikation
name-food-and-drink = Essen und Trinken
name-getting-the-order-right = Richtige Bestellung
name-home-services = Handwerk und Haushaltsdienste
name-honesty = Ehrlichkeit
name-overall = Gesamteindruck
name-price = Preis
name-professionalism-and-manners = Professionalität und Umgang
name-punctuality = Pünktlichkeit
name-quality-of-the-work = Qualität der Arbeit
name-response-time = Reaktionszeit
name-scheduling = Terminvergabe
name-staff-and-manners = Personal und Umgang
name-waiting = Wartezeit
name-warranty-and-standing-behind-the-work = Garantie und Gewährleistung

## Embed and badge

embed-filtered = Gefiltert: nur Bewertungen ab { $stars } Sternen; der Durchschnitt ist aus allen.
see-all = Alle { $number } ansehen
newest-first = Neueste zuerst.
badge-no-reviews = noch keine Bewertungen

## Errors

not-found = Seite nicht gefunden
not-found-text = Diese Seite gibt es nicht, oder die Bewertung ist nicht mehr veröffentlicht.
bad-request = Diese Adresse stimmt nicht
bad-request-text = Ein Teil der Adresse ist nicht verständlich.
too-busy = Bitte versuchen Sie es gleich noch einmal
too-busy-text = Die Seite ist gerade ausgelastet.
failed = Das hat nicht funktioniert
failed-text = Die Seite konnte nicht gezeigt werden. Gehen Sie zurück oder beginnen Sie bei den Bewertungen.
not-set-up = Dieser Dienst ist noch nicht eingerichtet
not-set-up-text = Er hat noch kein Unternehmen, dessen Bewertungen er zeigen könnte. Wenn Sie ihn betreiben, richtet dieser Befehl ihn ein:
all-reviews-link = Alle Bewertungen von { $business }
search-them = Durchsuchen

## The page that shows the options of the frame

try-title = Bewertungen von { $business } auf Ihrer Website
try-heading = Bewertungen auf Ihrer Website
try-lead = Wählen Sie, wie die Bewertungen aussehen, und fügen Sie die Zeilen in Ihre Seite ein. Sie bleiben von selbst aktuell.
try-options = Optionen
try-layout = Anordnung
try-layout-list = Liste
try-layout-grid = Raster
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
try-script = Das Skript gibt dem Rahmen die Höhe seines Inhalts. Ohne es bleibt die Höhe 480 Pixel, und längerer Inhalt wird gescrollt.
try-shown = So sieht es aus
try-badge = Das Abzeichen

## The search

review-original = Original
find-filters = Filter
find-more = Weitere Filter
find-counts = { $count ->
    [one] Gezählt wird { $number } Bewertung.
   *[other] Die Zahlen zählen alle { $number } Bewertungen.
}
find-years = Nach Jahr
find-results = Ergebnisse
find-feed = Atom-Feed dieser Suche
find-remove = diesen Filter entfernen
find-remove-all = Alle Filter entfernen
find-pages = Ergebnisseiten
find-next = Nächste { $number }
find-page-title = { $heading }: Bewertungen von { $business }
find-more-than = Mehr als { $number } Bewertungen
find-filtered = { $count ->
    [one] Gefiltert, von { $number } Bewertung:
   *[other] Gefiltert, von { $number } Bewertungen:
}
find-page-is-empty = Auf dieser Seite gibt es keine Bewertungen mehr.
find-none = Keine Bewertungen gefunden
find-nothing = Keine Bewertung erfüllt alle diese Filter.
nearest-name = Stattdessen nach „{ $name }“ suchen
nearest-by-words = Jedes Wort, in beliebiger Reihenfolge
order-newest = Neueste
order-oldest = Älteste
order-highest = Meiste Sterne
order-lowest = Wenigste Sterne
field-query = Wörter im Text
field-rating = Sterne
field-min_rating = Sterne, mindestens
field-max_rating = Sterne, höchstens
field-mentions_service = Leistung
field-mentions_area = Ort
field-mentions_technician = Techniker
field-source = Quelle
field-since = Ab Tag
field-until = Bis Tag
field-language = Sprache
field-aspect = Thema
field-polarity = Meinung zum Thema
field-match = Wie Wörter gefunden werden
field-verified = Geprüft
field-has_text = Mit Kommentar
field-has_reply = Mit Antwort
field-sort = Reihenfolge
choice-any = beliebig
choice-yes = ja
choice-no = nein
choice-or-more = { $stars } oder mehr
choice-or-fewer = { $stars } oder weniger
choice-words = alle Wörter
choice-substring = genau wie geschrieben
filter-query = { $match ->
    [substring] mit genau „{ $value }“
   *[words] mit „{ $value }“
}
filter-rating = { $value }
filter-min_rating = { $value } Sterne oder mehr
filter-max_rating = { $value } Sterne oder weniger
filter-since = seit { $value }
filter-until = bis { $value }
filter-mentions_technician = die { $value } nennen
filter-mentions_service = über { $value }
filter-mentions_area = in { $value }
filter-language = in der Sprache { $value }
filter-source = von { $value }
filter-aspect = Thema: { $value }
filter-polarity = Meinung: { $value }
filter-verified = { $value ->
    [true] geprüft
   *[false] nicht geprüft
}
filter-has_text = { $value ->
    [true] mit Kommentar
   *[false] ohne Kommentar
}
filter-has_reply = { $value ->
    [true] mit Antwort
   *[false] ohne Antwort
}
# After the name of a parameter.
fault-value = kann nicht „{ $value }“ sein
