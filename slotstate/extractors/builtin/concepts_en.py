"""English: how users speak of what slots are about."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from typing import Final

from slotstate.extractors.builtin.lexicon import Concept

ENGLISH_CONCEPTS: Final = {
    "origin": Concept(
        slots=("origin", "from", "departure city", "departure station", "departure airport", "departure location",
               "from city", "from station", "from location", "leaving from", "leave from", "start location", "pickup",
               "pick up", "pickup location", "source", "departs from", "leave", "depart", "departure"),
        before=(r"from", r"leav(?:e|es|ing) from", r"leaving", r"depart(?:s|ing)? from", r"departing", r"out of",
                r"starting (?:from|in|at)", r"start(?:ing)? from", r"pick(?: me| us)? up (?:at|from|in)", r"fly(?:ing)? out of"),
    ),
    "destination": Concept(
        slots=("destination", "to", "arrival city", "arrival station", "arrival airport", "to city", "to station",
               "to location", "going to", "go to", "where to", "drop off", "dropoff", "arrival", "travel to", "arrive at",
               "dropoff location", "arrive in", "head to"),
        before=(r"to", r"towards?", r"into", r"arriv(?:e|es|ing) (?:in|at)", r"bound for", r"heading for", r"headed for",
                r"(?:destination|going) (?:is|to)", r"visit(?:ing)?", r"drop(?: me| us)? off (?:at|in)", r"reach"),
    ),
    "place": Concept(
        slots=("city", "location", "place", "town", "area", "where", "station", "airport", "location name"),
        before=(r"in", r"near", r"around", r"located in", r"live in", r"based in", r"close to", r"within"),
    ),
    "venue": Concept(
        slots=("venue", "restaurant", "hotel", "restaurant name", "hotel name", "place name", "theater", "theatre", "club"),
        before=(r"at", r"called", r"named"),
    ),
    "address": Concept(slots=("address", "street", "street address", "home address"), before=(r"(?:live|lives|living) at", r"deliver(?:ed)? to", r"ship(?:ped)? to")),
    "region": Concept(slots=("country", "state", "province", "region", "nationality", "county")),
    "recipient": Concept(
        slots=("payee", "recipient", "receiver", "beneficiary", "contact", "send to"),
        before=(r"to", r"pay"),
    ),
    "name": Concept(
        slots=("name", "full name", "first name", "last name", "surname", "passenger name", "guest name", "passenger",
               "contact name", "customer", "customer name", "your name"),
        before=(r"(?:my|the|his|her) (?:full |first |last )?name(?: is|'s)", r"(?:i am|i'm|this is) called",
                r"call(?:ed)? me", r"under(?: the name(?: of)?)?", r"in the name of", r"name(?: is|:)", r"for (?:mr|mrs|ms)\.?"),
    ),
    "code": Concept(
        slots=("id", "code", "number", "no", "iban", "reference", "ref", "account", "order", "booking", "voucher", "zip",
               "postcode", "postal code", "pin", "serial", "plate", "tracking", "ticket number", "flight number", "model",
               "invoice", "coupon", "policy"),
        before=(r"(?:id|code|number|no\.?|reference|ref|account|order|booking|voucher|ending(?: in)?)(?: number| code)?",),
    ),
    "note": Concept(
        slots=("note", "notes", "message", "comment", "comments", "feedback", "description", "remark", "remarks", "reason",
               "subject", "details", "problem", "issue", "request", "instructions", "text", "memo", "greeting", "caption", "wording", "inscription", "content", "summary", "special requests"),
    ),
    "start": Concept(
        slots=("outbound", "departure", "depart", "departs", "departing", "leave", "leaving", "start", "begin", "check in",
               "checkin", "check-in", "out", "from", "pickup", "pick up", "leave on", "travel out", "go", "starts", "opening"),
        before=(r"leav(?:e|es|ing)", r"depart(?:s|ing|ure)?", r"going out", r"go(?:ing)?", r"(?<!checking )(?<!check )(?<!checking-)(?<!check-)out(?:bound)?", r"start(?:s|ing)?",
                r"begin(?:s|ning)?", r"check(?:ing)?[- ]?in", r"from", r"set(?:ting)? off", r"fly(?:ing)?(?: out)?",
                r"there", r"travel(?:ling|ing)?"),
    ),
    "end": Concept(
        slots=("return", "returning", "back", "end", "finish", "check out", "checkout", "check-out", "until", "arrival",
               "arrive", "arrives", "come back", "inbound", "drop off", "dropoff", "ends", "closing", "arriving"),
        before=(r"return(?:s|ing)?", r"(?:com(?:e|ing)|get(?:ting)?|be|fly(?:ing)?|go(?:ing)?|and|head(?:ing)?) back", r"back",
                r"inbound", r"until", r"till", r"to", r"through", r"end(?:s|ing)?", r"finish(?:es|ing)?", r"check(?:ing)?[- ]?out",
                r"arriv(?:e|es|ing|al)", r"get(?:ting)? (?:there|in|home)", r"be there by"),
    ),
    "min": Concept(
        slots=("min", "minimum", "lowest", "at least", "from", "lower", "low"),
        before=(r"at least", r"over", r"more than", r"above", r"minimum(?: of)?", r"from", r"no less than", r"starting at"),
        after=(r"or more", r"and up", r"or above", r"at least", r"minimum"),
    ),
    "max": Concept(
        slots=("max", "maximum", "highest", "at most", "budget", "limit", "upper", "high", "up to"),
        before=(r"at most", r"under", r"less than", r"below", r"up to", r"no more than", r"max(?:imum)?(?: of)?",
                r"not more than", r"to", r"within", r"budget(?: is| of)?"),
        after=(r"or less", r"max(?:imum)?", r"tops", r"at most", r"or under", r"or below"),
    ),
    "first": Concept(slots=("first", "one", "left", "a", "x", "1"), before=(r"first",)),
    "second": Concept(slots=("second", "two", "right", "b", "y", "2"), before=(r"second", r"then", r"plus", r"and")),
    "people": Concept(
        slots=("people", "persons", "person", "guests", "guest", "party", "party size", "attendees", "passengers",
               "travelers", "travellers", "group size", "headcount", "head count", "diners", "participants", "visitors",
               "how many people", "group", "pax", "seats", "number of people", "number of seats", "number of riders", "riders"),
        before=(r"(?:table|party|group|room|booking|reservation|seats?|dinner|lunch|tickets?)(?: \w{1,12})? (?:for|of)",
                r"we (?:are|will be|'ll be)", r"we're", r"there(?: are| will be|'ll be)", r"there're"),
        after=(r"people", r"persons?", r"guests?", r"of us", r"attendees", r"passengers?", r"travell?ers?", r"pax", r"heads",
               r"diners", r"participants", r"visitors", r"friends", r"seats?", r"riders?", r"peoples?", r"ppl"),
    ),
    "adults": Concept(slots=("adults", "adult"), after=(r"adults?", r"grown[- ]?ups?")),
    "children": Concept(
        slots=("children", "child", "kids", "kid"), after=(r"child(?:ren)?", r"kids?", r"babies", r"toddlers?")
    ),
    "nights": Concept(
        slots=("nights", "night", "stay", "length of stay", "number of nights"), after=(r"nights?",), before=(r"stay(?:ing)?(?: for)?",)
    ),
    "days": Concept(slots=("days", "number of days", "day count", "rental days", "stay"), after=(r"days?",)),
    "pulse": Concept(
        slots=("pulse", "heart rate", "heartbeat", "bpm"), before=(r"pulse(?: rate)?", r"heart ?(?:rate|beat)"), after=(r"bpm", r"beats(?: per minute)?")
    ),
    "weeks": Concept(slots=("weeks", "number of weeks"), after=(r"weeks?",)),
    "months": Concept(slots=("months", "number of months"), after=(r"months?",)),
    "years": Concept(slots=("years", "number of years"), after=(r"years?(?! old)",)),
    "minutes": Concept(slots=("minutes", "number of minutes", "mins"), after=(r"minutes?", r"mins?")),
    "hours": Concept(slots=("hours", "number of hours", "duration hours"), after=(r"hours?", r"hrs?")),
    "rooms": Concept(slots=("rooms", "number of rooms", "bedrooms"), after=(r"(?:bed)?rooms?", r"(?:double|single|twin) rooms?")),
    "tickets": Concept(
        slots=("tickets", "number of tickets", "ticket count", "seats", "number of seats", "quantity", "people"),
        after=(r"tickets?", r"seats?"),
    ),
    "bags": Concept(
        slots=("bags", "luggage", "baggage", "suitcases", "checked bags"), after=(r"(?:checked )?bags?", r"suitcases?", r"pieces?(?: of luggage)?")
    ),
    "stars": Concept(slots=("stars", "star rating", "star"), after=(r"-? ?stars?",)),
    "rating": Concept(
        slots=("rating", "rate", "score", "stars"), before=(r"rat(?:e|ed|ing)(?: (?:it|this|that))?(?: an?)?", r"scor(?:e|ed)", r"give (?:it|you|this)(?: an?)?"),
        after=(r"(?:stars?|points?)", r"out of", r"/ ?\d{1,3}"),
    ),
    "age": Concept(slots=("age", "how old", "years old"), before=(r"(?:i'm|i am|he's|she's|he is|she is|aged?)",),
                   after=(r"years?(?:[- ]old)?", r"yo", r"y/o")),
    "degrees": Concept(
        slots=("temperature", "temp", "degrees", "fever"), before=(r"temperature(?: of)?",),
        after=(r"degrees?(?: (?:celsius|fahrenheit|c|f))?", r"°", r"celsius", r"fahrenheit"),
    ),
    "price": Concept(
        slots=("price", "cost", "budget", "amount", "fare", "fee", "pay", "payment", "total", "balance", "salary", "rent", "spend",
               "how much"),
        before=(r"(?:price|cost|costs|costing|budget|amount|fare|fee|spend|pay|send|transfer|worth)(?: of| up to| about| around)?",),
    ),
    "past": Concept(
        slots=("damage", "incident", "accident", "happened", "happen", "purchased", "purchase", "bought", "ordered", "issued", "last",
               "previous", "occurred", "since", "lost", "stolen", "invoice date", "order date", "did"),
    ),
    "birth": Concept(
        slots=("birth", "birthday", "born", "dob", "birthdate"), before=(r"born(?: on)?", r"birthday(?: is)?", r"date of birth(?: is)?")
    ),
    "confirmation": Concept(slots=("confirmed", "confirm", "confirmation", "agreed", "approved", "is confirmed", "booked")),
}  # fmt: skip
