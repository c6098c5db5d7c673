"""Sentences by kind, each with values for a field: right ones, then wrong ones. All were said on Thursday 12 March 2026
at 10 o'clock, if no other moment is given.

A line is 'text | field | right, right | wrong, wrong', or with 'before >> text' for words that came before; a line that
begins with '@' gives the moment of those after it, up to the next kind.
"""

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["KINDS", "Case", "cases"]


class Case(NamedTuple):
    kind: str
    said: str
    before: str
    text: str
    field: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


def cases() -> Iterator[Case]:
    for kind, lines in KINDS.items():
        said = "2026-03-12T10:00"
        for line in filter(None, map(str.strip, lines.splitlines())):
            if line.startswith("@"):
                said = line[1:]
                continue
            words, field, right, wrong = (part.strip() for part in line.split("|"))
            before, _, text = words.rpartition(" >> ")
            yield Case(kind, said, before, text, field, _values(right), _values(wrong))


def _values(written: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in written.split(",") if value.strip())


KINDS = {
    "a duration beside a date moves it": """
        @2026-02-05T09:00
        leo turns 5 a week on saturday | birthday | 2026-02-14 | 2026-02-07, 2021-02-12
        Nora turns 40 a fortnight on Friday | at | 2026-02-20 | 2026-02-06, 2026-02-13
        @2026-03-20T08:00
        baby is 6 weeks old today | born | 2026-02-06 | 2026-03-20, 2025-09-20
        deadline's been brought forward two days to next wednesday | due | 2026-03-25 | 2026-03-27, 2026-03-22
        deadline's been pushed back a week to the 3rd | due | 2026-04-03 | 2026-03-03
        letzten samstag vor einem jahr haben wir uns kennengelernt | met_year | 2025 | 2026
        domani a quindici | at | 2026-04-04 | 2026-03-21
        de aquí a quince días | at | 2026-04-03, 2026-04-04 | 2026-03-15
        @2026-05-13T21:10
        j'y travaille depuis 2 ans et 3 mois | since | 2024-02 | 2024-05, 2026-05
        it'll be a year tomorrow since dad died | at | 2025-05-14 | 2026-05-14, 2027-05-14
        w sobotę minie rok odkąd tu mieszkam | since | 2025-05-16 | 2026-05-16
        zaterdag zijn we een jaar getrouwd | married | 2025-05-16 | 2026-05-16
        sie ist 8 monate alt | born | 2025-09 | 2026-05, 2018-05
    """,
    "a weekday beside another date": """
        @2026-03-20T08:00
        le mercredi d'après pâques | at | 2026-04-08 | 2026-04-01, 2026-03-25
        na terça logo a seguir à páscoa | at | 2026-04-07 | 2026-03-24, 2026-03-31
        we wtorek po wielkanocy | at | 2026-04-07 | 2026-03-24, 2026-04-05
        the 1st falls on a wednesday so bins go thursday | bins | 2026-04-02 | 2026-04-01
        @2026-10-05T18:49
        halloween party but its on the friday, the day before | party_date | 2026-10-30 | 2026-10-31
    """,
    "several dates, and nothing beside the value that says which": """
        @2026-09-09T19:00
        choir's cancelled tonight, back next wednesday as normal | choir_resumes | 2026-09-16 | 2026-09-09
        he was due back yesterday but it's now sunday | back | 2026-09-13 | 2026-09-08
        lease ends 31.12., want out by end of october | lease_ends | 2026-12-31 | 2026-10-31
        graduation's the 18th, dinner with the parents the evening after | graduation_on | 2026-09-18 | 2026-09-19
        break runs from 30 march to 10 april and school's back on the 13th | break_until | 2027-04-10 | 2027-04-13
        @2026-10-29T07:40
        inset day on mon 2nd so theyre not back till tues 3rd | starts | 2026-11-03 | 2026-11-02
    """,
    "weekdays in several statements": """
        in the office every day except wednesday, then i work from home | home_day | wednesday | monday, tuesday
        late shift only on tuesday, mondays and thursdays i'm done at 4 | late_shift_day | tuesday | monday, thursday
        de schoonmaakster komt op dinsdag, woensdag kon ze niet | cleaning_day | tuesday | wednesday
        codziennie oprócz środy | day_off | wednesday |
        todos os dias menos à quarta | day_off | wednesday |
    """,
    "a number without its unit beside others": """
        warranty's 2 years, 5 if you register it | if_registered | P5Y | P2Y
        open van 9 tot 5, vrijdag tot 3 | friday_until | 15:00 | 17:00, 09:00
        half nine till three, finish at one on fridays | starts | 09:30 | 15:00, 13:00
        viereinhalb stunden hin, fünf zurück | outward | PT4H30M | PT5H
        jedzie się pięć i pół godziny | travel_time | PT5H30M | PT30M
        czekałam godzinę i kwadrans | lasts | PT1H15M | PT1H, PT15M
        le train part à 7h52 et arrive à midi moins dix | arrives | 11:50 | 07:52, 12:10
        le dernier métro est à minuit quarante-cinq | last_metro_at | 00:45 | 00:00
        pego o ônibus às quinze pras sete da manhã | bus_at | 06:45 | 07:15, 15:00
    """,
    "a year counted from another year": """
        finished school in 2012 and moved to Bristol the year after | moved | 2013 | 2012, 2014
        she retired in 2019, he stopped two years later | he_stopped | 2021 | 2019, 2020
        Abschluss 2015, drei Jahre später der Meister | master_year | 2018 | 2015, 2016
        2009 gebaut, im Jahr darauf eingezogen | moved_in | 2010 | 2009, 2011
        me casé en 2003 y dos años después nació Lola | lola_born_year | 2005 | 2003, 2001
        on a acheté en 2016, la cuisine a été refaite l'année suivante | kitchen_redone | 2017 | 2016, 2018
        assunta nel 2010, promossa quattro anni dopo | promoted | 2014 | 2010, 2011
        abrimos a loja em 2008, e a segunda três anos depois | second_shop_year | 2011 | 2008, 2005
        in 2014 begonnen, een jaar later gestopt | stopped | 2015 | 2014, 2016
        studia skończyłam w 2006, rok później ślub | wedding_year | 2007 | 2006, 2008
    """,
    "a year in two digits": """
        moved here in 04 and bought the flat in 17 | flat_bought | 2017 | 2004, 2018
        got my licence in 92 | licence_year | 1992 | 2092, 1993
        the extension went up in 2001, new windows in 19 | windows_year | 2019 | 2001, 1919
        Führerschein 87 gemacht, Motorrad 91 | motorbike_licence | 1991 | 1987, 1990
        das Dach ist von 2003, die Heizung von 19 | heating_year | 2019 | 2003
        nos conocimos en el 2005 y nos casamos en el 11 | wedding_year | 2011 | 2005, 2012
        bac en 2004, permis en 06 | licence_year | 2006 | 2004, 2007
        comprata nel 2008, ristrutturata nel 22 | renovated | 2022 | 2008
        o carro é de 2012 e a bateria de 21 | battery_year | 2021 | 2012
        het huis is uit 1998, de keuken uit 15 | kitchen_year | 2015 | 1998
    """,
    "a date that was moved": """
        the dentist got moved from monday to wednesday | dentist_date | 2026-03-18 | 2026-03-11, 2026-03-16
        they pushed the survey back to tuesday | survey_date | 2026-03-17 | 2026-03-10
        my review was brought forward to the 20th | review_date | 2026-03-20 | 2026-02-20
        der Termin wurde auf Dienstag verlegt | appointment | 2026-03-17 | 2026-03-10
        Elternabend wurde vom 18. auf den 25. verschoben | parents_evening | 2026-03-25 | 2026-02-25, 2026-03-18
        me han pasado la cita al martes | appointment | 2026-03-17 | 2026-03-10
        ils ont déplacé la visite à mercredi | visit_date | 2026-03-18 | 2026-03-11
        la riunione è stata spostata a martedì | meeting_date | 2026-03-17 | 2026-03-10
        mudaram a consulta para terça-feira | appointment | 2026-03-17 | 2026-03-10
        de afspraak is verzet naar woensdag | appointment | 2026-03-18 | 2026-03-11
        przełożyli wizytę na wtorek | visit_date | 2026-03-17 | 2026-03-10
    """,
    "a date that was arranged": """
        we agreed on the twenty-sixth for the stag do | day | 2026-03-26 | 2026-02-26
        I put in for leave from 6 to 17 July | leave_start | 2026-07-06 | 2025-07-06
        they offered us the 24th for the viewing | viewing | 2026-03-24 | 2026-02-24
        ich hab Urlaub vom 3. bis 14. August beantragt | holiday_start | 2026-08-03 | 2025-08-03
        wir haben uns auf den 28. geeinigt | day | 2026-03-28 | 2026-02-28
        hemos quedado en el 27 para la mudanza | moving_day | 2026-03-27 | 2026-02-27
        on a fixé le rendez-vous au 26 | appointment | 2026-03-26 | 2026-02-26
        abbiamo fissato il trasloco per il 28 | moving_day | 2026-03-28 | 2026-02-28
        marcámos o jantar para dia 20 | dinner | 2026-03-20 | 2026-02-20
        we hebben de 27e afgesproken voor de barbecue | barbecue | 2026-03-27 | 2026-02-27
        umówiliśmy się na 21 kwietnia | meeting_date | 2026-04-21 | 2025-04-21
    """,
    "one of several, by its place": """
        swimming on the 16th and the 23rd, then a break | second_lesson | 2026-03-23 | 2026-03-16
        prices went up in february 2025 and again in january 2026 | second_rise | 2026-01 | 2025-02
        the first train is 06:12, the one after that 06:41 | first_train | 06:12 | 06:41
        letzter Check war am 3., der nächste ist am 31. | next_check | 2026-03-31 | 2026-03-03
        la última revisión fue el 5, la próxima es el 26 | next_check | 2026-03-26 | 2026-03-05
        dernier vaccin le 2, le prochain le 30 | next_vaccine | 2026-03-30 | 2026-03-02
        l'ultimo controllo il 4, il prossimo il 25 | next_check | 2026-03-25 | 2026-03-04
        a última vacina foi dia 3, a próxima é dia 24 | next_vaccine | 2026-03-24 | 2026-03-03
        laatste controle op 5 maart, volgende op 2 april | next_check | 2026-04-02 | 2026-03-05
        it was meant to be the 18th, now it's the 25th | new_date | 2026-03-25 | 2026-03-18
        should have been finished by the 15th, now they say the 29th | new_deadline | 2026-03-29 | 2026-03-15
    """,
    "a day that is ruled out": """
        please don't put anything on the 20th | appointment | | 2026-03-20
        I can't do the 24th at all | meeting_date | | 2026-03-24
        anything but friday works for me | meeting_date | | 2026-03-13
        am 25. geht es auf gar keinen Fall | meeting_date | | 2026-03-25
        außer dem 26. passt mir alles | meeting_date | | 2026-03-26
        el 20 no puedo de ninguna manera | meeting_date | | 2026-03-20
        sauf le 24, ça me va | meeting_date | | 2026-03-24
        il 27 non posso proprio | meeting_date | | 2026-03-27
        no dia 25 não posso | meeting_date | | 2026-03-25
        de 26e kan ik echt niet | meeting_date | | 2026-03-26
        25-go nie mogę | meeting_date | | 2026-03-25
    """,
    "a question that is answered with no": """
        Shall I put it down for tomorrow? >> no, saturday | reminder_date | 2026-03-14 | 2026-03-13
        At 6 pm? >> nope, 7 pm | start_time | 19:00 | 18:00
        For 4 people? >> no, 6 | guests | 6 | 4
        Soll ich es für morgen eintragen? >> nein, Samstag | reminder_date | 2026-03-14 | 2026-03-13
        ¿Lo apunto para mañana? >> no, el sábado | reminder_date | 2026-03-14 | 2026-03-13
        Je le note pour demain ? >> non, samedi | reminder_date | 2026-03-14 | 2026-03-13
        Lo segno per domani? >> no, sabato | reminder_date | 2026-03-14 | 2026-03-13
        Marco para amanhã? >> não, sábado | reminder_date | 2026-03-14 | 2026-03-13
        Zal ik morgen noteren? >> nee, zaterdag | reminder_date | 2026-03-14 | 2026-03-13
        Zapisać na jutro? >> nie, w sobotę | reminder_date | 2026-03-14 | 2026-03-13
    """,
    "how long it has been": """
        it's been exactly two weeks since the cast came off | cast_off | 2026-02-26 | 2026-03-26
        been a month now since we got the keys | got_keys | 2026-02-12 | 2026-04-12
        es ist genau ein Jahr her, dass wir eingezogen sind | moved_in | 2025-03-12 | 2027-03-12
        llevo dos semanas sin fumar | quit_on | 2026-02-26 | 2026-03-26
        ça fait trois semaines que j'ai arrêté | quit_on | 2026-02-19 | 2026-04-02
        sono due mesi che ho smesso | quit_on | 2026-01-12 | 2026-05-12
        faz hoje três semanas que comecei | started_on | 2026-02-19 | 2026-04-02
        het is precies een jaar geleden dat we hem kochten | bought_on | 2025-03-12 | 2027-03-12
        minęły dwa tygodnie, odkąd zaczęłam | started_on | 2026-02-26 | 2026-03-26
    """,
    "a price for a month and one for a year": """
        it's 7 a month or 70 a year | yearly_price | 70 | 7
        12 euros monthly, 120 yearly | monthly_price | 12 | 120
        8 Euro im Monat oder 80 im Jahr | yearly_price | 80 | 8
        15 al mes o 150 al año | yearly_price | 150 | 15
        6 par mois ou 60 à l'année | yearly_price | 60 | 6
        10 al mese, 100 all'anno | yearly_price | 100 | 10
        9 por mês ou 90 por ano | yearly_price | 90 | 9
        13 per maand of 130 per jaar | yearly_price | 130 | 13
        25 zł miesięcznie, 250 rocznie | yearly_price | 250 | 25
        40 a night, 240 for the week | price_per_week | 240 | 40
    """,
    "how many people, in one word": """
        wir sind zu viert | guests | 4 | 3
        wir kommen zu sechst, davon drei Kinder | guests | 6 | 5
        zu zweit | guests | 2 | 3
        we zijn met z'n vieren | guests | 4 | 5
        met z'n achten aan tafel | guests | 8 | 7
        we waren met zijn drieën | guests | 3 | 2
        będzie nas pięcioro | guests | 5 | 6
        przyjdzie ośmioro dzieci | children | 8 | 7
        jest nas czworo | guests | 4 | 2
        derde etage | floor | 3 | 4
        Omas Neunzigster | age | 90 | 91
    """,
    "a unit that is said once": """
        guarantee: 36 months on the engine, 18 on the paint | paint_guarantee | P18M | P36M, P18Y
        lived here ten years, six of them alone | time_alone | P6Y | P10Y
        30 minutes at 180, then 15 at 220 | second_bake | PT15M | PT30M
        24 Monate auf den Rahmen, 6 auf den Akku | battery_guarantee | P6M | P24M
        tres semanas en total, dos de ellas en Perú | weeks_in_peru | P2W, P14D | P3W
        dix ans dans la boîte, dont quatre comme chef | time_as_boss | P4Y | P10Y
        sei mesi di corso, due di tirocinio | internship | P2M | P6M
        rest 45 secs between sets | rest | PT45S | PT60S, PT30S
        hold it for 90 seconds | hold | PT90S, PT1M30S | PT60S, PT2M
        twee en een half uur rijden | drive | PT2H30M | PT30M, PT2H
    """,
    "times of day": """
        wake me at quarter to six | alarm | 05:45 | 06:15
        réveille-moi à 6h moins le quart | alarm | 05:45 | 06:15
        on ferme à sept heures et demie le soir | closing_time | 19:30 | 21:00, 19:00
        rendez-vous à 9h moins dix | appointment | 08:50 | 09:10
        autobus mam za dwadzieścia siódma rano | bus | 06:40 | 07:20
        kwadrans po ósmej rano | start | 08:15 | 08:45
        às três e quarenta e cinco da tarde | pickup | 15:45 | 15:40, 17:00
        alle sette e venticinque di sera | start | 19:25 | 19:20
        abre a las 8 de la mañana y cierra a las 9 de la noche | closing_time | 21:00 | 08:00
        closes at 9 in the evening, opens at 7 in the morning | closing_time | 21:00 | 07:00
        macht um 18 Uhr zu und um 9 Uhr auf | opens | 09:00 | 18:00
        the last tram is 23:40, the one before 23:10 | last_tram | 23:40 | 23:10
        ping me in 45 min | remind_at | 2026-03-12T10:45 | 2026-03-12T09:15, 2026-03-12T11:45
        erinnere mich in zwei Stunden | remind_at | 2026-03-12T12:00 | 2026-03-12T14:00
        avísame en media hora | remind_at | 2026-03-12T10:30 | 2026-03-12T11:30
        Viertel acht geht's los | start | 07:15, 19:15 | 08:15
    """,
    "month and year of a card": """
        my card runs out 11/27 | card_expiry | 2027-11 | 2026-11
        visa, exp 04/29 | card_expiry | 2029-04 | 2026-04
        Karte gültig bis 08/28 | card_expiry | 2028-08 | 2026-08
        la tarjeta caduca 10/27 | card_expiry | 2027-10 | 2026-10
        carte valable jusqu'au 06/30 | card_expiry | 2030-06 | 2026-06
        la carta scade 12/28 | card_expiry | 2028-12 | 2026-12
    """,
    "numbers with a comma": """
        pesa 4,250 kg | weight_kg | 4.25 | 4250
        le colis fait 2,375 kg | weight_kg | 2.375 | 2375
        wiegt 3,120 kg | weight_kg | 3.12 | 3120
        it cost 3,450 dollars | price | 3450 | 3.45
        das Auto kostet 12.500 Euro | price | 12500 | 12.5
        bin eins sechsundachtzig groß | height_m | 1.86 | 86
        I'm one eighty-two tall | height_m | 1.82 | 82
        mido uno setenta | height_m | 1.7 | 70
        I need two and a half kilos of flour | flour_kg | 2.5 | 0.5
        only 4 out of 30 people came | people_came | 4 | 30
        nur 5 von 12 Leuten haben zugesagt | accepted | 5 | 12
        sechzig franken das ticket | price_currency | CHF | EUR
        40 dollars canadiens | currency | CAD | USD
    """,
    "since or from": """
        da martedì lavoro da casa | works_from_home_from | 2026-03-10, 2026-03-17 | 2026-03-24
        dal 20 aprile la piscina chiude | closed_from | 2026-04-20 | 2025-04-20
        Sicilia dal 4 maggio per cinque notti | returns | 2026-05-09 | 2025-05-09
        od maja pracuję w Łodzi | works_there_since | 2025-05 | 2026-05
        od poniedziałku zmieniam pracę | new_job_from | 2026-03-16 | 2026-03-09
        ab Montag gilt der neue Plan | valid_from | 2026-03-16 | 2026-03-09
        a partir de mayo subo el precio | from | 2026-05 | 2025-05
        depuis janvier je vis à Lyon | lives_there_since | 2026-01 | 2027-01
        desde febrero vivo sola | lives_alone_since | 2026-02 | 2027-02
        die Rechnung vom 28.2. ist noch offen | invoice_date | 2026-02-28 | 2027-02-28
    """,
    "other figures of the sentence": """
        12 kids at 15 a head | time | | 15:00
        the party was 20 kids at 9 a head | party_time | | 09:00, 21:00
        card ending 2017 | year | | 2017
        the code is 1984, don't lose it | founded | | 1984
        Trattoria Sette was 35 EUR | guests | | 7
        Bistro Cinq, 48 euros for two | guests | 2 | 5
        Zimmer 12, Stock 3 | day | | 2026-03-12
        route 66 diner at 7 pm | time | 19:00 | 06:00, 18:00
        my size is 9, red ones | day | | 2026-03-09
        Bus 17 um 8 Uhr | departs | 08:00 | 17:00
    """,
    "parts of a month": """
        mid September for the wedding | month | 2026-09 | 2025-09, 2026-10
        late April works | month | 2026-04 | 2025-04
        per Ende Monat gekündigt | ends | 2026-03-31 | 2026-02-28, 2026-04-30
        Ende April ziehen wir um | moving_day | 2026-04-30 | 2025-04-30, 2026-05-30
        a finales de mes cobro | payday | 2026-03-31 | 2026-02-28
        mi-mai on part en vacances | month | 2026-05 | 2025-05
        a metà giugno si parte | month | 2026-06 | 2025-06
        em meados de abril vou ao Porto | month | 2026-04 | 2025-04
        half mei gaan we kamperen | month | 2026-05 | 2025-05
        w połowie maja jedziemy nad morze | month | 2026-05 | 2025-05
        on signe courant avril | month | 2026-04 | 2025-04
    """,
    "a day whose month is named apart": """
        book me the December one, on the 12th | concert_date | 2026-12-12 | 2026-03-12, 2025-12-12
        next June, am 12., ist die Hochzeit | wedding_date | 2026-06-12, 2027-06-12 | 2026-03-12
        we marry in August, on the 22nd | wedding_date | 2026-08-22 | 2026-03-22
        im Juni, am 20., ist Sommerfest | party_date | 2026-06-20 | 2026-03-20
        en mayo, el 9, es la comunión | communion_date | 2026-05-09 | 2026-03-09, 2026-04-09
        en avril, le 18, on déménage | moving_day | 2026-04-18 | 2026-03-18
        a maggio, il 16, mi sposo | wedding_date | 2026-05-16 | 2026-03-16
        em junho, dia 6, é a festa | party_date | 2026-06-06 | 2026-03-06
        in mei, de 23e, trouwen ze | wedding_date | 2026-05-23 | 2026-03-23
        w czerwcu, 13-go, mamy chrzciny | christening | 2026-06-13 | 2026-03-13
    """,
    "German sentences with the verb at the end": """
        Am Dienstag mach ich einen Apéro | apero_date | 2026-03-17 | 2026-03-10
        Papa wird am 5. Oktober operiert | operation_date | 2026-10-05 | 2025-10-05
        sie hat am 25. Geburtstag | birthday | 2026-03-25 | 2026-02-25
        die Ausstellung läuft noch bis zum 26. | ends | 2026-03-26 | 2026-02-26
        er hat am Freitag zurückerstattet | refunded_on | 2026-03-06 | 2026-03-13
        hab am Montag die Prüfung bestanden | passed_on | 2026-03-09 | 2026-03-16
        am Samstag koch ich für alle | dinner_date | 2026-03-14 | 2026-03-07
        wir haben am 2. den Vertrag unterschrieben | signed_on | 2026-03-02 | 2026-04-02
        ich bring dir am Sonntag das Buch mit | brings_on | 2026-03-15 | 2026-03-08
        zaterdag heb ik de fiets verkocht | sold_on | 2026-03-07 | 2026-03-14
        on the 19th, at 11, we see the notary | notary | 2026-03-19T11:00 | 2026-02-19T11:00
        moved to the 19th, at 11 | appointment | 2026-03-19T11:00 | 2026-02-19T11:00
    """,
    "ranges of days": """
        I'm in Rome Monday till Saturday | until | 2026-03-21 | 2026-03-14
        away from friday to tuesday | back | 2026-03-17 | 2026-03-10
        need a table mar 20 to 23, four of us | last_day | 2026-03-23 | 2026-03-20
        Montag bis Mittwoch bin ich in Köln | until | 2026-03-18 | 2026-03-11
        nie ma mnie od 27 do 5 | absence_end | 2026-04-05 | 2026-03-05
        estoy fuera del 28 al 4 | back | 2026-04-04 | 2026-03-04
        je suis absente du 30 au 6 | absence_end | 2026-04-06 | 2026-03-06
        sono via dal 29 al 3 | absence_end | 2026-04-03 | 2026-03-03
        weg van 27 maart tot 3 april | back | 2026-04-03 | 2026-03-03
        bin vom 30. bis 7. weg | absence_end | 2026-04-07 | 2026-03-07
    """,
    "after midnight": """
        @2026-03-12T00:40
        cant sleep, exam tomorrow | exam_date | 2026-03-12, 2026-03-13 | 2026-03-14
        morgen früh zum Zahnarzt, muss schlafen | dentist | 2026-03-12, 2026-03-13 | 2026-03-11
        mañana vuelo a Roma | flight | 2026-03-12, 2026-03-13 | 2026-03-11
        demain j'ai l'oral | oral_exam | 2026-03-12, 2026-03-13 | 2026-03-11
    """,
    "days of the week": """
        choir moved from mondays to thursdays | choir_day | thursday | monday
        gym M/W/F before work | gym_day | monday, wednesday, friday | tuesday
        I work tue to fri, never mondays | last_working_day | friday | monday, wednesday
        Training jetzt donnerstags statt dienstags | training_day | thursday | tuesday
        pasamos la clase de los lunes a los miércoles | class_day | wednesday | monday
        le cours passe du mardi au jeudi | class_day | thursday | tuesday
        il corso passa dal lunedì al giovedì | class_day | thursday | monday
        de les gaat van maandag naar woensdag | class_day | wednesday | monday
    """,
    "everyday sentences": """
        the plumber can come between 8 and 12 on tuesday | plumber_date | 2026-03-17 | 2026-03-10
        we're closed from the 3rd to the 17th of april | reopens_after | 2026-04-17 | 2026-04-03, 2025-04-17
        payday is the last friday of the month | payday | 2026-03-27 | 2026-03-31, 2026-04-24
        flight lands 6.40 on sunday morning | lands | 2026-03-15T06:40 | 2026-03-15T18:40, 2026-03-08T06:40
        my passport runs out in june next year | passport_expiry | 2027-06 | 2026-06
        saw the physio the day before yesterday | physio | 2026-03-10 | 2026-03-11
        rent went up to 950 from 880 in january | rent | 950 | 880
        it used to be 45 quid, it's 52 now | price | 52 | 45
        split 90 three ways so 30 each | per_person | 30 | 90
        20% off 150 so i paid 120 | paid | 120 | 150
        left at 7, got there at half nine | arrival_time | 09:30, 21:30 | 07:00
        course runs tuesdays and thursdays 6 till 8 pm | ends_at | 20:00 | 18:00
        back in the office on monday week | back | 2026-03-23 | 2026-03-16
        had covid over christmas | had_covid | 2025-12-25, 2025-12 | 2026-12-25
        the baby's due in early june | due | 2026-06 | 2025-06, 2026-07
        I'll be 40 in november | turns_40 | 2026-11 | 2025-11
        turned 33 last month | birth_year | 1993 | 1992, 1994
        deadline's a fortnight tomorrow | deadline | 2026-03-27 | 2026-03-26
        meet at ten to eight outside the odeon tonight | meet_at | 19:50 | 08:10, 20:10
        gave up sugar three weeks ago on sunday | quit_on | 2026-02-22 | 2026-03-01
        it takes an hour and ten door to door | commute | PT1H10M, PT70M | PT1H, PT10M
        ran 5k in 27:30 | time | PT27M30S | PT27H30M
        paid 1.2k for the sofa | price | 1200 | 1.2, 12
        owed 300, paid back 120 so far | paid_back | 120 | 300
        bought 3 packs of 12 | total_items | 36 | 12
        dentist thurs 2.15 | dentist | 2026-03-19T14:15 | 2026-03-05T14:15
        library books due back on the 1st | due | 2026-04-01 | 2026-03-01
        the gig was moved from april to september | gig_month | 2026-09 | 2026-04
        am Freitag in einer Woche hab ich Prüfung | exam_date | 2026-03-20 | 2026-03-13
        Miete ist seit Januar 820 statt 780 | rent | 820 | 780
        der Kurs geht von halb sechs bis sieben | ends_at | 19:00 | 17:30
        übernächsten Montag fängt sie an | starts | 2026-03-23 | 2026-03-16
        letzten Sommer waren wir in Dänemark | trip | 2025-08, 2025-07 | 2026-07
        in drei Wochen kommt der Kran | crane | 2026-04-02 | 2026-03-31
        Oma ist gestern 84 geworden | birth_year | 1942 | 1941
        wir heiraten am Samstag vor Pfingsten | wedding | 2026-05-23 | 2026-05-30
        die Prüfung dauert anderthalb Stunden | length | PT1H30M, PT90M | PT1H
        hab 2,5 kg abgenommen | lost_kg | 2.5 | 25
        Zug fährt um 17 nach 8 | train | 08:17 | 17:08
        el curso empieza el primer lunes de abril | starts | 2026-04-06 | 2026-04-01
        nos vemos pasado mañana a las seis y cuarto | meet | 2026-03-14T18:15 | 2026-03-13T18:15, 2026-03-14T18:45
        pago el alquiler el día 5 de cada mes | day_of_month | 5 | 15
        cumplo 30 el mes que viene | birth_year | 1996 | 1995
        me costó 45 con 50 | price | 45.5 | 50
        el finde que viene vamos a la playa | trip | 2026-03-14, 2026-03-21 | 2026-03-08
        estuve en Roma hace dos veranos | trip_year | 2024 | 2025
        on part dans quinze jours | leaves | 2026-03-26, 2026-03-27 | 2026-03-19
        rdv chez le kiné jeudi en huit à 14h15 | appointment | 2026-03-19T14:15, 2026-03-26T14:15 | 2026-03-13T14:15
        j'ai payé 35 euros au lieu de 50 | paid | 35 | 50
        le bail finit fin août | lease_end | 2026-08-31 | 2025-08-31
        il a eu trois ans en février | birth_year | 2023 | 2022
        la réunion dure de 9h à 10h30 | ends_at | 10:30 | 09:00
        il dentista è giovedì prossimo alle 15 e 30 | dentist | 2026-03-19T15:30 | 2026-03-12T15:30
        mi sono laureata tre anni fa | graduated | 2023 | 2022, 2024
        fra un mese esatto parto | departs | 2026-04-12 | 2026-02-12
        affitto 650 più 80 di spese | rent | 650 | 80
        la palestra apre alle sei e mezza | opens | 06:30 | 18:00
        viajo na sexta que vem | travel | 2026-03-13, 2026-03-20 | 2026-03-06
        o aluguel vence todo dia 10 | due_day | 10 | 20
        comecei o curso no mês passado | started | 2026-02 | 2026-03
        jantar às oito e meia de sábado | dinner | 2026-03-14T20:30 | 2026-03-07T20:30, 2026-03-14T08:30
        paguei 3 parcelas de 150 | total | 450 | 150
        zaterdag over een week is het feest | party | 2026-03-21 | 2026-03-14
        de huur gaat van 900 naar 940 | rent | 940 | 900
        ik werk sinds vorige week dinsdag thuis | works_home_since | 2026-03-03 | 2026-03-10
        om kwart voor negen begint de film | start | 20:45 | 21:15
        volgende maand word ik 50 | birth_year | 1976 | 1975
        dokter w przyszły czwartek o 16:20 | doctor | 2026-03-19T16:20 | 2026-03-12T16:20
        za dwa tygodnie wyjeżdżamy | leaves | 2026-03-26 | 2026-02-26
        urodził się w zeszłym roku w maju | born | 2025-05 | 2026-05
        czynsz wzrósł z 2000 do 2200 zł | rent | 2200 | 2000
        o wpół do ósmej wieczorem | start | 19:30 | 20:30
    """,
    "everyday sentences with several figures": """
        we were eleven in the end, two cancelled | guests | 11 | 2
        booked a table for five, no wait, six | guests | 6 | 5
        my commute went from 40 minutes to an hour | commute | PT1H, PT60M | PT40M
        two hours less than last time | saved | PT2H | PT1H
        soaked the beans for 12 hours, cooked them for 2 | cooking_time | PT2H | PT12H
        bought it for 200, sold it for 350 | sold_for | 350 | 200
        lent Sam 80, he gave me 30 back | lent | 80 | 30
        I'm 1m82 and weigh 77 | weight_kg | 77 | 82
        size 42 shoes, paid 59,90 | price | 59.9 | 42
        train 9:03 not 8:03 | train | 09:03 | 08:03
        we land at 23:55 and the bus goes at 00:20 | bus | 00:20 | 23:55
        not this friday but the next | day | 2026-03-20 | 2026-03-13
        he was off sick from tuesday to today | sick_from | 2026-03-10 | 2026-03-17
        on maternity leave until next january | leave_until | 2027-01 | 2026-01
        we bought the van in the spring of 2022 | van_bought | 2022-04, 2022 | 2023
        anniversary is on valentine's day, since 2011 | anniversary | 2026-02-14, 2027-02-14, 2011-02-14 | 2026-03-14
        got the second one four weeks after the first, which was on feb 2 | second_shot | 2026-03-02 | 2026-02-02
        every other wednesday, starting on the 18th | starts | 2026-03-18 | 2026-02-18
        kids finish at 3.15 except fridays when it's 12 | pickup_time | 15:15 | 03:15
        expecting 15 to 20 people | guests | 15, 20 | 12
        temperature was 39.2 last night, 37.8 now | temperature_now | 37.8 | 39.2
        she owes me 1,250.50 | owed | 1250.5 | 125050
        nearly 3 months pregnant | pregnant_for | P3M | P9M
        10 reps, 4 sets, 60 kilos | sets | 4 | 10, 60
        I get 28 days holiday, 11 left | days_left | 11 | 28
        wir haben 14 Tage, 5 davon sind weg | days_used | 5 | 14
        das Paket kam erst am Montag statt am Freitag | arrived | 2026-03-09 | 2026-03-06
        ich bin von Mai bis August in Kanada | back | 2026-08 | 2026-05, 2025-08
        die Katze ist 9 Monate alt | cat_age | P9M | P9Y
        Kündigungsfrist drei Monate zum Quartalsende | notice | P3M | P1M
        Zahnarzt am 1.4. um 8:30, also nüchtern kommen | dentist | 2026-04-01T08:30 | 2026-01-04T08:30
        hab 12 von 20 Punkten | points | 12 | 20
        Kino um viertel nach acht | film | 20:15 | 19:45
        seit drei Wochen Rückenschmerzen | pain_since | 2026-02-19 | 2026-04-02
        el vuelo sale a las 7 menos 20 de la mañana | departs | 06:40 | 07:20
        éramos 14 y al final vinieron 9 | came | 9 | 14
        el año pasado gané 32.000, este 35.000 | salary_this_year | 35000 | 32000
        entre el 10 y el 15 de abril me operan | operation_from | 2026-04-10 | 2025-04-10
        lo compré hace tres meses por 80 euros | price | 80 | 3
        j'ai rendez-vous le 3 avril, pas le 13 | appointment | 2026-04-03 | 2026-04-13
        on était six, plus deux enfants | adults | 6 | 2
        c'est passé de 12 à 15 euros | price | 15 | 12
        le train de 7h52 est supprimé, je prends celui de 8h22 | train | 08:22 | 07:52
        ça dure une heure et quart | length | PT1H15M, PT75M | PT1H
        siamo in vacanza dal 2 al 16 agosto | back | 2026-08-16 | 2026-08-02, 2025-08-16
        ho preso 8 su 10 | grade | 8 | 10
        la bolletta era 75, il mese prima 60 | bill | 75 | 60
        domenica non lavoro, lunedì sì | works_on | 2026-03-16 | 2026-03-15
        a consulta é daqui a oito dias | appointment | 2026-03-20, 2026-03-19 | 2026-03-28
        éramos 20 mas só foram 13 | attended | 13 | 20
        o filme dura duas horas e vinte | length | PT2H20M | PT2H
        nasci em 1990, a minha irmã é 4 anos mais nova | sister_birth_year | 1994 | 1990
        ik ben van 9 tot 5 aan het werk, behalve woensdag | ends_at | 17:00 | 09:00
        de cursus kost 45 per les, 10 lessen | total | 450 | 45
        het duurde drie kwartier | length | PT45M | PT30M
        was 85 kilo, nu 79 | weight_kg | 79 | 85
        mieszkam tu od trzech lat | lives_here_since | 2023 | 2024
        mam 3 dni urlopu, zostały 2 | days_left | 2 | 3
        pociąg spóźnił się 40 minut | delay | PT40M | PT4M
        w piątek o 17, nie o 18 | meet | 2026-03-13T17:00 | 2026-03-13T18:00
    """,
    "a birthday to come": """
        my brother turns 21 on the 4th of may | birthday | 2026-05-04, 2005-05-04 | 2025-05-04, 2006-05-04
        Lena wird am 9. Mai 30 | birthday | 2026-05-09 | 2025-05-09
        mi abuela cumple 90 en abril | birthday | 2026-04 | 2026-05
    """,
    "a range that is a move": """
        the recital got moved from 9 june to 12 june | starts | 2026-06-12 | 2026-06-09
        das Training wurde von Montag auf Mittwoch verlegt | starts | 2026-03-18 | 2026-03-11
        l'examen est décalé de lundi à mercredi | starts | 2026-03-18 | 2026-03-11
        la cena è spostata dal 18 al 25 | dinner | 2026-03-25 | 2026-03-18
        the check-up went back from 18 to 25 march, moved by them | original_day | 2026-03-18 | 2026-02-18
    """,
    "both ends of some hours": """
        rehearsal is from quarter past seven until nine | ends | 21:00, 09:00 | 19:15
        late shift 2pm to 10 | ends | 22:00 | 10:00, 14:00
        early shift 6am to 2 | ends | 14:00 | 02:00, 06:00
        sitter is here from 7.30 in the evening til midnight | starts | 19:30 | 07:30, 00:00
        the ferry leaves at eighteen twenty and docks at twenty oh five | ends | 20:05 | 18:20
        die Praxis schließt um 18 Uhr, mittwochs um 13 Uhr | wednesday_until | 13:00 | 18:00
    """,
    "an end that is stated, beside a duration": """
        the warranty ends on 30 April 2027, two years after we bought it | until | 2027-04-30 | 2029-04-30
        der Vertrag endet am 31. Mai 2027, drei Jahre nach dem Kauf | until | 2027-05-31 | 2030-05-31
        ten days in Crete from 4 may | back | 2026-05-14, 2026-05-13 | 2026-05-04
    """,
    "not the other one": """
        il prezzo è 30 franchi, non euro | price_currency | CHF | EUR
        das sind 20 Dollar, nicht Euro | price_currency | USD | EUR
        it's 50 pounds, not dollars | price_currency | GBP | USD
        haven't booked it yet, the sale ends on the 20th | booked | | 2026-03-20
        timer for forty minutes no wait make it fifty | timer | PT50M | PT40M
        tickets are seventeen fifty each | ticket_price | 17.5 | 1750
        kupiłam mieszkanie w 2014 roku | bought | 2014 | 2013
        we've got the flat until the end of april | until | 2026-04-30 | 2026-03-31, 2025-04-30
        work tues weds fri, thursday off | off_weekday | thursday | friday
        flight is at 00:50 on sunday so we set off saturday night | flight | 2026-03-15T00:50 | 2026-03-14T00:50
    """,
}
