"""The Polish words of dates, in the form that `vocabulary` describes."""

__all__ = ["POLISH"]

POLISH = """
near = dzisiaj dziś dzis dziś_wieczorem dziś_rano dzisiaj_wieczorem: 0; jutro jutro_rano jutro_wieczorem: 1;
    wczoraj wczoraj_wieczorem zeszłej_nocy: -1; przedwczoraj: -2; pojutrze: 2
number = 1.. jeden jedna jedno jedną | dwa dwie | trzy | cztery | pięć | sześć | siedem | osiem | dziewięć | dziesięć |
    jedenaście | dwanaście | trzynaście | czternaście | piętnaście | szesnaście | siedemnaście | osiemnaście |
    dziewiętnaście | dwadzieścia // number = 30/10.. trzydzieści | czterdzieści | pięćdziesiąt | sześćdziesiąt
number = 2.. dwóch | trzech | czterech | pięciu | sześciu | siedmiu | ośmiu | dziewięciu | dziesięciu | jedenastu |
    dwunastu
number = pół: 0.5; półtora półtorej: 1.5; cały całą całe: 1; równe: 1
few = kilka parę: x
unit = minuta minuty minut minutę: 1 minute; godzina godziny godzin godzinę: 1 hour; dzień dni dnia noc noce nocy doba
    dobę doby: 1 day; tydzień tygodnie tygodni tygodnia: 1 week; miesiąc miesiące miesięcy miesiąca: 1 month;
    rok lata lat roku: 1 year
span = tydzień tygodniu tygodnia: week; miesiąc miesiącu miesiąca: month; rok roku: year; kwartał kwartale: quarter
month = 1.. styczeń stycznia styczniu | luty lutego lutym | marzec marca marcu | kwiecień kwietnia kwietniu |
    maj maja maju | czerwiec czerwca czerwcu | lipiec lipca lipcu | sierpień sierpnia sierpniu |
    wrzesień września wrześniu | październik października październiku | listopad listopada listopadzie |
    grudzień grudnia grudniu
month_of = 1.. stycznia | lutego | marca | kwietnia | maja | czerwca | lipca | sierpnia | września | października |
    listopada | grudnia
weekday = 0.. poniedziałek poniedziałku | wtorek wtorku | środa środę środy | czwartek czwartku | piątek piątku |
    sobota sobotę soboty | niedziela niedzielę niedzieli
which = zeszły zeszłą zeszłym zeszłego zeszłej ubiegły ubiegłą ubiegłym ubiegłego ubiegłej ostatni ostatnią poprzedni
    poprzednią minioną miniony: -1; ten tę tym tego tej: 0; przyszły przyszłą przyszłym przyszłego przyszłej następny
    następną następnym następnego: 1; najbliższy najbliższą nadchodzący nadchodzącą: c
season = wiosna wiosną wiosnę: 3; lato latem: 6; jesień jesienią: 9; zima zimą zimę: 12
holiday = wigilia wigilię wigilii: 12-24; boże_narodzenie bożym_narodzeniu bożego_narodzenia: 12-25;
    drugi_dzień_świąt: 12-26; sylwester sylwestra sylwestrze: 12-31; nowy_rok nowym_roku: 1-1; trzech_króli: 1-6;
    wielkanoc wielkanocy wielkanocą: E+0; poniedziałek_wielkanocny lany_poniedziałek: E+1; wielki_piątek: E-2;
    wielki_czwartek: E-3; boże_ciało: E+60; wszystkich_świętych: 11-1; zaduszki: 11-2; święto_niepodległości: 11-11;
    mikołajki: 12-6; andrzejki: 11-29; dzień_matki: 5-26; dzień_ojca: 6-23; dzień_dziecka: 6-1; walentynki: 2-14;
    tłusty_czwartek: E-52; dzień_kobiet: 3-8; zielone_świątki: E+49; święto_pracy: 5-1; dzień_nauczyciela: 10-14;
    środa_popielcowa popielec: E-46; święto_konstytucji: 5-3; dzień_babci: 1-21; dzień_dziadka: 1-22
day_word = 1.. pierwszego | drugiego | trzeciego | czwartego | piątego | szóstego | siódmego | ósmego | dziewiątego |
    dziesiątego | jedenastego | dwunastego | trzynastego | czternastego | piętnastego | szesnastego | siedemnastego |
    osiemnastego | dziewiętnastego | dwudziestego | dwudziestego_pierwszego | dwudziestego_drugiego |
    dwudziestego_trzeciego | dwudziestego_czwartego | dwudziestego_piątego | dwudziestego_szóstego |
    dwudziestego_siódmego | dwudziestego_ósmego | dwudziestego_dziewiątego | trzydziestego | trzydziestego_pierwszego
nth = 1.. pierwszy pierwsza pierwszą | drugi druga drugą | trzeci trzecia | czwarty czwarta // nth = ostatni ostatnia
    ostatnią: -1
gate = w we do od po na za z przed: x
none: (każdy|każdą|każda|co) {weekday} ; w każdą {weekday} ; (co|każdy|każdego) {span} ; w (środy|soboty|niedziele) ;
    w poniedziałki ; we wtorki ; w czwartki ; w piątki
ago: {n} {unit} temu ; (minęły|minęło|minął) {n} {unit}
ago_one: {unit:one_unit} temu
ago_few: {few} {unit} temu
ahead: za {n} {unit}
ahead_one: za {unit:one_unit}
one_unit = tydzień: 1 week; miesiąc: 1 month; rok: 1 year; dzień: 1 day; godzinę: 1 hour
ahead_few: za {few} {unit} // ahead_range: za {n} (-|–|lub|do) {n2:n} {unit}
weekend: w {which} weekend ; {which} weekend
bare_weekend: w weekend
weekday: w {which} {weekday} ; we {which} {weekday}
bare_weekday: (w|we) {bare_weekday:weekday} ; {bare_weekday:weekday} ; na {bare_weekday:weekday}
weekday_of_week: (w|we) {weekday} (w|z) {which} tygodniu ; (w|we) {weekday} {which} tygodnia ;
    w {which} tygodniu [,] (w|we) {weekday} ; {weekday} w {which} tygodniu ; w {which} {weekday} tygodnia
weekday_on: (w|we) {weekday} za {n} {unit}
weekday_week: (w|we) {weekday} za tydzień ; {weekday} za tydzień
today_on: dziś za {n} {unit}
today_week: dziś za tydzień ; dokładnie za tydzień
span: w {which} {span} ; {which} {span} // month: w {which} {month} ; {which} {month}
month_of_year: {month} {year} [roku|r.] ; w {month} {year} [roku|r.] ; {month} {which} roku ; w {month} {which} roku
day_of_month: {day} {month:month_of} ; {day} {month:month_of} {year} [roku|r.] ; {day} {month:month_of} {which} roku
bare_day: {ordinal:day_word} ; (do|od|na|z) {ordinal:day_word} ; (do|od|na|z) {ordinal:plain_go} ; {ordinal:plain_go} ;
    (w|we) {ordinal:weekday_word}
days_of_month: [od] {day:wday} (-|–|do) {day2:wday} {month:month_of} ;
    [od] {day:wday} (-|–|do) {day2:wday} {month:month_of} {year}
season_of_year: {season} {year} [roku] // bare_season: {season} ; (tej|tego) {season:seasonal}
seasonal = wiosny: 3; lata: 6; jesieni: 9; zimy: 12
holiday_of_year: {holiday} {year} // coarse: (w połowie|połowa) {atom} // first_day: (na początku|początek) {atom}
last_day: (pod koniec|koniec|do końca|końca|końcem) {atom}
last_day_of_span: (pod koniec|do końca|końca|koniec) {span}
    ; (do końca|końca) tego {span} // eom: do końca miesiąca ; koniec miesiąca // eoy: do końca roku ; koniec roku
since: (od) {part} // until: do {part} // between: od {part} do {part2:part} ;
    między {part} a {part2:part} // dated_weekday: (w|we) {weekday} [,] {date} ; {weekday} [,] {date}
later: (następnego|kolejnego) dnia ; dzień (później|po) ; {n} {unit} (później|potem) ; {unit:one_unit} później ;
    nazajutrz ; na drugi dzień
earlier: dzień (wcześniej|przed tym) ; dnia poprzedniego ; {n} {unit} wcześniej ; {unit:one_unit} wcześniej ;
    (wieczór|noc|wieczorem) wcześniej ; poprzedniego (dnia|wieczoru)
anchor_weekday_after: w {which:next_one} {weekday} // next_one = kolejny kolejną: 1
weekday_before: (w|we) {weekday} przed {atom} // weekday_after: (w|we) {weekday} po {atom}
shift_on: {n} {unit} po {atom} ; dzień po {atom} // shift_back: {n} {unit} przed {atom} ; dzień przed {atom}
whole_span: (cały|przez cały|całe) {span} // weekday_pair: [w] {weekday} i {weekday2:weekday}
rest_of_span: przez resztę {span}
weekday_range: od {weekday} do {weekday2:weekday} ; {weekday} (-|–) {weekday2:weekday}
nth_weekday: [w|we] {nth} {weekday} {atom} // month_nth_weekday: [w|we|każdy|w każdy|w każdą] {nth} {weekday} miesiąca
last_day_of_span: ostatniego dnia {span} // season: {which} {season:seasonal} // since_ago: od {n} {unit}
year: ?{year} ; [w] {year} (roku|r.) ; w '{year:year2} // bare_quarter: [w] {nth} kwartale ; q{quarter}
onwards: od {part}
"""
