//! Any table: columns are found by common names or by `--map`; the owner who imports it vouches for the reviews.
//! Headers are compared by their letters and digits, without accents (`same_name`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::imports::map::values::same_name;
use crate::imports::platforms::{Format, Names, ReviewField, names};

pub static FORMAT: LazyLock<Format> = LazyLock::new(|| Format {
    name: "table",
    label: "table (CSV, TSV, XLSX)",
    fields: BTreeMap::from([
        (ReviewField::Id, "id, review_id, uid, external_id"),
        (
            ReviewField::Rating,
            "rating, stars, star_rating, score, review_score, review_rating, review_stars, \
         number of stars, overall rating",
        ),
        (
            ReviewField::Date,
            "date, review_date, created, created_at, create_time, publish_date, published_date, \
         date_published, time_created, occurred_at, timestamp, when, date_created, published_at, \
         submitted_at, submission date",
        ),
        (
            ReviewField::Author,
            "author, author_name, reviewer, reviewer_name, name, display_name, nickname, consumer, \
         customer, customer_name, client, client_name, your name, full name",
        ),
        (ReviewField::FirstName, "first_name, reviewer_first_name"),
        (ReviewField::LastName, "last_name, reviewer_last_name"),
        (ReviewField::Title, "title, headline, review_title, subject"),
        (
            ReviewField::Text,
            "text, body, comment, comments, content, review, review_text, review_content, message, \
         review_body, feedback, testimonial, customer feedback, customer comment, \
         customer comments, your review, your feedback",
        ),
        (ReviewField::Language, "language, lang"),
        (
            ReviewField::SourceName,
            "source.name, source, platform, site",
        ),
        (ReviewField::Url, "source.url, review_url"),
        (ReviewField::Location, "location, store"),
        (ReviewField::UpdatedAt, "updated_at, updated"),
        (
            ReviewField::Verified,
            "verification.verified, verified, is_verified, verified_buyer",
        ),
        (ReviewField::Method, "verification.method"),
        (ReviewField::VerifiedAt, "verification.verified_at"),
        (
            ReviewField::Technicians,
            "mentions.technicians, technicians, technician, employee",
        ),
        (ReviewField::Services, "mentions.services"),
        (ReviewField::ServiceAreas, "mentions.service_areas"),
        (
            ReviewField::ResponseText,
            "response.text, response, reply, owner_response, company_reply, review_reply, \
         review_response, owner_reply, owner_answer, business_response, company_response",
        ),
        (
            ReviewField::ResponseDate,
            "response.date, reply_date, response_date",
        ),
        (ReviewField::ResponseAuthor, "response.author"),
        (ReviewField::Reason, "withheld_reason"),
    ]),
    anonymous: None,
    vouches: false,
    was_table: true,
    reads_headers: true,
    ..Format::default()
});

/// Column names by field, in the order in which they are tried.
type Words = &'static [(ReviewField, Names)];

/// In German, Spanish, French, Italian, Dutch, Portuguese and Polish, all of which write the day before the month.
pub const OTHER_LANGUAGES: Words = &[
    (
        ReviewField::Rating,
        "Sterne, Anzahl Sterne, Punkte, Note, Noten, Estrellas, Puntuación, Calificación, \
         Étoiles, Nombre d'étoiles, Stelle, Voto, Punteggio, Sterren, Aantal sterren, Score, \
         Cijfer, Estrelas, Nota, Pontuação, Classificação, Gwiazdki, Liczba gwiazdek, Ocena",
    ),
    (
        ReviewField::Date,
        "Datum, Bewertungsdatum, Erstellt am, Zeitstempel, Fecha, Fecha de la reseña, \
         Marca temporal, Date de l'avis, Publié le, Horodateur, Data, Data della recensione, \
         Informazioni cronologiche, Tijdstempel, Data da avaliação, Carimbo de data/hora, \
         Data opinii, Data wystawienia, Sygnatura czasowa",
    ),
    (
        ReviewField::Author,
        "Kunde, Kundenname, Kundin, Autor, Verfasser, Rezensent, Cliente, Nombre, \
         Nombre del cliente, Autora, Client, Cliente nome, Nom, Nom du client, Auteur, Nome, \
         Nome cliente, Nome del cliente, Autore, Klant, Klantnaam, Naam, Nome do cliente, \
         Klient, Imię, Imię i nazwisko, Klientka",
    ),
    (
        ReviewField::Title,
        "Titel, Überschrift, Betreff, Título, Asunto, Titre, Objet, Titolo, Oggetto, Onderwerp, \
         Assunto, Tytuł, Temat",
    ),
    (
        ReviewField::Text,
        "Kommentar, Bewertungstext, Rezension, Meinung, Nachricht, Rückmeldung, Comentario, \
         Comentarios, Opinión, Reseña, Mensaje, Texto, Commentaire, Commentaires, Avis, Texte, \
         Témoignage, Recensione, Commento, Commenti, Opinione, Testo, Messaggio, Recensie, \
         Opmerking, Opmerkingen, Tekst, Reactie klant, Comentário, Comentários, Opinião, \
         Mensagem, Opinia, Komentarz, Treść, Treść opinii, Recenzja",
    ),
    (
        ReviewField::Language,
        "Sprache, Idioma, Langue, Lingua, Taal, Język",
    ),
    (
        ReviewField::SourceName,
        "Quelle, Plattform, Fuente, Plataforma, Plateforme, Fonte, Piattaforma, Bron, Źródło",
    ),
    (
        ReviewField::ResponseText,
        "Antwort, Unsere Antwort, Stellungnahme, Respuesta, Nuestra respuesta, Réponse, \
         Notre réponse, Risposta, La nostra risposta, Antwoord, Ons antwoord, Reactie, Resposta, \
         A nossa resposta, Odpowiedź, Nasza odpowiedź",
    ),
    (
        ReviewField::ResponseDate,
        "Antwortdatum, Datum der Antwort, Fecha de respuesta, Date de réponse, \
         Date de la réponse, Data risposta, Data della risposta, Datum antwoord, \
         Data da resposta, Data odpowiedzi",
    ),
];

/// Names that mean the text if there is also a column of stars, and the stars if there is also a column of texts.
pub const AMBIGUOUS: Names = "Bewertung, Bewertungen, Valoración, Evaluación, Évaluation, Valutazione, Beoordeling, \
         Avaliação";

/// Words that identify a form's question, in the order in which they are tried: `How would you rate us? (1-5)`.
pub const QUESTIONS: Words = &[
    (
        ReviewField::Rating,
        "1-5, 1 - 5, 1 to 5, 1–5, out of 5, rate, rating, stars, bewerten, sterne, calificar, \
         califica, calificaría, valorar, valora, valoraría, noter, notez, noteriez, étoiles, \
         valuta, valuterebbe, valuteresti, stelle, beoordelen, beoordeelt, sterren, avaliar, \
         avalia, avaliaria, estrelas, oceniasz, ocenić, gwiazdek",
    ),
    (
        ReviewField::Author,
        "your name, full name, first name, display name, name, ihr name, dein name, su nombre, \
         tu nombre, votre nom, il suo nome, tuo nome, uw naam, je naam, seu nome, imię",
    ),
    (
        ReviewField::Text,
        "comment, comments, feedback, tell us, review, describe, your experience, opinion, \
         thoughts, testimonial, kommentar, rückmeldung, erzählen, comentario, comentarios, \
         opinión, experiencia, commentaire, commentaires, avis, expérience, commento, commenti, \
         opinione, esperienza, opmerking, opmerkingen, ervaring, comentário, comentários, \
         opinião, experiência, komentarz, opinia, opinię",
    ),
];

/// Words that identify a field's header, and neutral words that may accompany them: `Stars given`. The list is short on
/// purpose: `Customer score`, `Visit date` and `Name of the store` mean something else.
pub const COMBINED: &[(ReviewField, Names, Names)] = &[
    (
        ReviewField::Rating,
        "rating, ratings, star, stars, score",
        "given, received, awarded, left, final, overall, review, our, your, their, the, of, by",
    ),
    (
        ReviewField::Date,
        "date",
        "review, rating, posted, written, submitted, left, given, received, the, of",
    ),
    (
        ReviewField::Author,
        "author, reviewer, name",
        "customer, client, display, full, s, of, the",
    ),
    (
        ReviewField::Text,
        "comment, comments, feedback, testimonial, text",
        "customer, client, review, written, given, left, received, posted, s, our, your, their, the, of",
    ),
];

/// Words of questions whose answers are private or irrelevant.
pub const NOT_ASKED: Names = "email, e-mail, mail, phone, telephone, telefon, teléfono, téléphone, telefono, \
         telefoon, address, company, product, technician, recommend, store, user, employee, \
         service name";

/// Whether a cell is a known header of any table of reviews or of any platform.
pub fn is_header(cell: &str) -> bool {
    let is_cell = |list: Names| names(list).any(|name| same_name(name, cell));
    let mut platforms = Format::all().flat_map(|format| format.fields.values());
    is_cell(AMBIGUOUS)
        || OTHER_LANGUAGES.iter().any(|(_, list)| is_cell(list))
        || platforms.any(|list| is_cell(list))
}
