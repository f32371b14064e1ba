"""The tables of the rename. Paths, items and members are written as they are before it."""
import re

# -- files and folders ---------------------------------------------------------------------------------------------
MOVES = {
    "seeds/insights.json": "seeds/editorial.json",
    # the room
    "src/edition": "src/snapshot",
    "src/edition/block.rs": "src/snapshot/segment.rs",
    "src/edition/column.rs": "src/snapshot/packed_strings.rs",
    "src/edition/press.rs": "src/snapshot/publisher.rs",
    "src/edition/print.rs": "src/snapshot/render.rs",
    "src/edition/sheet.rs": "src/snapshot/cached_body.rs",
    "src/edition/shelf.rs": "src/snapshot/index.rs",
    "src/edition/stock.rs": "src/snapshot/entry_loader.rs",
    "src/app/outermost.rs": "src/app/response_policy.rs",
    "src/app/server.rs": "src/server/mod.rs",
    "src/app/server": "src/server",
    "src/app/server/refusal.rs": "src/server/early_response.rs",
    "src/db/sender.rs": "src/db/delivery_lock.rs",
    "src/egress/lines.rs": "src/egress/host_clients.rs",
    "src/egress/names.rs": "src/egress/resolver.rs",
    "src/egress/guard.rs": "src/egress/vetting.rs",
    "src/http/answers.rs": "src/http/documented.rs",
    "src/http/door.rs": "src/http/parameter_check.rs",
    "src/imports/intake.rs": "src/imports/collector.rs",
    "src/imports/rules.rs": "src/imports/calendar.rs",
    "src/imports/fault.rs": "src/imports/file_error.rs",
    "src/imports/elements.rs": "src/imports/json_stream.rs",
    "src/imports/document.rs": "src/imports/reviews_json.rs",
    "src/insights/reader.rs": "src/insights/analyzer.rs",
    "src/insights/reading.rs": "src/insights/analysis.rs",
    "src/insights/note.rs": "src/insights/packed_analysis.rs",
    "src/insights/store/reading.rs": "src/insights/store/analysis.rs",
    "src/insights/aspects/frame.rs": "src/insights/aspects/parsed_sentence.rs",
    "src/insights/aspects/learned.rs": "src/insights/aspects/combine.rs",
    "src/insights/detector": "src/insights/classifier",
    "src/insights/detector/detector.weights": "src/insights/classifier/ngram.weights",
    "src/insights/names": "src/insights/linking",
    "src/insights/names/place.rs": "src/insights/linking/token_context.rs",
    "src/insights/names/weighing.rs": "src/insights/linking/certainty.rs",
    "src/insights/names/guards.rs": "src/insights/linking/exclusions.rs",
    "src/insights/compile": "src/insights/aggregate",
    "src/insights/compile/stand_out.rs": "src/insights/aggregate/keyphrases.rs",
    "src/insights/compile/frequent.rs": "src/insights/aggregate/heavy_hitters.rs",
    "src/insights/trade/read.rs": "src/insights/trade/parse.rs",
    "src/jobs/print.rs": "src/jobs/publish_changes.rs",
    "src/jobs/read.rs": "src/jobs/analyze_backlog.rs",
    "src/jobs/code.rs": "src/jobs/precompress.rs",
    "src/mcp/offer": "src/mcp/catalog",
    "src/mcp/offer/excerpt.rs": "src/mcp/catalog/size_budget.rs",
    "src/mcp/offer/listing.rs": "src/mcp/catalog/definitions.rs",
    "src/mcp/exchange.rs": "src/mcp/dispatch.rs",
    "src/mcp/standard.rs": "src/mcp/stateless.rs",
    "src/mcp/guard.rs": "src/mcp/origin_check.rs",
    "src/reviews/aggregate.rs": "src/reviews/rating_counts.rs",
    "src/websub/door.rs": "src/websub/intake.rs",
    "src/websub/ready.rs": "src/websub/host_queues.rs",
    "src/websub/prompt.rs": "src/websub/slots.rs",
    "src/wire/insights/said.rs": "src/wire/insights/opinion_stats.rs",
    "src/wire/insights/told.rs": "src/wire/insights/narrative.rs",
    # tests
    "tests/it/edition.rs": "tests/it/snapshot.rs",
    "tests/it/edition": "tests/it/snapshot",
    "tests/it/compiled.rs": "tests/it/aggregate.rs",
    "tests/it/compiled": "tests/it/aggregate",
    "tests/it/names.rs": "tests/it/linking.rs",
    "tests/it/offer.rs": "tests/it/mcp/tools.rs",
    "tests/it/offer": "tests/it/mcp/tools",
    "tests/it/hub_crash.rs": "tests/it/websub/crash.rs",
    "tests/it/hub_crash": "tests/it/websub/crash",
    "tests/it/hub_hostile.rs": "tests/it/websub/hostile.rs",
    "tests/it/hub_subscriber.rs": "tests/it/websub/subscriber.rs",
    # benches and examples
    "benches/offer.rs": "benches/mcp_tools.rs",
    "benches/print.rs": "benches/render.rs",
    "benches/support/shelf.rs": "benches/support/review_index.rs",
    "benches/support/notes.rs": "benches/support/packed_analyses.rs",
    "examples/train_detector": "examples/train_classifier",
}

TYPE_PARTS = {"Edition": "Snapshot", "Shelf": "ReviewIndex", "Outermost": "ResponsePolicy"}
FILE_PARTS = {"edition": "snapshot", "editions": "snapshots", "shelf": "review_index", "outermost": "response_policy"}
TABLES = {"derived_note": "derived_index", "derived_reading": "derived_analysis"}
NEW_FILES = {
    "tests/it/tidy/words.rs": open(__file__.rsplit("/", 1)[0] + "/words.rs", encoding="utf-8").read(),
    "migrations/0011_derived.sql": """\
-- The cache of the text analysis in the words of the code: `derived_index` is what every start loads (packed, counted),
-- `derived_analysis` the whole analysis with its reasons, for people. Views and their columns stay as they are.
alter table derived_note rename to derived_index;
alter table derived_reading rename to derived_analysis;
""",
}
REMOVED = ["rustfmt.toml"]

# -- items: by the path of their definition ------------------------------------------------------------------------
ITEMS = {}


def items(module, table):
    for old, new in table.items():
        ITEMS[f"{module}::{old}"] = new


items("lib::edition::current", {"Edition": "Snapshot", "Current": "CurrentSnapshot", "Printed": "PublishedDocument"})
items("lib::edition::press", {
    "Press": "Publisher", "PressError": "PublishError", "Read": "DatabaseState", "sheet": "cached_body", "shelf": "review_index",
    "reader_in_force": "analyzer_in_force",
})
items("lib::edition::print", {"Copy": "SnapshotInput", "print": "render"})
items("lib::edition::sheet", {"Sheet": "CachedBody"})
items("lib::edition::shelf", {"Shelf": "ReviewIndex", "Filler": "ReviewIndexBuilder"})
items("lib::edition::block", {
    "Block": "Segment", "Builder": "SegmentBuilder", "ends_block": "ends_segment", "REVIEWS_A_BLOCK": "REVIEWS_PER_SEGMENT",
})
items("lib::edition::stock", {
    "Stock": "EntryLoader", "Missing": "Unanalyzed", "READ_AT_ONCE_MAX": "ANALYZE_AT_ONCE_MAX", "read": "analyze",
})
items("lib::edition::column", {"Column": "PackedStrings"})
items("lib::edition::entry", {"Place": "SortKey", "place": "sort_key"})
items("lib::edition::grams", {"Wanted": "GramQuery"})
items("lib::edition::coding", {"Wanted": "Cancellation"})
items("lib::edition::feed", {"read_back": "parse_back"})
items("lib::edition::store", {"is_printed_from": "is_rendered_from", "note_printed_from": "record_rendered_from"})
items("lib::jobs::print", {"Print": "PublishChanges", "PrintError": "PublishChangesError"})
items("lib::jobs::read", {"Read": "AnalyzeBacklog", "REVIEWS_A_RUN": "REVIEWS_PER_RUN", "REVIEWS_A_TURN": "REVIEWS_PER_YIELD"})
items("lib::jobs::code", {"Code": "Precompress"})
items("lib::reviews::aggregate", {"Tally": "RatingCounts"})
items("lib::reviews::store::read", {"Reading": "DatabasePosition", "REVIEWS_A_ROW": "REVIEWS_PER_ROW"})
items("lib::wire::problem", {"Code": "IssueCode"})
items("lib::websub::door", {"Door": "SubscriptionIntake", "Refusal": "IntakeError", "wanted": "subscription_request"})
items("lib::websub::request", {"Fault": "RequestError"})
items("lib::websub::store::request", {"Wanted": "SubscriptionRequest"})
items("lib::websub::store::record", {"Trial": "AttemptRecord", "Outcome": "ExchangeOutcome"})
items("lib::websub::schedule", {"Attempt": "DeliveryResult", "Next": "NextStep"})
items("lib::websub::store::list", {"Listed": "SubscriptionRow", "Figures": "HubGauges", "figures": "gauges"})
items("lib::websub::ready", {"Ready": "HostQueues"})
items("lib::websub::prompt", {"promptly": "in_slot"})
items("lib::websub::worker", {"News": "WakeReason"})
items("lib::websub::verify", {"Question": "IntentVerification"})
items("lib::http::hub", {"Hub": "HubEndpoint", "Taken": "HubResponse", "told": "hub_error", "explained": "hub_method_not_allowed",
                         "refused": "error_response"})
items("lib::http::answers", {"Answer": "Documented", "Kind": "ResponseSpec"})
items("lib::http::door", {"Door": "ParameterCheck", "Guarded": "CheckedEndpoint"})
items("lib::http::datasets", {"Datasets": "DatasetsApi", "ReviewsKind": "ReviewsSpec", "InsightsKind": "InsightsSpec",
                              "JsonFeedKind": "JsonFeedSpec", "AtomFeedKind": "AtomFeedSpec"})
items("lib::http::reviews", {"Reviews": "ReviewsApi", "SearchKind": "SearchSpec", "SinceKind": "SinceSpec", "ReviewKind": "ReviewSpec"})
items("lib::http::insights", {"Insights": "InsightsApi", "EvidenceKind": "EvidenceSpec"})
items("lib::app::hub", {"Hub": "HubRuntime", "SENDER_INTERVAL": "DELIVERY_LOCK_INTERVAL"})
items("lib::app::outermost", {"Outermost": "ResponsePolicy", "Wrapped": "ResponsePolicyEndpoint"})
items("lib::app::operations", {"count": "install_metrics", "figures": "render_metrics"})
items("lib::app::routes", {"READ": "GET_HEAD", "read": "get_head"})
items("lib::app", {"READ_RETRY": "ANALYZE_RETRY"})
items("lib::app::server::refusal", {"Refusal": "EarlyResponse"})
items("lib::db::sender", {"Sender": "DeliveryLock"})
items("lib::egress::lines", {"Lines": "HostClients", "Line": "HostClient", "Open": "Clients", "LINES_MAX": "CLIENTS_MAX",
                             "IDLE_PER_LINE_MAX": "IDLE_PER_HOST_MAX", "LINE_SECONDS_MAX": "CLIENT_SECONDS_MAX"})
items("lib::egress::names", {"Names": "Resolver", "NameFault": "ResolveError", "SystemNames": "SystemResolver"})
items("lib::egress::guard", {"Guard": "VettingResolver", "Pinned": "PinnedResolver", "NotDialled": "VetError"})
items("lib::imports", {"Order": "ImportRequest"})
items("lib::imports::intake", {"Intake": "Collector", "Gathered": "Collected"})
items("lib::imports::rules", {"Rules": "Calendar"})
items("lib::imports::fault", {"Fault": "FileError", "FileFault": "FailedFile"})
items("lib::insights::reader", {"Reader": "Analyzer", "unanalysed": "not_analyzed"})
items("lib::insights::reading", {"Reading": "Analysis", "Kind": "MentionKind"})
items("lib::insights::note", {"Note": "PackedAnalysis", "Mark": "PackedFinding", "NoteRef": "PackedAnalysisRef", "Notes": "PackedAnalyses",
                              "Head": "PackedHead", "Name": "PackedName", "told": "finding_mask", "TOLD_MAX": "MASKED_FINDINGS_MAX"})
items("lib::insights::store::reading", {"Kept": "NewAnalysis", "Stored": "StoredAnalysis", "keep": "save"})
items("lib::insights::aspects", {"Judge": "RuleEngine", "Judged": "TextFindings"})
items("lib::insights::aspects::score", {"Total": "DocumentPolarity", "CONTENT": "POSITIVE_PRIOR"})
items("lib::insights::aspects::frame", {"Frame": "ParsedSentence"})
items("lib::insights::detector", {"Detector": "NgramClassifier", "DetectorError": "ClassifierError", "Heard": "AspectScores",
                                  "MARKS_A_SLOT": "FILTER_BITS_PER_SLOT"})
items("lib::insights::names", {"Names": "Linker"})
items("lib::insights::names::place", {"Place": "TokenContext"})
items("lib::insights::names::words", {"Page": "TaggedText"})
items("lib::insights::names::people", {"Seen": "Candidate"})
items("lib::insights::compile", {"compile": "aggregate", "Sources": "AggregateInput"})
items("lib::insights::compile::count", {"Tally": "OpinionCounts", "TOLD_WORTH": "NAMED_RANK"})
items("lib::insights::compile::quotes", {"worth": "quote_rank", "Candidate": "QuoteCandidate"})
items("lib::insights::compile::frequent", {"frequent": "heavy_hitters"})
items("lib::insights::compile::parts", {"Said": "OpinionStats", "said": "opinion_stats"})
items("lib::insights::compile::summary", {"Told": "NarrativeInput", "stand_out": "keyphrases"})
items("lib::insights::evaluate", {"Said": "Prediction", "said": "predictions"})
items("lib::insights::trade::read", {"read": "parse"})
items("lib::mcp::guard", {"Guard": "OriginCheck"})
items("lib::mcp::exchange", {"Exchange": "Dispatcher"})
items("lib::mcp::message", {"Fault": "RpcError"})
items("lib::mcp::offer", {"Offer": "Catalog"})
items("lib::mcp::offer::listing", {"Refusal": "CallError"})
items("lib::mcp::offer::tools", {"Kind": "ToolKind"})
items("lib::mcp::offer::excerpt", {"Page": "ReviewsPage"})
items("lib::search::per_edition", {"PerEdition": "PerSnapshot"})
items("it::names", {"Tally": "Counts"})
items("lib::respond::answer", {"sheet": "cached_body"})
items("lib::respond::negotiation", {"read": "parse"})
items("lib::search::evidence", {"Question": "EvidenceQuery", "Page": "EvidencePage"})

# -- functions and variants of a type -------------------------------------------------------------------------------
MEMBERS = {}


def members(owner, table):
    for old, new in table.items():
        MEMBERS[f"{owner}::{old}"] = new


members("lib::edition::entry::Entry", {"unread": "unanalyzed", "read": "analyzed", "to_read_anew": "to_reanalyze"})
members("lib::edition::entry::Key", {"borrowed": "sort_key"})
members("lib::edition::block::Block", {"place": "sort_key", "column_of_notes": "packed_analyses", "tally": "rating_counts"})
members("lib::edition::press::Press", {"print": "build", "print_read": "build_with", "reader": "analyzer"})
members("lib::insights::reader::Reader", {"read": "analyze", "read_it": "analyze_text"})
members("lib::insights::reader::Engine", {"judge": "rules"})
members("lib::insights::detector::Detector", {"hear": "classify"})
members("lib::insights::aspects::Judge", {"detector": "classifier", "judge": "analyze"})
members("lib::jobs::print::PrintError", {"Press": "Publish"})
members("lib::app::AppError", {"Press": "Publish"})
members("lib::app::hub::Hub", {"right_to_send": "delivery_lock", "keep_sending": "keep_delivering"})
members("lib::app::App", {"keep_printed": "keep_published", "keep_coded": "keep_precompressed", "keep_read": "keep_analyzed",
                          "print_once": "publish_once"})
members("lib::respond::body::Pieces", {"of_sheet": "of_cached"})
members("lib::respond::body::Source", {"Sheet": "Cached"})
members("lib::edition::press::Press", {"read": "read_state"})
members("lib::websub::door::Refusal", {"Fault": "Request"})
members("lib::insights::compile::quotes::Shortlist", {})

# -- identifiers that no import resolves: fields, methods, locals ----------------------------------------------------
RUST = "*.rs"
EDITION = "src/edition/*.rs"
# whoever holds an edition
HOLDERS = "src/edition/*.rs src/jobs/*.rs src/ctx.rs src/http/*.rs src/mcp/*.rs src/search/*.rs src/pages/*.rs src/cli/*.rs src/app/*.rs src/websub/*.rs tests/it/*.rs benches/*.rs src/respond/*.rs !src/app/server.rs !src/app/server/*.rs"
ANALYSIS = "src/insights/*.rs src/edition/*.rs src/jobs/read.rs src/cli/insights/*.rs src/cli/check.rs benches/insights.rs benches/support/notes.rs tests/it/compiled.rs tests/it/compiled/*.rs tests/it/insights.rs tests/it/insights/*.rs tests/it/names.rs tests/it/quality.rs examples/train/*.rs examples/train_detector/*.rs examples/background.rs"
WORDS = [
    (HOLDERS, {
        ".copy": "input", ".reader": "analyzer", ".shelf": "review_index", ".sheet": "body", ".next_reader": "next_analyzer", ".tally": "rating_counts",
        ".blocks": "segments", ".column_of_notes": "packed_analyses", ".count_unread": "count_unanalyzed", ".of_sheet": "of_cached",
        ".print_once": "publish_once", ".keep_sending": "keep_delivering",
    }),
    ("src/edition/*.rs src/jobs/*.rs src/search/*.rs src/mcp/*.rs benches/*.rs tests/it/edition.rs tests/it/edition/*.rs tests/it/insights/*.rs", {
        ".place": "sort_key", ".places": "keys", ".unread": "unanalyzed", ".note": "packed_analysis", ".notes": "analyses",
        ".is_read": "is_analyzed", ".set_read": "set_analyzed", ".take_read": "take_analyzed", ".into_read": "into_analyzed",
        ".read_all": "analyze_all",
    }),
    ("src/edition/*.rs", {
        ".reader": "analyzer", ".print": "build", ".print_read": "build_with", ".borrowed": "sort_key",
        "note_printed_from": "record_rendered_from", "is_noted": "is_recorded",
    }),
    ("src/edition/*.rs src/jobs/read.rs src/search/*.rs src/http/*.rs src/mcp/offer/*.rs src/pages/*.rs src/cli/insights/show.rs", {"copy": "input"}),
    ("src/edition/press.rs", {"read": "state", ".read(": "read_state"}),
    ("src/app/mod.rs", {"print": "publish", ".print": "publish", "code": "precompress", ".code": "precompress", "read": "analyze", ".read": "analyze"}),
    ("src/insights/reader.rs src/edition/insights.rs src/cli/insights/evaluate.rs", {"judge": "rules", ".judge": "rules"}),
    ("src/insights/aspects/*.rs src/insights/explain.rs", {".judge(": "analyze"}),
    ("src/insights/*.rs", {".read(": "analyze"}),
    ("tests/it/quality.rs examples/train/*.rs examples/train_detector/*.rs", {".judge(": "rules"}),
    ("tests/it/support/hub.rs benches/fan_out/hub.rs", {"names": "resolver"}),
    ("benches/insights.rs benches/support/*.rs tests/it/insights.rs tests/it/insights/*.rs tests/it/names.rs tests/it/compiled.rs tests/it/compiled/*.rs", {".read(": "analyze"}),
    ("src/insights/evaluate/*.rs", {"judge": "engine", ".judge": "analyze"}),
    ("src/cli/insights/explain.rs src/search/evidence.rs", {".read": "analyze"}),
    ("src/edition/stock.rs", {".read(": "analyze", ".read": "analyzed", "read": "analyzed"}),
    ("src/edition/block.rs src/edition/insights.rs", {".notes": "analyses"}),
    ("src/edition/current.rs src/edition/press.rs", {"reading": "position", ".reading": "position"}),
    ("src/jobs/print.rs src/search/*.rs src/mcp/*.rs src/http/*.rs src/respond/*.rs src/ctx.rs src/app/*.rs src/pages/*.rs src/websub/*.rs tests/it/search.rs tests/it/search/*.rs tests/it/edition/laws.rs tests/it/edition.rs benches/support/shelf.rs", {".reading": "position"}),
]

# -- parts of snake_case identifiers --------------------------------------------------------------------------------
ALL = "src/*.rs tests/*.rs benches/*.rs examples/*.rs"
STEMS = [
    (ALL + " !src/wire/*.rs", {
        "edition": "snapshot", "editions": "snapshots", "press": "publisher", "shelf": "review_index", "shelves": "review_indices",
        "outermost": "response_policy", "reader_in_force": "analyzer_in_force",
    }),
    (HOLDERS + " !src/http/*.rs", {"sheet": "body", "sheets": "bodies"}),
    ("src/edition/*.rs src/search/*.rs src/mcp/offer/*.rs src/insights/compile/*.rs src/insights/note.rs benches/*.rs "
     "tests/it/edition.rs tests/it/edition/*.rs tests/it/compiled.rs tests/it/compiled/*.rs tests/it/insights/postponed.rs", {
        "block": "segment", "blocks": "segments", "block_on": "block_on",
    }),
    ("src/reviews/aggregate.rs src/search/*.rs src/wire/*.rs src/pages/*.rs src/mcp/*.rs src/edition/*.rs tests/it/*.rs", {
        "tally": "rating_counts",
    }),
    ("src/edition/*.rs", {"stock": "loader", "filler": "builder", "printed": "rendered", "print": "render"}),
    ("src/jobs/*.rs src/app/mod.rs", {"printed": "published"}),
    (ANALYSIS, {"reading": "analysis", "readings": "analyses", "reader": "analyzer"}),
    ("src/edition/*.rs src/insights/note.rs src/insights/store/*.rs src/insights/compile/*.rs benches/support/*.rs benches/insights.rs "
     "tests/it/compiled/*.rs", {
        "note": "packed_analysis", "notes": "packed_analyses",
    }),
    ("src/edition/*.rs", {"notes": "analyses"}),
    ("src/respond/*.rs", {"sheet": "body"}),
    ("src/insights/note.rs src/insights/store/packed.rs src/insights/compile/*.rs benches/support/notes.rs", {"mark": "finding", "marks": "findings"}),
    ("src/edition/*.rs src/insights/compile/*.rs src/wire/insights.rs src/search/plan.rs benches/*.rs tests/it/compiled/*.rs "
     "tests/it/edition/*.rs tests/it/insights/*.rs", {"unread": "unanalyzed", "to_read_anew": "to_reanalyze"}),
    ("src/insights/note.rs src/insights/store/packed.rs src/insights/compile/count.rs", {"told": "finding_mask"}),
    ("src/insights/compile/*.rs", {"tally": "opinion_counts", "worth": "quote_rank"}),
    ("src/insights/*.rs examples/train_detector/*.rs examples/train/*.rs examples/background.rs tests/it/*.rs src/cli/*.rs", {"detector": "classifier"}),
    ("src/insights/detector/*.rs src/insights/aspects/*.rs", {"heard": "scores", "hear": "classify"}),
    ("src/insights/aspects/*.rs", {"judge": "engine", "frame": "parsed"}),
    ("src/insights/names/*.rs", {"page": "tagged", "place": "context", "places": "contexts"}),
    ("src/search/*.rs benches/*.rs", {"filler": "builder"}),
    ("src/mcp/offer/*.rs benches/*.rs", {"printed": "rendered"}),
    ("src/app/mod.rs src/mcp/mod.rs src/mcp/guard.rs", {"guard": "origin_check"}),
    ("src/app/hub.rs", {"sender": "delivery_lock"}),
    ("src/http/hub.rs src/websub/door.rs", {"refusal": "error"}),
    ("src/app/server.rs src/app/server/*.rs", {"refusal": "early_response"}),
    ("src/websub/store/request.rs", {"wanted": "request"}),
    ("src/insights/compile/stand_out.rs src/insights/compile/frequent.rs", {"frequent": "heavy_hitters"}),
    ("src/insights/compile/summary.rs src/insights/compile/faq.rs src/insights/compile/mod.rs", {"told": "input"}),
    ("tests/it/names.rs", {"tally": "counts"}),
    ("src/websub/*.rs src/http/hub.rs src/app/hub.rs benches/fan_out/*.rs", {"door": "intake"}),
    ("src/websub/*.rs", {"trial": "record", "promptly": "in_slot"}),
    ("src/websub/worker.rs", {"news": "wake_reason", "ready": "queues", "prompt": "slots"}),
    ("src/egress/*.rs src/app/hub.rs", {"lines": "host_clients", "names": "resolver"}),
    ("src/egress/lines.rs src/egress/client.rs", {"line": "host_client"}),
    ("src/imports/*.rs", {"intake": "collector", "gathered": "collected"}),
    ("src/mcp/*.rs src/app/mod.rs tests/it/*.rs benches/*.rs", {"offer": "catalog"}),
]
# What users see (help, API description, settings) stays as it is: it is made of doc comments.
OUTWARD = "!src/wire/*.rs !src/cli/*.rs !src/config.rs !src/config/*.rs !src/http/*.rs !src/lib.rs"
TEXT = "*.rs *.md *.sql *.toml *.sh .ci/* verify justfile !CONTRIBUTING.md !CHANGELOG.md"
PUBLISHING = ("src/edition/*.rs src/jobs/*.rs src/app/*.rs src/search/*.rs src/mcp/offer/*.rs src/respond/*.rs src/pages/*.rs src/ctx.rs "
              "src/insights/*.rs src/websub/*.rs src/db/*.rs src/reviews/*.rs tests/it/edition.rs tests/it/edition/*.rs tests/it/support/generator.rs tests/it/search.rs "
              "benches/*.rs docs/ARCHITECTURE.md docs/PERFORMANCE.md docs/RELIABILITY.md docs/INSIGHTS.md")
NOT_EVENT = r"(?!\.?\w)"
PROSE = [
    ("docs/ARCHITECTURE.md", [
        (r"so publish it like a newspaper\.", "so publish snapshots."),
        (r"A callback is a stranger's wish that we connect somewhere, so everything", "Callback URLs are untrusted input (SSRF), so everything"),
        (r"\*\*A level, not a queue\.\*\*", "**Level-triggered, not a queue.**"),
        (r"\*\*The door commits, then answers\.\*\*", "**The intake commits, then answers.**"),
        (r"\*\*A POST goes over its host's line\*\*, a client of its own", "**A POST goes over its host's own client**,"),
        (r"entry, block, (grams, sieve, )?shelf, print, feeds, coding, press, current", "entry, segment, index, render, feeds, coding, publisher, current"),
        (r"\bthe hub: door, states", "the hub: intake, states"),
        (r"route table, outermost layer, server", "route table, response policy"),
        (r"\*\*Reading\*\* one text", "**Analyzing** one text"),
        (r"\*\*Compiling\*\* counts the notes of all readings, for every edition anew", "**Aggregating** counts all packed analyses, for every snapshot anew"),
        (r"are a note \(binary, what every start loads\) and a reading \(JSON", "are a packed analysis (binary, what every start loads) and the whole one (JSON"),
        (r"prints an \*\*edition\*\*", "renders a **snapshot**"),
    ]),
    (TEXT + " " + OUTWARD, [
        (r"\bthe edition before\b" + NOT_EVENT, "the previous snapshot"),
        (r"\blast edition's\b", "last snapshot's"),
        (r"\ban \*\*edition\*\*", "a **snapshot**"),
        (r"\ban edition\b" + NOT_EVENT, "a snapshot"), (r"\bAn edition\b" + NOT_EVENT, "A snapshot"),
        (r"\beditions\b" + NOT_EVENT, "snapshots"), (r"(?<![\w.])edition\b(?!\w|\.\w| = )", "snapshot"),
        (r"\ban \[`Snapshot`\]", "a [`Snapshot`]"),
        (r"\bA press\b", "A publisher"), (r"\bthe press\b", "the publisher"), (r"\bsame press\b", "same publisher"),
        (r"\ba press\b", "a publisher"),
        (r"\bshelf\b", "review index"), (r"\boutermost layer\b", "response policy"),
    ]),
    (PUBLISHING + " " + OUTWARD, [
        (r"\bpretty-printed\b", "pretty-printed"),
        (r"\bprinted ahead\b", "rendered ahead"),
        (r"\bprinted\b", "rendered"), (r"\bprinting\b", "rendering"), (r"\bprints\b", "renders"), (r"\bprint\b(?!-)", "render"),
        (r"\bprinter's\b", "renderer's"),
        (r"\bstill to be read\b", "still to be analyzed"), (r"\bto be read anew\b", "to be analyzed anew"), (r"\bread anew\b", "analyzed anew"),
        (r"\bhave been read\b", "have been analyzed"), (r"\bunread\b", "unanalyzed"),
        (r"\bWho read the texts\b", "Who analyzed the texts"), (r"\bWho is to read them\b", "Who is to analyze them"),
        (r"\breading all of them anew\b", "analyzing all of them anew"), (r"\breading everything anew\b", "analyzing everything anew"),
        (r"\bthe other read it\b", "the other analyzed it"), (r"\breader before\b", "analyzer before"), (r"\bformer reader\b", "former analyzer"),
        (r"\bwhose text was read\b", "whose text was analyzed"),
    ]),
    ("src/edition/*.rs src/search/*.rs src/mcp/offer/*.rs src/insights/compile/*.rs src/insights/note.rs benches/*.rs tests/it/edition.rs "
     "tests/it/edition/*.rs tests/it/compiled/*.rs docs/ARCHITECTURE.md docs/PERFORMANCE.md", [
        (r"\bblocks\b", "segments"), (r"\bblock's\b", "segment's"), (r"\bblock\b", "segment"),
    ]),
    ("src/edition/*.rs src/jobs/*.rs src/app/*.rs src/respond/*.rs src/ctx.rs src/pages/*.rs tests/it/edition/*.rs docs/ARCHITECTURE.md", [
        (r"\bsheets\b", "cached bodies"), (r"\bsheet's\b", "cached body's"), (r"\bsheet\b", "cached body"),
    ]),
    ("src/edition/*.rs", [(r"\bNotes in every row\b", "Records in every row"), (r"\bnotes from which change\b", "records from which change"),
                          (r"\bhands the notes to the compiler\b", "hands the packed analyses to the aggregation")]),
    ("src/edition/*.rs src/insights/note.rs src/insights/store/*.rs src/insights/compile/*.rs src/search/evidence.rs benches/support/*.rs "
     "benches/insights.rs tests/it/compiled/*.rs", [
        (r"\bnote's\b", "packed analysis's"), (r"\bnotes'", "packed analyses'"), (r"\bnotes\b", "packed analyses"), (r"\bnote\b", "packed analysis"),
    ]),
    ("src/insights/*.rs src/edition/*.rs src/jobs/*.rs src/search/*.rs docs/INSIGHTS.md docs/ARCHITECTURE.md tests/it/insights.rs tests/it/insights/*.rs", [
        (r"\breadings\b", "analyses"), (r"\b([Aa]) reading\b", r"\1n analysis"), (r"\bthe reading\b", "the analysis"),
        (r"\b(same|another|no such|this very|such a) reading\b", r"\1 analysis"), (r"\bReading one text\b", "Analyzing one text"),
        (r"\bA reader for\b", "An analyzer for"), (r"\bReads texts for\b", "Analyzes texts for"), (r"\bReads one text\b", "Analyzes one text"),
        (r"\b([Tt])he detector\b", r"\1he classifier"), (r"\ba detector\b", "a classifier"), (r"\bdetector's\b", "classifier's"),
        (r"\bA detector\b", "A classifier"),
    ]),
    ("src/insights/compile/*.rs docs/INSIGHTS.md", [(r"\bare compiled from\b", "are aggregated from"), (r"\bCompiles the insights\b", "Aggregates the insights")]),
    ("src/websub/*.rs src/http/hub.rs src/app/hub.rs docs/WEBSUB.md docs/ARCHITECTURE.md", [
        (r"\b(the|its) door\b", r"\1 intake"), (r"\bThe door\b", "The intake"),
    ]),
    ("src/egress/*.rs", [
        (r"\bThe lines that are open: one client for each host\b", "Per-host clients: one for each host"),
        (r"\bhave a line\b", "have a client"), (r"\ba line keeps\b", "a client keeps"), (r"\bthe line above\b", "the bound above"),
        (r"\bNo line takes\b", "No client takes"), (r"\bevery line too old\b", "every client too old"), (r"\bline\b(?=,| of its own)", "client"),
    ]),
    (TEXT + " " + OUTWARD, [
        (r"\ba stranger's wish\b", "untrusted input"), (r"\bit is a level, not a queue\b", "it is level-triggered, not a queue"),
        (r"\ba level, not a queue\b", "level-triggered, not a queue"),
    ]),
]

TEXTS = [
    ("src/app/mod.rs", [
        ("pub mod server;\n", ""),
        (re.compile(r"^pub use server::Limits;", re.M), "pub use crate::server::Limits;"),
        (re.compile(r"(?<![:\w])server::serve\("), "crate::server::serve("),
    ]),
    ("src/*.rs tests/*.rs benches/*.rs examples/*.rs", [
        ("reviews_service::app::server::", "reviews_service::server::"),
        ("crate::app::server::", "crate::server::"),
        ("detector.weights", "ngram.weights"),
        (".rules.rules(", ".rules.analyze("),
        (".rules().rules(", ".rules().analyze("),
    ]),
    ("src/lib.rs", [("pub mod snapshot;\n", "pub mod server;\npub mod snapshot;\n")]),
    ("tests/it/main.rs", [(f"mod {name};\n", "") for name in ("hub_crash", "hub_hostile", "hub_subscriber", "offer", "crash", "hostile", "subscriber", "tools")]),
    ("tests/it/websub.rs", [
        ("mod bounded;\n", "mod bounded;\nmod crash;\n"), ("mod ended;\n", "mod ended;\nmod hostile;\n"),
        ("mod secrets;\n", "mod secrets;\nmod subscriber;\n"),
    ]),
    ("tests/it/mcp.rs", [("mod stateless;\n", "mod stateless;\nmod tools;\n")]),
    ("tests/it/hub_subscriber.rs", [('"../../examples/subscriber.rs"', '"../../../examples/subscriber.rs"')]),
    (".ci/quick", [("slow=(hub_crash hub_hostile hub_subscriber)", "slow=(websub::crash websub::hostile websub::subscriber)")]),
    ("Cargo.toml", [('name = "offer"', 'name = "mcp_tools"'), ('name = "print"', 'name = "render"')]),
    ("src/*.rs tests/*.rs benches/*.rs", [("derived_note", "derived_index"), ("derived_reading", "derived_analysis"),
                                           ("seeds/insights.json", "seeds/editorial.json")]),
    ("tests/it/tidy.rs", [
        (re.compile(r"const FLOORS: \[\(&str, u8\); \d+\] = \["), "const FLOORS: &[(&str, u8)] = &["),
        ("FLOORS.into_iter()", "FLOORS.iter().copied()"),
        ('("edition", 5)', '("server", 5),\n    ("snapshot", 5)'),
        ("src/snapshot/press.rs", "src/snapshot/publisher.rs"), ("src/edition/press.rs", "src/snapshot/publisher.rs"),
    ]),
    ("src/wire/problem.rs", [
        ('#[oai(rename_all = "snake_case")]\npub enum IssueCode', '#[oai(rename = "Code", rename_all = "snake_case")]\npub enum IssueCode'),
    ]),
    ("src/imports/seed.rs src/cli/seed.rs tests/it/imports/seed.rs tests/it/process/snapshots/*help_seed.snap seeds/README.md docs/IMPORT.md", [
        (re.compile(r"(?<!/)\binsights\.json\b"), "editorial.json"),
    ]),
    ("NOTICE", [("src/insights/compile/background.tsv", "src/insights/aggregate/background.tsv"), ("src/insights/names", "src/insights/linking")]),
    ("verify", [("--example train_detector", "--example train_classifier")]),
    ("*.md *.rs *.toml", [("--example train_detector", "--example train_classifier"), ("--bench offer", "--bench mcp_tools"), ("--bench print", "--bench render")]),
    ("tests/it/tidy/circles.rs", [
        ("app/server/connection", "server/connection"), ("app/server/refusal", "server/early_response"),
        ("edition/insights", "snapshot/insights"), ("edition/print", "snapshot/render"),
        ("insights/compile/count", "insights/aggregate/count"), ("insights/compile/quotes", "insights/aggregate/quotes"),
        ("insights/compile/parts", "insights/aggregate/parts"), ("insights/compile/stand_out", "insights/aggregate/keyphrases"),
        ("insights/compile/summary", "insights/aggregate/summary"),
    ]),
    ("tests/it/verify.rs", [("tests/it/offer/snapshots", "tests/it/mcp/tools/snapshots")]),
    ("docs/ARCHITECTURE.md", [
        ("                 Press: read what changed, in one transaction ─► print ─► publication rows ─► Current::swap",
         "             Publisher: read what changed, in one transaction ─► render ─► publication rows ─► swap"),
        ("                                                                    Code: gzip, br, zstd", "                                                             Precompress: gzip, br, zstd"),
        ("| 5 | `snapshot` document", "| 5 | `server` bounded HTTP/1.1 in front of an endpoint · `snapshot` document"),
        ("route table, response policy, server", "route table, response policy"),
        ("`app::server` reads", "`server` reads"), ("`app::outermost` finds", "`app::response_policy` finds"),
    ]),
    ("tests/it/tidy.rs", [
        ("mod queries;\n", "mod queries;\nmod words;\n"),
        ('|| room == "egress"', '|| ["egress", "server"].contains(&room)'),
    ]),
    ("tests/it/tidy.rs", [("`edition` for `src/edition/press.rs`", "`snapshot` for `src/snapshot/publisher.rs`")]),
]
DOCUMENTS = "*.md"
COMMENTED = "*.sql *.toml *.sh .ci/* verify justfile"


def snapshot_path(path):
    """insta calls a snapshot by its module: `it__mcp__tools__listed__tools.snap`."""
    import os
    folder, name = os.path.split(path)
    for old, new in (("it__offer__", "it__mcp__tools__"), ("it__edition__", "it__snapshot__"), ("it__compiled__", "it__aggregate__"),
                     ("it__names__", "it__linking__"), ("it__hub_", "it__websub__")):
        if name.startswith(old):
            return os.path.join(folder, new + name[len(old):])
    return path


PROSE_COMPILED = [(globs, [(re.compile(old, re.I), new) for old, new in table]) for globs, table in PROSE]

STRINGS_COMPILED = [(re.compile(old), new) for old, new in [
    (r"\bthe edition before\b(?!\.?\w)", "the previous snapshot"),
    (r"\ban edition\b(?!\.?\w)", "a snapshot"), (r"(?<![\w.:/`-])editions\b(?!\.?\w)", "snapshots"),
    (r"(?<![\w.:/`-])edition\b(?!\.?\w| = )", "snapshot"),
]]
