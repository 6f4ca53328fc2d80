"""English: statements about the past, refusals and questions, over values that are held."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from typing import Final

from slotstate.extractors.builtin.telling import Telling

_MEANT = "hoping|thinking|wondering|going|looking|planning|supposed|meant|to be|wrong|mistaken|a mistake|misspel\\w+|a (?:much )?better|better"
_ACTS = (
    "had(?! (?:in mind|better|hoped|meant|wanted|to))|have had|has had|ran|went|sent|paid|cost|lasted|lived|stayed|ate|saw|bought|owed|received|lost|spent|transferred|"
    "thought(?! (?:of|about|maybe|perhaps|we|i)\\b)"
)
_VERB = "chang(?:e|ing)|mov(?:e|ing)|switch(?:ing)?|swap(?:ping)?|shift(?:ing)?|push(?:ing)?|postpone|reschedule|mak(?:e|ing)|put(?:ting)?|set(?:ting)?|tak(?:e|ing)|us(?:e|ing)|book(?:ing)?|send(?:ing)?|com(?:e|ing)|choose|pick|add|transfer|order|deliver|go(?:ing)?|have|do"
_TO = "(?:to|on|at|for|in|into|with|from)"
_STILL = r"(?!(?:but|do|make|take|and|or|instead|rather|until|till|before|than|more|less|only|if|when|because|so|it's|use|not|to)\b)"
_BETWEEN = rf"(?: {_STILL}[\w']+){{0,4}}(?: {_TO})?(?: (?:the|my|our|a|an|any))? "

TELLING_EN: Final = Telling(
    once=(
        r"\b(?:used to be|used to (?!the\b)|previously|formerly|back then|in the past|(?:years?|months?|weeks?|days?) ago|"
        r"(?<!the )last (?:time|week|month|year|night|summer|winter|spring|autumn)\b(?! (?:of|in)\b)|yesterday(?!'s))"
        rf"|\b(?:{_ACTS}|was|were|did)\b.{{0,60}}\bbefore ?(?=[.,!?;]|\Z)"
        r"|\b(?:my|our|his|her|the) (?:old|former|previous) .{0,40}\b(?:was|were|ran|had|cost|did|went)\b(?! (?:wrong|supposed|meant)\b)"
    ),
    was=(
        rf"(?<!\bit )(?<!\bthat )(?<!\bthere )(?<!\bif )\b(?:was|were|wasn't|weren't)\b(?! (?:{_MEANT})\b)"
        rf"|\b(?:i|we|he|she|they) (?:{_ACTS})\b"
    ),
    parts=r"\b(?:but|so|and|now|then)\b",
    refused=(
        rf"(?:(?<!why )\b(?:don't|do not|never|no need to|needn't|rather not|not to|won't)(?: (?:want|need|like|have|wish)(?: you| us)? to)?(?: ever)? (?:{_VERB}){_BETWEEN}"
        rf"|\b(?:can't|cannot|can not|couldn't|could not|won't be able to|unable to|not able to) (?:possibly )?(?:make|do|manage|come|attend|be (?:there|here|in|home|at home)){_BETWEEN}"
        rf"|(?:(?:'m|'re|\bam|\bare|\bis|\bbe) not|\b(?:isn't|aren't|won't be)) (?:at home|home|in|available|free|there|here|around|in town){_BETWEEN})\Z"
    ),
    inquires=(
        r"\W*(?:(?:and|but|so|by the way|btw|ok|okay|oh|wait|h+m+|sorry),? )*(?:how (?:much|many|long|far|often)\b|what(?:'s| is| are| was| were| does| do| did| kind| happens)\b|"
        r"when (?:is|are|does|do|did|was|were)\b|where\b|who\b|who's\b|which\b|why(?! (?:not|don't|can't|couldn't)\b)|was|were|did|does|has|had|"
        r"do (?:you|they|i|we)\b)"
    ),
    offers=(
        r"\b(?:free|available|possible|can|could|would|may|might|shall|should|suits?|fits?|instead|rather|please|mind|ok|okay)\b|"
        r"\bdo you (?:do|have|offer|sell|serve|know of|think (?:we|i))\b|\bwhat (?:do|have) you (?:have|got)\b|\b(?:does|do) (?:\w+ ){1,3}work\b"
    ),
    costs=(
        r"\b(?:is|are) there (?:an? |any |some )?(?:extra |additional |other |minimum |maximum )?(?:fees?|charges?|limits?|discounts?|surcharges?|penalty|penalties|minimum|maximum|deposit|difference)\b"
        r"|\b(?:is|are) there .{1,60}\b(?:too|as well)\W*\Z"
    ),
    does=(
        r" (?:account |card |plan )?(?:makes?|stands?|lives?|belongs?|owes?|owns?|smells?|leaks?|has only|is (?:empty|my (?:\w+ )?(?:brother|sister|friend|cousin|boss|neighbou?r|son|daughter|wife|husband|father|mother)))\b"
    ),
    already=r"\bit(?:'s| is) (?:already|now already|only|just)(?: (?:past|after|gone|about|nearly|almost))? \Z",
    by_the_way=r"\b(?:by the way|btw)\W*\Z",
    has=r"\b(?:i|we)(?:'ve got| have got| have|'m| am|'re| are)(?: (?:now|just|only|actually|also|on|an?|the)){0,2} \Z",
    some=(
        r" (?:guests?|persons?|people|adults?|of (?:us|them|the \w+))?(?:(?<= )| )(?:is|are|has|have|needs?|eats?|can't|cannot|doesn't|don't)\b"
        r"(?! (?:coming|going|expected|invited|attending|joining|enough|fine|ok|okay|better|best|more|the|all|too|it|now|confirmed|said|accepted|signed))"
    ),
    else_counted=r"[ -](?:small |young |little |more |whole |full )?(?:hours?|hrs?|minutes?|mins?|days?|weeks?|months?|years?|children|kids?|child|bab(?:y|ies)|toddlers?|dogs?|cats?|(?:high |extra )?chairs?|tables?|cars?)\b",
    from_now=r"\W*(?:(?:and|but|because|since|as) )?in (?:about |around |only |just )?[\w-]{1,12} (?:minutes?|hours?|days?|weeks?|months?|years?),? (?:i|we|he|she|they|my|our)\b",
)
