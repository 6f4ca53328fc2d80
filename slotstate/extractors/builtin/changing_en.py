"""English: the words by which users change a value or wish for something, against remarks that only hold a value."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from typing import Final

from slotstate.parsing.language import Cue

CHATTER: Final = frozenset(
    (
        "yes yeah yep no nope not ok okay sure right correct well please pls thanks thank sorry hi hello hey oh um uh hm let's say it it's its that's this is "
        "be would will we us our people persons of dr doctor mr mrs ms am pm o'clock around approximately exactly rather better fine good great best perfect "
        "that which if possible maybe works work for me cheers day date time earliest latest soonest food cuisine style"
    ).split()
)
"""Words that may stand beside a value which is all that a sentence says."""
_WISHED = (
    r"(?:i|we)(?:'d| would)(?: really| also| rather| much)? (?:like|love|prefer|want|rather|need|take|go|have|say)",
    r"(?:i|we)(?: really| also| now| just| still| actually| both| all)? (?:want|need|prefer|wish|require|choose|pick|fancy|hope|plan|decided|have decided|changed)",
    r"(?:i|we)(?:'ll| will|'re going to|'m going to| are going to| am going to| shall) (?:also |just |rather )?(?:take|have|go|come|need|do|pay|spend|bring|order|stay|leave|arrive|want|"
    r"book|travel|fly|make|keep|try|use|say|pick|choose|prefer)",
    r"(?:(?:i|we) (?:can|could)|(?:can't|cannot)) (?:only |also )?(?:make|do|come|manage|spend|pay|afford|go)",
    r"(?:(?:i|we)(?:'ll| will) be|(?:i|we)(?:'m|'re| am| are)) (?:there|here|coming|arriving|leaving|expecting|having|inviting)",
    r"(?:i|we) (?:don't|do not|won't|will not|no longer) (?:need|want|like|require|have|take)",
    r"we (?:have|'ve got|have got|expect|invited|have invited)",
)

CHANGING: Final = Cue(
    words=(
        *_WISHED,
        r"please",
        r"(?:can|could|would|will|may|might|shall|should) (?:you|i|we)",
        r"let's|let us|let me (?:have|take|get|change|do)",
        r"(?:how|what) about",
        r"why (?:not|don't (?:i|we|you))",
        r"(?:is|are) there",
        r"do you (?:have|offer|know of|sell|serve)",
        r"(?:free|available) (?:on|at|for|in)|any (?:slots?|appointments?|openings?|space|room|availability|times?|dates?)",
        r"have you got|any chance|is it possible|would it be possible|do you mind|looking for|find me|book me|give me|get me|put me",
        r"(?:chang|switch|swap|mov|shift|push|pull|bring|postpon|delay|reschedul|rebook|updat|correct|replac|extend|shorten|rais|increas|lower|reduc|cut|set|mak|put)(?:e|es|ed|ing|t|ting|ped|ping|p)?",
        r"instead|rather|actually|in fact|on second thought|turns out|only|exactly|after all|i meant|i mean|i said|you misheard|mistake|wrong",
        r"<(?:and |but |then |so |also |ok |okay |yes |no |well |just )?(?:book|reserve|schedule|get|find|add|include|order|give|take|choose|pick|go (?:with|for)|say|try|use|keep|send|deliver|pay|start|begin|finish|end|leave|arrive|with)",
        r"(?:would|will|might|could|should|'d) (?:be|work|suit)(?: (?:much|far|a lot|even))? (?:better|best|fine|ok|okay|good|great|perfect|easier|nice|lovely|for me|me|us)",
        r"(?:is|are|'s)(?: (?:much|far|a lot|even))? (?:better|best|fine|ok|okay|easier|preferable)|works?(?: better| best| fine)? for (?:me|us)|works? (?:better|best|fine)|suits?(?: me| us)?",
        r"(?:it|this|that|they|the (?:money|payment|amount|order|delivery|parcel|package|transfer)) (?:should|must|has to|needs to|have to) (?:come|go)",
        r"(?:is|are|'s|will be|would be) (?:quite |more than |perfectly )?enough|will do",
        r"add|include|<not",
        r"(?:people|guests|persons|of us) (?:will|are going to|are) (?:come|be there|coming|attending|invited|expected)",
    ),
    traps=(
        r"(?:need|want|have|had|like|got|going|plan|hope|love|prefer|'ll|will|must)(?: to)? (?:be (?:at|in|home|back)|get (?:to|home|back)|pick (?:\w+ ){0,3}up|catch|leave for|work|finish work|call)",
        r"(?:can|could|would|will) (?:you|someone|anyone) (?:please )?(?:call|ring|phone|text|email|remind|tell|send me)",
        r"please (?:call|ring|phone|text|email|remind|tell|let me know)",
        r"(?:my|his|her|their|our|own) \w{2,14} (?:starts?|begins?|ends?|finishes|leaves|arrives)",
    ),
)
STATING: Final = (
    r"(?:\b(?:it|that|this|we|there)(?:'s|'re|'ll be| is| are| will be| should be| has to be| have to be| needs to be| must be|(?:'ll| will) (?:start|begin|end|last|take)| starts?| begins?| ends?| lasts?| happens| takes place)"
    r"|\b(?:the|my|our) (?:time|date|day|number|price|total|amount)(?:'s| is| will be| should be)"
    r"|\b(?:the|my|our|this) (?:appointment|booking|reservation|order|meeting|trip|stay)(?:'s| is| will be| should be)"
    r"|\A[^\w]{0,3})(?: (?:now|just|only|actually|going to be|at|on|in|for|from|by|about|around|the|a|an|of|up to|all|exactly|called)){0,4} \Z"
)
