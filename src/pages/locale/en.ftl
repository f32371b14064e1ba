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
