"""What made-up chats are about, and how it is said: one half to develop with, one half that is only reported.

The halves share no topic, no sentence and no wording of a question. Phrases of `steps` are what "I" did.
"""

from typing import Literal, NamedTuple

__all__ = ["TOPICS", "Half", "Topic"]

Half = Literal["develop", "reported"]


class Topic(NamedTuple):
    """One thread of a chat, which runs over weeks."""

    title: str
    things: tuple[str, ...]
    """What was bought for it."""
    steps: tuple[str, ...]
    """What was done, in this order."""
    choice: tuple[str, tuple[str, str]]
    """Something that was decided, and decided otherwise later."""
    worker: tuple[str, str]
    """Somebody's trade, and what they are there for."""
    trouble: tuple[str, tuple[str, ...]]
    """What came up again and again: its name, and how it was told each time."""
    habit: tuple[str, str, tuple[str, ...]]
    """Something about the user; a question that it answers without sharing a word; other queries for that."""
    advice: tuple[tuple[str, str], ...]
    """What the assistant was asked about, and what it suggested."""
    words: tuple[str, ...]
    """What the assistant's answers are full of."""


_DEVELOP = (
    Topic(
        "the kitchen renovation",
        ("an oak worktop", "a ceramic sink", "a set of brass handles", "an extractor hood", "two pendant lamps"),
        (
            "took out the old cupboards",
            "had the wiring for the stove replaced",
            "levelled the floor",
            "put up the wall units",
            "cut the worktop to size",
            "tiled the splashback",
            "sealed the joints",
        ),
        ("grout colour", ("charcoal", "sand")),
        ("tiler", "the splashback"),
        (
            "the leaking tap",
            (
                "the tap dripped all night again",
                "I found a puddle below the tap this morning",
                "that tap is leaking once more, right after I tightened it",
                "the leak at the tap is back",
            ),
        ),
        (
            "I have been vegetarian since I was nineteen.",
            "Would a voucher for a steakhouse be a good present for me?",
            ("what the user eats", "diet, meat, vegetarian, vegan", "food that the user avoids"),
        ),
        (
            ("keeping dust out of the living room", "hang a zip door of plastic sheet and tape its edges to the frame"),
            ("the height of the extractor hood", "leave seventy centimetres between the hob and the hood"),
        ),
        ("cupboard", "drawer", "hinge", "plinth", "silicone", "spirit level", "socket", "plaster", "tile", "worktop"),
    ),
    Topic(
        "the half marathon",
        ("a pair of trail shoes", "a running vest", "a heart rate strap", "a foam roller", "a head torch"),
        (
            "ran five kilometres without a stop",
            "joined the Tuesday group at the stadium",
            "did my first interval session",
            "ran twelve kilometres along the canal",
            "finished a ten kilometre race",
            "ran eighteen kilometres with Jonas",
            "picked up the start number",
        ),
        ("goal time", ("two hours and five minutes", "one hour and fifty-eight minutes")),
        ("physiotherapist", "the calf"),
        (
            "the calf pain",
            (
                "my calf cramped on the last hill",
                "the calf hurts again on the stairs",
                "had to walk home because of the calf",
                "that pain in the calf is back since Sunday",
            ),
        ),
        (
            "My alarm rings at five because the bakery opens at six.",
            "Is a concert that starts at eleven at night something for me?",
            ("when the user gets up", "working hours, alarm, early mornings", "sleep and bedtime"),
        ),
        (
            ("eating before a long run", "have a banana and a slice of white toast ninety minutes before the start"),
            ("pacing the hills", "keep the effort even and let the pace drop by twenty seconds"),
        ),
        ("pace", "interval", "stride", "cadence", "hydration", "gel", "warm-up", "recovery", "blister", "taper"),
    ),
    Topic(
        "my Portuguese course",
        ("a grammar workbook", "a box of vocabulary cards", "a pocket dictionary", "a year of the news magazine"),
        (
            "finished the chapter on the past tense",
            "held my first talk with a tandem partner",
            "passed the placement test",
            "read a whole newspaper article",
            "wrote a letter to my landlady in Porto",
            "watched a film without subtitles",
            "registered for the B1 exam",
        ),
        ("exam date", ("14 March", "23 May")),
        ("tutor", "pronunciation"),
        (
            "the nasal vowels",
            (
                "I mixed up the nasal vowels again",
                "nobody understood my nasal vowels at the bakery",
                "the nasal vowels were wrong in half of my recording",
                "we spent the whole hour on nasal vowels",
            ),
        ),
        (
            "Heights make me dizzy, I had to turn back on the church tower.",
            "Should my friends take me along to the climbing hall?",
            ("fear of heights, dizziness", "what the user is afraid of", "sports the user cannot do"),
        ),
        (
            ("remembering the gender of nouns", "write feminine nouns in green and learn each with its article"),
            ("following fast speech", "listen at three quarters of the speed and read along the second time"),
        ),
        (
            "verb",
            "vowel",
            "accent",
            "listening",
            "subjunctive",
            "flashcard",
            "dialogue",
            "article",
            "pronoun",
            "plural",
        ),
    ),
    Topic(
        "the move to Leipzig",
        ("forty moving boxes", "a wardrobe", "a washing machine", "a roll of bubble wrap", "a bicycle rack"),
        (
            "gave notice for the flat in Kassel",
            "signed the lease",
            "sorted out the cellar",
            "booked the van",
            "painted the old bedroom white",
            "handed over the keys",
            "registered at the town hall",
        ),
        ("day of the move", ("28 February", "7 March")),
        ("electrician", "the fuse box"),
        (
            "the broken lift",
            (
                "the lift is out of order again",
                "carried everything up because the lift stopped",
                "the lift got stuck with my neighbour inside",
                "caretaker says the lift waits for a part",
            ),
        ),
        (
            "My daughter comes out in hives as soon as a cat is near.",
            "May we look after Ines's kitten for a fortnight?",
            ("allergy in the family", "pets, cats, hives", "daughter's health"),
        ),
        (
            ("telling the post about the new address", "order forwarding two weeks before and run it for a year"),
            ("packing the glasses", "stand the plates on edge and fill each glass with a sock"),
        ),
        (
            "box",
            "label",
            "inventory",
            "deposit",
            "meter reading",
            "parking permit",
            "cellar",
            "van",
            "shelf",
            "landlord",
        ),
    ),
    Topic(
        "the vegetable garden",
        ("three bags of compost", "a rain barrel", "a roll of chicken wire", "a cold frame", "a set of hand forks"),
        (
            "dug over the two beds",
            "sowed the peas",
            "built the raised bed",
            "set up the rain barrel",
            "planted out the tomatoes",
            "tied up the beans",
            "harvested the first lettuce",
        ),
        ("kind of tomato", ("San Marzano", "Black Krim")),
        ("carpenter", "the shed door"),
        (
            "the slugs",
            (
                "the slugs ate every single seedling",
                "found eleven slugs below the board",
                "slugs again, the lettuce is in rags",
                "the slugs got over the copper tape",
            ),
        ),
        (
            "I have not touched alcohol for six years now.",
            "Which bottle could my boss give me for the anniversary?",
            ("does the user drink", "alcohol, wine, beer, sober", "drinks that the user likes"),
        ),
        (
            ("watering during the holidays", "bury clay pots beside the roots and fill them before you leave"),
            ("the yellow leaves", "give a cup of nettle brew once a week and let the soil dry in between"),
        ),
        ("bed", "mulch", "seedling", "compost", "frost", "trellis", "root", "soil", "watering can", "row"),
    ),
    Topic(
        "my sister's wedding",
        ("a linen suit", "a silver photo frame", "a pair of cufflinks", "a box of sparklers", "a guest book"),
        (
            "met the priest with Clara",
            "tried the menu at the vineyard",
            "wrote the first half of my speech",
            "booked the brass band",
            "sent out the invitations",
            "made the seating plan",
            "rehearsed the dance",
        ),
        ("place of the party", ("the boathouse", "the old mill")),
        ("photographer", "the portraits"),
        (
            "the argument about the guest list",
            (
                "Clara and Mum fought about the guest list again",
                "the guest list grew by nine and Clara cried",
                "another phone call about who may be on the guest list",
                "the guest list is the only thing anybody talks about",
            ),
        ),
        (
            "Since the accident I do not drive any more.",
            "Could I pick up the cake in the next town on Saturday morning?",
            ("does the user drive", "car, licence, accident", "how the user gets around"),
        ),
        (
            ("the length of the speech", "stay below four minutes and end with the toast"),
            ("rain on the day", "reserve a tent with sides that can be cancelled until the Thursday"),
        ),
        ("guest", "toast", "ceremony", "bouquet", "caterer", "invitation", "band", "menu", "dress code", "venue"),
    ),
    Topic(
        "the online shop",
        ("a label printer", "a light box", "five hundred mailing bags", "a domain name", "a card reader"),
        (
            "registered the business",
            "took pictures of the first ten bowls",
            "set up the payment provider",
            "wrote the page about shipping",
            "sold the first bowl",
            "sent the first parcel abroad",
            "filed the first tax return",
        ),
        ("shipping price", ("4.90 euros", "6.50 euros")),
        ("bookkeeper", "the tax return"),
        (
            "the returned parcels",
            (
                "another parcel came back damaged",
                "a customer returned the blue bowl, it was chipped",
                "parcel returned, the address was wrong",
                "two returns in one day",
            ),
        ),
        (
            "I cannot tell red from green, never could.",
            "Would a job sorting coloured cables suit me?",
            ("colour blindness, eyesight", "red and green", "what the user cannot see"),
        ),
        (
            ("writing product texts", "start with how the bowl feels in the hand and end with its measures"),
            ("slow weeks", "send a short letter to earlier customers with one new piece in it"),
        ),
        ("parcel", "invoice", "customer", "stock", "margin", "glaze", "review", "discount", "listing", "refund"),
    ),
    Topic(
        "the choir tour",
        ("a folder for scores", "a tuning fork", "a black dress", "a rail pass", "a travel pillow"),
        (
            "passed the audition for the second altos",
            "learned the Bruckner by heart",
            "booked the hostel in Ghent",
            "collected the deposits",
            "printed the programmes",
            "sang the dress rehearsal",
            "packed the scores",
        ),
        ("encore", ("a lullaby by Brahms", "a Swedish folk song")),
        ("conductor's assistant", "the sectional rehearsal"),
        (
            "my sore throat",
            (
                "my throat is sore again, no singing today",
                "lost my voice halfway through, the throat again",
                "the throat scratches since the cold hall",
                "doctor looked at my sore throat",
            ),
        ),
        (
            "Loud bangs send me under the table since my time in the army.",
            "Is a seat close to the fireworks on New Year's Eve a treat for me?",
            ("loud noise, bangs, army", "what frightens the user", "trauma"),
        ),
        (
            ("breathing in long phrases", "mark a staggered breath in pencil and never take it with your neighbour"),
            ("sleeping in a hostel", "take wax earplugs and ask for the bed away from the door"),
        ),
        ("score", "phrase", "rehearsal", "soprano", "tempo", "breath", "programme", "stage", "coach", "encore"),
    ),
)

_REPORTED = (
    Topic(
        "our campervan",
        ("a leisure battery", "a roof vent", "twelve metres of cork", "a folding stove", "a water tank"),
        (
            "stripped the interior down to bare metal",
            "treated the rust at the rear arch",
            "glued the insulation",
            "ran the cables for the lights",
            "built the bed frame",
            "fitted the roof vent",
            "passed the inspection",
        ),
        ("colour of the curtains", ("mustard", "navy blue")),
        ("welder", "the rear arch"),
        (
            "the rattling noise",
            (
                "something rattled all the way to the coast",
                "the rattle is louder on gravel",
                "stopped twice to look for that rattling",
                "new bolts, same rattling noise",
            ),
        ),
        (
            "I get carsick on any back seat within ten minutes.",
            "Would a coach trip over mountain passes be fun for me?",
            ("motion sickness, nausea on roads", "how well the user travels", "carsick"),
        ),
        (
            ("condensation at night", "open the vent two fingers wide and keep a gap behind the mattress"),
            ("charging while parked", "tilt the panel to the south and disconnect the fridge before dusk"),
        ),
        ("insulation", "fuse", "vent", "plywood", "sealant", "inverter", "clamp", "bracket", "tank", "panel"),
    ),
    Topic(
        "the bookkeeping exam",
        ("a desk calculator", "the red textbook", "a stack of index cards", "a noise-cancelling headset"),
        (
            "got through the unit on depreciation",
            "handed in the first mock paper",
            "repeated cash flow statements",
            "sat the trial exam in Graz",
            "scored eighty on payroll",
            "reviewed every wrong answer with Petra",
            "received the admission letter",
        ),
        ("elective", ("auditing", "international tax")),
        ("coach", "the oral part"),
        (
            "the panic before tests",
            (
                "my hands shook so much that I left early, panic again",
                "panic in the trial, ten minutes gone",
                "could not sleep, the usual panic before a test",
                "the panic started on the tram",
            ),
        ),
        (
            "Milk gives me cramps, even a splash of it.",
            "Is a cheese fondue evening a kind idea for my birthday?",
            ("dairy, lactose, cramps", "what the user cannot digest", "food intolerance"),
        ),
        (
            ("learning journal entries", "say debit and credit aloud and sketch the account as a T each time"),
            ("the last evening", "close the books at six and lay out your papers and a clock"),
        ),
        ("ledger", "accrual", "asset", "liability", "entry", "balance", "statement", "invoice", "formula", "deadline"),
    ),
    Topic(
        "Grandpa's archive",
        ("a flatbed scanner", "an external disk", "acid-free folders", "a pair of cotton gloves", "a magnifier"),
        (
            "emptied the trunk in the attic",
            "scanned the letters from 1951",
            "sorted the negatives by year",
            "asked Aunt Rosa for names",
            "labelled the album of the farm",
            "found the missing passport",
            "showed the slides at Easter",
        ),
        ("scanning resolution", ("600 dots per inch", "1200 dots per inch")),
        ("translator", "the Polish letters"),
        (
            "the mouldy box",
            (
                "that mouldy box smells up the whole room",
                "more mould at the bottom of the box",
                "put the mouldy box on the balcony",
                "threw away two folders because of the mould",
            ),
        ),
        (
            "I work nights at the hospital and sleep until three.",
            "Can the plumber ring my bell at ten in the morning?",
            ("shift work, nights", "when the user sleeps", "hospital job hours"),
        ),
        (
            ("naming the files", "begin with the year, then the place, then a number of three digits"),
            ("brittle paper", "let it rest in a closed box with a damp sponge for a day"),
        ),
        ("negative", "slide", "folder", "caption", "envelope", "signature", "stamp", "portrait", "backup", "index"),
    ),
    Topic(
        "the puppy",
        ("a crate", "a long lead", "a puzzle feeder", "a harness", "a tick remover"),
        (
            "picked up Momo from the breeder",
            "got the second vaccination done",
            "managed a whole night without an accident",
            "walked past the sheep without barking",
            "finished puppy class",
            "left Momo alone for an hour",
            "took the ferry together",
        ),
        ("brand of food", ("Waldkost", "Terra Canis")),
        ("trainer", "recall on the field"),
        (
            "the chewed shoes",
            (
                "another shoe chewed, the left one of course",
                "came home to chewed laces",
                "my good shoes are chewed to pieces",
                "third pair of shoes chewed this month",
            ),
        ),
        (
            "I am colour-blind and cannot hear high tones either.",
            "Would the job of tuning pianos be right for me?",
            ("hearing, high frequencies", "what the user cannot hear", "ears, senses"),
        ),
        (
            ("biting hands", "turn away without a word and offer the rope after three breaths"),
            ("the first bath", "lay a towel in the tub and use water up to the ankle only"),
        ),
        ("treat", "leash", "crate", "nap", "whistle", "paw", "vet", "kennel", "toy", "praise"),
    ),
    Topic(
        "the podcast",
        ("a dynamic microphone", "two boom arms", "an audio interface", "a pop filter", "a hosting plan"),
        (
            "recorded the pilot",
            "found a name for the show",
            "cut the first episode",
            "interviewed the beekeeper",
            "uploaded the trailer",
            "reached a thousand listeners",
            "signed the first sponsor",
        ),
        ("length of an episode", ("twenty-five minutes", "forty minutes")),
        ("sound engineer", "the mix"),
        (
            "the humming track",
            (
                "the hum is on my track again",
                "spent the evening filtering that hum",
                "guest heard the hum before I did",
                "hum in the left channel, whole recording lost",
            ),
        ),
        (
            "We fast from dawn to sunset this month.",
            "Is a lunch meeting a good way to thank me?",
            ("fasting, meals during the day", "religion and food", "when the user may eat"),
        ),
        (
            ("shy guests", "begin with their breakfast and keep the recorder running before the intro"),
            ("show notes", "put the three best quotes on top and the links below"),
        ),
        ("episode", "microphone", "jingle", "edit", "guest", "level", "feed", "trailer", "sponsor", "loudness"),
    ),
    Topic(
        "the bathroom at Mum's",
        ("a walk-in shower tray", "a grab rail", "a towel warmer", "a raised toilet", "non-slip tiles"),
        (
            "measured the room with Mum",
            "applied for the grant",
            "had the bathtub ripped out",
            "moved the drain",
            "laid the non-slip tiles",
            "hung the grab rail",
            "showed the insurer the bills",
        ),
        ("height of the seat", ("48 centimetres", "51 centimetres")),
        ("plumber", "the drain"),
        (
            "the smell from the drain",
            (
                "it smells from the drain like eggs",
                "Mum complains about the smell, it is the drain",
                "poured water down, the drain still smells",
                "drain smell back after the rain",
            ),
        ),
        (
            "I gave up my flat and live on the boat from May to October.",
            "Would a heavy oak sideboard be a nice gift for July?",
            ("where the user lives in summer", "boat, home, furniture", "living space"),
        ),
        (
            ("keeping the floor dry", "slope it two per cent towards the drain and add a low lip"),
            ("the noise for the neighbours", "drill between ten and noon and put a note in the hallway"),
        ),
        ("tile", "drain", "valve", "membrane", "bracket", "grant", "rail", "screed", "mirror", "heater"),
    ),
    Topic(
        "the allotment bees",
        ("a smoker", "a veil", "twenty frames", "a hive tool", "a honey extractor"),
        (
            "attended the beginners' day",
            "set the hive on the slabs",
            "caught the swarm at the school",
            "treated against mites",
            "took off the first honey",
            "joined two weak colonies",
            "fed them for the winter",
        ),
        ("spot for the hive", ("behind the quince", "by the south fence")),
        ("beekeeper", "the first inspection"),
        (
            "the wasps",
            (
                "wasps robbed the small colony",
                "wasps at the entrance by noon",
                "made the hole smaller, still wasps",
                "lost a queen to wasps, I think",
            ),
        ),
        (
            "My knees are finished, stairs are torture.",
            "Does a holiday flat on the fourth floor without a lift work for me?",
            ("mobility, knees, stairs", "health limits of the user", "walking trouble"),
        ),
        (
            ("a calm inspection", "work from the back at noon and give two puffs only"),
            ("labels for the jars", "print the lot number and the town, both in the same size"),
        ),
        ("frame", "brood", "queen", "nectar", "swarm", "smoke", "comb", "mite", "syrup", "colony"),
    ),
    Topic(
        "my novel",
        ("a mechanical keyboard", "a writing programme", "a corkboard", "a week at the lighthouse"),
        (
            "outlined the three parts",
            "wrote the scene in the quarry",
            "threw out the second narrator",
            "reached fifty thousand words",
            "gave the draft to Nadia",
            "rewrote the ending",
            "sent it to four agencies",
        ),
        ("name of the heroine", ("Vesna", "Marit")),
        ("editor", "the opening chapter"),
        (
            "the writer's block",
            (
                "stared at the page for two hours, blocked",
                "the block is back since the quarrel",
                "nothing written, blocked all week",
                "still blocked, I cleaned the oven instead",
            ),
        ),
        (
            "Whenever there is a crowd I start to sweat and look for the door.",
            "Should they throw me a surprise party with eighty people?",
            ("crowds, anxiety", "what the user avoids", "large gatherings"),
        ),
        (
            ("dialogue that sounds stiff", "cut the first and the last line of each exchange"),
            ("finding readers", "ask two strangers and one friend and give them four questions"),
        ),
        ("chapter", "draft", "scene", "voice", "plot", "page", "tension", "sentence", "motif", "reader"),
    ),
)

TOPICS: dict[Half, tuple[Topic, ...]] = {"develop": _DEVELOP, "reported": _REPORTED}
