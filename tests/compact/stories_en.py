"""What is said and how it is summed up, in English. `{x}` is a field; `[-a|b]` is a denial and what is left without it,
`[+a|b]` an assertion and its denial. The wordings of both sides are independent: any goes with any.
"""

# ruff: noqa: E501 (tables, of wide characters too)

from __future__ import annotations

from datetime import date, time

from tests.compact.stories import Story, Value, counts, dates, measured, names, other, plain, times

PEOPLE = (
    "Maria Lindqvist", "Tom Achterberg", "Aisha Rahman", "Oleg Petrenko", "Nora Whitfield", "Kenji Watanabe", "Lucia Ferrante", "Samuel Osei",
    "Ingrid Solheim", "Pedro Quintana", "Hannah Weiss", "Dmitri Volkov", "Fatima Zahra", "Liam Gallagher", "Chloe Dubois", "Rosa Delgado",
)  # fmt: skip
FIRST = tuple(name.split()[0] for name in PEOPLE)
CITIES = (
    "Porto", "Ghent", "Krakow", "Malmo", "Turin", "Leipzig", "Seville", "Bergen", "Cork", "Graz", "Lyon", "Tartu", "Split", "Basel", "York", "Denver",
)  # fmt: skip
FIRMS = (
    "Hotel Aurora", "Hotel Belmont", "Villa Cassia", "Pension Edelweiss", "The Old Mill", "Hotel Gravina", "Casa Lavanda", "The Harbour Inn",
    "Hotel Nordlys", "Palazzo Orsini", "Park Lodge", "Hotel Saltmarsh",
)  # fmt: skip
PRODUCTS = (
    "Veltron X3",
    "Quasar Lite",
    "Norvik 500",
    "Pelican Pro",
    "Ombra S",
    "Trailmate 2",
    "Zenbrew Duo",
    "Kestrel Mini",
    "Lumina Air",
    "Brixton Max",
)
STREETS = (
    "Elm Street",
    "Mill Lane",
    "Tanner Row",
    "Poplar Avenue",
    "Quay Street",
    "Orchard Close",
    "Abbey Road",
    "Castle Terrace",
    "Station Parade",
)

STORIES = (
    Story(
        "table",
        "constraint",
        turns=(
            ("u", ("We'd like a table for {n}, {d}, around {t}.", "Could you book us in for {t} on {d}? There will be {n} of us.",
                   "I'm after a table on {d} at {t} for {n}.")),
        ),
        told=("The user [+wants|does not want] a table for {n} on {d} at {t}.", "Table for {n} people on {d} at {t}.",
              "A table for {n} [+is wanted|is not wanted] at {t} on {d}."),
        fields={"n": "count", "d": "date", "t": "time"},
        slot=("table.time", "t"),
        before=("Can we come at {t}?", "I was thinking of {t} at first."),
    ),
    Story(
        "nuts",
        "constraint",
        turns=(("u", ("Please make sure there's nothing with {food} in it, {who} is allergic.", "{who} can't have {food} at all, it's an allergy.",
                      "No {food} please! {who} would end up in hospital.")),),
        told=("{who} has an allergy, so the food [-must not contain|must contain] {food}.", "[-No {food}|{food}] may be served because of {who}.",
              "The meal [-has to be free of {food}, which {who} must not eat|has to include {food}, which {who} must eat]."),
        fields={"food": "food", "who": "kin"},
        denies=True,
    ),
    Story(
        "budget",
        "constraint",
        turns=(("u", ("We can't spend more than {m} on it.", "My limit is {m}, everything included.", "{m} is the most I'm willing to pay.")),),
        told=("The budget is at most {m}.", "The user [+is willing|is not willing] to pay up to {m}.", "Spending is limited to {m}."),
        fields={"m": "money"},
        slot=("purchase.budget", "m"),
        before=("Let's say we have {m} to spend.", "I had planned on {m}."),
    ),
    Story(
        "stairs",
        "constraint",
        turns=(("u", ("I use a cane, so I can't do stairs.", "Stairs are out of the question for me, I've just had surgery.", "My hip doesn't allow me to climb stairs.")),
               ("a", ("Noted. {f} has a lift.", "{f} has a lift to all floors.", "There is a lift at {f}."))),
        told=("The user [-cannot climb|can climb] stairs; {f} [+has a lift|does not have a lift].", "[-No stairs: the user is unable to climb them|Stairs: the user is able to climb them]. A lift [+exists|does not exist] at {f}.",
              "{f} [+has a lift|has no lift], which matters as the user [-can't use|uses] stairs."),
        fields={"f": "firm"},
        denies=True,
    ),
    Story(
        "train",
        "decision",
        turns=(("a", ("There's a train to {c} at {t} for {m}.", "For {m} you could take the {t} train to {c}.")),
               ("u", ("OK, that one.", "I'll take it.", "Sounds good, book it."))),
        told=("The user [+chose|did not choose] the {t} train to {c} for {m}.", "[+Booked|Not booked]: the train to {c} at {t}, {m}.",
              "The train to {c} at {t} ({m}) [+was accepted|was not accepted]."),
        fields={"c": "city", "t": "time", "m": "money"},
        slot=("train.destination", "c"),
        before=("I'd like to go to {c}.", "Maybe {c} would be nice."),
    ),
    Story(
        "seatless",
        "refusal",
        turns=(("a", ("Would you like to reserve seats for {m}?", "A seat reservation would be {m} extra. Shall I add it?")),
               ("u", ("No, thanks.", "No need.", "I don't need one.", "Not necessary, thank you."))),
        told=("The user [-does not want|wants] a seat reservation ({m}).", "Seat reservation for {m} [-was declined|was accepted].",
              "[-No seat reservation|A seat reservation] is needed; it would have been {m}."),
        fields={"m": "money"},
        denies=True,
    ),
    Story(
        "parcel",
        "open",
        turns=(("u", ("My order {k} hasn't arrived, it was due on {w}.", "Where is {k}? It should have been here on {w}.")),
               ("a", ("I'm sorry, it's stuck in {c}.", "It is being held at the depot in {c}."))),
        told=("Order {k}, due on {w}, [-has not arrived|has arrived]; it is held up in {c}.", "{k} [-did not come|came] on {w} and is in {c}.",
              "The order {k} was expected on {w} but [-has not been delivered|has been delivered]: it is in {c}."),
        fields={"k": "code", "w": "weekday", "c": "city"},
        denies=True,
    ),
    Story(
        "doctor",
        "decision",
        turns=(("a", ("Dr. {p} has an opening on {w} at {t}.", "I can offer {w}, {t}, with Dr. {p}.")),
               ("u", ("Yes, please.", "That works for me.", "Great, take it."))),
        told=("An appointment with Dr. {p} [+was made|was not made] for {w} at {t}.", "The user sees Dr. {p} on {w} at {t}.",
              "Dr. {p} [+will see|will not see] the user on {w}, {t}."),
        fields={"p": "surname", "w": "weekday", "t": "time"},
        slot=("visit.day", "w"),
        before=("Is {w} possible?", "I'd prefer {w} if that's all right."),
    ),
    Story(
        "mornings",
        "constraint",
        turns=(("u", ("I work in the mornings, so mornings are no good.", "Please don't give me anything in the morning, I'm at work.", "I can't make it in the mornings because of my job.")),),
        told=("Mornings [-are not possible|are possible] because of work.", "The user [-cannot come|can come] in the morning, being at work.",
              "[-No appointments|Appointments] in the morning: the user works then."),
        fields={},
        denies=True,
    ),
    Story(
        "luggage",
        "fact",
        turns=(("u", ("I have one suitcase, {g}, and a backpack.", "My suitcase weighs {g}, plus a small backpack.", "Luggage: a {g} suitcase and a backpack.")),),
        told=("The user [+travels|does not travel] with a suitcase of {g} and a backpack.", "Luggage is a backpack and a suitcase weighing {g}.",
              "There [+is|is not] a suitcase ({g}) as well as a backpack."),
        fields={"g": "weight"},
    ),
    Story(
        "hotel",
        "decision",
        turns=(("u", ("We'd be staying from {d} for {s}.", "Check-in would be {d}, and we need {s}.")),
               ("a", ("{f} is {m} a night, with parking.", "Then {f}, {m} per night, parking included?")),
               ("u", ("Good, let's do that.", "Fine by us.", "Yes, book that."))),
        told=("They [+stay|do not stay] at {f} from {d} for {s}, {m} per night with parking.", "{f} [+was booked|was not booked] from {d} ({s}) at {m} a night; parking is included.",
              "Stay at {f}: {s} from {d}, {m} per night."),
        fields={"d": "date", "s": "stay", "f": "firm", "m": "money"},
        slot=("hotel.name", "f"),
        before=("What about {f}?", "A friend told me about {f}."),
    ),
    Story(
        "breakfast",
        "refusal",
        turns=(("u", ("We won't be having breakfast, we leave at {t} already.", "Skip the breakfast, we're off at {t}.", "No breakfast for us: we have to be gone by {t}.")),),
        told=("The user [-does not want|wants] breakfast as they leave at {t}.", "[-Without|With] breakfast, since departure is at {t}.",
              "Breakfast [-is not needed|is needed]; they are gone by {t}."),
        fields={"t": "time"},
        denies=True,
    ),
    Story(
        "distance",
        "preference",
        turns=(("u", ("It should be within {x} of the centre and have a garden.", "Not further than {x} from the centre, please, and with a garden.", "I need a garden, and at most {x} to the centre.")),),
        told=("The place [+should have|should not have] a garden and lie at most {x} from the centre.", "A garden [+is required|is not required]; the centre must be within {x}.",
              "The user [+is looking for|is not looking for] something with a garden, no more than {x} from the centre."),
        fields={"x": "distance"},
    ),
    Story(
        "deploy",
        "failed",
        turns=(("u", ("job {k} died after {z}, out of memory at {b}", "The import {k} crashed: {z} in, it ran out of memory ({b}).")),
               ("a", ("Would restarting help?", "Have you tried restarting it?")),
               ("u", ("restarting didn't help, I did that on {w}", "I restarted it on {w}, that made no difference."))),
        told=("{k} crashed after {z} when memory ran out at {b}; restarting on {w} [-did not help|helped].", "The job {k} failed (memory exhausted at {b} after {z}). A restart on {w} [-made no difference|made a difference].",
              "After {z} {k} ran out of memory ({b}). Restarted on {w}, [-without success|with success]."),
        fields={"k": "code", "z": "span", "b": "memory", "w": "weekday"},
        denies=True,
    ),
    Story(
        "production",
        "constraint",
        turns=(("u", ("Never run anything on the production database without asking {p}.", "Don't you dare touch the production database before {p} agrees.",
                      "Nothing may be changed in the production database unless {p} has said yes.")),),
        told=("The production database [-must not be touched|may be touched] without the consent of {p}.", "Changes to the production database [-are forbidden|are fine], {p} has to agree first.",
              "[-Nothing may be done|Anything may be done] on the production database before {p} has agreed."),
        fields={"p": "first"},
        denies=True,
    ),
    Story(
        "refund",
        "decision",
        turns=(("u", ("I don't want a refund, I want a new {q}.", "No refund please. Just send me another {q}.", "A refund won't do, I need the {q}.")),
               ("a", ("It leaves on {d} by courier.", "The replacement goes out on {d}."))),
        told=("A new {q} [+is sent|is not sent] on {d}; the user [-does not want|wants] a refund.", "Instead of a refund the user gets another {q}, which leaves on {d}.",
              "The {q} [+will be replaced|will not be replaced] ({d}). A refund [-was refused|was accepted]."),
        fields={"q": "product", "d": "date"},
        denies=True,
    ),
    Story(
        "address",
        "fact",
        turns=(("u", ("Please deliver to {i} {r}, my neighbour {p} will take it.", "It has to go to {i} {r}. {p} next door accepts parcels.")),),
        told=("Delivery [+goes|does not go] to {i} {r}, where the neighbour {p} accepts it.", "Deliver to {i} {r}; {p} next door [+takes|does not take] the parcel.",
              "{p}, a neighbour, [+receives|does not receive] the delivery at {i} {r}."),
        fields={"i": "house", "r": "street", "p": "first"},
        slot=("delivery.street", "r"),
        before=("Send it to {r}.", "The address is on {r}."),
    ),
    Story(
        "smoking",
        "preference",
        turns=(("u", ("I'd hate a room that smells of smoke, so non-smoking.", "We don't smoke, so please no smoking room.", "Not a smoking room, we can't stand the smell of smoke.")),),
        told=("The room [-must not be|must be] a smoking room.", "[-No smoking room: they dislike the smell|A smoking room: they like the smell].", "The user [-does not want|wants] a smoking room."),
        fields={},
        denies=True,
    ),
    Story(
        "laptop",
        "decision",
        turns=(("a", ("The {q} with {b} costs {m}.", "I'd suggest the {q}: {b} of memory, {m}.")),
               ("u", ("Then the {q}, in silver.", "I'll go for the {q}. Silver, please."))),
        told=("The user [+takes|does not take] the {q} with {b} in silver for {m}.", "[+Chose|Did not choose] the {q} ({b}, silver, {m}).", "A silver {q} with {b} [+was ordered|was not ordered] for {m}."),
        fields={"q": "product", "b": "memory", "m": "money"},
        slot=("order.product", "q"),
        before=("I have been looking at the {q}.", "How about the {q}?"),
    ),
    Story(
        "discount",
        "fact",
        turns=(("a", ("With the code {k} you get {e} off until {d}.", "Until {d} the code {k} takes {e} off.")),),
        told=("Code {k} [+gives|does not give] {e} off until {d}.", "There [+is|is not] a discount of {e} with {k}, valid until {d}.", "{k}: {e} discount up to {d}."),
        fields={"k": "code", "e": "percent", "d": "date"},
    ),
    Story(
        "party",
        "fact",
        turns=(("u", ("We'll be {n}, of whom {v} don't eat meat.", "Count on {n} guests; {v} of them are vegetarians.")),
               ("a", ("The room at {f} holds enough people.", "{f} has room for that."))),
        told=("{n} guests [+are expected|are not expected], {v} of them vegetarian; {f} is big enough.", "There [+will be|will not be] {n} guests, including {v} vegetarians, at {f}.",
              "{f} has room for the {n} people ({v} vegetarian)."),
        fields={"n": "crowd", "v": "few", "f": "firm"},
    ),
    Story(
        "insurance",
        "refusal",
        turns=(("a", ("Shall I add insurance for {m}?", "Travel insurance is {m}. Do you want it?")),
               ("u", ("I won't take any insurance, I already have one with my card.", "No insurance, my card covers that.", "I never buy insurance, my card includes it."))),
        told=("Insurance for {m} [-was refused|was taken], as the card covers it.", "The user [-does not want|wants] the insurance ({m}); the card includes one.", "[-No insurance|Insurance] ({m}): the card covers that."),
        fields={"m": "money"},
        denies=True,
    ),
    Story(
        "dog",
        "fact",
        turns=(("u", ("We're bringing our dog {o}, he's {g} and very calm.", "{o}, our dog, comes too. He is calm and weighs {g}.")),
               ("a", ("Dogs are welcome at {f} for {m} a day.", "{f} takes dogs, {m} a day."))),
        told=("Their calm dog {o} ({g}) comes along; {f} [+accepts dogs|does not accept dogs] for {m} per day.", "The dog {o}, {g}, [+comes|does not come] too. {f} charges {m} a day.",
              "{f} [+welcomes|does not welcome] the dog {o} ({g}) at {m} a day."),
        fields={"o": "pet", "g": "weight", "f": "firm", "m": "money"},
    ),
    Story(
        "calls",
        "constraint",
        turns=(("u", ("Please don't phone me, send an email to {p} instead.", "No phone calls, write an email to {p}.", "I never pick up the phone. Email {p}.")),),
        told=("The user [-does not want|wants] phone calls; {p} is to be emailed.", "Emails [+go|do not go] to {p}; [-no phone calls|phone calls].", "[-Do not phone|Phone]: email {p}."),
        fields={"p": "first"},
        denies=True,
    ),
    Story(
        "flat",
        "constraint",
        turns=(("u", ("I'm looking for a flat of {y} in {c}, but not on the ground floor.", "A flat in {c}, {y} or so. The ground floor is no option.", "In {c}, please, about {y}. I don't want to live on the ground floor.")),),
        told=("The user [+is looking for|is not looking for] a flat of {y} in {c}, [-not on|on] the ground floor.", "Flat in {c}, about {y}; the ground floor [-is excluded|is fine].",
              "A flat of about {y} in {c} [+is wanted|is not wanted], [-but not on|and on] the ground floor."),
        fields={"y": "area", "c": "city"},
        denies=True,
        slot=("flat.city", "c"),
        before=("Have you got anything in {c}?", "We thought about {c} first."),
    ),
    Story(
        "meeting",
        "decision",
        turns=(("u", ("Can we shift the call with {p} to {w} at {t}?", "Please put the call with {p} on {w}, {t}.")),
               ("a", ("Moved to {w}.", "Done, it's on {w} now."))),
        told=("The call with {p} [+was moved|was not moved] to {w} at {t}.", "{w} at {t}: call with {p}.", "The call with {p} [+takes place|does not take place] on {w} at {t}."),
        fields={"p": "person", "w": "weekday", "t": "time"},
        slot=("call.day", "w"),
        before=("The call is on {w} so far.", "We said {w} for the call."),
    ),
    Story(
        "alcohol",
        "constraint",
        turns=(("u", ("Half of the guests don't drink, so no alcohol in the punch.", "The punch has to be without alcohol, please.", "Don't put any alcohol into the punch.")),),
        told=("The punch [-must not contain|must contain] alcohol.", "[-No alcohol|Alcohol] goes into the punch.", "The punch should be made [-without|with] alcohol."),
        fields={},
        denies=True,
    ),
    Story(
        "visa",
        "open",
        turns=(("u", ("I haven't applied for the visa yet, I still need the letter from {p}.", "The visa isn't applied for: {p} has to send me a letter first.")),
               ("a", ("Please do so before {d}.", "The deadline is {d}."))),
        told=("The visa [-has not been applied for|has been applied for]; a letter from {p} is needed, and the deadline is {d}.", "The user [-did not apply|applied] for the visa: the letter of {p} is outstanding (until {d}).",
              "Visa application [-not done|done], waiting for the letter of {p}; to be done before {d}."),
        fields={"p": "person", "d": "date"},
        denies=True,
    ),
)  # fmt: skip
FILLERS = (
    ("u", "Hi there!"), ("a", "Hello, what can I do for you?"), ("a", "One moment, please."), ("u", "Take your time."),
    ("a", "Is there anything else?"), ("u", "Yes, one more thing."), ("u", "Thanks so far."), ("a", "You're welcome."),
    ("a", "Let me have a look."), ("u", "By the way, lovely weather today."), ("a", "I have noted that."), ("u", "Great, you are a big help."),
)  # fmt: skip


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())


def _word(number: int) -> str:
    tens, ones = divmod(number, 10)
    if number < 20:
        return _ONES[number]
    return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "") if number < 100 else str(number)


def _th(day: int) -> str:
    return f"{day}{'th' if 10 < day < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(day % 10, 'th')}"


def _date(day: date) -> tuple[str, ...]:
    month = _MONTHS[day.month - 1]
    return f"{day.day} {month}", f"{month} {_th(day.day)}", f"the {_th(day.day)} of {month}", f"{month} {day.day}"


def _told_date(day: date) -> tuple[str, ...]:
    month = _MONTHS[day.month - 1]
    return f"{day.day} {month}", f"{month} {day.day}", f"{_th(day.day)} {month}", f"{day.day} {month[:3]}"


def _time(at: time) -> tuple[str, ...]:
    hour, half = (at.hour - 1) % 12 + 1, "am" if at.hour < 12 else "pm"
    part = "in the morning" if at.hour < 12 else "in the afternoon" if at.hour < 18 else "in the evening"
    clock = f"{at.hour:02}:{at.minute:02}", f"{hour}:{at.minute:02} {half}"
    following = _ONES[hour % 12 + 1]
    spoken = {0: f"{_ONES[hour]} o'clock {part}", 15: f"quarter past {_ONES[hour]} {part}", 30: f"half past {_ONES[hour]} {part}",
              45: f"quarter to {following} {part if at.hour != 11 else ''}".strip()}  # fmt: skip
    return (*clock, spoken[at.minute], *((f"{hour} {half}",) if at.minute == 0 else ()))


def _told_time(at: time) -> tuple[str, ...]:
    return f"{at.hour:02}:{at.minute:02}", f"{(at.hour - 1) % 12 + 1}:{at.minute:02} {'am' if at.hour < 12 else 'pm'}"


def _weekday(day: str) -> Value:
    return Value((day, f"{day}"), (day,), day, other(_weekday, _DAYS, day, "date"))


def _code(code: str) -> Value:
    digits = [at for at, char in enumerate(code) if char.isdigit()]
    return Value(
        (code,),
        (code,),
        code,
        {"digit": lambda dice: _code(_changed(code, dice.choice(digits), dice.randrange(1, 10)))},
    )


def _changed(code: str, at: int, shift: int) -> str:
    return f"{code[:at]}{(int(code[at]) + shift) % 10}{code[at + 1 :]}"


FIELDS = {
    "count": counts(range(2, 13), lambda n: (str(n), _word(n)), lambda n: (str(n), _word(n))),
    "crowd": counts(range(14, 90), lambda n: (str(n), _word(n)), lambda n: (str(n),)),
    "few": counts(range(2, 10), lambda n: (str(n), _word(n)), lambda n: (str(n), _word(n))),
    "house": counts(range(3, 180), lambda n: (str(n),), lambda n: (str(n),)),
    "money": measured(
        (25, 38, 45, 60, 85, 120, 145, 180, 230, 275, 340, 420, 560, 780, 950, 1200, 1850, 2400),
        {
            "USD": (("${}", "{} dollars", "{} bucks"), ("${}", "{} dollars", "{} USD")),
            "EUR": (("€{}", "{} euros", "{} €"), ("{} euros", "€{}", "EUR {}")),
            "GBP": (("£{}", "{} pounds"), ("£{}", "{} pounds", "GBP {}")),
            "CHF": (("{} francs", "{} Swiss francs"), ("{} francs", "CHF {}")),
        },
    ),
    "weight": measured(
        (7, 9, 12, 18, 23, 27, 30),
        {
            "kg": (("{} kilos", "{} kg", "{}kg"), ("{} kg", "{} kilos")),
            "lb": (("{} pounds", "{} lbs"), ("{} lb", "{} pounds")),
        },
    ),
    "distance": measured(
        (3, 4, 5, 6, 8, 12, 15),
        {
            "km": (("{} km", "{} kilometres", "{}km"), ("{} km", "{} kilometres")),
            "miles": (("{} miles",), ("{} miles",)),
            "min": (("{} minutes", "{} min"), ("{} minutes",)),
        },
    ),
    "memory": measured(
        (8, 12, 16, 32, 48, 64),
        {
            "GB": (("{} GB", "{}GB", "{} gigabytes"), ("{} GB",)),
            "MB": (("{} MB", "{} megabytes"), ("{} MB", "{}MB")),
            "TB": (("{} TB",), ("{} TB",)),
        },
    ),
    "area": measured(
        (55, 62, 70, 84, 95, 110),
        {
            "m2": (("{} square metres", "{} sqm"), ("{} square metres", "{} sqm")),
            "ft2": (("{} square feet",), ("{} square feet",)),
        },
    ),
    "span": measured(
        (12, 15, 20, 25, 40, 45, 90),
        {
            "minutes": (("{} minutes", "{} min"), ("{} minutes",)),
            "hours": (("{} hours", "{}h"), ("{} hours",)),
            "seconds": (("{} seconds",), ("{} seconds", "{} s")),
        },
    ),
    "stay": measured(
        (3, 4, 5, 6, 8, 10),
        {
            "nights": (("{} nights",), ("{} nights",)),
            "weeks": (("{} weeks",), ("{} weeks",)),
            "months": (("{} months",), ("{} months",)),
        },
    ),
    "percent": measured(
        (5, 10, 12, 15, 20, 25),
        {
            "%": (("{} %", "{}%", "{} percent"), ("{} %", "{}%", "{} percent")),
            "EUR": (("{} euros",), ("{} euros", "€{}")),
            "GBP": (("£{}",), ("£{}",)),
        },
    ),
    "date": dates(_date, _told_date),
    "time": times(_time, _told_time),
    "weekday": lambda dice: _weekday(dice.choice(_DAYS)),
    "code": lambda dice: _code(
        dice.choice(("{}-{:04}", "{}{:05}", "{}/{:03}")).format(
            dice.choice(("A", "KX", "NR", "TB", "QZ")), dice.randrange(100, 1000)
        )
    ),
    "person": names(PEOPLE),
    "first": names(FIRST),
    "surname": names(tuple(name.split()[1] for name in PEOPLE)),
    "city": names(CITIES),
    "firm": names(FIRMS),
    "product": names(PRODUCTS),
    "street": names(STREETS),
    "pet": names(("Bruno", "Fluffy", "Otto", "Pickles", "Waffle", "Zorro", "Maximus", "Pepper")),
    "food": plain(("peanuts", "shellfish", "sesame", "garlic", "celery", "mustard", "milk", "eggs")),
    "kin": plain(("my son", "my wife", "our guest", "my mother", "my friend")),
}
