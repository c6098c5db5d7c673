"""The Dutch words of dates, in the form that `vocabulary` describes."""

__all__ = ["DUTCH"]

DUTCH = """
near = vandaag vanmorgen vanochtend vanmiddag vanavond: 0; morgen morgenochtend morgenmiddag morgenavond: 1;
    gisteren gisteravond gistermiddag gisterochtend gisternacht: -1; eergisteren: -2; overmorgen: 2
number = 1.. een één | twee | drie | vier | vijf | zes | zeven | acht | negen | tien | elf | twaalf | dertien |
    veertien | vijftien | zestien | zeventien | achttien | negentien | twintig
number = 30/10.. dertig | veertig | vijftig | zestig | zeventig | tachtig | negentig
number = anderhalf anderhalve: 1.5; half halve een_half: 0.5; tweeënhalf tweeënhalve: 2.5; hele heel: 1
few = een_paar enkele enige: x
unit = minuut minuten minuutje minuutjes: 1 minute; uur uren uurtje: 1 hour; dag dagen dagje nacht nachten: 1 day;
    week weken weekje: 1 week; maand maanden: 1 month; jaar jaren: 1 year
span = week: week; maand: month; jaar: year; kwartaal: quarter
month = 1.. januari | februari | maart | april | mei | juni | juli | augustus | september | oktober | november |
    december
weekday = 0.. maandag maandagochtend maandagmiddag maandagavond | dinsdag dinsdagochtend dinsdagmiddag dinsdagavond |
    woensdag woensdagochtend woensdagmiddag woensdagavond | donderdag donderdagochtend donderdagmiddag donderdagavond |
    vrijdag vrijdagochtend vrijdagmiddag vrijdagavond | zaterdag zaterdagochtend zaterdagmiddag zaterdagavond |
    zondag zondagochtend zondagmiddag zondagavond
which = vorige vorig afgelopen verleden: -1; deze dit: 0; volgende volgend: 1; aanstaande komende komend: c
season = lente voorjaar: 3; zomer: 6; herfst najaar: 9; winter: 12
holiday = koningsdag: 4-27; bevrijdingsdag: 5-5; dodenherdenking: 5-4; hemelvaart hemelvaartsdag: E+39;
    pinksteren eerste_pinksterdag: E+49; tweede_pinksterdag pinkstermaandag: E+50; pasen eerste_paasdag paaszondag: E+0;
    tweede_paasdag paasmaandag: E+1; goede_vrijdag: E-2; sinterklaasavond pakjesavond: 12-5; kerstavond: 12-24;
    eerste_kerstdag kerst kerstmis: 12-25; tweede_kerstdag: 12-26; oudejaarsavond oudjaar oudejaarsdag: 12-31;
    oud_en_nieuw: 12-31; nieuwjaarsdag nieuwjaar: 1-1; sint_maarten: 11-11; moederdag: 5/2/6; vaderdag: 6/3/6;
    valentijnsdag: 2-14; driekoningen: 1-6; carnaval: E-49~E-47; prinsjesdag: 9/3/1; aswoensdag: E-46;
    dag_van_de_arbeid: 5-1; allerheiligen: 11-1; witte_donderdag: E-3
day_word = 1.. eerste | tweede | derde | vierde | vijfde | zesde | zevende | achtste | negende | tiende | elfde |
    twaalfde | dertiende | veertiende | vijftiende | zestiende | zeventiende | achttiende | negentiende | twintigste |
    eenentwintigste | tweeëntwintigste | drieëntwintigste | vierentwintigste | vijfentwintigste | zesentwintigste |
    zevenentwintigste | achtentwintigste | negenentwintigste | dertigste | eenendertigste
nth = 1.. eerste | tweede | derde | vierde // nth = laatste: -1
gate = in op sinds tot voor vanaf eind begin half per na van: x
none: (goede|elke|iedere) {weekday} ; om de week ; (elke|iedere) {span} ; om de week op {weekday} ; (op|de) {weekday}en
ago: {n} {unit} (geleden|terug)
ago_few: {few} {unit} geleden
ahead: over {n} {unit}
ahead_few: over {few} {unit}
weekend: {which} weekend
bare_weekend: (in het|dit) weekend
bare_weekday: {bare_weekday:weekday} ; op {bare_weekday:weekday}
weekday_of_week: {which} week {weekday} ; {weekday} {which} week ; {weekday} (in|van) {which} week
weekday_on: {weekday} over {n} {unit} // today_on: vandaag over {n} {unit} // tomorrow_on: morgen over {n} {unit}
month: {which} {month} // month_of_year: {month} {year} // day_of_month: {day} {month} ; {day} {month} {year} ;
    de {day:day_word} [van] {month} ; {day:ordinal} {month}
bare_day: (de|op de|sinds de|tot de|vanaf de|per de) {ordinal} ; [op|sinds|tot|vanaf] de {ordinal:day_word} ;
    (de|op) {ordinal:weekday_ordinal}
days_of_month: [van] {day:wday} (-|–|tot|t/m|tot en met) {day2:wday} {month} ;
    [van] {day:wday} (-|–|tot|t/m|tot en met) {day2:wday} {month} {year}
season_of_year: {season} [van] {year} // bare_season: ?{season} ; (deze|dit) {season} // holiday: {which} {holiday}
holiday_of_year: {holiday} [van|in] {year} // coarse: (midden|half|medio) {atom} // first_day: begin {atom}
last_day: eind {atom} ; einde {atom} // last_day_of_span: (eind|einde) [van] (de|deze|het|dit) {span}
eom: eind van de maand ; eind deze maand // eoy: eind van het jaar ; eind dit jaar ; jaareinde
since: sinds [de] {part} // until: (tot|tot en met|t/m|tot aan) [de] {part} // onwards: vanaf [de] {part} ; per {part}
by: (uiterlijk|uiterlijk op) [de] {part} // between: van {part} (tot|t/m|tot en met) {part2:part} ;
    tussen [de] {part} en [de] {part2:part} ; {part} (t/m|tot en met) {part2:part}
dated_weekday: {weekday} [,] {date} // weekday_pair: {weekday} en {weekday2:weekday}
weekday_range: [van] {weekday} (tot|t/m|tot en met|-|–) {weekday2:weekday}
later: de (dag|avond|ochtend) (erna|daarna|erop) ; {n} {unit} (later|erna|daarna) ; de volgende (dag|ochtend|avond)
earlier: de (dag|avond|nacht|ochtend) (ervoor|daarvoor|tevoren|ervóór) ; {n} {unit} (eerder|ervoor|daarvoor)
week_later: een week (later|erna|daarna) ; de week erna // week_earlier: een week (eerder|ervoor) ; de week ervoor
anchor_weekday_after: de {weekday} (erna|daarna|erop) // anchor_weekday_before: de {weekday} (ervoor|daarvoor)
weekday_before: de {weekday} voor [de] {atom} // weekday_after: de {weekday} na [de] {atom}
shift_on: {n} {unit} na [de] {atom} ; de dag na {atom} // shift_back: {n} {unit} voor [de] {atom} ; de dag voor {atom}
whole_span: [de] hele {span} ; [het] hele {span} ; heel de {span} // rest_of_span: de rest van (de|het) {span}
nth_weekday: [de|op de|elke] {nth} {weekday} (van|in) {atom} // month_nth_weekday: [de|op de|elke] {nth} {weekday}
    (van|in) (de|elke) maand // bare_quarter: [het|in het] {nth} kwartaal ; q{quarter}
year: ?{year} ; in '{year:year2} // span_after_next: over twee {span} // ago_exact: vandaag {n} {unit} geleden
last_day_of_span: de laatste dag van (de|het|deze) {span}
night: {near:night}
since_ago: sinds {n} {unit} ; al {n} {unit}
night = vannacht: 0; afgelopen_nacht: -1
between_day: van de {day:ordinal} (tot|t/m|tot en met) [de] {day2:ordinal}
"""
