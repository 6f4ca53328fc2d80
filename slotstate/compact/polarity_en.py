"""How English denies, as the check of a summary reads it."""

# ruff: noqa: E501 (tables, of wide characters too)

from __future__ import annotations

from typing import Final

CONTRACTED: Final = frozenset(
    "dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt mustnt havent hasnt hadnt neednt aint".split()
)
"""Contractions without their apostrophe; with it every word in n't is one."""
NEGATIONS: Final = frozenset("not no never without nor neither none nobody nothing nowhere cannot".split())
EXCEPT: Final = frozenset("except excluding excepting".split())
WEAK: Final = frozenset(
    (
        "away abroad busy holiday holidays vacation occupied only insteadof unable unavailable lacks lack lacking missing cancel cancels cancelled canceled "
        "cancelling remove removes removed removing drop dropped stop stops stopped fail fails failed "
        "closed broken hardly rarely seldom barely unless wrong wrongly "
        "expired pending undecided unclear unknown unsure optional lost worse hard "
        "bothers bother mind minds difficult trouble trouble-free waive waived unwell unsuitable inconvenient "
        "uncomfortable unnecessary unfinished unpaid unopened unused unhappy unlikely however although though "
        "yet few little forgot forgotten postponed unsuccessful unsuccessfully stuck delayed overdue outstanding worried worry afraid scared "
        "fear fears otherwise deny denied "
    ).split()
)
"""Words that deny or take away something without a negation."""
STRONG: Final = frozenset(
    (
        "allergic allergy allergies intolerant intolerance refuse refuses refused refusing refusal decline declines "
        "declined declining reject rejects rejected rejecting avoid avoids avoided avoiding exclude excludes excluded "
        "hate hates hated dislike dislikes disliked forbid forbids forbidden prohibit prohibited prohibits banned ban "
        "bans detest detests impossible skip skips skipped skipping"
    ).split()
)
"""Words that deny what they speak of as a negation does."""
PHRASES: Final = {
    "change anything": "help", "changed nothing": "did not help", "makes no": "make no",
    "instead of": "insteadof", "rather than": "insteadof",
    "out of the question": "impossible", "turned down": "refused", "turns down": "refuses", "turn down": "refuse",
    "away from": "avoiding", "far from": "avoiding", "ruled out": "excluded", "rule out": "exclude", "sold out": "unavailable",
    "should have been here": "did not arrive", "should have been there": "did not arrive",
    "should have been delivered": "did not arrive", "should have arrived": "did not arrive", "should have come": "did not arrive", "supposed to": "overdue", "free of": "without", "keep off": "avoid", "stay away": "avoid", "opted out": "declined", "no need": "no",
}  # fmt: skip
"""What one word says as well."""
CLAUSES: Final = frozenset(
    "but because since so although though while whereas if when unless until then instead which who whom yet therefore without".split()
)
"""A clause begins with these."""
AFTER_AND: Final = frozenset(
    (
        "i we you he she it they there the a an my our his her their this that is are was were has have had will would "
        "can could should must may might do does did wants want needs need prefers prefer likes like takes take asks ask "
        "get gets go goes wishes wish would please no not never then also instead it's that's there's i'm we're they're he's she's i'll we'll i've we've"
    ).split()
)
"""Behind "and" these begin a clause of their own."""
BOUNDS: Final = frozenset(
    (
        "over above exceed exceeds exceeding beyond more later before after until till earlier less under below longer "
        "fewer higher lower than past sooner"
    ).split()
)
"""A negation before these sets a bound: "no later than", "not before"."""
NO_NEGATION: Final = frozenset(
    (
        "only just merely simply mind forget worry hesitate problem problems doubt wonder matter idea worries wait mention "
        "sooner necessarily else"
    ).split()
)
"""A negation right before these denies nothing."""
LIGHT: Final = frozenset(
    (
        "a an the this that these those there here it its he she they we you i me him her them us my our your his their "
        "who which what when where why how whose one ones some any all every each both either other another such same "
        "own user users customer customers client assistant agent traveller "
        "am is are was were be been being do does did done doing have has had having will would shall should can could "
        "may might must ought need needs needed needing want wants wanted wanting like likes liked prefer prefers "
        "preferred wish wishes would'd get gets got getting go goes going went gone take takes took taken taking make "
        "makes made making let lets give gives gave given keep keeps kept put say says said tell tells told ask asks "
        "asked asking think thinks thought know knows knew feel feels "
        "to of in on at by for from with into onto as up about around between through during after behind "
        "and or if so than then because also again very really quite absolutely definitely ever any more longer anymore "
        "even just at please thanks thank ok okay yes yeah well oh hi hello sorry sure fine good great perfect right "
        "possible possibly available work works working worked allowed allow able suitable ideally ideal far but not no "
        "nor never none nothing without cannot thing things something anything everything anybody anyone someone "
        "everyone lot bit kind sort way time times i'm i'd i'll i've we're we'd we'll we've they're it's that's there's "
        "he's she's what's let's you're d s ll ve re m t use uses used using be seems seem much many "
        "most least however therefore per now today currently option options choice still already yet once long always wanted according "
        "necessary better rather preferably required requires require requested requests request should've since while until unless though although "
        "until ago both whether whatever soon mr mrs ms dr "
    ).split()
)
"""Words that say too little for a denial to be matched by them."""
IRREGULAR: Final = {
    "chose": "choose", "chosen": "choose", "chooses": "choose", "choosing": "choose", "brought": "bring", "ate": "eat",
    "eats": "eat", "eaten": "eat", "eating": "eat", "drank": "drink", "drove": "drive", "driven": "drive",
    "flew": "fly", "flies": "fly", "flown": "fly", "slept": "sleep", "sat": "sit", "sitting": "sit", "left": "leave",
    "bought": "buy", "sent": "send", "paid": "pay", "spent": "spend", "ran": "run", "running": "run",
    "children": "child", "kids": "child", "kid": "child", "people": "person", "wrote": "write", "written": "write",
    "spoke": "speak", "spoken": "speak", "heard": "hear", "met": "meet", "lost": "lose", "sold": "sell",
    "called": "call", "calls": "call", "calling": "call", "fell": "fall", "rung": "ring", "rang": "ring",
    "used": "use", "swimming": "swim", "shopping": "shop", "shops": "shop", "smoking": "smoke", "stairs": "stair",
    "success": "help", "successful": "help", "successfully": "help", "difference": "help", "effect": "help",
    "effective": "help", "solved": "help", "solve": "help", "solves": "help", "fixed": "help", "fix": "help",
    "delivered": "arrive", "received": "arrive", "receive": "arrive", "came": "arrive", "come": "arrive", "comes": "arrive",
    "coming": "arrive", "guests": "guest",
    "moved": "move", "moving": "move", "tied": "tie", "helped": "help", "helps": "help", "goods": "good",
}  # fmt: skip
CONDITIONS: Final = frozenset(
    "asking consent permission approval agreement telling informing consulting agreeing".split()
)
"""Behind "without" these say on what condition something may be."""
AFTER_NOUNS: Final = frozenset("allergy allergies intolerance".split())
"""Of the words of refusal, those that stand behind what they refuse."""
ACCEPTS: Final = frozenset(
    "yes yeah yep ok okay sure fine great perfect good lovely absolutely sounds alright agreed deal wonderful excellent".split()
)
"""What a consent begins with."""
OF_WHOM: Final = frozenset("allergic intolerant".split())
"""These are said of somebody, not of what is refused."""
ANSWERS: Final = frozenset("no nope nah".split())
"""What a refusal begins with."""
ADVERSE: Final = frozenset("problem problems mind bother bothers disturb matter objection trouble issue".split())
"""Questions with these are answered with yes by who refuses."""
REQUESTS: Final = r"(?:can|could|would|will) you (?:please |also |just |then )*(?:note|make sure|remember|add|tell|ensure|see to it|write down|let)\b"
"""Questions that ask for nothing but to be heard."""
OPENS: Final = frozenset(
    "is are was were do does did can could will would shall should may has have what which who when where why how".split()
)
"""What a sentence begins with that is a question as a whole."""
ASKING: Final = frozenset(
    "isn't aren't wasn't can't couldn't won't wouldn't don't doesn't didn't haven't hasn't why".split()
)
