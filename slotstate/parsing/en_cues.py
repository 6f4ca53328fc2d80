"""English: how users affirm, refuse, correct, clear and so on."""

from __future__ import annotations

from slotstate.parsing.language import Cue, Cues

_GOOD = (
    r"(?:right|correct|fine|good|great|perfect|ok|okay|cool|awesome|wonderful|lovely|excellent|alright|all right|true)"
)
_IT = r"(?:that|this|it|which|either|both|one|everything|all of (?:it|that))(?: one)?"
_IS = r"(?:'s| is| was| looks| sounds| seems|s)(?: all| just| really| very| absolutely| quite| about)?"
_ANY = r"(?:any|every) ?(?:where|one|body|thing|time|day)?"
_DO = (
    r"see|visit|meet|get|give|assign|offer|show|put|send|try|consider|choose|pick|take|use|book|reserve|schedule|rent|watch|hear|trust|fancy|"
    r"recommend|suggest|go|fly|travel|drive|leave|depart|start|arrive|stay|live|return|come|eat|drink|have|want|need|like|"
    r"say|said|mean|meant|mention(?:ed)?|order|include|add|bring|do"
)
_DOING = (
    r"seeing|visiting|meeting|getting|trying|considering|choosing|picking|taking|using|booking|reserving|renting|watching|going|flying|"
    r"travell?ing|driving|leaving|departing|starting|arriving|staying|living|returning|coming|eating|having"
)
_TITLES = r"(?:dr|doctor|mr|mrs|ms|mx|prof|professor|sir)\.? "
_FIGURE = (
    r"(?:[0-9]{1,5}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: [a-z]{3,12})?"
    r"(?= ?(?:[,.!?;:)]|\Z))"
)
"""A number that ends a clause."""
_NOT = r"(?:don't|do not|doesn't|does not|didn't|did not|won't|will not|wouldn't|would not|can't|cannot|can not)"

ENGLISH_CUES = Cues(
    affirm=Cue(
        words=(
            r"yes(?: please| indeed)?", r"yeah", r"yep", r"yup", r"yea", r"<ye?s", r"aye", r"uh[- ]huh", r"<y>",
            r"sure(?: thing)?", r"ok", r"okay", r"okey", r"<k>", r"of course", r"absolutely", r"definitely",
            r"certainly", r"indeed", r"exactly", r"precisely", r"<affirmative", r"by all means",
            r"<(?:all right|alright|right|correct|true|fine|good|great|perfect|excellent|awesome|cool|wonderful|lovely|"
            r"brilliant|fantastic|deal|done|agreed|confirmed|confirm|nice|please do|do it|do that)>",
            r"<(?:right|correct|fine|great|perfect|excellent|alright)(?= (?:thanks|thank you|please|then|book|that)\b)",
            rf"{_IT}{_IS} {_GOOD}", rf"{_IT}{_IS} (?:the one|what i (?:want|need|meant|said))>?", r"that's (?:it|the one)>",
            r"(?:is|are|'s) (?:just |all |perfectly )?(?:fine|okay|ok|perfect)", r"(?:you are|you're) (?:right|correct)",
            rf"{_IT} (?:works|will do|would work|will work|would be (?:great|good|fine|perfect|nice|lovely)|suits me)",
            r"(?:works|suits|perfect|good|great|fine) (?:for|with|by) me", r"(?:sounds|looks|seems) "
            r"(?:good|great|fine|perfect|right|correct|like a plan|lovely|wonderful|ok|okay|nice|excellent)",
            r"go ahead", r"go for it", r"book (?:it|that|this)", r"(?:please|let's) (?:do|take|book) (?:it|that|this)",
            r"i(?:'ll| will|'d like to) take (?:it|that|this|that one|this one)", r"i (?:confirm|agree|accept|do)>",
            r"no problem", r"not a problem", r"no worries", r"<why not", r"that one(?: please)?>", r"this one(?: please)?>",
            r"\A ?please>", r"make it so", r"i (?:think|guess|suppose|believe) so",
        ),
        traps=(
            r"not (?:so |quite |entirely |really |too |very )?sure", r"unsure", r"(?:make|made|making|for) sure",
            r"are you sure", r"sure (?:if|whether|about that\?)", r"how sure", r"to be sure", r"right (?:now|away|after|before|"
            r"next|side|hand|here|there)", r"yes or no", r"(?:ok|okay|fine|good|right|correct) or\b",
            r"(?:absolutely|of course|certainly|definitely|exactly|precisely) (?:not|no|nothing)", r"(?:ok|okay) (?:to|if|with)",
            r"(?:is|was|are) (?:that|this|it|everything) (?:ok|okay|right|correct|fine|good|all right|alright|sure)",
            rf"(?:not|isn't|aren't|wasn't|never) (?:the |a |so |very |really |quite |too |that )?{_GOOD}",
            rf"{_NOT} (?:really |quite )?(?:work|suit|sound|look|seem|think so|agree|confirm|book it|want that one)"
            rf"(?: {_GOOD})?(?: for me)?", r"if (?:yes|so|that's ok|that's okay|that is ok|it's ok|that's fine|possible)",
            r"not (?:that|this) one", r"as sure as", r"not (?:exactly|precisely|definitely|certainly|indeed|yes)",
            r"surely not", r"say yes", r"said yes", r"no,? (?:that|this) one",
        ),
    ),
    refuse=Cue(
        words=(
            r"<no(?:,? (?:thanks|thank you|please|sorry|sir|ma'am|way))?>", r"<no(?= (?:i|i'm|i'd|it|it's|that|that's|this|"
            r"not|we|you|they|sorry|actually|wait|make|the|there|but|dont|don't|please|let's|change|just)\b)",
            r"<no(?: no){1,5}>", r"no>", r"no[,]? (?:thanks|thank you)", r"<n>", r"nope", r"nah", r"no way",
            r"not (?:that|this|those|these|it|them)(?: one| ones)?>", r"not that(?: one)?(?! (?:far|much|many|bad|long|"
            r"expensive|late|early|sure))", r"<(?:that's |that is |it's |it is |this is )?(?:all )?(?:wrong|incorrect|false)",
            r"(?:that|this|it)(?:'s| is|s) (?:the )?wrong(?: one)?", r"<(?:not really|negative|never|neither)>",
            r"not (?:right|correct|okay|ok|fine|good|acceptable)", r"isn't (?:right|correct|it|what i \w{1,12})",
            rf"(?:that|this|it) {_NOT} (?:work|suit|do)", rf"i {_NOT} (?:want|like|need|agree|confirm|think so)"
            r"(?: (?:it|that|this|any|either|one|them|to)(?: one)?)?>", rf"<{_NOT}>", r"please (?:don't|do not)>",
            r"(?:absolutely|certainly|definitely|of course|surely) not", r"not at all>", r"<not (?:now|yet|today)>",
            r"none of (?:them|those|these|the above|that)", r"<none>", r"neither (?:of|one)", r"i(?:'d| would) rather not",
            r"i (?:refuse|decline|reject)", r"<(?:forget it|never ?mind)>", r"no good>",
        ),
        traps=(
            r"no (?:problem|preference|preferences|worries|doubt|one|idea|matter|longer|rush|need|big deal|hurry|"
            r"difference|particular|special|issue|issues|more questions|further questions)", r"not (?:a problem|bad|only|"
            r"sure|too bad|just)", r"no\.? ?[0-9]{1,6}", r"why not", r"yes or no", r"no or yes", r"not right now",
            r"whether or not", r"or not", r"no less than", r"no more than", r"no later than", r"no earlier than",
            r"nothing wrong", r"not wrong", r"is (?:that|it|this) wrong", r"what's wrong", r"what is wrong",
            r"if not", r"say no", r"said no",
        ),
    ),
    fillers=Cue(
        words=(
            r"please", r"pls", r"thanks(?: a lot| so much| very much)?", r"thank you(?: so much| very much)?", r"thx", r"ty",
            r"cheers", r"oh", r"ah", r"um+", r"uh+", r"hmm?", r"er", r"well", r"so", r"then", r"now", r"just", r"and",
            r"i think", r"i guess", r"i suppose", r"actually", r"really", r"very much", r"sir", r"ma'am", r"madam", r"mate",
            r"buddy", r"dear", r"that's all", r"that is all", r"for me", r"with me", r"by me", r"it is", r"it's",
            r"i am", r"i do", r"that one", r"this one", r"do", r"sorry", r"i'm afraid", r"let's", r"hi", r"hello", r"hey",
            r"that", r"it", r"lol", r"haha", r"all",
        ),
    ),
    correct=Cue(
        words=(
            rf"<no(?= {_FIGURE})", r"<no,(?= \w)", r"<no(?= (?:it|it's|i|i'm|make|the|not|sorry|wait|actually|my|in|at|on)\b)", r"<(?:no )?wait", r"actually",
            r"i (?:actually )?(?:meant|mean)(?! (?:it|business)\b)", r"i meant to (?:say|write)", r"<sorry,", r"<sorry(?= (?:i|the|"
            r"it|my|not|make|that)\b)", r"<(?:oh,? )?sorry>", r"<(?:oops|whoops|my mistake|my bad|scratch that|strike that|correction)",
            r"or rather", r"<rather", r"make (?:that|it)", r"instead(?! of)", r"instead of", r"rather than", r"let me correct",
            r"change (?:it|that|this|the \w{1,20}|my \w{1,20}) to", r"change to", r"switch (?:it |that )?to",
            r"should (?:have been|read|actually be)", r"(?:that|it)(?:'s| is|s) (?:wrong|not right|incorrect|not correct)", r"i (?:mistyped|"
            r"misspoke|mixed (?:that|it|them|this) up|made a (?:mistake|typo))", r"on second thought", r"typo", r"i said",
            r"not (?!this |that |now|yet|really|only|sure)(?:[\w'-]{1,20},? ){1,3}but", r"after all", r"correct (?:it|that) to", r"<the (?:right|correct) one is",
        ),
        traps=(r"i mean it", r"sorry to (?:bother|disturb|hear)", r"sorry for", r"what do you mean", r"i'm sorry to hear",
               r"no, (?:thanks|thank you|again|not|nothing|i'm (?:good|fine|ok|okay|done)|that's (?:all|it|ok|okay|fine|everything|right|correct|good)|that is (?:all|it|ok|okay|fine|everything)|that (?:should|will|would) be (?:all|it))", r"actually (?:yes|perfect|good|great|fine)"),
    ),
    clear=Cue(
        words=(
            r"(?:forget|clear|delete|erase|drop|reset|unset|scrap|discard|empty|wipe|blank)(?= (?:about )?(?:the|my|that|this|"
            r"it|what|any|all|everything|out)\b)", r"(?:remove|take (?:off|out|away)|leave out|get rid of|cancel)(?= (?:the|my|"
            r"that|this|it|any|all)\b)", r"<(?:forget it|clear|delete|cancel|never ?mind)>", r"no longer (?:want|need|have|"
            r"care)", rf"(?:{_NOT}|i don't) (?:want|need|care about)(?= .{{0,40}}?(?:any ?more|any longer|after all))",
            r"never ?mind (?:about )?(?:the|my|that|it)", r"any ?more>", r"without (?:a|any) .{1,20}? (?:after all|then)",
            r"(?<=no )[a-z]{1,20}(?= (?:for me )?after all)", r"not .{1,30}? any ?more",
        ),
        traps=(r"(?:don't|do not|didn't|never) (?:forget|clear|delete|remove|cancel|drop|reset)", r"drop (?:me|us|off)",
               r"cancel(?:lation)? (?:policy|fee)", r"can i cancel", r"anything (?:any ?)?more", r"free cancellation"),
    ),
    remove=Cue(
        words=(
            r"remove", r"delete", r"take (?:\w{1,20} ){0,3}(?:off|out|away)", r"take (?:off|out|away)", r"leave out",
            r"leave (?:\w{1,20} ){1,3}out", r"drop", r"skip", r"without", r"minus", r"except(?: for)?", r"get rid of", r"lose the",
            r"no more", r"cross (?:off|out)", r"hold the", r"scrap", r"cancel", r"exclude", r"no longer", r"cut",
            rf"{_NOT} (?:want|need|like|include|add)", r"not .{1,30}? any ?more",
        ),
        traps=(r"(?:don't|do not|never) (?:remove|delete|drop|skip|cancel|take)", r"drop (?:me|us|off)", r"no more than",
               r"without (?:a )?(?:doubt|problem)", r"(?:hair|short|paper) ?cut", r"price cut"),
    ),
    replace=Cue(
        words=(r"only", r"instead(?! of)", r"just", r"nothing (?:but|else)", r"rather than", r"instead of", r"replace",
               r"exclusively", r"solely", r"and that's (?:it|all)", r"that's all", r"change (?:it|that|them|this) to",
               r"switch (?:it |that |them )?to", r"swap", r"make (?:it|that|them)"),
        traps=(r"not only", r"not just", r"just (?:in case|a (?:moment|second|sec|minute)|now|checking|wondering|curious|added|"
               r"add|also|as|about|like|to be sure)", r"the only", r"only if", r"only when", r"if only", r"if just"),
    ),
    dont_care=Cue(
        words=(
            r"(?:i )?(?:don't|do not|doesn't|does not|wouldn't|would not) (?:really |particularly |actually |much )?(?:care|"
            r"mind|matter)", r"(?:i'm |i am |we're |we are )?(?:not (?:too |very |that |really )?(?:picky|fussy|particular|bothered|"
            r"fussed)|easy>|indifferent)", r"(?:i'm|i am|we're|we are|am|be|being|quite|very|pretty|totally|fairly|completely) flexible(?! \w+(?:ticket|fare|rate|date))", r"<flexible>", r"no (?:particular |special |strong |real |specific )?preferences?",
            r"(?:i|we) (?:don't|do not) have (?:a|any) (?:particular |special |strong |real |specific )?preferences?",
            r"any(?:thing|one|where|time|day|place| one| of (?:them|those|these)| time| day)?(?: at all)? "
            r"(?:is|'s|will|would|works|goes)(?: be| do| work)?(?: fine| ok| okay| good| great| alright)?", r"<any ?(?:time|day|date|place|price|size|colou?r|kind|type)(?: at all)?>", r"<any(?:thing|where|"
            r"one|time| of them| of those| one)?(?: please| at all)?>", r"any [a-z]{1,20} (?:is|will|would|works)(?: be| do)?(?: just)? ?(?:fine|ok|okay|good|great|alright|do)?>", r"anything goes", r"whatever(?: you (?:like|want|have|think|"
            r"suggest|prefer|recommend)| works| is (?:fine|ok|available|easiest))?>", r"whichever(?: you (?:like|want|prefer)| is \w{1,12})?",
            r"(?:it |that )?(?:makes|make) no difference", r"(?:it's |it is )?(?:all the same|up to you|your (?:choice|call|pick))",
            r"either (?:one |way )?(?:is|'s|works|will do|would)(?: be)?(?: fine| ok| okay| good)?", r"<either(?: one| way)?>",
            r"surprise me", r"you (?:choose|decide|pick)(?: one| for me| something)?>", r"all (?:of them )?(?:are|is) (?:fine|ok|okay|good)", r"no matter(?: which|"
            r" what| where| when)?", r"doesn't (?:really )?matter", r"not (?:important|fussed|bothered)", r"<doesn't matter",
            r"open to (?:anything|any|suggestions)",
        ),
        traps=(r"(?:do|would) you (?:care|mind)", r"do (?:care|mind)", r"if you don't mind", r"take care", r"anything else",
               r"anything but", r"(?:is|are) there any(?:thing)?", r"don't mind me", r"(?:does|did) .{0,20}? matter",
               r"i don't care for"),
    ),
    undo=Cue(
        words=(r"undo", r"revert", r"roll (?:it |that )?back", r"take (?:that|it) back", r"go back to (?:what|how|the (?:previous|last|"
               r"earlier|old|original))", r"put (?:it|that) back", r"\A ?(?:(?:no|oh|sorry|wait|actually),? ){0,2}(?:scratch|strike) that(?=[ .!]{0,4}\Z)", r"(?:as|what) it was(?: before)?", r"restore", r"change (?:it|that) back",
               r"back to the (?:previous|earlier|original|old)", r"ctrl[- +]?z"),
        traps=(r"(?:don't|do not|never) (?:undo|revert|restore|roll)", r"can(?:'t|not) (?:undo|take (?:that|it) back)"),
    ),
    restart=Cue(
        words=(r"start (?:all )?over(?: again)?", r"start (?:again|afresh|anew|fresh)", r"start from (?:scratch|the beginning|zero)",
               r"restart", r"reset everything", r"(?:forget|clear|delete|discard|drop) (?:everything|it all|all of (?:it|that))",
               r"begin again", r"from scratch", r"new (?:search|request|conversation|booking)>", r"(?:let's )?scrap (?:everything|it all)",
               r"wipe (?:everything|it all)", r"<reset>"),
        traps=(r"(?:don't|do not|no need to|without|rather not|instead of) (?:start(?:ing)? over|start(?:ing)? again|restart(?:ing)?|reset)",
               r"(?:don't|do not) (?:forget|clear|delete|drop) (?:everything|it all)", r"starts? (?:again|over) (?:at|on|in|from)"),
    ),
    hesitate=Cue(
        words=(
            r"but", r"however", r"wait", r"hold on", r"hang on", r"not (?:so |quite |entirely |really |too |very )?sure", r"unsure",
            r"i'm not certain", r"hmm+", r"let me (?:think|check|see|ask)", r"maybe", r"perhaps", r"i (?:don't|do not) know",
            r"i (?:don't|do not) think so", r"not (?:yet|convinced|really)", r"i(?:'d| would) have to (?:think|check|ask)", r"too "
            r"(?:expensive|late|early|far|long|much|many|small|big|pricey|noisy)", r"i was hoping", r"i(?:'d| would) (?:rather|prefer)",
            r"depends", r"dunno", r"no idea", r"are you sure", r"really\?", r"<no>", r"<no(?= \w)", r"nope", r"wrong", r"that's not",
            r"that is not", r"not what i", r"on second thought", r"actually",
        ),
        traps=(r"no problem", r"no worries", r"anything but", r"nothing but", r"all but", r"can't wait", r"not wrong", r"last but",
               r"wait(?:ing)? (?:list|room|time)", r"no preference"),
    ),
    ask=Cue(
        words=(
            r"<(?:and |so |but |ok |okay |well |hi |hello |also |then )?(?:what|where|when|which|who|whose|why|how)(?:'s|'re|s)? "
            r"(?:is|are|was|were|do|does|did|can|could|will|would|should|much|many|long|far|about|time|kind|type|one|ones|else|"
            r"sort|day|late|early|old|big|come|often|the|there|i|we|you|trains?|flights?|options?|rooms?)\b",
            r"<(?:and |so |but |ok |okay |well |hi |hello |also |then )?(?:is|are|do|does|did|can|could|will|would|should|has|have|"
            r"was|were|am|may) (?:there|it|this|that|these|those|you|i|we|they|he|she|the|my|your|any)\b",
            r"<(?:what|where|when|which|who|why|how)>", r"(?:can|could) you tell me", r"i(?:'d| would) like to know", r"do you know",
            r"tell me (?:what|where|when|which|who|why|how|if)", r"i(?:'m| am) wondering", r"i wonder", r"how about",
            r"what about",
        ),
        traps=(r"<what (?:i|we) (?:want|need|meant|mean|said|would like|'d like|am)", r"<when (?:i|we|you)", r"<which (?:is|means|i|we)"
               r"(?= (?:fine|good|ok|why|that|the|want|like))", r"<whoever", r"<what the\b", r"<who the\b"),
    ),
    negate=Cue(
        words=(
            rf"no way (?:(?:i|we)(?:'m|'re| am| are|'ll| will|'d| would)? )?(?:going to )?(?:{_DO}|{_DOING})",
            rf"{_NOT} (?:think|believe|suppose|reckon) (?:i|we)(?:'d|'ll| would| will)? (?:{_DO})",
            rf"(?:{_NOT}|never|not|no longer|isn't|aren't|ain't)(?: really| actually| particularly| even| ever)?"
            rf"(?: (?:want|wanna|like|need|wish|going|gonna|planning|plan|trying|looking|willing|happy|keen)(?: to)?)?(?: to)? (?:{_DO}|{_DOING})(?: (?:me|us|him|her|them))?",
            r"(?:none|neither|not one|not a single one|nobody|no-? ?one)(?: of (?:us|them|(?:my|our|the) [a-z]{2,12}))?(?: here)?"
            r" (?:is|are|eats?|drinks?|wants?|needs?|likes?|has|have)",
            r"not", r"no", r"nor", r"neither", r"without", r"never(?: again|(?: ?mind)(?: about)?)?", r"minus", r"except(?: for)?", r"excluding", r"exclude",
            rf"{_ANY} (?:but|other than|except(?: for)?|besides|bar|apart from)", r"all (?:of them )?but", r"any [a-z]{3,10} (?:but|except|other than)", r"other than", r"apart from",
            r"instead of", r"rather than", r"avoid(?:ing)?", r"(?:hate|dislike|detest|loathe)s?",
            r"(?:can't|cannot|can not|couldn't) (?:stand|bear|face|abide)", r"(?:sick|tired) of", r"fed up with", r"(?:keep|stay) (?:me |us )?away from", r"steer clear of",
            r"(?:forget|scratch|scrap)(?: about)?", r"refuses? to (?:see|go to|visit|take|fly|travel|stay)", r"allergic to", r"nothing", r"isn't", r"aren't",
            r"wasn't", r"ain't", r"remove", r"drop", r"skip",
            rf"(?:{_NOT}|never) (?:really |actually |particularly |even |ever )?(?:want|like|need|eat|drink|take|book|choose|"
            r"include|have|feel|mean|say|said|do|add|go|order|pick|prefer|care for|use|feel like|bring|come|be|leave|arrive|travel|"
            r"fly|live|stay|work|write|send it|send anything|make it|think it's|think it is)", rf"{_NOT}",
            r"(?:no longer|not) (?:want|like|need|interested in|in the mood for|looking for|going|a fan of)",
        ),
        traps=(
            r"(?:why|whether or|if|or) not", r"yes or no", r"no (?:problem|preference|doubt|idea|wonder|worries)",
            rf"(?:{_NOT}|never|not)(?: [a-z']{{1,12}}){{0,5}} {_ANY} (?:but|other than|except(?: for)?|besides|apart from)",
            r"(?:nothing|nobody|no ?one|none|nowhere|no (?:other )?[a-z]{3,12}) (?:else )?(?:but|except(?: for)?|besides|other than|than|apart from)",
            rf"(?:{_NOT}|never|not)(?: to)? (?:forget|hesitate|skip|miss|avoid|exclude|remove|drop|say no|go without|do without|live without|hate|dislike)",
            r"(?:i|we|you|to|and|will|might) forget(?! about)", r"not without", r"<(?:can't|couldn't|won't|wouldn't|don't) (?:i|we|you)",
            r"never ?mind(?: that| it| me| the)?>", r"(?:from|start from) scratch",
        ),
    ),
    negate_gap=(
        r" (?:(?:any|a|an|the|some|more|really|too|very|so|that|on|in|at|for|to|from|by|with|much|it|be|been|go|going|again|back|up|over|"
        r"have|my|your|of|want|like|need|eat|kind of|another|anything|something|quite|necessarily|exactly|want to|to be|for the|"
        r"fly|travel|leave|arrive|there|going to|today|think) ){0,4}(?:[\w'-]{1,20} (?:or|nor) ){0,3}\Z"
    ),
    titles=_TITLES,
    given_up=(
        r" (?:is|are|was)(?: just| really| simply| definitely| absolutely)? (?:out of the question|off the table|no (?:good|option|use)|a no-?go|"
        r"not (?:an? (?:good )?(?:option|choice|idea)|ok|okay|acceptable|possible|for me|what (?:i|we) \w{1,12}))(?! ?\?)(?!\w)"
        r"| (?:isn't|isnt|aren't|wasn't) (?:an? (?:good )?(?:option|choice|idea)|ok|okay|acceptable|possible|for me|what (?:i|we) \w{1,12})(?! ?\?)(?!\w)"
        r"| (?:won't|will not|doesn't|does not|wouldn't|would not|can't|cannot) (?:do|work|suit)(?! ?\?)(?!\w)"
    ),
    either=r"or|or maybe|or perhaps|or else|or even|or possibly|versus|vs\.?|or possibly|and/or|/",
    either_gap=r"(?:in|to|at|on|from|for|by|the|a|an|maybe|perhaps|possibly|even|with|else|also|both|either|going to)",
    origin=Cue(words=(r"from", r"leaving(?: from)?", r"departing(?: from)?", r"starting (?:from|in|at)", r"out of", r"depart(?:ure)? from")),
    destination=Cue(
        words=(r"to", r"towards", r"into", r"going to", r"arriving (?:in|at)", r"destination(?: is)?", r"bound for", r"heading (?:to|for)"),
        traps=(r"(?:want|like|need|have|going|used|able|love|try|wish|hope|plan|prefer|nice|ready) to (?=[a-z]{2,20})",),
    ),
    phone=Cue(words=(r"call(?: me)?(?: at| on)?", r"phone(?: number)?(?: is)?", r"mobile(?: number)?(?: is)?", r"tel", r"telephone",
                     r"cell", r"text me (?:at|on)", r"reach me (?:at|on)", r"my number is", r"number is", r"dial", r"ring", r"fax")),
    past=Cue(
        words=(
            r"birth(?:s|day|date)?", r"born", r"dob", r"damaged?", r"incident", r"accident", r"happen(?:ed|s)?", r"occur(?:red|s)?", r"purchased?", r"bought",
            r"(?:date|day|when) (?:it was |you |was )?order(?:ed)?", r"order(?:ed)? (?:date|on)", r"invoice date", r"issued?(?: on| date)?", r"since", r"lost(?: on)?", r"stolen", r"previous",
            r"last (?!day|date|name|stop|train|bus|night of)", r"(?:was|were) \w{2,12}ed", r"received", r"diagnosed", r"noticed", r"graduat(?:ed|ion)", r"founded", r"hired", r"joined", r"taken on", r"read on",
            r"(?:delivered|sent|signed|paid|visited|expired) on",
        ),
        traps=(r"issue (?:number|type|with)", r"purchase (?:a|the|an) ticket", r"ever since"),
    ),
    past_question=Cue(
        words=(
            r"when (?:did|was|were|had)", r"(?:what|which) (?:day|date|time|week) (?:did|was|were|had)", r"how long ago", r"since when", r"on (?:what|which) (?:day|date) (?:did|was|were)",
            r"when (?:you|it|he|she|they) (?:\w{2,12}ed|bought|got|lost|saw|had|fell)",
        ),
        traps=(r"(?:did|had|were) you (?:want|wanted|plan|planned|wish|need|intend|prefer|mean|say|hope|thinking|planning|hoping|looking|like|have in mind)",
               r"(?:when|what day|which day|what date|which date|what time) (?:did|were|was|had) (?:you|we|it) (?:want|plan|wish|need|intend|prefer|mean|say|hope|thinking|planning|hoping|looking|like|have in mind|going to|supposed)[a-z]*"),
    ),
    past_told=Cue(
        words=(r"(?:it|that|this|which) (?:was|happened|occurred|broke|took place)", r"happened", r"(?:i|we) (?:bought|got|lost|received|ordered|noticed|paid|saw|met|broke|fell)", r"(?:was|were) (?:born|bought|issued|lost|stolen|damaged|delivered|taken)",
               r"on .{3,24} (?:was|were) [0-9]"),
    ),
    small=frozenset(
        "to from in at on for by with of the a an and or out up off no not is are it one any all as be do go new my your this that first last next "
        "who what when where how which here there".split()
    ),
    reckon=Cue(
        words=(
            r"(?:first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th)) §", r"(?:end|start|beginning|middle) of §",
            r"§ (?:of|in) (?:january|february|march|april|may|june|july|august|september|october|november|december)",
            r"§ after (?:next|that)", r"(?:days?|nights?|weeks?|fortnights?|months?|hours?|minutes?) (?:after|before|from|prior to) §",
            r"(?:the|a) (?:\w+day|morning|evening|day) (?:after|before) §",
            r"(?:for|and|plus|stay|staying) (?:[a-z0-9-]+ ){1,2}(?:nights?|days?|weeks?|months?|hours?|minutes?)",
            r"§ (?:more|less|fewer|extra|additional|dozen|pairs?|couples?)", r"(?:more|less|fewer) than §",
            r"(?:another|plus|minus|and|twice|double|half) §", r"§ (?:\w+ )?(?:plus|and) (?:me|myself|i|my|the) ?\w*",
        ),
        traps=(r"(?:no|not|nothing) (?:more|less|fewer) than §", r"§ (?:\w+ )?and (?:i|my|the) (?:want|need|will|would|am|have|'\w+)"),
    ),
    denying=("non-", "non ", "not ", "no ", "without "),
    counted_no=frozenset({"no"}),
    counted_after=_FIGURE,
)  # fmt: skip
