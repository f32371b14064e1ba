# The pages' texts. Every language has the same messages with the same arguments; only $region may be left out.
# $count chooses the plural form and $number is the count as it is written.

## Numbers and days

percent = { $number }%
day = { $region ->
    [US] { $month } { $day }, { $year }
    [CA] { $month } { $day }, { $year }
    [PH] { $month } { $day }, { $year }
   *[other] { $day } { $month } { $year }
}
month = { $month } { $year }
january = January
february = February
march = March
april = April
may = May
june = June
july = July
august = August
september = September
october = October
november = November
december = December
list = { $rest } and { $last }

## Every page

skip = Skip to the content
pages = Pages
reviews-of = Reviews of { $business }
nav-reviews = Reviews
nav-insights = What customers say
nav-website = Website
nav-developers = For developers
newest-feed = The 50 newest reviews
about-figures = All figures are based on published reviews.

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
not-verified = not verified
verified-by-job = verified by the job
verified-by-platform = verified by the platform
verified-by-invitation = verified by invitation
verified-by-business = added by the business
no-comment = No comment.
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

## The search

review-original = original
find-title = Search the reviews
find-submit = Search
find-filters = Filters
find-more = More filters
find-counts = { $count ->
    [one] The count is of the { $number } review there is.
   *[other] Counts are of all { $number } reviews.
}
find-years = By year
find-results = Results
find-remove = remove this filter
find-remove-all = Remove all filters
find-order = Order
find-pages = Pages of results
find-previous = Previous { $number }
find-next = Next { $number }
find-page-title = { $heading }: reviews of { $business }
find-more-than = More than { $number } reviews
find-filtered = { $count ->
    [one] Filtered, of { $number } review:
   *[other] Filtered, of { $number } reviews:
}
find-page-is-empty = There are no reviews on this page any more.
find-none = No reviews found
find-no-reviews = There are no reviews yet.
find-nothing = No review matches all of these filters.
find-refused = Something in this search is not right
find-not-searched = Nothing was searched. Change what is marked, then search again.
nearest-name = Search for “{ $name }” instead
nearest-words = Only “{ $text }”
nearest-by-words = Each word, in any order
nearest-without = Search without this filter: { $filter }
order-newest = Newest
order-oldest = Oldest
order-most-stars = Most stars
order-fewest-stars = Fewest stars
field-words = Words in the reviews
field-stars = Stars
field-min-stars = Stars, at least
field-max-stars = Stars, at most
field-service = Service
field-technician = Technician
field-source = Source
field-since = From day
field-until = To day
field-language = Language
field-aspect = Topic
field-polarity = Opinion on the topic
field-match = How words are found
field-has-text = With a comment
field-has-response = With an answer
choice-any = any
choice-yes = yes
choice-no = no
choice-or-more = { $stars } or more
choice-or-fewer = { $stars } or fewer
choice-words = each word, in any order
choice-substring = exactly as written
polarity-positive = positive
polarity-negative = negative
polarity-mixed = mixed
polarity-neutral = neutral
polarity-uncertain = uncertain
filter-words = with “{ $text }”
filter-substring = with exactly “{ $text }”
filter-min-stars = { $stars } stars or more
filter-max-stars = { $stars } stars or fewer
filter-since = since { $day }
filter-until = until { $day }
filter-technician = naming { $name }
filter-service = about { $name }
filter-language = in language { $tag }
filter-source = from { $name }
filter-aspect = topic: { $name }
filter-polarity = opinion: { $polarity }
filter-text = with a comment
filter-no-text = without a comment
filter-response = with an answer
filter-no-response = without an answer
fault-stars = Choose a number of stars from 1 to 5.
fault-day = Write a day like this: 2024-02-29.
fault-text = Use at most 1,000 characters, once.
fault-polarity = Choose one from the list, and a topic too.
fault-limit = A page has 1 to 100 reviews.
fault-page = This page belongs to another search. Start from the first page.
fault-choice = Choose one from the list.
