"""The Spanish, French, Italian and Portuguese words of dates, in the form that `vocabulary` describes."""

__all__ = ["FRENCH", "ITALIAN", "PORTUGUESE", "SHARED_ROMANCE", "SPANISH"]

SHARED_ROMANCE = """
span: {span} {which:post} // weekday: {weekday} {which:post} // month: {month} {which:post}
season: {season} {which:post}
"""

SPANISH = """
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
ago: {n} {unit} atrás ; hoy hace {n} {unit} ; (llevo|llevamos|lleva) {n} {unit}
weekday_ago: hace {n} {weekday}
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

FRENCH = """
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
season_of_year: {season} [de] {year} // holiday_of_year: {holiday} {year}
coarse: mi-{atom} ; milieu [de] {atom} ; courant {atom}
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
weekday_before: [le] {weekday} (avant|d'avant|qui précède) [le|la] {atom}
weekday_after: [le] {weekday} (après|d'après|suivant|qui suit) [le|la] {atom}
today_week: [d'] aujourd'hui en huit // today_fortnight: [d'] aujourd'hui en quinze
tomorrow_week: demain en huit // tomorrow_fortnight: demain en quinze
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

ITALIAN = """
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
weekday_week: {weekday} a otto // weekday_fortnight: {weekday} a quindici // tomorrow_week: domani a otto
today_fortnight: oggi a quindici // tomorrow_fortnight: domani a quindici
weekday_of_week: {weekday} (della|di|la) settimana {which:post} ; {weekday} della {which} settimana ; {weekday} di
    {which} settimana ; la settimana {which:post} [,] {weekday}
none: ogni {weekday} ; un {weekday} sì e uno no ; uno di questi giorni ; signora maggio ; signor maggio ; tutti i
    {weekday} ; (di|il) {weekday} di solito
later: il giorno (dopo|seguente|successivo) ; la (mattina|sera|notte) (dopo|seguente) ; {n} {unit} dopo ; l'indomani
earlier: il giorno prima ; la (sera|notte|mattina) prima ; la vigilia prima ; {n} {unit} prima
anchor_weekday_after: (il|la) {weekday} (dopo|seguente|successivo|successiva)
anchor_weekday_before: (il|la) {weekday} (prima|precedente)
weekday_before: [il|la] {weekday} prima (di|del) {atom}
weekday_after: [il|la] {weekday} (dopo|successivo a|successiva a) [il|la] {atom}
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
ago: {n} {unit} or sono ; sono {n} {unit} che // onwards: (dal|dallo|dalla|da) {part}
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

PORTUGUESE = """
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
none: (cada|toda) {weekday} ; todo {weekday} // ago: há {n} {unit} [atrás] ; {n} {unit} atrás ; faz [hoje|já] {n} {unit}
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
anchor_weekday_after: (na|no|a|o) {weekday} (seguinte|depois|logo a seguir|a seguir|logo depois)
anchor_weekday_before: (na|no|a|o) {weekday} (anterior|antes)
weekday_before: (na|no|a|o) {weekday} antes (de|do|da) {atom}
weekday_after: (na|no|a|o) {weekday} (depois|logo depois) (de|do|da) {atom} ;
    (na|no|a|o) {weekday} [logo] a seguir (a|à|ao) {atom}
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
