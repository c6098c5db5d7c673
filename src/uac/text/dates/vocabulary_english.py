"""The English words of dates, in the form that `vocabulary` describes."""

__all__ = ["ENGLISH"]

ENGLISH = """
near = today tonight 2day 2nite this_morning this_afternoon this_evening: 0; tomorrow tmrw tmr tmw 2moro 2morrow
    tomoz: 1;
    yesterday yday yest: -1;
    day_before_yesterday the_day_before_yesterday the_night_before_last: -2; day_after_tomorrow
    the_day_after_tomorrow: 2
number = 1.. one a an | two a_couple couple_of a_couple_of | three | four | five | six | seven | eight | nine | ten |
    eleven | twelve a_dozen | thirteen | fourteen | fifteen | sixteen | seventeen | eighteen | nineteen | twenty
number = 30/10.. thirty | forty | fifty | sixty | seventy | eighty | ninety | a_hundred one_hundred
number = half_a half_an: 0.5; a_whole an_entire another: 1; one_and_a_half: 1.5; two_and_a_half: 2.5;
    three_and_a_half: 3.5
few = a_few few several some: x
unit = minute minutes min mins: 1 minute; hour hours hr hrs: 1 hour; day days: 1 day; week weeks wk wks: 1 week;
    month months: 1 month; year years yr yrs: 1 year; night nights: 1 day; fortnight fortnights: 2 week; decade
    decades: 10 year;
    century centuries: 100 year; quarter quarters: 3 month
span = week: week; month: month; year: year; quarter: quarter
month = 1.. january jan jan. | february feb feb. | march mar mar. | april apr apr. | may | june jun jun. |
    july jul jul. | august aug aug. | september sep sep. sept sept. | october oct oct. | november nov nov. |
    december dec dec.
bare_month = january ^jan: 1; february ^feb: 2; ^march: 3; april ^apr: 4; june: 6; july: 7; august ^aug: 8;
    september ^sept: 9; october ^oct: 10; november ^nov: 11; december ^dec: 12
weekday = 0.. monday mon mon. | tuesday tue tue. tues tues. | wednesday wed wed. weds |
    thursday thu thu. thur thurs thurs. | friday fri fri. | saturday sat sat. | sunday sun sun.
bare_weekday = 0.. monday ^mon | tuesday tues ^tue | wednesday weds ^wed | thursday thurs thur ^thu | friday fri |
    saturday ^sat | sunday ^sun
which = last past this_past: -1; this: 0; next: 1; coming this_coming upcoming: c
other = last: -1; next: 1
season = spring: 3; summer: 6; fall autumn: 9; winter: 12
holiday = christmas christmas_day xmas xmas_day: 12-25; christmas_eve xmas_eve: 12-24; boxing_day: 12-26;
    new_year's_day new_years_day: 1-1; new_year's_eve new_years_eve hogmanay nye: 12-31;
    valentine's_day valentines_day valentine's valentines: 2-14;
    st_paddy's st_patrick's: 3-17; halloween: 10-31; bonfire_night
    guy_fawkes_night: 11-5;
    thanksgiving thanksgiving_day: 11/4/3; black_friday: 11/4/4; easter easter_sunday: E+0; easter_weekend: E-2~E+1;
    easter_monday: E+1;
    good_friday: E-2; maundy_thursday: E-3; palm_sunday: E-7; ash_wednesday: E-46; leap_day: 2-29;
    shrove_tuesday pancake_day mardi_gras: E-47; whit_monday: E+50; whit_sunday pentecost: E+49;
    memorial_day: 5/-1/0; labor_day labour_day: 9/1/0; mlk_day martin_luther_king_day: 1/3/0;
    presidents_day presidents'_day president's_day: 2/3/0; juneteenth: 6-19; independence_day: 7-4;
    columbus_day: 10/2/0; veterans_day veteran's_day remembrance_day armistice_day: 11-11; canada_day: 7-1;
    australia_day: 1-26; anzac_day: 4-25; remembrance_sunday: 11/2/6; burns_night: 1-25; twelfth_night: 1-5;
    april_fools april_fool's april_fools'_day april_fool's_day: 4-1; groundhog_day: 2-2; cinco_de_mayo: 5-5;
    st_patrick's_day st._patrick's_day st_paddy's_day paddy's_day st_patricks_day: 3-17; st_david's_day: 3-1;
    st_george's_day: 4-23; st_andrew's_day: 11-30; father's_day fathers_day: 6/3/6; midsummer's_day: 6-24;
    early_may_bank_holiday: 5/1/0; spring_bank_holiday: 5/-1/0; summer_bank_holiday august_bank_holiday: 8/-1/0;
    international_women's_day: 3-8; may_day: 5-1; stephen's_day st_stephen's_day: 12-26
decade_word = 30/10.. thirties | forties | fifties | sixties | seventies | eighties | nineties
decade_word = twenties: 20
day_word = 1.. first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth | eleventh |
    twelfth | thirteenth | fourteenth | fifteenth | sixteenth | seventeenth | eighteenth | nineteenth | twentieth
day_word = thirtieth: 30
nth = 1.. first 1st | second 2nd | third 3rd | fourth 4th // nth = last: -1
gate = after before by during from in of on since through till until to for nor not s is was mid early late @ this
    next last meant
    sees: x
duration_and_a_half: a {unit} and a half
none: (every|each|most|any|another|ash) {weekday} ; every (other|second) {weekday} ; one of these days ; the other
    {weekday} ;
    {weekday}s ; {weekday} (roast|lunch|times|league|school|best|market|papers|service|blues|brunch) ;
    (every|each|most|any) {span} ;
    (every|each|most) {holiday} ; (every|each|most) {season} ; (every|each|most) {Month}
ago: {n} {unit} ago ; {n} {unit} back ; been [exactly|just|now|about|nearly] {n} {unit} [now] since
ago_exact: {n} {unit} ago (today|to the day)
ahead_exact: {n} {unit} from today // ago_and_a_half: a {unit} and a half ago
ahead: in {n} {unit} [' time|time|from now] ; {n} {unit} from now ; {n} {unit} hence ; within {n} {unit} ; {n}
    {unit} ' time ; within the next {n} {unit}
ago_range: {n} (-|–|to|or) {n2:n} {unit} ago ; between {n} and {n2:n} {unit} ago
ahead_range: in {n} (-|–|to|or) {n2:n} {unit} ; {n} (-|–|to|or) {n2:n} {unit} from now // ago_few: {few} {unit} ago
ahead_few: in {few} {unit} ; {few} {unit} from now // until_today: [the] (last|past) {n} {unit} ; the past {unit}
until_today_few: [the] (last|past) (few|several|couple of) {unit} // from_today: [the] next {n} {unit}
from_today_few: [the] next (few|several|couple of) {unit} // span_before_last: [the] {span} before last
span_after_next: [the] {span} after next // weekend: {which} weekend ; [the] weekend of {which} week
bare_weekend: (over|on|at|during|for) the weekend ; all weekend ; the (whole|entire) weekend
bare_weekday: {bare_weekday} ; ?{bare_weekday:weekday}
weekday_of_week: {weekday} [of|,] {which} week ; {which} week [on|,] {weekday}
weekday_before_last: [the] {weekday} before last // weekday_after_next: [the] {weekday} after next
month: {which} {month:Month} ; {which:other} {month} // bare_month: {month:bare_month} ; ?{month}
month_of_year: {month} [,|of] {year} ; {month} [,|of] {which} year
day_of_month: {day:ordinal} [of] {month} ; {month} [the] {day} ; {month} [the] {day} [,|of|in] {year} ; {month}
    [the] {day} [,|of] {which} year ;
    [the] {day} [of] {month} ; the {day} of {month} ; [the] {day} [of] {month} [,|of|in] {year} ;
    [the] {day} [of] {month} [,|of] {which} year
days_of_month: {month} [the] {day} (-|–|—|to|through|until) [the] {day2:day} ;
    {month} [the] {day} (-|–|—|to|through|until) [the] {day2:day} [,|of] {year} ;
    (from|between) {month} [the] {day} (-|–|—|to|through|until|and) [the] {day2:day} ;
    (from|between) {month} [the] {day} (-|–|—|to|through|until|and) [the] {day2:day} [,|of] {year} ;
    [the] {day:wday} (-|–|—|to|through|until|till|and) [the] {day2:wday} [of] {month} ;
    [the] {day:wday} (-|–|—|to|through|until|till) [the] {day2:wday} [of] {month} [,|of] {year} ;
    (from|between) [the] {day:wday} (-|–|—|to|through|until|till|and) [the] {day2:wday} [of] {month} ;
    (from|between) [the] {day} (-|–|—|to|through|until|and) [the] {day2:day} [of] {month} [,|of] {year}
bare_day: the {ordinal} ; ?the {ordinal:day_word} ; the {ordinal} of (the|this) month ;
    the {ordinal:day_word} of (the|this) month
day_of_span: the {day} of {which} month // nth_weekday: [the] {nth} {weekday} (of|in) {atom}
year: the year {year} ; ?{year} ; [in|from|since] '{year:year2}
season_of_year: [the] {season} [of|,] {year} ; [the] {season} [of] {which} year
bare_season: ?[the] {season}
quarter_of_year: q{quarter} [of|,|-|/] {year} ; [the] {nth} quarter [of] {year} ; q{quarter} [of|,] {which} year ;
    [the] {nth} quarter [of] {which} year
bare_quarter: q{quarter} ; [the] {nth} quarter // holiday: {which} {holiday}
holiday_of_year: {which} year at {holiday} ; {holiday} [of|,|in] {year} ; {holiday} [of] {which} year
decade: [the] {decade}s ; the [']{decade:decade2}s ; the {decade:decade_word}
coarse: [the] (early|late|mid) [-|in] {atom} ; [in] [the] middle of {atom}
coarse_span: [in] [the] middle of (the|this) {span} // first_day: [the] (beginning|start) of {atom}
first_day_of_span: [the] (beginning|start) of (the|this) {span} // last_day: [the] end of {atom}
last_day_of_span: [the] end of (the|this) {span}
shift_back: {n} {unit} (before|prior to) {atom} ; [the] day before {atom}
shift_on: {n} {unit} (after|following) {atom} ; [the] day after {atom} // span_from: {n} {unit} from {part}
dated_weekday: {weekday} [,] {date}
week_of: [the] week of {date} // since: [ever] since {part}
onwards: (starting|from) {part} (on|onward|onwards)
until: (until|till|til|up to|up until|through) {part} // by: (by|no later than|not later than) {part}
between: [from] {part} (to|until|till|through|-|–|—) {part2:part} ; between {part} and {part2:part}
near_unit = day days: 1 day; week weeks wk wks: 1 week; fortnight fortnights: 2 week; month months: 1 month
today_on: {n} {unit:near_unit} today ; in {n} {unit} today
weekday_on: {n} {unit:weekly} (on|from) {weekday} ; {n} {unit:weekly} this {weekday}
weekly = week weeks: 1 week; fortnight fortnights: 2 week
weekday_gone: [the] {weekday} just (gone|past) ; this past {weekday}
weekday_week: {weekday} week
weekday_fortnight: {weekday} fortnight
today_week: today week ; this time next week
today_fortnight: today fortnight
tomorrow_on: {n} {unit:near_unit} (tomorrow|from tomorrow) ; in {n} {unit} tomorrow // tomorrow_week: tomorrow week
tomorrow_fortnight: tomorrow fortnight
yesterday_back: {n} {unit} ago yesterday ; {n} {unit} yesterday
yesterday_week: yesterday week
weekday_after_next_week: {weekday} [,|of] the week after next ; the week after next [,|on] {weekday}
weekday_pair: {weekday} (and|&) {weekday2:weekday}
weekday_range: [from] {weekday} (to|till|until|through|thru|-|–) {weekday2:weekday}
range_of_week: {which} week {weekday} (to|till|until|through|thru|-|–) {weekday2:weekday} ;
    {weekday} (to|till|until|through|thru|-|–) {weekday2:weekday} {which} week
weekday_before: [the] {weekday} before {atom} // weekday_after: [the] {weekday} after {atom}
later: {n} {unit} (later|after|afterwards|after that|thereafter) ; the (day|morning|evening|night|afternoon) after
    [that] ;
    the (next|following) (day|morning|evening|afternoon|night) ; (another|a) {unit} after that
earlier: {n} {unit} (earlier|before|beforehand|before that) ; the (day|night|evening|morning|afternoon) before [that]
week_earlier: the week before // week_later: the week after
anchor_weekday_after: the {weekday} after [that] ; the following {weekday}
anchor_weekday_before: the {weekday} before [that]
whole_span: all [of] [this] {span} ; all this {span} ; the (whole|entire) {span}
rest_of_span: the rest of (the|this) {span}
weekday_ago: {n} {weekday:weekdays} ago
weekdays = 0.. mondays | tuesdays | wednesdays | thursdays | fridays | saturdays | sundays
by_then: by then // this_day: this time tomorrow
month_ago_here: {n} {unit} ago this month // ago_season: {n} {unit} ago this {season}
month_nth_weekday: the {nth} {weekday} (of|in) (the|every|each) month // eoy: year end ; year-end
between_day: {part} (to|till|until|through|-|–) [the] {day2:wordinal}
abbreviation = 0.. mon | tue | wed | thu | fri | sat | sun
bare_weekday: {bare_weekday:abbreviation} (@|at|morning|afternoon|night|evening|lunch)
bare_day: on the {ordinal:day_word} // year_word: (early|late|mid) '{year:year2}
nth_weekend: [the] {nth} weekend (of|in) {atom} // weekend_after_next: the weekend after next
weekend_of: the weekend of {date}
weekend_before: the weekend before {atom}
weekend_after: the weekend after {atom}
bare_weekend: by the weekend // last_day: [the] last day of {atom} // first_day: [the] first day of {atom}
last_day_of_span: [the] last day of (the|this) {span} // bare_day: [the] {ordinal:first_word} of the month
first_word = first 1st: 1
ago_weekday: {n} {unit:weekly} ago [on] {weekday} // ahead_and_a_half: in a {unit} and a half
bare_day: (back|home|on) {ordinal}
same_day_next_week: [the] same day next week // weekday_day: {weekday} {ordinal}
weekday_week: next {weekday} week // weekday_gone: {weekday} (last|gone) // weekday_not_this: not this {weekday} but
    [the] (next|following) ; not this {weekday} [,] [but] the (one after|next|next one|following one)
near = day_b4_yesterday the_day_b4_yesterday: -2 // bare_holiday: (at|for|till|until|over) [the] {holiday:year_start}
year_start = new_year: 1-1 // since_ago: for the (last|past) {n} {unit} // day_of_month: {day} - {month}
night = last_night: -1
night: {near:night}
"""
