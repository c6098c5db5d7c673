"""What the constraints of household share. This file is read, never run."""


def _in_days(days):
    """today, in 1 day, in 30 days."""
    return "today" if days == 0 else "in 1 day" if days == 1 else f"in {days} days"


def _your(vehicle):
    """A vehicle in a sentence: your Golf, but the family car as it is."""
    return vehicle if first(words(vehicle)) in ("the", "my", "our") else f"your {vehicle}"


_CATS = "katze katzen kater kätzchen cat cats kitten kittens kitty tomcat siamese persian bengal birman burmese sphynx ragdoll tabby tuxedo calico".split()
_DOGS = (
    "dog dogs puppy puppies pup doggo labrador lab retriever terrier spaniel poodle beagle bulldog dachshund boxer rottweiler"
    " shepherd alsatian husky chihuahua collie corgi pug dalmatian doberman mastiff setter pointer greyhound whippet vizsla"
    " weimaraner schnauzer maltese havanese bichon pomeranian malamute samoyed akita newfoundland cockapoo labradoodle"
    " goldendoodle cavapoo doodle westie staffie dane hound sheepdog pinscher ridgeback pitbull dackel schäferhund hund hunde hündin welpe welpen mischling"
).split()
_PHRASES = {
    "cat": ("maine coon", "british shorthair", "russian blue", "norwegian forest", "scottish fold", "domestic shorthair"),
    "dog": ("shih tzu", "lhasa apso", "cavalier king charles", "st bernard", "pit bull", "shiba inu", "cane corso"),
    "rodent": ("guinea pig", "guinea pigs", "cavy"),
}


_RABBITS = "rabbit rabbits bunny bunnies kaninchen zwergkaninchen hase lop".split()
_BIRDS = (
    "bird birds parrot parrots budgie budgies budgerigar parakeet cockatiel cockatoo canary canaries macaw lovebird conure"
    " finch finches vogel vögel papagei wellensittich wellensittiche kanarienvogel nymphensittich graupapagei sittich"
).split()


_RODENTS = (
    "hamster hamsters gerbil gerbils chinchilla chinchillas degu degus rodent meerschweinchen goldhamster zwerghamster"
    " rennmaus rennmäuse guineapig"
).split()
_HORSES = "horse horses pony ponies mare gelding stallion foal donkey pferd pferde stute wallach fohlen esel".split()


_KINDS = (("cat", _CATS), ("dog", _DOGS), ("rabbit", _RABBITS), ("bird", _BIRDS), ("rodent", _RODENTS), ("horse", _HORSES), ("ferret", ("ferret", "frettchen")))


def _pet_kind(pet, table):
    """'cat', 'dog', 'rabbit', 'bird', 'rodent', 'ferret' or 'horse', by the kind or the breed of a pet. None for others.

    Breeds and nicknames are in the table: a yorkie is a dog. The end of a German word counts: Hauskatze, Schäferhund.
    """
    known = table.get("kinds", {})
    for text in (pet.kind, pet.breed or ""):
        parts = [form for word in words(text) for form in (word, word.removesuffix("s"))]
        for kind, names in _KINDS:
            if [word for word in parts if word in names] or [name for name in _PHRASES.get(kind, []) if mentions(text, name)]:
                return kind
        for kind, row in known.items():
            if [name for name in row["names"] if name in parts or mentions(text, name)]:
                return kind
            if [word for word in parts for end in row.get("ends", []) if word.endswith(end)]:
                return kind
    return None


def _called(pet):
    """What the animal is, after "your": of "our lab" the lab."""
    said = pet.kind.split()
    return " ".join(said[1:]) if len(said) > 1 and said[0].lower() in ("my", "our", "the", "a", "an", "unser", "mein") else pet.kind


def _harms(row, kind):
    """Whether a row of household.toxic_to_pets warns of this kind of animal: a source names it, or harm is likely."""
    return kind in row["to"] or kind in row.get("likely", [])


def _effect(row, kind):
    """What a poison does, and of which animals it is known if no source names this kind."""
    known = ", ".join([f"{each}s" for each in row["to"]])
    return row["effect"] if kind in row["to"] else f"{row['effect']} (known of {known}; likely of {kind}s)"


def _is_without(text, name):
    """Whether a text says that the thing is not in it: xylitol-free, free from garlic, without onions, ohne Zwiebeln."""
    said = [f"{name} free", f"free of {name}", f"free from {name}", f"without {name}", f"without any {name}", f"no {name}"]
    german = [f"ohne {name}", f"{name}frei", f"{name}freie", f"{name}freies", f"{name}freier", f"frei von {name}"]
    return bool([each for each in [*said, *german] if mentions(text, each)])


def _bought_for(pet, purchases, now):
    """What was bought for a pet within the last month, or nobody knows when, and did not go back."""
    own = [one for one in purchases if one.for_whom and one.returned_on is None]
    own = [one for one in own if same_person(one.for_whom, pet.name) or mentions(one.for_whom, pet.kind)]
    days = [(one.item, one.delivered or one.bought) for one in own]
    return [item for item, day in days if day is None or not is_past(add_months(day, days=30), now)]
