"""German nouns of everyday life: German writes them with a capital, so that they look like names.

A noun is recognised by its ending, as a word of the list, or as a compound that ends with one ("Autoreparatur"). Words
that are family names, places or firms, or end them ("Keller", "Berg", "Mann", "Bank"), are left out.
"""

from uac.text.lazy_pattern import lazy_pattern
from uac.text.numerals import unaccented

__all__ = ["is_german_noun"]


def is_german_noun(word: str) -> bool:
    plain = unaccented(word)
    return (
        plain in _NOUNS
        or (len(plain) > _LONG and _ENDING.search(plain) is not None and plain not in _FIRMS)
        or any(plain.endswith(noun) for noun in _HEADS if len(plain) > len(noun) + 2)
    )


_LONG = 6
_ENDING = lazy_pattern(r"(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|tion|tionen|tat|taten|ismus)(?:s)?$")
_FIRMS = frozenset("samsung nibelung hornung".split())
_HEADS = tuple(
    "zahlung kosten rechnung reparatur termin arztin besuch dienst schicht urlaub ferien reise fahrt ausflug ticket"
    " karte geschenk feier party essen kuchen kaffee fruhstuck stunde stunden minute training unterricht prufung"
    " abgabe frist vertrag kundigung miete darlehen kredit schulden beitrag gebuhr steuer praxis schule arbeit"
    " sitzung besprechung gesprach nachricht paket bestellung lieferung maschine roboter sauger reifen schlussel"
    " laptop rechner kamera drucker fernseher mobel schrank teppich kleid jacke schuhe brille rucksack koffer"
    " zeitung konzert theater musik turnier wanderung mannschaft gruppe verein kinder tochter mutter eltern"
    " schwester geschwister grossmutter grossvater freundin nachbarin kollege kollegin mitarbeiter lehrer lehrerin"
    " trainer trainerin kaninchen impfung medikament tablette tabletten salbe operation therapie kontrolle"
    " untersuchung schmerzen allergie fieber erkaltung grippe wohnung zimmer kuche balkon heizung wasser internet"
    " versicherung abonnement mitgliedschaft gehalt einkommen franken einkauf einkaufe lebensmittel gemuse fleisch"
    " projekt aufgabe anlass anfang beginn rabatt angebot summe betrag anzahlung ruckzahlung ruckgabe"
    " ruckerstattung umtausch verlobung hochzeit geburtstag taufe beerdigung umzug abschied kosmetik tierarzt"
    " zahnarzt hausarzt".split()
)
_NOUNS = frozenset(
    "abo tag tage nacht uhr zeit mal leute mensch menschen person personen stadt dorf weg strasse zug bus bahn tram"
    " schiff rad velo auto bett tur fenster bild foto zahl name ort art teil seite stuck paar liter kilo meter grad"
    " prozent geld raten rate schuld ding dinge sache sachen frage antwort problem hilfe pause kaution amt pass"
    " ausweis visum fuhrerschein zahn zahne knie rucken bauch auge augen ohr arzt abend mittag morgen woche monat"
    " jahr kurs flug rente lohn konto anruf spiel film buch serie kino reha preis apero strom kase obst handy hund"
    " katze tier tiere hose tasche lied milch idee ziel grund plan rest ende brot tante onkel oma opa neffe nichte"
    " cousin cousine chefin chef tour brief lampe tisch znacht zmittag zmorge geburt grossteil gerat".split()
) | frozenset(_HEADS)
