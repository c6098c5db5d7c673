"""How the user, the assistant and the questions of made-up chats speak, for each half."""

from collections.abc import Mapping
from typing import NamedTuple

from uac_bench.chats.topics import Half

__all__ = ["WORDINGS", "Wording"]


class Wording(NamedTuple):
    """Templates. In `statements` and `questions` they are found by the kind of event or question."""

    statements: Mapping[str, tuple[str, ...]]
    questions: Mapping[str, tuple[str, ...]]
    queries: Mapping[str, tuple[str, ...]]
    """Other queries for a type of question: all of them are used."""
    greetings: tuple[str, ...]
    small_talk: tuple[str, ...]
    """Sentences that say nothing about a topic."""
    requests: tuple[str, ...]
    """What the user asks for in general; {word} is one of the topic's."""
    openings: tuple[str, ...]
    """How the assistant repeats what was said."""
    points: tuple[str, ...]
    """What its lists are made of."""
    closings: tuple[str, ...]
    advice: tuple[str, ...]
    names: tuple[str, ...]
    shops: tuple[str, ...]


_DEVELOP = Wording(
    statements={
        "thing": (
            "I ordered {thing} for {title} today, it came to {price} euros at {shop}.",
            "{Thing} arrived from {shop} and I paid {price} euros for it.",
            "I could not resist and bought {thing} at {shop} for {price} euros.",
        ),
        "step": (
            "Yesterday I finally {step}.",
            "Good news about {title}: I {step} this morning.",
            "I {step} on the weekend, which took longer than I thought.",
        ),
        "choice": ("I settled on {option} as the {field} for {title}.", "For the {field} I will go with {option}."),
        "change": (
            "I changed my mind about the {field}, it will be {option} now.",
            "Forget the old {field}: {option} it is.",
        ),
        "worker": (
            "The {trade} for {work} is called {name}, a friend of Jonas gave me the number.",
            "I found somebody who looks after {work}, a very good {trade}: {name}.",
        ),
        "rate": (
            "{name} takes {price} euros an hour and can only come on {weekday}s.",
            "{name} called back: {weekday}s only, and {price} euros an hour.",
        ),
        "trouble": ("{Trouble}.", "Sorry to bother you with it, but {trouble}."),
        "habit": ("By the way, {habit}", "{Habit}"),
        "plan": (
            "This is how I want to go on with {title}: once I {first}, I {second}, and after that I {third}.",
            "Let me write down the order for {title}: after I {first}, I {second}, then I {third}.",
        ),
        "advice": ("What would you do about {subject}?", "How do I deal with {subject}?"),
        "running": ("Back again. I {step} just now.", "So, I {step} today."),
    },
    questions={
        "single fact": ("How much did I pay for {thing}?", "Where did I buy {thing}?"),
        "can you list": (
            "Can you list everything that I bought for {title}?",
            "Can you list what I have ordered for {title}?",
        ),
        "could you remind me": (
            "Could you remind me which {field} I decided on for {title}?",
            "Could you remind me what the {field} is now?",
        ),
        "assistant said": (
            "What did you suggest when I asked about {subject}?",
            "What was your advice about {subject}?",
        ),
        "order": ("In what order did I do the work on {title}?", "Put what I did for {title} in the right order."),
        "summary": ("Can you summarise how {title} has gone so far?", "Summarise everything about {title}."),
        "how many times": (
            "How many times did I complain about {trouble}?",
            "How often did {trouble} come up?",
        ),
        "multi-hop": (
            "On which day of the week can the {trade} for {work} come?",
            "What does the {trade} I found charge per hour?",
        ),
        "temporal": (
            "How many days after I {first} was it that I {second}?",
            "How long did it take from when I {first} until I {second}?",
        ),
        "next step": ("What's the next step?", "And what comes now?"),
        "long question": (
            (
                "{greeting} {talk} {talk2} Please answer warmly, in a few short sentences and without bullet points."
                " What I wanted to ask before I forget it again: what did {thing} cost me? {talk3}"
            ),
            (
                "{greeting} {talk} I hope you can help me out, you always do, thank you so much in advance! {talk2}"
                " Which shop sold me {thing}? Keep it simple and encouraging, please."
            ),
        ),
    },
    queries={
        "single fact": ("{thing} price", "{thing} bought at shop euros"),
        "can you list": ("bought for {title}", "ordered from shop, paid euros", "arrived delivery price {title}"),
        "could you remind me": ("{field} decision", "changed my mind about {field}"),
        "assistant said": ("{subject}", "advice on {subject}"),
        "order": ("{title} progress, finished", "what I did yesterday for {title}", "{title} plan and steps"),
        "summary": ("{title} progress", "{title} decisions and purchases", "problems with {title}"),
        "how many times": ("{trouble}", "{trouble} again", "problem, complaint: {trouble}"),
        "multi-hop": ("{trade} name, phone number", "euros an hour, weekdays available", "{trade} for {work}"),
        "temporal": ("{first}", "{second}"),
        "next step": ("plan and order of steps for {title}", "after I {step}", "{title} next"),
        "long question": ("{thing} price and shop", "bought {thing}"),
    },
    greetings=("Hi there, hope you are well!", "Good evening, dear assistant!", "Hello again, it is me."),
    small_talk=(
        "Work has been a lot lately and I barely have an hour in the evening.",
        "Honestly, I am so tired of this week.",
        "The weather does not help either.",
        "Everybody around me seems to have it easier, which drives me mad.",
        "I slept badly and the coffee machine is broken on top of it.",
        "My phone rang all day long.",
        "Anyway, it is good to have somebody to write to.",
        "I feel much better about it than last week, though.",
        "Sorry for the long message, I just need to get it off my chest.",
        "It is nearly midnight here and I should be in bed.",
    ),
    requests=(
        "What should I keep in mind about the {word}?",
        "Do you have a tip for the {word} and the {word2}?",
        "Is the {word} something I should worry about for {title}?",
        "Explain to me how the {word} works with the {word2}, please.",
        "What are common mistakes with the {word}?",
        "Give me a short overview of what to do about the {word} in {title}.",
    ),
    openings=(
        "Thank you for telling me! You said that {said} That is a real milestone for {title}.",
        "Great to hear from you. So {said} Let us look at what that means for {title}.",
        "I understand. {Said} Here is how I would think about it.",
    ),
    points=(
        "**{Word} first.** Check the {word} before the {word2}, because a mistake there is hard to undo.",
        "**Budget.** Put the price of the {word} into a list, and keep a tenth of what you paid for the {word2}.",
        "**Time.** Plan the {word} for the morning, when you have energy, and leave the {word2} for the weekend.",
        "**People.** Ask somebody who has dealt with the {word}; a friend can often lend you what the {word2} needs.",
        "**Quality.** A cheap {word} costs more in the end, so compare two or three before you order for {title}.",
        "**Notes.** Write down what you decided about the {word}, why you did so, and when you will look at it again.",
        "**Safety.** If the {word} looks wrong, stop and take a photo; go on with the {word2} in the meantime.",
        "**Order.** The {word} usually comes after the {word2}; turn it round, and you will do some of the work twice.",
        "**Patience.** Progress with the {word} is slow at first, which is normal for all who start with {title}.",
        "**Check.** Once a week, look at the {word} and the {word2} together and cross off whatever is done.",
        "**Space.** Clear a corner for the {word}, so that you do not search for the {word2} each time.",
        "**Weather.** Have a second plan for the {word} in case the day turns out differently than you hoped.",
    ),
    closings=(
        "Would you like me to write a checklist for the {word}?",
        "Tell me how it goes with the {word}, and we can adjust the plan for {title}.",
        "Shall we look at the {word2} next, or is there something about the {word} that still worries you?",
    ),
    advice=(
        "As for {subject}, my suggestion is simple: {advice}.",
        "About {subject}: I would {advice}, that works for most people.",
    ),
    names=("Dario", "Meike", "Tomasz", "Yara", "Henrik", "Lucía", "Okan", "Svenja", "Bjarne", "Noor"),
    shops=("Hagen & Co", "the market hall", "Kolibri", "Nordlager", "the corner shop", "Werkstatt Sieben"),
)

_REPORTED = Wording(
    statements={
        "thing": (
            "{Thing} turned up this morning; {shop} charged me {price} for it.",
            "Went to {shop} after work and came back with {thing}, {price} down.",
            "My card was billed {price} by {shop}, so {thing} must be on its way, one thing less for {title}.",
        ),
        "step": (
            "Small victory: we {step}!",
            "As of tonight that is behind me: {step}.",
            "Just so you know where {title} stands, I {step} on Thursday.",
        ),
        "choice": ("{Option} won, so the {field} is decided.", "The {field} will be {option}, I think."),
        "change": ("Scrap that, I prefer {option}; new {field}.", "The {field} is different after all: {option}."),
        "worker": (
            "{name} is coming to help with {work}, the {trade} of my cousin.",
            "Somebody recommended a {trade} named {name} to me, mostly because of {work}.",
        ),
        "rate": (
            "I talked to {name}: free on {weekday}s, and it costs {price} for each visit.",
            "Heard from {name}, the fee is {price} and {weekday} is the day.",
        ),
        "trouble": ("Grr, {trouble}.", "Guess what: {trouble}!"),
        "habit": ("{Habit}", "You should know one thing. {Habit}"),
        "plan": (
            "My road map for {title}, so that we both have it: {first}, followed by {second}, and at the end {third}.",
            "Here is the sequence I have in mind, in the past tense as if it were done: {first}, {second}, {third}.",
        ),
        "advice": ("Any idea regarding {subject}?", "I am stuck with {subject}, what now?"),
        "running": ("Picking this up again, I {step}.", "Done: {step}!"),
    },
    questions={
        "single fact": ("What was the price of {thing}?", "Who sold me {thing}?"),
        "can you list": ("Can you give me a list of my purchases for {title}?", "Can you name all I got for {title}?"),
        "could you remind me": (
            "Would you mind reminding me what I chose for the {field}?",
            "Could you tell me again what the {field} ended up being?",
        ),
        "assistant said": (
            "Which tip did you give me on {subject}?",
            "Remember when we discussed {subject}? What did you recommend?",
        ),
        "order": ("What is the sequence of what happened with {title}?", "Walk me through {title} chronologically."),
        "summary": ("Give me a recap of {title}.", "What have we talked about regarding {title}?"),
        "how many times": ("How many times have I mentioned {trouble}?", "Count how often I brought up {trouble}."),
        "multi-hop": (
            "Which weekday suits the {trade} who was recommended to me?",
            "How much will the {trade} helping with {work} cost me?",
        ),
        "temporal": (
            "How much time passed between these two: {first}, and {second}?",
            "Which came first and by how many days: {first}, or {second}?",
        ),
        "next step": ("So, what should happen after that?", "Where do we go from here?"),
        "long question": (
            (
                "{greeting} {talk} {talk2} You know how I am, I overthink it all. Would you be kind and look up what I"
                " spent on {thing}? {talk3} A cheerful tone would be lovely, no jargon."
            ),
            (
                "{greeting} {talk} I really appreciate you, truly. {talk2} Quick one: {thing}, which store was it from?"
                " Answer in plain words like you would to a friend. {talk3}"
            ),
        ),
    },
    queries={
        "single fact": ("{thing} cost", "{thing} charged, billed by store"),
        "can you list": ("purchases for {title}", "charged my card, billed by store", "came back from shop with"),
        "could you remind me": ("{field}", "different {field} after all"),
        "assistant said": ("{subject}", "{subject} tip recommendation"),
        "order": ("{title} events, done", "victory, milestone {title}", "road map {title}"),
        "summary": ("{title} progress and milestones", "decisions about {title}", "trouble with {title}"),
        "how many times": ("{trouble}", "annoyed by {trouble}", "{trouble} once more"),
        "multi-hop": ("{trade} recommended, name", "fee for each visit, free on weekday", "{trade} {work}"),
        "temporal": ("{first}", "{second}"),
        "next step": ("road map sequence {title}", "{step}, followed by", "{title} upcoming"),
        "long question": ("{thing} cost", "{thing} store"),
    },
    greetings=("Hey hey, me once more!", "Dear helper, good morning to you.", "Yo, quick check-in from the sofa."),
    small_talk=(
        "The kids kept me up and I have been running on tea since dawn.",
        "Traffic was a nightmare and my boss is in one of those moods.",
        "I swear, nothing goes to plan this month.",
        "My neighbour drilled through the whole afternoon.",
        "Still, I am rather proud of myself.",
        "No idea why I keep doing this to myself.",
        "There is soup on the stove, so I will be brief, or try to.",
        "My head is spinning a bit.",
        "It felt great to sit down for once.",
        "I wish the days had thirty hours.",
    ),
    requests=(
        "Tell me more about the {word}.",
        "How would a pro handle the {word} next to the {word2}?",
        "Thoughts on the {word}?",
        "I keep reading about the {word} and the {word2}, which matters more for {title}?",
        "Could a beginner manage the {word} alone?",
        "What is your take on the {word} when it comes to {title}?",
    ),
    openings=(
        "That is wonderful! If I got it right, {said} It brings {title} a good deal forward.",
        "Noted: {said} Let me share a couple of thoughts on {title}.",
        "Happy you wrote. {Said} From there, several things become easier.",
    ),
    points=(
        "1. Begin with the {word}; whoever skips it ends up fixing the {word2} twice, and nobody enjoys that.",
        "2. Costs: set aside a sum for the {word}, since what you were charged rarely covers the {word2} as well.",
        "3. Talk to people who finished something like {title}; they know which {word} is worth its money.",
        "4. Test the {word} on a small scale, and move on to the {word2} only when you like the result.",
        "5. Keep receipts, measurements and pictures of the {word} in one place, sorted by date.",
        "6. Give the {word} a rest overnight; the {word2} looks different in daylight anyway.",
        "7. Set a limit of an hour for the {word}, then take a walk and come back to the {word2}.",
        "8. Do not compare your {word} with what you see online, as those have a team for the {word2}.",
        "9. A spare {word} in the drawer saves you a trip when the shops are closed.",
        "10. Celebrate each part of {title} that works, even if the {word} is not perfect yet.",
        "11. Mind the instructions of the {word}: most trouble with a {word2} starts with a page nobody read.",
        "12. Share the work: one of you takes the {word}, the other one the {word2}, and you swap at noon.",
    ),
    closings=(
        "Which part of the {word} shall I go into?",
        "If you want, I can turn this into a timetable for {title}.",
        "How does that sound to you, and is the {word2} sorted yet?",
    ),
    advice=(
        "On {subject}, here is what I recommend: {advice}.",
        "Regarding {subject}, try this: {advice}; it rarely fails.",
    ),
    names=("Ilse", "Farid", "Gwen", "Matteo", "Anouk", "Piet", "Sanna", "Rohan", "Zofia", "Emeka"),
    shops=("Baumgart", "the depot", "Ferrara Online", "Studio Nine", "the flea market", "Lindqvist"),
)

WORDINGS: Mapping[Half, Wording] = {"develop": _DEVELOP, "reported": _REPORTED}
