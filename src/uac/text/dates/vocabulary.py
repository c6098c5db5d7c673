"""The words of dates, by language.

A table line gives a slot's words and their meanings, 'name = word word: meaning; word: meaning', or numbers in a row,
'name = 1.. word | word' ('30/10..' counts in tens). A pattern line gives a rule's phrases, 'rule: phrase ; phrase',
each as it is said; '//' separates rules. `{slot}` is a word of a table, `{field:slot}` gives it another name, `[a|b]`
is optional, `(a|b)` is one of them. A phrase with `?` before it counts only after a word of the language's gate. Words
are compared without letter case and accents; a word with `^` before it needs a capital letter; `_` is a space. A
phrase of one language never contains one of another.
"""

from collections.abc import Mapping

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
near = today tonight this_morning this_afternoon this_evening: 0; tomorrow: 1; yesterday last_night: -1;
    day_before_yesterday the_day_before_yesterday: -2; day_after_tomorrow the_day_after_tomorrow: 2
number = 1.. one a an | two a_couple couple_of a_couple_of | three | four | five | six | seven | eight | nine | ten |
    eleven | twelve a_dozen | thirteen | fourteen | fifteen | sixteen | seventeen | eighteen | nineteen | twenty
number = 30/10.. thirty | forty | fifty | sixty | seventy | eighty | ninety | a_hundred one_hundred
number = half_a half_an: 0.5; one_and_a_half: 1.5; two_and_a_half: 2.5; three_and_a_half: 3.5
few = a_few few several some: x
unit = minute minutes min mins: 1 minute; hour hours hr hrs: 1 hour; day days: 1 day; week weeks wk wks: 1 week;
    month months: 1 month; year years yr yrs: 1 year; fortnight fortnights: 2 week; decade decades: 10 year;
    century centuries: 100 year; quarter quarters: 3 month
span = week: week; month: month; year: year; quarter: quarter
month = 1.. january jan jan. | february feb feb. | march mar mar. | april apr apr. | may | june jun jun. |
    july jul jul. | august aug aug. | september sep sep. sept sept. | october oct oct. | november nov nov. |
    december dec dec.
bare_month = ^january: 1; ^february: 2; ^april: 4; ^june: 6; ^july: 7; ^august: 8; ^september: 9; ^october: 10;
    ^november: 11; ^december: 12
weekday = 0.. monday ^mon ^mon. | tuesday tue tue. tues tues. | wednesday ^wed ^wed. |
    thursday thu thu. thur thurs thurs. | friday fri fri. | saturday ^sat ^sat. | sunday ^sun ^sun.
bare_weekday = 0.. monday | tuesday | wednesday | thursday | friday | saturday | sunday
which = last past this_past: -1; this: 0; next coming this_coming upcoming: 1
other = last: -1; next: 1
season = spring: 3; summer: 6; fall autumn: 9; winter: 12
holiday = christmas christmas_day xmas: christmas; christmas_eve xmas_eve: christmas_eve; boxing_day: boxing_day;
    new_year's_day new_years_day: new_year; new_year's_eve new_years_eve: new_year_eve;
    valentine's_day valentines_day: valentine; halloween: halloween; thanksgiving thanksgiving_day: thanksgiving;
    easter easter_sunday: easter; easter_monday: easter_monday; good_friday: good_friday
decade_word = 30/10.. thirties | forties | fifties | sixties | seventies | eighties | nineties
decade_word = twenties: 20
day_word = 1.. first | second | third | fourth | fifth | sixth | seventh | eighth | ninth | tenth | eleventh |
    twelfth | thirteenth | fourteenth | fifteenth | sixteenth | seventeenth | eighteenth | nineteenth | twentieth
day_word = thirtieth: 30
nth = 1.. first 1st | second 2nd | third 3rd | fourth 4th // nth = last: -1
gate = after before by during from in of on since through till until: x
duration_and_a_half: a {unit} and a half
none: (every|each|most|any|another|black|ash) {weekday} ; (every|each|most|any) {span} ;
    (every|each|most) {holiday} ; (every|each|most) {season} ; (every|each|most) {Month}
ago: {n} {unit} ago ; {n} {unit} back // ago_exact: {n} {unit} ago (today|to the day)
ahead_exact: {n} {unit} from today // ago_and_a_half: a {unit} and a half ago
ahead: in {n} {unit} [' time|time|from now] ; {n} {unit} from now ; {n} {unit} hence
ago_range: {n} (-|–|to|or) {n2:n} {unit} ago ; between {n} and {n2:n} {unit} ago
ahead_range: in {n} (-|–|to|or) {n2:n} {unit} ; {n} (-|–|to|or) {n2:n} {unit} from now // ago_few: {few} {unit} ago
ahead_few: in {few} {unit} ; {few} {unit} from now // until_today: [the] (last|past) {n} {unit} ; the past {unit}
until_today_few: [the] (last|past) (few|several|couple of) {unit} // from_today: [the] next {n} {unit}
from_today_few: [the] next (few|several|couple of) {unit} // span_before_last: [the] {span} before last
span_after_next: [the] {span} after next // weekend: {which} weekend ; [the] weekend of {which} week
bare_weekend: (over|on|at|during) the weekend // bare_weekday: {bare_weekday} ; ?{bare_weekday:weekday}
weekday_of_week: {weekday} [of|,] {which} week ; {which} week [on|,] {weekday}
weekday_before_last: [the] {weekday} before last // weekday_after_next: [the] {weekday} after next
month: {which} {month:Month} ; {which:other} {month} // bare_month: {month:bare_month} ; ?{month}
month_of_year: {month} [,|of] {year} ; {month} [,|of] {which} year
day_of_month: {month} [the] {day} ; {month} [the] {day} [,|of|in] {year} ; {month} [the] {day} [,|of] {which} year ;
    [the] {day} [of] {month:Month} ; the {day} of {month} ; [the] {day} [of] {month} [,|of|in] {year} ;
    [the] {day} [of] {month} [,|of] {which} year
days_of_month: {month} [the] {day} (-|–|—|to|through|until) [the] {day2:day} ;
    {month} [the] {day} (-|–|—|to|through|until) [the] {day2:day} [,|of] {year} ;
    (from|between) {month} [the] {day} (-|–|—|to|through|until|and) [the] {day2:day} ;
    (from|between) {month} [the] {day} (-|–|—|to|through|until|and) [the] {day2:day} [,|of] {year} ;
    [the] {day} (-|–|—|to|through|until) [the] {day2:day} [of] {month:Month} ;
    [the] {day} (-|–|—|to|through|until) [the] {day2:day} [of] {month} [,|of] {year} ;
    (from|between) [the] {day} (-|–|—|to|through|until|and) [the] {day2:day} [of] {month:Month} ;
    (from|between) [the] {day} (-|–|—|to|through|until|and) [the] {day2:day} [of] {month} [,|of] {year}
bare_day: the {ordinal} ; ?the {ordinal:day_word} ; the {ordinal} of (the|this) month ;
    the {ordinal:day_word} of (the|this) month
day_of_span: the {day} of {which} month // nth_weekday: [the] {nth} {weekday} (of|in) {atom}
year: the year {year} ; ?{year} // season_of_year: [the] {season} [of|,] {year} ; [the] {season} [of] {which} year
bare_season: ?[the] {season}
quarter_of_year: q{quarter} [of|,|-|/] {year} ; [the] {nth} quarter [of] {year} ; q{quarter} [of|,] {which} year ;
    [the] {nth} quarter [of] {which} year
bare_quarter: q{quarter} // holiday: {which} {holiday}
holiday_of_year: {holiday} [of|,|in] {year} ; {holiday} [of] {which} year
decade: [the] {decade}s ; the [']{decade:decade2}s ; the {decade:decade_word}
coarse: [the] (early|late|mid) [-|in] {atom} ; [in] [the] middle of {atom}
coarse_span: [in] [the] middle of (the|this) {span} // first_day: [the] (beginning|start) of {atom}
first_day_of_span: [the] (beginning|start) of (the|this) {span} // last_day: [the] end of {atom}
last_day_of_span: [the] end of (the|this) {span}
shift_back: {n} {unit} (before|prior to) {atom} ; [the] day before {atom}
shift_on: {n} {unit} (after|from|following) {atom} ; [the] day after {atom} // dated_weekday: {weekday} [,] {date}
week_of: [the] week of {date} // since: [ever] since {part}
onwards: (starting|from) {part} (on|onward|onwards)
until: (until|till|til|up to|up until|through) {part} // by: by {part}
between: [from] {part} (to|until|till|through|-|–|—) {part2:part} ; between {part} and {part2:part}
"""

_GERMAN = """
near = heute heute_morgen heute_früh diesen_morgen: 0; morgen: 1; gestern gestern_morgen: -1;
    vorgestern: -2; übermorgen uebermorgen: 2
number = 1.. ein eine einen einem einer | zwei | drei | vier | fünf | sechs | sieben | acht | neun | zehn | elf |
    zwölf | dreizehn | vierzehn | fünfzehn | sechzehn | siebzehn | achtzehn | neunzehn | zwanzig
number = 30/10.. dreißig | vierzig | fünfzig | sechzig | siebzig | achtzig | neunzig
number = anderthalb eineinhalb: 1.5; ein_halbes einem_halben: 0.5; zweieinhalb: 2.5
few = ein_paar einigen einige wenigen mehreren: x
unit = minute minuten: 1 minute; stunde stunden: 1 hour; tag tage tagen: 1 day; woche wochen: 1 week;
    monat monate monaten: 1 month; jahr jahre jahren jahres: 1 year; jahrzehnt jahrzehnte jahrzehnten: 10 year
span = woche: week; monat monats: month; jahr jahres: year; quartal: quarter
month = 1.. januar jänner | februar | märz maerz | april | mai | juni | juli | august | september | oktober |
    november | dezember
weekday = 0.. montag | dienstag | mittwoch | donnerstag | freitag | samstag sonnabend | sonntag
which =
    letzte letzten letzter letztes letztem vorige vorigen voriger voriges vergangene vergangenen vergangenes: -1;
    diese diesen dieser dieses diesem: 0;
    nächste nächsten nächster nächstes nächstem kommende kommenden kommendes naechste naechsten naechstes: 1
season = frühling frühjahr: 3; sommer: 6; herbst: 9; winter: 12
holiday = weihnachten: christmas; heiligabend: christmas_eve; silvester: new_year_eve; ostern: easter
gate = ab am anfang bis ende im in jahr jahre mitte nach seit vom von vor zum: x
none: (guten|am|jeden|der|den|dem|eines|zum|gegen|nächsten|schönen) morgen ; jeden {weekday} // ago: vor {n} {unit}
ahead: in {n} {unit} // ago_few: vor {few} {unit} // ahead_few: in {few} {unit} // weekend: {which} wochenende
bare_weekend: am wochenende // bare_weekday: {bare_weekday:weekday} [morgen]
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
"""

_SPANISH = """
near = hoy esta_mañana esta_tarde esta_noche: 0; mañana mañana_por_la_mañana: 1; ayer anoche: -1;
    anteayer antier antes_de_ayer: -2; pasado_mañana: 2
number = 1.. un uno una | dos | tres | cuatro | cinco | seis | siete | ocho | nueve | diez | once | doce | trece |
    catorce | quince | dieciséis | diecisiete | dieciocho | diecinueve | veinte
number = 30/10.. treinta | cuarenta | cincuenta | sesenta | setenta | ochenta | noventa // number = medio media: 0.5
few = unos unas algunos algunas varios varias: x
unit = minuto minutos: 1 minute; hora horas: 1 hour; día días: 1 day; semana semanas: 1 week; mes meses: 1 month;
    año años: 1 year; década décadas: 10 year
span = semana: week; mes: month; año: year; trimestre: quarter
month = 1.. enero | febrero | marzo | abril | mayo | junio | julio | agosto | septiembre setiembre | octubre |
    noviembre | diciembre
weekday = 0.. lunes | martes | miércoles | jueves | viernes | sábado | domingo
which = pasado pasada último última: -1; este esta: 0; próximo próxima: 1
post = pasado pasada: -1; próximo próxima que_viene que_entra: 1
season = primavera: 3; verano: 6; otoño: 9; invierno: 12
holiday = navidad: christmas; nochebuena: christmas_eve; nochevieja: new_year_eve
gate = al de del desde el en hasta para: x
none: (la|una|cada|las|buena) mañana ; (cada|todos los) {weekday} // ago: hace {n} {unit} ; {n} {unit} atrás
ahead: (en|dentro de) {n} {unit} // ago_few: hace {few} {unit} // ahead_few: (en|dentro de) {few} {unit}
weekend: {which} fin de semana ; fin de semana {which:post}
weekday_of_week: {weekday} de la semana {which:post} ; {weekday} de {which} semana ; {weekday} de la {which} semana
bare_weekday: ?{bare_weekday:weekday} // month: {which} {month}
month_of_year: {month} [de|del] {year} ; {month} del año {which:post}
day_of_month: {day} de {month} ; {day} de {month} [de|del|,] {year} ; {day} de {month} del año {which:post}
days_of_month: [del] {day} (al|a|-|–) {day2:day} de {month} ;
    [del] {day} (al|a|-|–) {day2:day} de {month} [de|del] {year}
season_of_year: {season} [de|del] {year} // holiday_of_year: {holiday} [de|del] {year} // coarse: mediados de {atom}
first_day: (principios|comienzos|inicios) de {atom} // last_day: (fines|finales|final) de {atom}
since: desde [el] {part} // until: hasta [el] {part}
between: (desde|de|del) [el] {part} (hasta|a|al) [el] {part2:part} ; entre [el] {part} y [el] {part2:part}
"""

_FRENCH = """
near = aujourd'hui ce_matin ce_soir cet_après-midi cette_nuit: 0; demain: 1; hier: -1;
    avant-hier avant_hier: -2; après-demain après_demain: 2
number = 1.. un une | deux | trois | quatre | cinq | six | sept | huit | neuf | dix | onze | douze | treize |
    quatorze | quinze | seize | dix-sept | dix-huit | dix-neuf | vingt
number = 30/10.. trente | quarante | cinquante | soixante // number = une_demi une_demi-: 0.5
few = quelques plusieurs: x
unit = minute minutes: 1 minute; heure heures: 1 hour; jour jours: 1 day; semaine semaines: 1 week; mois: 1 month;
    an ans année années: 1 year
span = semaine: week; mois: month; an année: year; trimestre: quarter
month = 1.. janvier | février | mars | avril | mai | juin | juillet | août | septembre | octobre | novembre |
    décembre
weekday = 0.. lundi | mardi | mercredi | jeudi | vendredi | samedi | dimanche
which = ce cet cette: 0; prochain prochaine: 1; dernier dernière: -1
post = dernier dernière passé passée: -1; prochain prochaine: 1; -ci: 0
season = printemps: 3; été: 6; automne: 9; hiver: 12
holiday = noël: christmas; pâques: easter
gate = au de depuis du début en fin mi mois: x
none: (champ|champs) de mars ; chaque {weekday} ; [tous] les {weekday} // ago: il y a {n} {unit}
ahead: dans {n} {unit} // ago_few: il y a {few} {unit} // ahead_few: dans {few} {unit}
span: {which} {span} [-ci] ; {span} {which:post}
weekend: {which} (week-end|weekend) ; (week-end|weekend) {which:post}
weekday_of_week: {weekday} de la semaine {which:post} // bare_weekday: {bare_weekday:weekday}
month: {which} mois de {month} // month_of_year: {month} [de] {year}
day_of_month: {day} {month} ; {day} {month} [de|,] {year}
days_of_month: [du] {day} (au|-|–) {day2:day} {month} ; [du] {day} (au|-|–) {day2:day} {month} {year}
season_of_year: {season} [de] {year} // holiday_of_year: {holiday} {year} // coarse: mi-{atom} ; milieu [de] {atom}
first_day: début [de] {atom} // last_day: fin [de] {atom} // since: depuis [le|la|l'] {part}
until: jusqu'(à|en|au|à la) {part}
between: (du|de) {part} (au|à) {part2:part} ; entre [le] {part} et [le] {part2:part}
"""

_ITALIAN = """
near = oggi stamattina stasera stanotte: 0; domani: 1; ieri: -1;
    l'altro_ieri altro_ieri ieri_l'altro avantieri: -2; dopodomani: 2
number = 1.. un uno una un' | due | tre | quattro | cinque | sei | sette | otto | nove | dieci | undici | dodici |
    tredici | quattordici | quindici | sedici | diciassette | diciotto | diciannove | venti
number = 30/10.. trenta | quaranta | cinquanta | sessanta | settanta | ottanta | novanta // number = mezzo mezza: 0.5
few = alcuni alcune qualche: x
unit = minuto minuti: 1 minute; ora ore: 1 hour; giorno giorni: 1 day; settimana settimane: 1 week;
    mese mesi: 1 month; anno anni: 1 year
span = settimana: week; mese: month; anno: year; trimestre: quarter
month = 1.. gennaio | febbraio | marzo | aprile | maggio | giugno | luglio | agosto | settembre | ottobre |
    novembre | dicembre
weekday = 0.. lunedì | martedì | mercoledì | giovedì | venerdì | sabato | domenica
which = scorso scorsa: -1; questo questa quest': 0; prossimo prossima: 1
post = scorso scorsa passato passata: -1; prossimo prossima: 1
season = primavera: 3; estate: 6; autunno: 9; inverno: 12
holiday = natale: christmas; pasqua: easter
gate = a al da dal del di fine fino in inizio metà nel: x
none: ogni {weekday} // ago: {n} {unit} fa // ahead: (tra|fra) {n} {unit} // ago_few: {few} {unit} fa
ahead_few: (tra|fra) {few} {unit}
weekend: {which} (weekend|fine settimana) ; (weekend|fine settimana) {which:post}
weekday_of_week: {weekday} della settimana {which:post} // bare_weekday: {bare_weekday:weekday}
month: {which} {month} // month_of_year: {month} [del|,] {year}
day_of_month: {day} {month} ; {day} {month} [del|,] {year}
days_of_month: [dal] {day} (al|-|–) {day2:day} {month} ; [dal] {day} (al|-|–) {day2:day} {month} {year}
season_of_year: {season} [del] {year} // holiday_of_year: {holiday} [del] {year} // coarse: metà [di] {atom}
first_day: inizio [di] {atom} // last_day: fine [di] {atom} // since: (dal|dallo|dalla|da) {part}
until: fino (a|al|alla) {part} // between: (dal|da) {part} (al|a) {part2:part} ; tra [il] {part} e [il] {part2:part}
"""

_PORTUGUESE = """
near = hoje esta_manhã: 0; amanhã: 1; ontem: -1;
    anteontem: -2; depois_de_amanhã: 2
number = 1.. um uma | dois duas | três | quatro | cinco | seis | sete | oito | nove | dez | onze | doze | treze |
    catorze quatorze | quinze | dezesseis dezasseis | dezessete dezassete | dezoito | dezenove dezanove | vinte
number = 30/10.. trinta | quarenta | cinquenta | sessenta | setenta | oitenta | noventa // number = meio meia: 0.5
few = alguns algumas vários várias uns umas: x
unit = minuto minutos: 1 minute; hora horas: 1 hour; dia dias: 1 day; semana semanas: 1 week; mês meses: 1 month;
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
holiday = páscoa: easter
gate = ao até de desde do em na no para: x
none: (cada|toda) {weekday} ; todo {weekday} // ago: há {n} {unit} [atrás] ; {n} {unit} atrás ; faz {n} {unit}
ahead: (em|daqui a|dentro de) {n} {unit} // ago_few: há {few} {unit} ; {few} {unit} atrás
ahead_few: (em|daqui a|dentro de) {few} {unit} // weekend: {which} fim de semana ; fim de semana {which:post}
weekday_of_week: {weekday} da semana {which:post}
bare_weekday: {bare_weekday:long_weekday} ; ?{bare_weekday:end_weekday} // month: {which} {month}
month_of_year: {month} [de|,] {year} ; {month} do ano {which:post}
day_of_month: {day} de {month} ; {day} de {month} [de|do|,] {year} ; {day} de {month} do ano {which:post}
days_of_month: [de|do] {day} (a|-|–) {day2:day} de {month} ; [de|do] {day} (a|-|–) {day2:day} de {month} [de] {year}
season_of_year: {season} de {year} // coarse: meados de {atom} // first_day: (início|começo) de {atom}
last_day: (fim|final) de {atom} // since: desde [o|a] {part} // until: até [o|a|ao] {part}
between: (de|do) {part} (a|ao|até) [o] {part2:part} ; entre [o] {part} e [o] {part2:part}
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
