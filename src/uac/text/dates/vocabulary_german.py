"""The German words of dates, in the form that `vocabulary` describes."""

__all__ = ["GERMAN"]

GERMAN = """
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
gate = ab am anfang auf bis ende für im in jahr jahre mitte nach seit vom von vor zum: x
none: (für|auf) jan ; (guten|am|jeden|der|den|dem|eines|zum|gegen|nächsten|schönen) morgen ; jeden {weekday}
ago: vor {n} {unit} // ahead: in {n} {unit} // ago_few: vor {few} {unit} // ahead_few: in {few} {unit}
weekend: {which} wochenende
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
eoy: jahresende // eom: monatsende ; ende monat // weekday_pair: {weekday} (und|&|oder|/) {weekday2:weekday}
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
