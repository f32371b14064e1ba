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

## The page that shows the options of the frame

try-title = Put the reviews of { $business } on your site
try-heading = Reviews on your site
try-lead = Choose how the reviews look, then paste the lines into your page. They stay up to date by themselves.
try-options = Options
try-layout = Layout
try-layout-list = List
try-layout-grid = Grid
try-layout-carousel = Carousel
try-limit = Number of reviews
try-min-rating = Fewest stars
try-theme = Colors
try-theme-light = Light
try-theme-dark = Dark
try-theme-auto = As the reader's system
try-accent = Accent color
try-language = Language
try-language-business = That of the business
try-show = Show
try-line = The lines to paste
try-copy = Copy
try-script = The script gives the frame the height of its content. Without it the height stays 480 pixels, and longer content scrolls.
try-shown = How it looks
try-badge = The badge
newest-reviews = Newest reviews
