"""The words of dates, by language.

A table line gives a slot's words and their meanings, 'name = word word: meaning; word: meaning', or numbers in a row,
'name = 1.. word | word' ('30/10..' counts in tens). A pattern line gives a rule's phrases, 'rule: phrase ; phrase',
each as it is said; '//' separates rules. `{slot}` is a word of a table, `{field:slot}` gives it another name, `[a|b]`
is optional, `(a|b)` is one of them. A phrase with `?` before it counts only after a word of the language's gate. Words
are compared without letter case and accents; a word with `^` before it needs a capital letter; `_` is a space. A
phrase of one language never contains one of another.
"""

from collections.abc import Mapping

from uac.text.dates.vocabulary_dutch import DUTCH
from uac.text.dates.vocabulary_polish import POLISH

__all__ = ["FRACTIONS", "LANGUAGES", "NOT_A_YEAR_BEFORE"]

_SHARED = """
duration: {n} [-] {unit} // near: {near} // span: {which} {span} // weekday: {which} {weekday}
bare_month: ?{month} // year: ?{year} // season: {which} {season} // bare_holiday: {holiday}
"""

_SHARED_ROMANCE = """
span: {span} {which:post} // weekday: {weekday} {which:post} // month: {month} {which:post}
season: {season} {which:post}
"""

_ENGLISH = """
near = today tonight 2day 2nite this_morning this_afternoon this_evening: 0; tomorrow tmrw tmr tmw 2moro 2morrow
    tomoz: 1;
    yesterday yday: -1;
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
ago: {n} {unit} ago ; {n} {unit} back // ago_exact: {n} {unit} ago (today|to the day)
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
today_on: {n} {unit} today ; in {n} {unit} today
weekday_on: {n} {unit:weekly} (on|from) {weekday} ; {n} {unit:weekly} this {weekday}
weekly = week weeks: 1 week; fortnight fortnights: 2 week
weekday_gone: [the] {weekday} just (gone|past) ; this past {weekday}
weekday_week: {weekday} week
weekday_fortnight: {weekday} fortnight
today_week: today week ; this time next week
today_fortnight: today fortnight
tomorrow_on: {n} {unit} (tomorrow|from tomorrow) ; in {n} {unit} tomorrow // tomorrow_week: tomorrow week
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

_GERMAN = """
near = heute heut heute_morgen heute_früh diesen_morgen: 0; morgen: 1; gestern gestern_morgen gestern_abend
    gestern_nacht: -1; morgen_früh morgen_abend: 1;
    vorgestern: -2; übermorgen uebermorgen: 2
number = 1.. ein eine einen einem einer | zwei | drei | vier | fünf | sechs | sieben | acht | neun | zehn | elf |
    zwölf | dreizehn | vierzehn | fünfzehn | sechzehn | siebzehn | achtzehn | neunzehn | zwanzig
number = 30/10.. dreißig | vierzig | fünfzig | sechzig | siebzig | achtzig | neunzig
number = ganze ganzen: 1; anderthalb eineinhalb: 1.5; ein_halbes einem_halben: 0.5; zweieinhalb: 2.5
few = ein_paar einigen einige wenigen mehreren: x
unit = minute minuten: 1 minute; stunde stunden: 1 hour; tag tage tagen nacht nächte nächten: 1 day; woche wochen:
    1 week;
    monat monate monaten: 1 month; jahr jahre jahren jahres: 1 year; jahrzehnt jahrzehnte jahrzehnten: 10 year
span = woche: week; monat monats: month; jahr jahres: year; quartal: quarter
month = 1.. januar jänner jan | februar feb | märz maerz | april apr | mai | juni | juli | august aug |
    september sept | oktober okt | november nov | dezember dez
abbreviated = mo di mi do fr sa so: x
weekday = 0.. montag | dienstag | mittwoch | donnerstag | freitag | samstag sonnabend | sonntag
which =
    letzte letzten letzter letztes letztem vorige vorigen voriger voriges vergangene vergangenen vergangenes: -1;
    diese diesen dieser dieses diesem: 0;
    nächste nächsten nächster nächstes nächstem naechste naechsten naechstes: 1;
    kommende kommenden kommendes kommender kommendem: c
season = frühling frühjahr: 3; sommer: 6; herbst: 9; winter: 12
holiday = weihnachten: 12-25; heiligabend heilig_abend: 12-24; erster_weihnachtstag ersten_weihnachtstag: 12-25;
    zweiter_weihnachtstag zweiten_weihnachtstag zweiter_weihnachtsfeiertag zweiten_weihnachtsfeiertag: 12-26;
    erster_weihnachtsfeiertag ersten_weihnachtsfeiertag: 12-25; silvester: 12-31; neujahr neujahrstag: 1-1;
    dreikönig dreikönigstag heilige_drei_könige: 1-6; ostern ostersonntag: E+0; ostermontag: E+1; karfreitag: E-2;
    gründonnerstag: E-3; karsamstag: E-1; palmsonntag: E-7; rosenmontag: E-48; weiberfastnacht: E-52;
    faschingsdienstag veilchendienstag fastnacht: E-47; aschermittwoch: E-46;
    himmelfahrt christi_himmelfahrt vatertag: E+39; pfingsten: E+49~E+50; pfingstsonntag: E+49; pfingstmontag: E+50;
    fronleichnam: E+60; muttertag: 5/2/6; tag_der_deutschen_einheit: 10-3; tag_der_arbeit maifeiertag: 5-1;
    reformationstag: 10-31; allerheiligen: 11-1; allerseelen: 11-2; mariä_himmelfahrt: 8-15; nikolaus nikolaustag: 12-6;
    martinstag sankt_martin: 11-11; valentinstag: 2-14; totensonntag: A0; erster_advent ersten_advent: A1;
    zweiter_advent zweiten_advent: A2; dritter_advent dritten_advent: A3; vierter_advent vierten_advent: A4;
    walpurgisnacht: 4-30; volkstrauertag: A-1; weltfrauentag frauentag: 3-8
day_word = 1.. ersten erste | zweiten | dritten | vierten | fünften | sechsten | siebten siebenten | achten | neunten |
    zehnten | elften | zwölften | dreizehnten | vierzehnten | fünfzehnten | sechzehnten | siebzehnten | achtzehnten |
    neunzehnten | zwanzigsten | einundzwanzigsten | zweiundzwanzigsten | dreiundzwanzigsten | vierundzwanzigsten |
    fünfundzwanzigsten | sechsundzwanzigsten | siebenundzwanzigsten | achtundzwanzigsten | neunundzwanzigsten |
    dreißigsten | einunddreißigsten
day_start = 1.. ^ersten | ^zweiten | ^dritten | ^vierten | ^fünften | ^sechsten | ^siebten | ^achten | ^neunten |
    ^zehnten | ^elften | ^zwölften | ^dreizehnten | ^vierzehnten | ^fünfzehnten | ^sechzehnten
day_start = ^zwanzigsten: 20; ^dreißigsten: 30; ^letzten: 31
nth = 1.. ersten erste erster | zweiten zweite | dritten dritte | vierten vierte // nth = letzten letzte letzter: -1
gate = ab am anfang bis ende im in jahr jahre mitte nach seit vom von vor zum: x
none: (guten|am|jeden|der|den|dem|eines|zum|gegen|nächsten|schönen) morgen ; jeden {weekday} // ago: vor {n} {unit}
ahead: in {n} {unit} // ago_few: vor {few} {unit} // ahead_few: in {few} {unit} // weekend: {which} wochenende
bare_weekend: (am|übers|das ganze|das|ganzes) wochenende // advent: [am|der|den] {nth:dotted} advent
bare_weekday: {bare_weekday:weekday} [morgen]
weekday_of_week: {weekday} {which} woche ; {which} woche [am] {weekday} // month: {which} {month}
month_of_year: {month} {year} ; {month} {which} jahres
day_of_month: {day}[.] {month} ; {day}[.] {month} {year} ; {day}[.] {month} {which} jahres
days_of_month: {day}[.] (-|–|bis|bis zum) {day2:day}[.] {month} ;
    {day}[.] (-|–|bis|bis zum) {day2:day}[.] {month} {year} ; vom {day}[.] (-|–|bis|bis zum) {day2:day}[.] {month} ;
    vom {day}[.] (-|–|bis|bis zum) {day2:day}[.] {month} {year}
season_of_year: {season} {year} // bare_season: ?{season} // holiday: {which} {holiday}
holiday_of_year: {holiday} {year} // coarse: mitte {atom} // first_day: anfang {atom} // last_day: ende {atom}
since: seit [dem] {part} // until: bis [zum|zu] {part}
between: (von|vom) {part} bis [zum] {part2:part} ; zwischen [dem] {part} und [dem] {part2:part}
bare_day: (am|der|dem|den|vom|zum|ab|bis|seit|der|einschließlich) {ordinal:dotted} ;
    (am|vom|zum|ab|seit dem|bis zum|der) {ordinal:day_start} ; (am|vom|zum) {ordinal:day_word} ; seit dem
    {ordinal:dotted} ;
    (ab dem|bis zum|vor dem) {ordinal:dotted} ; (am|vom|zum|der) {ordinal:weekday_dotted}
ago_exact: heute vor {n} {unit} // weekday_weeks_ago: {weekday} vor {n} {unit}
holiday_of_year: {which} jahr [an|zu] {holiday}
today_on: heute in {n} {unit} ; heute über {n} {unit}
weekday_on: {weekday} in {n} {unit} ; {weekday} über {n} {unit}
weekday_week: {weekday} in acht tagen // weekday_fortnight: {weekday} in vierzehn tagen ; {weekday} in 14 tagen
tomorrow_on: morgen in {n} {unit}
weekday_before: (der|den|am) {weekday} vor {atom}
weekday_after: (der|den|am) {weekday} nach {atom}
onwards: (vom|ab|ab dem|von) {part} an ; ab [dem] {part}
later: (am|den) tag (drauf|darauf|danach) ; am (nächsten|folgenden) (tag|morgen|abend) ; {n} {unit}
    (später|danach|darauf) ;
    tags darauf ; (am|den) (abend|morgen|nacht) (danach|drauf|darauf)
earlier: (am|den) (abend|tag|morgen) (vorher|davor|zuvor) ; (die|in der) nacht (davor|vorher|zuvor) ; {n} {unit}
    (vorher|davor|zuvor|früher) ;
    tags zuvor
week_earlier: (die|eine) woche (davor|vorher|zuvor|früher) // week_later: (die|eine) woche (danach|später|drauf|darauf)
anchor_weekday_after: (der|den|am) {weekday} (danach|darauf|drauf)
anchor_weekday_before: (der|den|am) {weekday} (davor|vorher|zuvor)
whole_span: [die] ganze {span} ; [den] ganzen {span} ; [das] ganze {span}
rest_of_span: den rest der {span} ; den rest des {span}
none: {weekday}s ; alle zwei wochen ; jede woche ; jeden monat ; jedes jahr ; herr mai ; frau mai ; frau april
nth_weekday: [am|der|den|jeden] {nth} {weekday} im {atom}
month_nth_weekday: [am|der|den|jeden] {nth} {weekday} (im|des) monat ; {nth} {weekday} des monats
bare_quarter: [dem|im|das|des] {nth} quartal ; q{quarter} ; [im] {nth:dotted} quartal
quarter_of_year: {nth} quartal {year} ; q{quarter} {year}
eoy: jahresende // eom: monatsende // weekday_pair: {weekday} (und|&|oder|/) {weekday2:weekday}
weekday_range: [von] {weekday} bis [einschließlich] {weekday2:weekday} ; {weekday} (-|–) {weekday2:weekday}
range_of_week: {which} woche [von] {weekday} bis {weekday2:weekday} // year: ?{year} ; '{year:year2}
shift_on: {n} {unit} nach [dem] {atom} ; [der|am] tag nach [dem] {atom}
shift_back: {n} {unit} vor [dem] {atom} ; [der|am] tag vor [dem] {atom}
dated_weekday: {weekday} [,] [den|dem|der] {date} // by: (bis spätestens|spätestens am|spätestens) {part}
between_day: {part} bis [zum] {day2:dotted} // between_plain: [von|vom] {day:dotted} bis [zum|einschließlich] {part}
between: [vom] {part} (-|–|bis|bis zum|bis einschließlich) {part2:part}
days_of_month: [vom] {day:wday}[.] (-|–|bis|bis zum) {day2:wday}[.] {month}
span_before_last: vorletzte {span} ; vorletzten {span} // span_after_next: übernächste {span} ; übernächsten {span}
weekday_after_next_week: übernächste woche [am] {weekday} ; {weekday} [in] [der] übernächsten woche
weekday_after_next: übernächsten {weekday}
weekday_before_last: vorletzten {weekday}
last_day_of_span: ende (der|des|dieser|dieses) {span}
first_day_of_span: anfang (der|des|dieser|dieses) {span}
coarse_span: mitte (der|des|dieser|dieses) {span} // ago: {n} {unit} her // ahead: {n} {unit} bis
from_today: [die|den] (nächsten|kommenden) {n} {unit} // until_today: [die|den] letzten {n} {unit}
last_day: [der|am] letzten tag (im|des|vom) {atom} // last_day_of_span: [der|am] letzten tag (des|der) {span}
nth_weekend: [am|das] {nth} wochenende im {atom} // since_ago: seit {n} {unit}
ahead: binnen {n} {unit} ; innerhalb von {n} {unit}
night = heute_nacht: 0; letzte_nacht: -1
night: {near:night} // week_or_eight: in (acht|8) tagen
"""

_SPANISH = """
near = hoy esta_mañana esta_tarde esta_noche: 0; mañana mañana_por_la_mañana: 1; ayer: -1;
    anteayer antier antes_de_ayer: -2; pasado_mañana: 2
number = 1.. un uno una | dos | tres | cuatro | cinco | seis | siete | ocho | nueve | diez | once | doce | trece |
    catorce | quince | dieciséis | diecisiete | dieciocho | diecinueve | veinte
number = 30/10.. treinta | cuarenta | cincuenta | sesenta | setenta | ochenta | noventa // number = medio media: 0.5
few = unos unas algunos algunas varios varias: x
unit = minuto minutos: 1 minute; hora horas: 1 hour; día días noche noches: 1 day; semana semanas: 1 week; mes
    meses: 1 month;
    año años: 1 year; década décadas: 10 year
span = semana: week; mes: month; año: year; trimestre: quarter
month = 1.. enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre setiembre | octubre |
    noviembre | diciembre
weekday = 0.. lunes | martes | miércoles | jueves | viernes | sábado | domingo
which = pasado pasada último última: -1; este esta: 0; próximo próxima: 1
post = pasado pasada: -1; próximo próxima que_viene que_entra: 1
season = primavera: 3; verano: 6; otoño: 9; invierno: 12
holiday = navidad: 12-25; nochebuena: 12-24; nochevieja fin_de_año: 12-31; año_nuevo: 1-1;
    reyes día_de_reyes reyes_magos: 1-6; noche_de_reyes: 1-5; jueves_santo: E-3; viernes_santo: E-2; sábado_santo: E-1;
    semana_santa: E-7~E+0; domingo_de_ramos: E-7; domingo_de_resurrección: E+0; lunes_de_pascua: E+1;
    miércoles_de_ceniza: E-46; martes_de_carnaval: E-47; corpus_christi: E+60; día_de_la_hispanidad hispanidad el_pilar
    día_del_pilar: 10-12; día_de_la_constitución: 12-6; la_inmaculada inmaculada: 12-8; todos_los_santos: 11-1;
    noche_de_san_juan: 6-23~6-24; san_juan: 6-24; día_de_santiago santiago_apóstol: 7-25; san_josé: 3-19;
    san_valentín: 2-14; día_de_muertos día_de_los_muertos: 11-2; la_asunción: 8-15; día_del_trabajador
    día_del_trabajo: 5-1; día_del_padre: 3-19; día_de_la_madre: 5/1/6; sant_jordi: 4-23; san_isidro: 5-15;
    san_fermín: 7-7; día_de_los_inocentes los_inocentes: 12-28; san_silvestre: 12-31; día_de_andalucía: 2-28
day_word = primero: 1; uno: 1; dos: 2; tres: 3; cuatro: 4; cinco: 5; seis: 6; siete: 7; ocho: 8; nueve: 9; diez: 10;
    quince: 15; veinte: 20; veinticinco: 25; treinta: 30
nth = 1.. primer primero | segundo | tercer tercero | cuarto // nth = último: -1
gate = al de del desde el en hasta para este a: x
none: (la|una|cada|las|buena) mañana ; (cada|todos los) {weekday} // ago: hace {n} {unit} ; {n} {unit} atrás
ahead: (en|dentro de) {n} {unit} // ago_few: hace {few} {unit} // ahead_few: (en|dentro de) {few} {unit}
weekend: {which} fin de semana ; fin de semana {which:post} ; {which} finde ; finde {which:post}
bare_weekend: (el|todo el|en el) fin de semana ; (el|todo el) finde
weekday_of_week: {weekday} de la semana {which:post} ; {weekday} de {which} semana ; {weekday} de la {which} semana
bare_weekday: {bare_weekday:weekday} [por la tarde] ; el {bare_weekday:weekday} // month: {which} {month}
month_of_year: {month} [de|del] {year} ; {month} del año {which:post}
day_of_month: {day} de {month} ; {day} de {month} [de|del|,] {year} ; {day} de {month} del año {which:post}
days_of_month: [del] {day} (al|a|-|–) {day2:day} de {month} ;
    [del] {day} (al|a|-|–) {day2:day} de {month} [de|del] {year}
season_of_year: {season} [de|del] {year} // holiday_of_year: {holiday} [de|del] {year} // coarse: mediados de {atom}
first_day: (principios|comienzos|inicios) de {atom} // last_day: (fines|finales|final) de {atom}
since: desde [el] {part} // until: hasta [el] {part}
between: (desde|de|del) [el] {part} (hasta|a|al) [el] {part2:part} ; entre [el] {part} y [el] {part2:part}
bare_day: (el|del|al) {ordinal:plain_day} ; [el] día {ordinal:plain_day} ; (el|del|al) día {ordinal:plain_day} ;
    (el|del|al) día {ordinal:day_word} ; (el|del|al) {ordinal:first_word} ; (el|del|al) {ordinal:weekday_day} ; el día
    {ordinal:first_word}
first_word = uno primero: 1
today_on: de hoy en {n} {unit} ; en {n} {unit} exactos
today_week: de hoy en ocho
today_fortnight: de hoy en quince
ago: {n} {unit} atrás ; hoy hace {n} {unit}
ago_exact: hoy hace {n} {unit} ; hace {n} {unit} justos ; hace justo {n} {unit}
weekday_week: {weekday} que viene no ; {weekday} en ocho // weekday_fortnight: {weekday} en quince
weekday_on: {weekday} dentro de {n} {unit}
weekday_of_week: [el] {weekday} de la semana {which:post} ; la semana {which:post} [,] el {weekday} ;
    el {weekday} de la {which} semana ; el {weekday} de {which} semana
none: los {weekday} ; un {weekday} sí y otro no ; (cada|todos los) {weekday} ; un día de estos ; todos los días ;
    rio de janeiro
later: al día siguiente ; el día siguiente ; {n} {unit} (después|más tarde) ; a la mañana siguiente ; al otro día ;
    a los {n} {unit}
earlier: el día (antes|anterior) ; la (noche|víspera|tarde) (antes|anterior) ; la víspera ; {n} {unit} (antes) ;
    la mañana anterior
anchor_weekday_after: el {weekday} (siguiente|después) // anchor_weekday_before: el {weekday} (anterior|antes|de antes)
weekday_before: el {weekday} (antes de|antes del|anterior al|anterior a) [el] {atom}
weekday_after: el {weekday} (después de|después del|siguiente al) {atom}
whole_span: toda [la|esta] {span} ; todo [el|este] {span}
rest_of_span: el resto (de la|del) {span} ; lo que queda de {span}
nth_weekday: [el] {nth} {weekday} de {atom} // month_nth_weekday: [el|cada] {nth} {weekday} (de cada|del|de) mes
bare_season: ?{season} ; este {season}
eom: (fin|final|finales) de mes
eoy: (fin|final|finales) de año
by: para [el] {part}
last_day_of_span: (fin|final) de (la|este|esta) {span} // weekday_pair: {weekday} y {weekday2:weekday}
weekday_range: [de|del] {weekday} (a|al|hasta el) {weekday2:weekday}
dated_weekday: {weekday} [,|día] {date}
shift_on: {n} {unit} después (de|del) [el] {atom} ; el día después (de|del) {atom}
shift_back: {n} {unit} antes (de|del) [el] {atom} ; (el día antes|la víspera) (de|del) {atom}
year: ?{year} ; (del|en el) '{year:year2} ; (del|en el|desde el) {year:short_year}
between_day: (del|desde el) {day:plain_day} (al|hasta el) {day2:plain_day}
days_of_month: [del] {day:wday} (al|a|-|–) {day2:wday} de {month}
bare_quarter: [el] {nth} trimestre // onwards: a partir (del|de) {part} ; desde el {part}
last_day_of_span: [el] último día (del|de este|de la) {span} // last_day: [el] último día de {atom}
ago_plus_half: hace {n} {unit} y (medio|media) // ahead_plus_half: (en|dentro de) {n} {unit} y (medio|media)
bare_day: {ordinal:weekday_day} // first_day_of_span: (a primeros|a principios|principios) de {span}
night = anoche: -1
night: {near:night} // week_or_eight: (en|dentro de) ocho días
two_weeks_or_fifteen: (en|dentro de) (quince|15) días // two_weeks_or_fifteen_ago: hace (quince|15) días
"""

_FRENCH = """
near = aujourd'hui ce_matin ce_soir cet_après-midi: 0; demain: 1; hier: -1;
    avant-hier avant_hier: -2; après-demain après_demain: 2
number = 1.. un une | deux | trois | quatre | cinq | six | sept | huit | neuf | dix | onze | douze | treize |
    quatorze | quinze | seize | dix-sept | dix-huit | dix-neuf | vingt
number = 30/10.. trente | quarante | cinquante | soixante // number = une_demi une_demi-: 0.5
few = quelques plusieurs: x
unit = minute minutes: 1 minute; heure heures: 1 hour; jour jours nuit nuits: 1 day; semaine semaines: 1 week;
    mois: 1 month;
    an ans année années: 1 year
span = semaine: week; mois: month; an année: year; trimestre: quarter
month = 1.. janvier | février | mars | avril | mai | juin | juillet | août | septembre | octobre | novembre |
    décembre
weekday = 0.. lundi | mardi | mercredi | jeudi | vendredi | samedi | dimanche
which = ce cet cette: 0; prochain prochaine: 1; dernier dernière: -1
post = dernier dernière passé passée: -1; prochain prochaine: 1; -ci: 0
season = printemps: 3; été: 6; automne: 9; hiver: 12
holiday = noël: 12-25; réveillon_de_noël veille_de_noël: 12-24; saint-sylvestre la_saint-sylvestre
    réveillon_du_nouvel_an réveillon_de_la_saint-sylvestre: 12-31; jour_de_l'an nouvel_an premier_de_l'an: 1-1;
    épiphanie fête_des_rois: 1-6; chandeleur: 2-2; saint-valentin: 2-14; mardi_gras: E-47; mercredi_des_cendres: E-46;
    pâques dimanche_de_pâques: E+0; lundi_de_pâques: E+1; vendredi_saint: E-2; jeudi_saint: E-3; rameaux: E-7;
    ascension jeudi_de_l'ascension: E+39; pentecôte: E+49; lundi_de_pentecôte: E+50; fête_du_travail: 5-1;
    fête_nationale: 7-14; fête_de_la_musique: 6-21; assomption: 8-15; toussaint: 11-1; armistice: 11-11;
    saint-nicolas: 12-6; saint-jean: 6-24; fête_des_mères: 5/-1/6; fête_des_pères: 6/3/6; poisson_d'avril: 4-1
day_word = premier 1er: 1; deux: 2; trois: 3; quatre: 4; cinq: 5; six: 6; sept: 7; huit: 8; dix: 10; quinze: 15;
    vingt: 20
nth = 1.. premier 1er première | deuxième 2e second | troisième 3e | quatrième 4e // nth = dernier: -1
gate = au de depuis du début en fin mi mois le dès pour cet: x
none: (champ|champs) de mars ; chaque {weekday} ; [tous] les {weekday} // ago: il y a {n} {unit}
ahead: dans {n} {unit} // ago_few: il y a {few} {unit} // ahead_few: dans {few} {unit}
span: {which} {span} [-ci] ; {span} {which:post}
bare_weekend: (le|tout le) (week-end|weekend) // weekend: {which} (week-end|weekend) ; (week-end|weekend) {which:post}
weekday_of_week: {weekday} de la semaine {which:post} // bare_weekday: {bare_weekday:weekday}
month: {which} mois de {month} // month_of_year: {month} [de] {year}
day_of_month: {day} {month} ; {day} {month} [de|,] {year}
days_of_month: [du] {day} (au|-|–) {day2:day} {month} ; [du] {day} (au|-|–) {day2:day} {month} {year}
season_of_year: {season} [de] {year} // holiday_of_year: {holiday} {year} // coarse: mi-{atom} ; milieu [de] {atom}
first_day: début [de] {atom} // last_day: fin [de] {atom} // since: depuis [le|la|l'] {part}
until: jusqu'(à|en|au|à la) {part}
between: (du|de) {part} (au|à) {part2:part} ; entre [le] {part} et [le] {part2:part}
bare_day: (le|du|au|jusqu'au) {ordinal:plain_day} ; (le|du|au) {ordinal:first_word} ; (le|du|au)
    {ordinal:weekday_day} ; le {ordinal} ; jusqu'au {ordinal}
first_word = premier: 1
weekday_week: {weekday} en huit // weekday_fortnight: {weekday} en quinze // today_on: d'ici {n} {unit}
ahead_exact: dans {n} {unit} (jour pour jour|pile)
ago_exact: il y a {n} {unit} (jour pour jour|pile) ; ça fait {n} {unit} pile ; il y a {n} {unit} aujourd'hui
ago: ça fait {n} {unit}
weekday_of_week: {weekday} (de la|la) semaine {which:post} ; la semaine {which:post} [,] {weekday} ; {weekday} de
    {which} semaine
later: le lendemain [matin|soir] ; {n} {unit} (plus tard|après) ; le jour (suivant|d'après) ; le surlendemain matin
two_later: le surlendemain
two_earlier: l'avant-veille
earlier: la veille [au soir] ; {n} {unit} (plus tôt|avant|auparavant) ; le (jour|soir) (d'avant|précédent)
anchor_weekday_after: le {weekday} (suivant|d'après) // anchor_weekday_before: le {weekday} (précédent|d'avant)
weekday_before: le {weekday} avant [le] {atom} // weekday_after: le {weekday} après [le] {atom}
none: un {weekday} sur deux ; tous les {weekday} ; le {weekday} soir c'est toujours ; demain la veille ; un de ces
    jours ; les {weekday}
whole_span: toute (la|cette) {span} ; tout (le|ce) {span} // rest_of_span: le reste (de la|du) {span}
nth_weekday: [le|chaque] {nth} {weekday} (de|d') {atom}
month_nth_weekday: [le|chaque] {nth} {weekday} (du|de chaque) mois
eom: (fin du|la fin du|fin de) mois // eoy: (fin d'|la fin de l') année // by: (d'ici|pour) [le|au] {part}
weekday_pair: {weekday} et {weekday2:weekday}
weekday_range: (du|de) {weekday} (au|à) {weekday2:weekday} ; {weekday} (-|–) {weekday2:weekday}
dated_weekday: {weekday} [,] {date}
days_of_month: [du] {day:wday} (au|-|–) {day2:wday} {month} ; [du] {day:wday} (au|-|–) {day2:wday} {month} {year}
shift_on: {n} {unit} après [le] {atom} ; le lendemain (de|du) {atom}
shift_back: {n} {unit} avant [le] {atom} ; la veille (de|du) {atom}
since: depuis [le|la|l'] {part}
onwards: (à partir du|à partir de|dès le) {part}
bare_quarter: [le|au] {nth} trimestre ; t{quarter}
bare_season: ?{season} ; cet {season}
between_day: (du|de) {day:plain_day} au {day2:plain_day}
year: ?{year} ; en '{year:year2} ; (en|depuis) {year:short_year}
last_day_of_span: [le] dernier jour (du|de la) {span}
last_day: [le] dernier jour de {atom}
since_ago: depuis {n} {unit}
ago_plus_half: il y a {n} {unit} et (demi|demie)
ahead_plus_half: dans {n} {unit} et (demi|demie)
bare_day: {ordinal:weekday_day}
night = cette_nuit: 0; la_nuit_dernière la_nuit_passée: -1
night: {near:night} // week_or_eight: dans (huit|8) jours
two_weeks_or_fifteen: dans (quinze|15) jours // two_weeks_or_fifteen_ago: il y a (quinze|15) jours
"""

_ITALIAN = """
near = oggi stamattina stasera: 0; domani: 1; ieri: -1;
    l'altro_ieri altro_ieri ieri_l'altro avantieri: -2; dopodomani: 2
number = 1.. un uno una un' | due | tre | quattro | cinque | sei | sette | otto | nove | dieci | undici | dodici |
    tredici | quattordici | quindici | sedici | diciassette | diciotto | diciannove | venti
number = 30/10.. trenta | quaranta | cinquanta | sessanta | settanta | ottanta | novanta // number = mezzo mezza: 0.5
few = alcuni alcune qualche: x
unit = minuto minuti: 1 minute; ora ore: 1 hour; giorno giorni notte notti: 1 day; settimana settimane: 1 week;
    mese mesi: 1 month; anno anni: 1 year
span = settimana: week; mese: month; anno: year; trimestre: quarter
month = 1.. gennaio | febbraio | marzo | aprile | maggio | giugno | luglio | agosto | settembre | ottobre |
    novembre | dicembre
weekday = 0.. lunedì | martedì | mercoledì | giovedì | venerdì | sabato | domenica
which = scorso scorsa: -1; questo questa quest': 0; prossimo prossima: 1
post = scorso scorsa passato passata: -1; prossimo prossima: 1
season = primavera: 3; estate: 6; autunno: 9; inverno: 12
holiday = natale: 12-25; vigilia_di_natale la_vigilia: 12-24; santo_stefano: 12-26; san_silvestro
    ultimo_dell'anno: 12-31;
    capodanno: 1-1; epifania befana: 1-6; pasqua: E+0; pasquetta lunedì_dell'angelo: E+1; venerdì_santo: E-2;
    giovedì_santo: E-3; domenica_delle_palme: E-7; martedì_grasso: E-47; giovedì_grasso: E-52; mercoledì_delle_ceneri:
    E-46;
    ferragosto: 8-15; ognissanti tutti_i_santi: 11-1; immacolata: 12-8; san_valentino: 2-14; san_giuseppe
    festa_del_papà: 3-19; festa_della_mamma: 5/2/6; festa_della_donna: 3-8; festa_della_liberazione: 4-25;
    festa_della_repubblica: 6-2; festa_dei_lavoratori: 5-1; santa_lucia: 12-13; san_lorenzo: 8-10; corpus_domini: E+60;
    sant'ambrogio: 12-7; i_morti: 11-2; pentecoste: E+49
day_word = primo: 1; due: 2; tre: 3; quattro: 4; cinque: 5; sei: 6; sette: 7; dieci: 10; quindici: 15; venti: 20
nth = 1.. primo | secondo | terzo | quarto // nth = ultimo: -1
gate = a al da dal del di fine fino in inizio metà nel il entro per ad: x
none: ogni {weekday} // ago: {n} {unit} fa // ahead: (tra|fra) {n} {unit} // ago_few: {few} {unit} fa
ahead_few: (tra|fra) {few} {unit}
bare_weekend: (nel|il|tutto il) (weekend|fine settimana)
weekend: {which} (weekend|fine settimana) ; (weekend|fine settimana) {which:post}
weekday_of_week: {weekday} della settimana {which:post} // bare_weekday: {bare_weekday:weekday}
month: {which} {month} // month_of_year: {month} [del|,] {year}
day_of_month: {day} {month} ; {day} {month} [del|,] {year}
days_of_month: [dal] {day} (al|-|–) {day2:day} {month} ; [dal] {day} (al|-|–) {day2:day} {month} {year}
season_of_year: {season} [del] {year} // holiday_of_year: {holiday} [del] {year} // coarse: metà [di] {atom}
first_day: inizio [di] {atom} // last_day: fine [di] {atom} // since: (dal|dallo|dalla|da) {part}
until: fino (a|al|alla) {part} // between: (dal|da) {part} (al|a) {part2:part} ; tra [il] {part} e [il] {part2:part}
bare_day: (il|dal|al|del) {ordinal:plain_day} ; (l'|dall'|all'|dell') {ordinal:plain_day} ; (il|dal|al)
    {ordinal:first_word} ; (il|dal|al) {ordinal:weekday_day} ; il giorno {ordinal:plain_day}
first_word = primo: 1
weekday_on: {weekday} (fra|tra) {n} {unit} // today_week: oggi a otto // ago_exact: {n} {unit} fa [,] stesso giorno
weekday_week: {weekday} a otto
weekday_of_week: {weekday} (della|di|la) settimana {which:post} ; {weekday} della {which} settimana ; {weekday} di
    {which} settimana ; la settimana {which:post} [,] {weekday}
none: ogni {weekday} ; un {weekday} sì e uno no ; uno di questi giorni ; signora maggio ; signor maggio ; tutti i
    {weekday} ; (di|il) {weekday} di solito
later: il giorno (dopo|seguente|successivo) ; la (mattina|sera|notte) (dopo|seguente) ; {n} {unit} dopo ; l'indomani
earlier: il giorno prima ; la (sera|notte|mattina) prima ; la vigilia prima ; {n} {unit} prima
anchor_weekday_after: (il|la) {weekday} (dopo|seguente|successivo|successiva)
anchor_weekday_before: (il|la) {weekday} (prima|precedente)
weekday_before: [il|la] {weekday} prima (di|del) {atom} // weekday_after: [il|la] {weekday} dopo [il] {atom}
whole_span: tutta [la|questa] {span} ; tutto [il|questo] {span}
nth_weekday: [il|l'] {nth} {weekday} di {atom}
month_nth_weekday: [il|l'|ogni] {nth} {weekday} (del|di ogni) mese
eom: fine mese // eoy: fine anno // by: (entro|per) [il|l'] {part} // weekday_pair: {weekday} e {weekday2:weekday}
weekday_range: (da|dal|dalla) {weekday} (a|al|alla) {weekday2:weekday}
dated_weekday: {weekday} [,] {date}
days_of_month: [dal|dall'] {day:wday} (al|all'|-|–) {day2:wday} {month}
until: fino (a|al|alla|all') {part}
shift_on: {n} {unit} dopo [il] {atom} ; il giorno dopo [il] {atom}
shift_back: {n} {unit} prima (di|del) {atom} ; il giorno prima (di|del) {atom}
between_day: dal {day:plain_day} al {day2:plain_day}
onwards: (a partire dal|a partire da|dal) {part} (in poi) ; a partire dal {part}
day_of_month: {day} {month} (del|di) '{year:year2} ; {day} {month} '{year:year2}
year: ?{year} ; (nel|del) '{year:year2} ; nel {year:short_year}
bare_quarter: [il|nel] {nth} trimestre
bare_season: ?{season} ; quest'{season} ; questa {season}
ago: {n} {unit} or sono
last_day_of_span: [l'] ultimo giorno (del|della) {span}
last_day: [l'] ultimo giorno di {atom}
since_ago: da {n} {unit}
ago_plus_half: {n} {unit} e (mezzo|mezza) fa
ahead_plus_half: (tra|fra) {n} {unit} e (mezzo|mezza)
bare_day: {ordinal:weekday_day}
near = domani_l'altro posdomani: 2; l'altroieri altroieri: -2
night = stanotte: 0; la_notte_scorsa: -1
night: {near:night} // week_or_eight: (tra|fra) otto giorni
two_weeks_or_fifteen: (tra|fra) (quindici|15) giorni // two_weeks_or_fifteen_ago: (quindici|15) giorni fa
"""

_PORTUGUESE = """
near = hoje esta_manhã hoje_à_noite: 0; amanhã: 1; ontem: -1;
    anteontem: -2; depois_de_amanhã: 2
number = 1.. um uma | dois duas | três | quatro | cinco | seis | sete | oito | nove | dez | onze | doze | treze |
    catorze quatorze | quinze | dezesseis dezasseis | dezessete dezassete | dezoito | dezenove dezanove | vinte
number = 30/10.. trinta | quarenta | cinquenta | sessenta | setenta | oitenta | noventa // number = meio meia: 0.5
few = alguns algumas vários várias uns umas: x
unit = minuto minutos: 1 minute; hora horas: 1 hour; dia dias noite noites: 1 day; semana semanas: 1 week; mês
    meses: 1 month;
    ano anos: 1 year; década décadas: 10 year
span = semana: week; mês: month; ano: year; trimestre: quarter
month = 1.. janeiro | fevereiro | março | abril | maio | junho | julho | agosto | setembro | outubro | novembro |
    dezembro
weekday = 0.. segunda-feira segunda | terça-feira terça | quarta-feira quarta | quinta-feira quinta |
    sexta-feira sexta | sábado | domingo
long_weekday = 0.. segunda-feira | terça-feira | quarta-feira | quinta-feira | sexta-feira
end_weekday = sábado: 5; domingo: 6
which = passado passada último última: -1; este esta neste nesta: 0; próximo próxima: 1
post = passado passada: -1; próximo próxima que_vem: 1
season = primavera: 3; verão: 6; outono: 9; inverno: 12
holiday = páscoa domingo_de_páscoa: E+0; natal: 12-25; véspera_de_natal consoada: 12-24; réveillon
    véspera_de_ano_novo passagem_de_ano: 12-31; ano_novo: 1-1; dia_de_reis: 1-6; sexta-feira_santa sexta_santa: E-2;
    carnaval: E-50~E-47; terça_de_carnaval terça-feira_de_carnaval: E-47; segunda_de_carnaval
    segunda-feira_de_carnaval: E-48;
    quarta-feira_de_cinzas quarta_de_cinzas: E-46; corpus_christi corpo_de_deus: E+60; tiradentes: 4-21;
    dia_do_trabalhador dia_do_trabalho: 5-1; são_joão: 6-24; noite_de_são_joão: 6-23; santo_antónio santo_antônio:
    6-13; sete_de_setembro
    dia_da_independência: 9-7; nossa_senhora_aparecida dia_das_crianças: 10-12; finados: 11-2; todos_os_santos: 11-1;
    proclamação_da_república: 11-15; consciência_negra: 11-20; dia_dos_namorados: 6-12; são_valentim: 2-14;
    dia_de_portugal: 6-10; imaculada_conceição: 12-8; dia_das_mães: 5/2/6; dia_dos_pais: 8/2/6; dia_da_mãe: 5/1/6;
    dia_do_pai: 3-19
nth = 1.. primeiro primeira | segundo segunda | terceiro terceira | quarto quarta // nth = último última: -1
day_word = primeiro um: 1; dois: 2; três: 3; quatro: 4; cinco: 5; sete: 7; dez: 10; quinze: 15; vinte: 20
gate = ao até de desde do em na no para a pra dia: x
none: (cada|toda) {weekday} ; todo {weekday} // ago: há {n} {unit} [atrás] ; {n} {unit} atrás ; faz {n} {unit}
ahead: (em|daqui a|dentro de) {n} {unit} // ago_few: há {few} {unit} ; {few} {unit} atrás
ahead_few: (em|daqui a|dentro de) {few} {unit}
bare_weekend: (no|o|todo o) fim de semana
weekend: {which} fim de semana ; fim de semana {which:post}
weekday_of_week: {weekday} da semana {which:post}
bare_weekday: {bare_weekday:long_weekday} ; ?{bare_weekday:end_weekday} // month: {which} {month}
month_of_year: {month} [de|,] {year} ; {month} do ano {which:post}
day_of_month: {day} de {month} ; {day} de {month} [de|do|,] {year} ; {day} de {month} do ano {which:post}
days_of_month: [de|do] {day} (a|-|–) {day2:day} de {month} ; [de|do] {day} (a|-|–) {day2:day} de {month} [de] {year}
season_of_year: {season} de {year} // coarse: meados de {atom} // first_day: (início|começo) de {atom}
last_day: (fim|final) de {atom} // since: desde [o|a] {part} // until: até [o|a|ao] {part}
between: (de|do) {part} (a|ao|até) [o] {part2:part} ; entre [o] {part} e [o] {part2:part}
bare_day: [no|o|ao] dia {ordinal:plain_day} ; (no|o|ao|até) dia {ordinal:day_word} ; dia {ordinal} ; [no|o] dia
    {ordinal:first_word}
first_word = primeiro: 1
bare_weekday: (na|no|até|até a|até o|para) {bare_weekday:weekday} ; {bare_weekday:end_weekday} ; (esta|nesta)
    {bare_weekday:weekday} ; {bare_weekday:weekday} (de manhã|à noite|à tarde)
none: (às|aos) {weekday}s ; às {weekday}-feiras ; (às|aos) {weekday} ; {weekday} sim ; {weekday} não ; toda
    {weekday} ; todo {weekday} ; rio de janeiro ; um dia destes
today_on: de hoje a {n} {unit}
weekday_on: {weekday} daqui a {n} {unit}
ahead_sum: (em|daqui a|dentro de) {n} {unit} e {n2:n} {unit2:unit}
weekday_of_week: {weekday} da semana {which:post} ; {weekday} da {which} semana ; na {which} semana [,] {weekday}
    ; {weekday} {which:of_this} semana
of_this = desta: 0
later: no dia seguinte ; {n} {unit} (depois|mais tarde) ; na (manhã|noite) seguinte
earlier: na véspera ; de véspera ; no dia anterior ; na noite anterior ; {n} {unit} antes ; um dia antes
anchor_weekday_after: (na|no|a|o) {weekday} (seguinte|depois)
anchor_weekday_before: (na|no|a|o) {weekday} (anterior|antes)
weekday_before: (na|no|a|o) {weekday} antes (de|do) {atom} // weekday_after: (na|no|a|o) {weekday} depois (de|do) {atom}
whole_span: toda [a|esta] {span} ; todo [o|este] {span} ; a {span} toda ; a {span} inteira ; o {span} inteiro
nth_weekday: [no|na|o|a] {nth} {weekday} de {atom}
month_nth_weekday: [no|na|todo|toda|o|a] {nth} {weekday} (do|de cada) mês
eom: (fim|final) do mês
eoy: (fim|final) do ano
by: (até|para) [o|a|ao|dia] {part}
weekday_pair: {weekday} e {weekday2:weekday}
weekday_range: (de|da) {weekday} (a|à|até) {weekday2:weekday}
dated_weekday: {weekday} [,|dia] {date}
days_of_month: [de|do|dia] {day:wday} (a|ao|-|–|até) {day2:wday} de {month}
day_of_month: dia {day} de {month} ; {day} de {month} de '{year:year2}
shift_on: {n} {unit} depois (de|do) {atom}
shift_back: {n} {unit} antes (de|do) {atom} ; véspera (de|do) {atom}
since: desde [o|a|dia] {part} ; desde o dia {part}
until: até [o|a|ao] {part}
onwards: a partir (de|do) {part} ; de {part} em diante
bare_quarter: [o|no] {nth} trimestre
between_day: (de|do dia|do) {day:plain_day} (a|ao|até) {day2:plain_day}
between: (de|do) {part} (a|ao|até) [o] {part2:part}
bare_season: ?{season} ; (este|neste) {season}
span_year: ano {which:post}
last_day_of_span: [o|no] último dia (do|da) {span}
last_day: [o|no] último dia de {atom}
bare_day: {ordinal:weekday_day}
ago_plus_half: há {n} {unit} e (meio|meia) // ahead_plus_half: daqui a {n} {unit} e (meio|meia)
near = antes_de_ontem: -2 // bare_weekday: (desde|desde a|a partir de) {bare_weekday:weekday}
night = esta_noite: 0; a_noite_passada: -1
night: {near:night} // week_or_eight: daqui a oito dias
two_weeks_or_fifteen: (daqui a|em|dentro de) (quinze|15) dias // two_weeks_or_fifteen_ago: há (quinze|15) dias
"""

_CHINESE_AND_JAPANESE = """
near = 今天 今日 今晚 今早 きょう: 0; 明天 明日 あした: 1; 昨天 昨日 昨晚 きのう: -1;
    前天 一昨日 おととい: -2; 后天 後天 明後日 あさって: 2 // near = 大前天: -3 // near = 大后天 大後天: 3
few = 几 幾 数: x
unit = 分钟 分鐘: 1 minute; 小时 小時 个小时 個小時 時間: 1 hour; 天 日: 1 day;
    周 週 星期 个星期 個星期 礼拜 个礼拜 禮拜 個禮拜 週間: 1 week; 个月 個月 ヶ月 か月 カ月 ケ月 箇月: 1 month;
    年: 1 year
long = 天 日間: 1 day; 个月 個月 ヶ月 か月 カ月: 1 month; 周 週 星期 个星期 個星期 週間: 1 week; 年 年間: 1 year;
    小时 小時 時間: 1 hour; 分钟 分鐘: 1 minute
span = 周 週 星期 礼拜 禮拜: week; 月: month
which = 上 上个 上個: -1; 这 這 本 这个 這個: 0; 下 下个 下個: 1
yearly = -1.. 去年 昨年 | 今年 | 明年 来年 來年 // yearly = 前年 一昨年 おととし: -2 // yearly = 后年 後年 再来年: 2
monthly = -1.. 先月 | 今月 | 来月 // monthly = 先々月: -2 // monthly = 再来月: 2
weekly = -1.. 先週 上周 上週 上星期 上个星期 上個星期 上礼拜 上禮拜 上个礼拜 |
    今週 本周 这周 這週 本週 这星期 这个星期 | 来週 下周 下週 下星期 下个星期 下個星期 下礼拜 下禮拜 下个礼拜
weekly = 先々週 上上周: -2 // weekly = 再来週 下下周: 2
weekday = 0.. 一 月曜 月曜日 | 二 火曜 火曜日 | 三 水曜 水曜日 | 四 木曜 木曜日 | 五 金曜 金曜日 | 六 土曜 土曜日 |
    日 天 日曜 日曜日
bare_weekday = 0.. 月曜日 | 火曜日 | 水曜日 | 木曜日 | 金曜日 | 土曜日 | 日曜日
duration: {n}{unit:long} // near: {near} // none: (每|毎)(周|週|星期|年|月|天|日) // ago: {n}{unit}[以|之]前
ahead: {n}{unit}[以|之](后|後) // ago_few: {few}{unit}[以|之]前 // ahead_few: {few}{unit}[以|之](后|後)
span: {which}{span} // span_week: {which:weekly} // span_month: {which:monthly} // span_year: {which:yearly}
weekend: {which:weekly}末 ; {which:weekly}の週末 // weekday_of_week: {which:weekly}[の]{weekday}
bare_weekday: {bare_weekday} // year: {year}年
month_of_year: {year}年{month:mon}月[份] ; {which:yearly}[の|的]{month:mon}月[份] // bare_month: {month:mon}月[份]
day_of_month: {month:mon}月{day:cjk_day}(日|号|號) ; {year}年{month:mon}月{day:cjk_day}(日|号|號) ;
    {which:yearly}[の|的]{month:mon}月{day:cjk_day}(日|号|號)
day_of_span: {which}月{day:cjk_day}(日|号|號) // bare_day: {ordinal:cjk_day}(号|號)
"""

LANGUAGES: Mapping[str, str] = {
    "en": _SHARED + _ENGLISH,
    "de": _SHARED + _GERMAN,
    "es": _SHARED + _SHARED_ROMANCE + _SPANISH,
    "fr": _SHARED + _SHARED_ROMANCE + _FRENCH,
    "it": _SHARED + _SHARED_ROMANCE + _ITALIAN,
    "pt": _SHARED + _SHARED_ROMANCE + _PORTUGUESE,
    "nl": _SHARED + DUTCH,
    "pl": _SHARED + POLISH,
    "zh": _CHINESE_AND_JAPANESE,
}

NOT_A_YEAR_BEFORE = frozenset(
    "dollars dollar euros euro pounds pound usd eur gbp yen people persons guests users calories kcal steps words pages"
    " miles mile km m meters metres feet ft kg g mg ml l hours minutes days weeks months years percent % € $ £ ¥ times"
    " square watts points employees students leute kalorien schritte personas personnes persone pessoas mb gb".split()
)
"""What is counted or measured: the number before it is no year."""

FRACTIONS = frozenset("1/2 1/3 2/3 1/4 3/4 1/5 1/8 10/10 5/5 24/7 9/10 8/10 7/10".split())
"""Written like a day and a month, but seldom meant so."""
