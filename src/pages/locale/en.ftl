# The pages' texts. Every language has the same messages with the same arguments; only $region may be left out.
# $count chooses the plural form and $number is the count as it is written.

## Numbers and days

# What separates groups of three digits, then the decimals, in the form of the region (CLDR).
number-separators = { $region ->
    [AT] .,
    [BE] .,
    [CH] '.
    [CZ]  ,
    [DE] .,
    [DK] .,
    [EE]  ,
    [ES] .,
    [FI]  ,
    [FR]  ,
    [GE]  ,
    [HU]  ,
    [ID] .,
    [IT] .,
    [LT]  ,
    [LV]  ,
    [NL] .,
    [NO]  ,
    [PL] .,
    [PT]  ,
    [RO] .,
    [SE]  ,
    [SI] .,
    [SK]  ,
    [UA]  ,
    [ZA]  ,
   *[other] ,.
}
percent = { $number }%
day = { $region ->
    [US] { $month } { $day }, { $year }
    [CA] { $month } { $day }, { $year }
    [PH] { $month } { $day }, { $year }
   *[other] { $day } { $month } { $year }
}
month-name = { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}

## Every page

skip = Skip to the content
pages = Pages
reviews-of = Reviews of { $business }
nav-reviews = Reviews
nav-insights = What customers say
nav-website = Website
nav-developers = For developers
nav-transparency = How these reviews are collected and checked
newest-feed = The 50 newest reviews
about-figures = Figures are based on published reviews unless stated otherwise.

## A review

stars-of-5 = { $stars } of 5 stars
stars = { $count ->
    [one] { $number } star
   *[other] { $number } stars
}
reviews = { $count ->
    [one] { $number } review
   *[other] { $number } reviews
}
verified-job_match = verified by the job
verified-source_platform = verified by the platform
verified-invite = verified by invitation
verified-manual = added by the business
no-comment = No comment.
review-report = Report this review
read-on = Read more
about = Mentions
answer-from = Answer from { $name }
review-by = Review by { $author }
review-by-on = Review by { $author }, { $day }
review-title = { $heading }: a review of { $business } by { $author }
all-reviews-of = { $count ->
    [one] The only review of { $business }
   *[other] All { $number } reviews of { $business }
}

## The front page

rating-from = { $count ->
    [one] of 5, from { $number } review
   *[other] of 5, from { $number } reviews
}
rating-summary = { $count ->
    [one] { $rating } of 5 stars from { $number } review of { $business }.
   *[other] { $rating } of 5 stars from { $number } reviews of { $business }.
}
number-verified = { $count ->
    [one] { $number } is verified by a platform, a job or an invitation.
   *[other] { $number } are verified by a platform, a job or an invitation.
}
period = { $from } to { $to }
withheld = { $count ->
    [one] { $number } review withheld, and why
   *[other] { $number } reviews withheld, and why
}
none-withheld = No review is withheld.
reviews-by-stars = Reviews by stars
reviews-by-source = Reviews by source
stars-and-reviews = { $stars }: { $reviews }
average = Average
source = Source
number-of-reviews = Reviews
no-reviews = There are no reviews yet.
write-review = Write a review
write-review-on = Write a review on { $site }
too-few-aspects = Too few reviews mention the same topics yet.
more-topics = { $count ->
    [one] { $number } more topic
   *[other] { $number } more topics
}
all-insights = All topics, people, services and trends
search-reviews = Search the reviews
search = Search
newest-reviews = Newest reviews
show = Show
lowest-first = Lowest rated first
with-answer = With an answer
all-reviews = { $count ->
    [one] The only review
   *[other] All { $number } reviews
}

## For developers

developers-lead = Put the rating on your site, or use the reviews in your own programs.
on-your-site = On your site
on-your-site-text = One line shows the rating and the newest reviews.
see-embed = See how it looks
badge = As a badge
badge-text = An image of the current rating.
for-agents = For AI agents (MCP)
for-agents-text = Tools to search, compare and quote these reviews.
for-programs = For programs and feed readers
data-reviews = All reviews
data-docs = Try every operation
data-description = Description of the API
change-notices = Notifications of changes (WebSub)
change-notices-text = Subscribe at this hub to get every change.
copy-snippet = Copy snippet
copy-address = Copy address
copied = Copied.
selected = Selected; copy it with your keyboard.

## Insights

insights-of = What customers say about { $business }
insights-described = What the reviews of { $business } say, counted: topics, people, services, trends, each with its sentences.
made-of = Counted in { $texts } of { $reviews }. Each figure leads to the reviews behind it.
made-of-period = Counted in { $texts } of { $reviews }, { $from } to { $to }. Each figure leads to the reviews behind it.
texts = { $count ->
    [one] { $number } text
   *[other] { $number } texts
}
on-this-page = On this page
what-they-judge = Topics
in-short = In short
summary-report = Report this summary
in-the-words-of = In the words of { $business }
nothing-counted = No review mentions anything that could be counted yet.
people = People they name
services = Services
areas = Places
name = Name
said-where-named = Sentiment where they are named
topics = Words that stand out
faq = Questions and answers
method = How this was made
method-measured = Texts in English are analyzed by fixed rules for this trade ({ $trade }), and each review counts once per topic. The accuracy of the analysis has been measured.
method-unmeasured = Texts in English are analyzed by fixed rules for this trade ({ $trade }), and each review counts once per topic. The accuracy of the analysis has not been measured.
insights-json = All figures, their method and its measured quality as JSON
legend = What the colors mean
positive = positive
negative = negative
mixed = mixed
neutral = neutral
uncertain = uncertain
figure-positive = { $positive } positive
figure-positive-of = { $positive } of { $judged } positive
figure-share = { $percent } positive: { $positive } of { $judged }
figure-none = no review judges it
number-negative = { $number } negative
number-mixed = { $number } mixed
number-neutral = { $number } neutral
number-uncertain = { $number } uncertain
bar = { $name }: { $figure }
trend-up = Better than in the half-year before.
trend-down = Worse than in the half-year before.
trend-flat = No clear difference to the half-year before.
all-reviews-about = { $count ->
    [one] The review that mentions { $topic }
   *[other] All { $number } reviews that mention { $topic }
}
more-about = More about { $topic }
show-more = Show more
praise = Praise
complaint = Complaint

## The summary in sentences

summary-overall = { $count ->
    [one] The { $number } review with a text that was analysed: { $positive } positive, { $negative } negative and { $neither } mixed, neutral or unclear as a whole.
   *[other] Of the { $number } reviews with a text that was analysed, { $positive } are positive as a whole, { $negative } negative and { $neither } mixed, neutral or unclear.
}
summary-not-analysed = Texts in a language that is not analysed: { $foreign } of { $with_text }.
summary-aspect = { $topic }: { $figure }.
summary-complaint-quote = One of them: “{ $quote }”

## How the reviews are collected and checked

transparency-described = Where the reviews of { $business } come from, how they are checked, and which are not shown.
which-shown = Which reviews are shown
published-reviews = { $count ->
    [one] { $number } review is published. It has { $mean } of 5 stars.
   *[other] { $number } reviews are published. Their average is { $mean } of 5 stars.
}
mean-of-all = Every published review counts equally.
taken-in = Reviews taken in: { $taken }. Published: { $published }. Withheld: { $withheld }. Deleted by the business: { $deleted }.
not-taken-in = What a file had besides, faulty or doubtful, is in none of these numbers.
hidden-by-business = The business withheld { $withheld } and deleted { $deleted } of the { $taken } reviews that it took in.
source-stated = { $source } says { $total } on { $day }: { $here } here, { $withheld } withheld, { $deleted } deleted, { $difference } not here.
source-exceeded = { $source } says { $total } on { $day }: { $here } here, { $withheld } withheld, { $deleted } deleted, { $difference } more here than there.
shown-order = Every published review is shown, good or bad. The newest comes first, and none is moved up.
withheld-reviews = { $count ->
    [one] { $number } review is not shown. The reason:
   *[other] { $number } reviews are not shown. The reasons:
}
withheld-mean = The reviews that the business decided not to show have an average of { $withheld } stars. The published reviews have an average of { $published }.
deleted-reviews = { $count ->
    [one] The business deleted { $number } review. Nothing of it is kept, so its stars are not known. The reason:
   *[other] The business deleted { $number } reviews. Nothing of them is kept, so their stars are not known. The reasons:
}
other-reasons = other reasons
changed-reviews = { $count ->
    [0] No published review shows other stars, another day, author, title or text than its source last reported.
    [one] { $number } published review shows other stars, another day, author, title or text than its source last reported.
   *[other] { $number } published reviews show other stars, another day, author, title or text than their source last reported.
}
where-from = Where the reviews come from
arrives-scheduled = Fetched from the source automatically.
arrives-scheduled-last = Fetched from the source automatically, last on { $day }.
arrives-imported = Imported by the business.
arrives-imported-last = Imported by the business, last on { $day }.
arrives-by-hand = Entered by the business.
how-checked = How the reviews are checked
way-and-reviews = { $way }: { $reviews }
checked-job_match = The review matches a job in the records of the business.
checked-source_platform = The review was written on a review platform, which applies its own rules to the reviews that it shows.
checked-invite = Only customers whom the business invited could write the review.
checked-manual = The business added the review and says that it is from a customer. No platform, job or invitation confirms it.
policy-collection = How it collects reviews
policy-verification = How it checks that a review is from a customer
policy-moderation = Which reviews it does not show
policy-incentives = Whether customers get anything for a review
policy-contact = Where to report a review
reason-not-stated = not stated
reason-not-verified = not verified
reason-not-published = not published at the source
reason-perhaps-not-published = perhaps not published at the source
reason-gone = gone at the source
reason-without-stars = recommendation without stars
policy-not-stated = Not stated by the business.
made-by-program = The topics, figures and summary are made from the reviews by a program, not by a person.
run-by = { $business } runs this site
transparency-json = These figures as JSON

## Names of topics and trades: the id is made of the English name

name-rooms-and-place = Rooms and place
name-location = Location
name-places-to-stay = Places to stay
name-any-business = Any business
name-atmosphere = Atmosphere
name-cleanliness = Cleanliness
name-communication = Communication
name-food-and-drink = Food and drink
name-getting-the-order-right = Getting the order right
name-home-services = Home services
name-honesty = Honesty
name-overall = Overall
name-price = Price
name-professionalism-and-manners = Professionalism and manners
name-punctuality = Punctuality
name-quality-of-the-work = Quality of the work
name-response-time = Response time
name-scheduling = Scheduling
name-staff-and-manners = Staff and manners
name-waiting = Waiting
name-warranty-and-standing-behind-the-work = Warranty and standing behind the work

## Embed and badge

embed-filtered = Filtered: only reviews of { $stars } stars or more are shown; the figure counts all reviews.
see-all = See all { $number }
newest-first = Newest first.
badge-no-reviews = no reviews yet

## Errors

not-found = Page not found
not-found-text = This page does not exist, or the review is no longer published.
bad-request = This address is not right
bad-request-text = A part of the address cannot be understood.
too-busy = Please try again in a moment
too-busy-text = The site is busy at the moment.
failed = This did not work
failed-text = The page could not be shown. Go back, or start from the reviews.
not-set-up = This service is not set up yet
not-set-up-text = It has no business whose reviews it could show. If you run it, this command sets it up:
all-reviews-link = All reviews of { $business }
search-them = Search them

## The page that shows the options of the frame

try-title = Put the reviews of { $business } on your site
try-heading = Reviews on your site
try-lead = Choose how the reviews look, then paste the lines into your page. They stay up to date by themselves.
try-options = Options
try-layout = Layout
try-layout-list = List
try-layout-grid = Grid
try-limit = Number of reviews
try-min-rating = Minimum stars
try-theme = Colors
try-theme-light = Light
try-theme-dark = Dark
try-theme-auto = As the reader's system
try-accent = Accent color
try-language = Language
try-language-business = That of the business
try-show = Show
try-line = The lines to paste
try-script = The script gives the frame the height of its content. Without it the height stays 480 pixels, and longer content scrolls.
try-shown = How it looks
try-badge = The badge

## The search

review-original = original
find-filters = Filters
find-more = More filters
find-counts = { $count ->
    [one] The count is of { $number } review.
   *[other] Counts are of all { $number } reviews.
}
find-years = By year
find-results = Results
find-feed = Atom feed of this search
find-remove = remove this filter
find-remove-all = Remove all filters
find-pages = Pages of results
find-next = Next { $number }
find-page-title = { $heading }: reviews of { $business }
find-more-than = More than { $number } reviews
find-filtered = { $count ->
    [one] Filtered, of { $number } review:
   *[other] Filtered, of { $number } reviews:
}
find-page-is-empty = This page of results is empty now.
find-none = No reviews found
find-nothing = No review matches all of these filters.
nearest-name = Search for “{ $name }” instead
nearest-by-words = Each word, in any order
order-newest = Newest
order-oldest = Oldest
order-highest = Most stars
order-lowest = Fewest stars
field-query = Words in the reviews
field-rating = Stars
field-min_rating = Stars, at least
field-max_rating = Stars, at most
field-mentions_service = Service
field-mentions_area = Area
field-mentions_technician = Technician
field-source = Source
field-since = From day
field-until = To day
field-language = Language
field-aspect = Topic
field-polarity = Opinion on the topic
field-match = How words are found
field-verified = Verified
field-has_text = With a comment
field-has_reply = With an answer
field-sort = Order
choice-any = any
choice-yes = yes
choice-no = no
choice-or-more = { $stars } or more
choice-or-fewer = { $stars } or fewer
choice-words = each word, in any order
choice-substring = exactly as written
filter-query = { $match ->
    [substring] with exactly “{ $value }”
   *[words] with “{ $value }”
}
filter-rating = { $value }
filter-min_rating = { $value } stars or more
filter-max_rating = { $value } stars or fewer
filter-since = since { $value }
filter-until = until { $value }
filter-mentions_technician = naming { $value }
filter-mentions_service = about { $value }
filter-mentions_area = in { $value }
filter-language = in language { $value }
filter-source = from { $value }
filter-aspect = topic: { $value }
filter-polarity = opinion: { $value }
filter-verified = { $value ->
    [true] verified
   *[false] not verified
}
filter-has_text = { $value ->
    [true] with a comment
   *[false] without a comment
}
filter-has_reply = { $value ->
    [true] with an answer
   *[false] without an answer
}
# After the name of a parameter.
fault-value = cannot be “{ $value }”
