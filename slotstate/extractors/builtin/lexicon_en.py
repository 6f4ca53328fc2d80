"""English: what the built-in extractor reads."""

# ruff: noqa: E501 (tables)

from __future__ import annotations

from slotstate.extractors.builtin.changing_en import CHANGING, CHATTER, STATING
from slotstate.extractors.builtin.concepts_en import ENGLISH_CONCEPTS
from slotstate.extractors.builtin.lexicon import Lexicon
from slotstate.extractors.builtin.telling_en import TELLING_EN
from slotstate.parsing.language import Cue

_GO = (
    r"(?:go|going|get|getting|travel|travell?ing|fly|flying|drive|driving|head|heading|ride|train|trains|flight|flights|bus|"
    r"buses|coach|ferry|ticket|tickets|trip|journey|way|move|moving|visit|commute|taxi|cab|return|back)"
)

_OTHERS = (
    r"(?:my|our|his|her|their|a|the|one of my)(?: (?:best|old|good|older|younger|elder|big|little|other|late))? (?:friend|sister|brother|mother|mum|mom|father|dad|"
    r"neighbou?r|colleague|co-?worker|boss|cousin|aunt|uncle|niece|nephew|mate|buddy|flatmate|roommate|girlfriend|boyfriend|parent|in-law|"
    r"grandmother|grandfather|grandma|grandpa|family|landlord|teacher)s?(?: [A-Za-z]{2,12})?"
)
_WAS = "went|was|were|flew|stayed|visited|used to|lived|came|travelled|traveled|took|paid|ate|had been"
_PAST = "last (?:time|year|month|week|summer|winter|spring|autumn)|before(?= ?(?:[,.!;]|\\Z))|in the past|back then|previously|once(?= ?(?:[,.!;]|\\Z))|(?:[a-z0-9]+ )?(?:years?|months?|weeks?) ago"

_PRONOUNS = (
    "i you he she we they me him us them it its this that these those my your his her our their who whom which what"
)
_VERBS = (
    "am is are was were be been being do does did don't doesn't didn't have has had having will would shall should can could may "
    "might must want wants wanted need needs like likes think know mean say said get got go going gone come coming make makes "
    "take takes find book booking reserve reserving order ordering buy buying send help see look looking let's let leave leaving "
    "travel travelling traveling arrive stay show tell give check change cancel add remove pay try eat watch meet visit use have "
    "i'm i'd i'll i've it's that's there's you're we're can't won't isn't aren't please thanks thank sorry hello hi hey yes no not "
    "ok okay sure never none know try forget set put start stop play find confirm listen search"
)
_SMALL = (
    "a an the and or but so if then than as of at on in by for from with without to into onto about around up down out off over "
    "here there where when why how now today tomorrow tonight yesterday soon later maybe perhaps just only also too very really "
    "some any every all both either neither each few many much more most less least other another such same own home back one ones "
    "something anything everything nothing someone anyone somewhere anywhere everyone instead actually well oh um uh yet after before"
)

_DEGREES = (
    "almost|nearly|mostly|partly|roughly|approximately|possibly|probably|presumably|supposedly|hopefully|basically|"
    "apparently|obviously|honestly|seriously|certainly|definitely|absolutely|exactly|barely|hardly|quite|unfortunately"
)
"""Adverbs that say how far something holds, and name nothing."""
_SUBJECT = r"(?!the (?:weather|temperature|food|view)\b)(?:(?!(?:it|this|that|these|those|there|any|which|who|with|in|for|at|on|to|from)\b)[\w'.-]{1,20} ){1,5}"
_MY = "(?:my|our|the|his|her|your)"
_LEAD = r"(?:(?:and|but|so|oh|hi|hello|well|by the way|ok|okay|um+|h+m+),? ?)?"
_AGE = r"(?:[0-9]{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,5}teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[- ][a-z]{3,5})?)"
_MEANT = r"(?P<value>[^,.;]{2,40}?)"
_OLD = r"(?P<old>[^,.;]{2,40}?)"
_TOWARDS = r"(?: going)?(?: (?:to|from|in|at))?"
_IN_PLACE = r"(?P<no>instead of|rather than|and not|but not|(?<! is )(?<! are )(?<! was )(?<! am )(?<!'m )(?<!'s )(?<! do )(?<! did )(?<! does )(?<! have )(?<! can )(?<! will )not(?! (?:only|just|merely|simply)\b))"
_WHO = r"(?:(?!(?:since|because|as|but|and|or|so|if|when|that|with|for|i|we|you|want|like|rather|then|please|take)\b)[\w.'-]+ ){0,3}(?!(?:since|because|as|but|and|or|so|if|when|with|for|i|we|you|want)\b)[\w.-]+"
_AWAY = (
    r"(?:(?: is| are|'s|'re| was| looks| seems| got)(?: (?:already|always|just|all|also|usually|still|really|sadly|unfortunately))?"
    r" (?:(?:way |far |much |a bit |a little |just )?too (?:busy|expensive|dear|pricey|costly|far|full|crowded|noisy|loud|small|big|slow|early|late)(?: away)?|(?:fully |completely |all |totally )?booked(?: up| out| solid)?"
    r"|(?:completely |all )?full|sold out|unavailable|not (?:available|free|in|there|open)|(?:away )?on (?:holiday|vacation|leave)|closed|off sick|out of office)"
    r"|(?: isn't| aren't)(?: (?:available|free|in|there|open))"
    r"|(?: has| have) no (?:more |free )?(?:slots?|openings?|appointments?|rooms?|tables?|seats?|time)(?: left| free)?)"
    r"(?: for (?:me|us)| right now| now| today| at the moment| these days)?(?= ?(?:[,.;!-]|so\b|then\b|\Z))"
)
_TAKE = r"(?:(?:i'll|i will|we'll|let's|let us|can i|could i|i'd rather|i'd like to)? ?(?:take|have|go (?:with|for|to)|do|try|see|book|get)|make (?:it|that)|give me|change (?:it|that)? ?to|i'd like|i want|rather)? ?(?:for )?(?:to )?"
_SO = r"(?:,? (?:please|thanks|thank you|sorry))?[ .!]{0,4}"
_PICK = (
    r"(?:(?:yes|yeah|ok|okay|h+m+|u+m+|well|then|so|sure|no|please),? )?(?:(?:i|we)(?:'d| would|'ll| will)? (?:like|take|prefer|want|pick|choose|have|go (?:with|for))(?: to (?:take|have|go (?:with|for)))? |"
    r"let's (?:take|do|say|have|go (?:with|for)) |(?:give me|book|take|pick|choose|reserve) (?:me )?)?"
)
_THE = r"(?:the |that )?(?<!an )(?<!a )"
_ONE = (
    r"(?: (?:one|of (?:the )?two|of them|[a-z]{3,12}))?(?:,? (?:please|then|thanks|thank you|for me|(?:is|would be|sounds|looks|seems) (?:fine|better|good|great|perfect|best|nice)|"
    r"(?:works|suits me)(?: (?:better|best|for me))?))?"
)
_PRAISE = (
    r"(?:(?:really |very |quite |so |all |just |absolutely |perfectly )?(?:nice|good|great|smart|lovely|fine|perfect|excellent|"
    r"wonderful|brilliant|fantastic|awesome|ideal|clever|correct|right|accurate|spotless|okay|ok|convenient))"
)
_PRAISED = r"(?:idea|choice|option|suggestion|offer|time|day|date|hour|slot|plan|amount|number|price|length|one)"
_NOT_ACCEPTED = r"not|never|no|don't|doesn't|won't|can't|cannot|wouldn't|couldn't|isn't|aren't"

_N = r"(?P<n>two|three|four|five|six|seven|eight|nine|ten|[0-9]{1,2})"
_OF_THEM = r"(?: of (?:them|these|those|the above))?"
_LEAD_IN = (
    r"(?:(?:yes|yeah|ok|okay|well|um+|oh|hmm?),? )?(?:(?:i'd like|i want|i would like|i'll take|i'll have|we'll take|we'd like|"
    r"let's take|let's have|give me|add|take) )?"
)

ENGLISH = Lexicon(
    code="en",
    spaced=True,
    concepts=ENGLISH_CONCEPTS,
    gap=(
        r"(?: ?[:=]| (?:is|are|was|be|will be|would be|should be|at|on|in|by|for|about|around|approximately|roughly|the|of|to|a|an|"
        r"me|us|maybe|like|say|it's|exactly|just|only|date|time|day|number|it|that|this|them|from)\b){0,3} ?[\"'(]?"
    ),
    unit_gap=r"(?: ?-? ?)(?:(?:more|other|adult|small|large|big|checked|single|double|young|old|train|plane|bus|return|one-way) ){0,2}",
    copula=(
        r"(?: number| no\.?| code| name)?(?: ?[:=]| (?:is|are|was|will be|would be|should be|must be|is called|is now|ending(?: in)?|to be|has to be|"
        r"needs to be)| ?'s|(?P<to> to| as))(?: now| actually| just| still| called)?[ :\"]{0,2}"
    ),
    lone_after=(
        r"(?= ?(?:\Z|[,.!?;:)\"]))|(?= (?:please|thanks|thank|and|or|but|for|on|at|in|from|to|by|with|then|total|altogether|in total|"
        r"instead|now|up|plus|minus|would|is|should|sounds|will|max|exactly|only|if|because|today|tomorrow|tonight|this|next|too|"
        r"as|not|over|under|times|less|more|of them)\b)"
    ),
    hour_before=r"\bat (?:around |about )?\Z",
    lone_not_before=r"(?:\b(?:option|choice|number|room|gate|platform|flight|train|line|bus|terminal|page|step|item|route|floor|chapter|(?<![,;] )no\.?) ?#?\Z|#\Z|'\Z|\bfound \Z)",
    lead_ins=(
        r"(?:yes|yeah|yep|yup|nope|nah|ok|okay|so|u+m+|u+h+|hm+|e+r+m*|mm+|eh|ah|oh|hi|hello|hey|actually|and|then|please)\b[ ,.!:;-]{1,3}",
        r"(?:sure|right|well|no|sorry|alright|good|great|perfect|now|sounds good|of course)\b ?[,.!:;-][ ,.!:;-]{0,2}",
        r"(?:no,? )?(?:thanks|thank you|thx)(?: a lot| so much| very much)?,? ?[,.!:;-][ ,.!:;-]{0,2}",
        r"(?:both|either|all of) |(?:let us|let's|let me) (?:say|go with|do|take|make it|try)(?: for)?\b[ ,:]{0,2}",
        r"(?:i|we)(?:'d| would|'ll| will)? (?:like|want|prefer|choose|take|need|love|have|go (?:with|for)|pick|say|think|guess)(?: to (?:have|go (?:with|for|to|from)|eat|take|"
        r"leave from|depart from|start from|fly (?:to|from)|travel (?:to|from)|visit|go|try|get|see))?(?: it(?:'s| is))?\b[ ,:]{0,2}",
        r"(?:i|we)(?:'m| am|'re| are|'ll be| will be) (?:going|leaving|departing|travell?ing|flying|starting|heading|coming|living)(?: (?:to|from|in|out of|for|on|at))?\b ?",
        r"(?:i|we) (?:leave|depart|start|fly|travel|go|live|come)(?: (?:to|from|in|out of|at))\b ?",
        r"(?:it|that|this)(?:'s| is| was| would be| will be|'ll be| should be)(?: going to be| called)?\b[ :]{0,2}",
        r"(?:please |just )?(?:find|check|look|search|show|get|give|try|view|see|visit|book|leave|pick|reserve|want|need|use|choose|select)(?: (?:me|us|for|up|at|out|of|something|somewhere|anything|"
        r"one|it|in|near|from|around|around|about|to|a|an|the (?:one|area|city)))*\b ?",
        r"(?:something|somewhere|anything|anywhere|one|a place|a room|a hotel|a restaurant|places|hotels|restaurants|the one)(?: (?:in|near|at|from|around|to|by|like|called))+\b ?",
        r"(?:my|the|our|your|his|her) (?:full |first |last )?(?:name|answer|destination|origin|city|choice|address)(?: is|'s| would be)\b[ :]{0,2}",
        r"(?:i am|i'm|this is|i'm called|they call me|call me)\b ?(?=[a-z])",
        r"(?:make (?:it|that)|change (?:it|that) to|i (?:meant|mean|said)|rather|maybe|perhaps|probably|about|around|i guess|i think|i suppose|i believe|how about|what about|only|just|let's go for|go with|put)\b[ ,:]{0,2}",
        r"(?:leaving|departing|starting|going|travell?ing|flying|heading|coming)?(?: ?(?:from|out of|to|into|in|at|near|under|with|by|for|on|as|called|of))\b ?",
        r"(?:from|to|in|at|near|under|with|by|for|on|as|called|of) ",
    ),
    tails=(
        r"[ ,.!]+(?:yes|yeah|yep|no|right|correct|ok|okay)[ .!]*",
        r" (?:is|are|was|would be|will be|seems|sounds|looks|works)(?: (?:a|an|the|just|very|really|most))* ?(?:good|great|fine|nice|perfect|convenient|best|better|ideal|ok|okay|place|choice|option|one|my|to|for|it|me|us|pick|up)*(?: .{0,30})?",
        r"[ ,]*\b(?:please|pls|thanks(?: a lot| so much)?|thank you(?: so much| very much)?|thx|cheers|then|instead|i think|i guess|i suppose|if possible|"
        r"sir|would be (?:great|good|nice|fine|best|perfect)|is (?:fine|good|ok|okay|great|best|perfect|right|correct)|sounds good|works(?: for me)?|will do|it is|after all|for me|"
        r"for now|as well|too|actually)",
        r"[ ,.!;:\"')\]]+",
    ),
    edges=frozenset(
        "on at for in by and with from to of the or until till around about before after starting leaving is it's a an , . ; : ! - & also then "
        "please i'd like want i we need would are arriving departing returning between".split()
    ),
    empty=Cue(
        words=(
            r"<(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))(?: there| again| everyone| all)?",
            r"let me (?:\w{1,10} ){0,2}(?:check|think|see|look|ask|know)",
            r"i(?:'ll| will| need to| have to| must| should| want to)? (?:check|think about|ask|see|look)",
            r"i (?:don't|do not|can't|cannot) (?:know|remember|recall|have|say|decide|tell)",
            r"not sure",
            r"unsure",
            r"no idea",
            r"one (?:moment|second|sec|minute)",
            r"just a (?:moment|second|sec|minute)",
            r"hold on",
            r"hang on",
            r"wait",
            r"(?:thank you|thanks)",
            r"<(?:bye|goodbye|see you|cheers|never ?mind|nothing|none|help|what|huh|why|who|skip|pass|whatever|same|idk|dunno)>",
            r"i(?:'m| am) (?:not sure|thinking|undecided)",
            r"(?:whichever|the) (?:is )?(?:soonest|earliest|cheapest|fastest|nearest|best|latest|closest|shortest)",
            r"doesn't matter",
            r"(?:that's|that is) (?:all|it|none of)",
            r"none of your",
            r"i(?:'d| would) rather not",
            r"prefer not",
            r"i won't",
            r"i refuse",
            r"forget (?:it|that|about)",
            r"same (?:as|thing|one)",
            r"as (?:before|above|i said)",
            r"later",
            r"i told you",
            r"i already",
            r"what do you",
            r"do you",
            r"can you",
            r"could you",
        ),
    ),
    hypothetical=Cue(
        words=(
            r"what if",
            r"if (?:i|we|it|they|he|she|someone)(?:'d| had| would| were| was)? (?:to )?(?:take|took|go|goes|went|were|was|had|booked|book|choose|chose|wanted|want|needed|need|flew|fly|"
            r"stayed|stay|left|leave|paid|pay|travelled|traveled|travel|travels|bought|buy|arrive|arrived|could|did|changed|change|came|come)",
            r"suppos(?:e|ing)(?: i| we| that)",
            r"imagine(?: i| we| that)?",
            r"hypothetically",
            r"in case (?:i|we)",
            r"unless",
            r"(?:i|we) (?:could|would|should) have",
            r"(?:i|we) might have",
            r"had (?:i|we)",
            r"(?:were|was) (?:i|we) to",
        ),
        traps=(r"in case of", r"if (?:i|we) (?:can|may)", r"i suppose(?= ?[,.]|>)"),
    ),
    elsewhere=Cue(
        words=(
            r"(?:he|she|they|someone|somebody|everyone|everybody|people|(?:my|his|her|our|the|a) [a-z]{2,14}(?: [a-z]{2,10})?)(?:'s)? (?:said|says|say|told (?:me|us)|tells (?:me|us)|suggested|suggests|"
            r"recommended|recommends|thinks|thought|likes|loves|loved|prefers|hates|mentioned|claims|went to|goes to|flew to|lives|lived|took|booked|stayed)",
            r"last time",
            r"(?:one|two|three|four|five|six|seven|eight|nine|ten|[0-9]+|some|many|several) people (?:told|said|asked|say)",
            r"(?:was|were) (?:already |all )?(?:sold|taken|booked) (?:out )?(?:yesterday|last)",
            r"i (?:read|heard|saw) (?:that|about|in)",
            r"according to",
            r"(?:yesterday|last (?:year|month|week|summer|winter)),? (?:i|we)",
        ),
        traps=(r"(?:the )?(?:doctor|app) said i need",),
    ),
    ages=Cue(
        words=(
            rf"(?:he|she|(?:my|our|his|her|the)(?: (?:older|younger|little|big|eldest|youngest|other))? (?:son|daughter|kid|child|boy|girl|baby|toddler|brother|sister|nephew|niece|cousin|"
            r"wife|husband|mother|father|mum|mom|dad|grand[a-z]{2,8}|dog|puppy|cat|kitten|rabbit|horse|pet))(?:'s| is| was| will be| turns| turned| just turned)"
            rf"(?: only| just| nearly| almost| about| already| now)? {_AGE}(?= ?(?:\Z|[,.!?;]|(?:and|but|years?|yrs?|now|next|today|already|tomorrow|this)\b))",
        ),
    ),
    past=Cue(
        words=(
            rf"{_OTHERS}(?: (?:always|once|usually|often|already|just|also|only|never))? (?:saw|sees|sees|has seen|had seen|used|uses|went|goes|flew|flies|was (?:at|with|in)|is (?:at|in|from)|has been|works|"
            r"studies|swears by|raves? about|(?:had|has|got|gets|has had)(?! (?:an?|some|to|the|no|been|got|this|that|[0-9])\b))",
            rf"(?:i|we) (?:once|already|previously|often|always|usually|just|recently|also|both|actually|never|had once|had already) (?:{_WAS})",
            rf"(?:i|we) (?:had|saw|tried|used|chose)(?! (?:an?|some|to|the|no|been|got|this|that|my|our|it|in mind|[0-9])\b)(?= [^,.;!?]{{1,40}} (?:{_PAST})(?! and\b| but\b))",
            rf"<[^,.;!?]{{1,30}} (?:saw|treated|operated on|looked after|looked at|helped|served|drove) (?:me|us|him|her|it|them|my [a-z]{{2,12}})(?= (?:{_PAST}))",
            rf"(?:i|we) (?:{_WAS})",
            rf"<[^,.;!?]{{2,40}} (?:was|were|wasn't|weren't|did|didn't|had|came|went)(?= (?:[^,.;!?]{{1,40}} )?(?:{_PAST}))",
            r"(?:i|we)(?:'ve| have) (?:been|already been|visited|stayed|lived|seen|eaten|flown|never been)",
        ),
        traps=(
            r"(?:i|we) (?:was|were)(?: (?:also|just|actually|only|kind of|[a-z]{3,10}ly))? (?:wrong|mistaken|wondering|hoping|thinking|looking|planning|trying|going to|interested|considering|in the mood|intending|wanting|asking|checking|wishing|told|about to|after)",
            r"(?:i|we)(?:'ve| have) been (?:[a-z]{3,10}ly )?(?:thinking|looking|wanting|hoping|planning|meaning|considering|searching|trying|wondering|told|dying|craving)",
        ),
    ),
    returning=Cue(
        words=(
            r"but (?:now|this time|today|these days)",
            r"but (?:i|we)(?:'d| would|'ll| will)? (?:now )?(?:want|need|like|prefer|rather|love|have to)",
            r"(?:and |so )?(?:this time|now)(?:,? (?:i|we|he|she|it|please|let's)\b)",
            r"(?:and|so)(?: (?:i|we))?(?:'d| would|'ll| will)? (?:now )?(?:want|need|like|prefer)(?= (?:to|an?|the|another|him|her|them|it|[0-9])\b)",
        ),
    ),
    judging=Cue(
        words=(
            rf"<{_LEAD}(?:is|are|was|were|isn't|aren't) {_SUBJECT}(?:(?:really|very|too|that|so|all that|a bit|quite|as|even|more|actually) ){{0,2}}"
            r"(?:far|worth|nice|beautiful|pretty|lovely|safe|dangerous|expensive|pricey|crowded|boring|interesting|any good|good\b(?! (?:for|with) (?:me|us|you))|better|reliable|trustworthy|popular|famous|strict|friendly|big|busy|cold|hot|"
            r"cheaper)(?: (?:away|from|to) [^,.;!?]{2,30})?(?= ?(?:[a-z' ]{0,20})\?)",
            rf"<{_LEAD}(?:does|do|did|will|would) {_SUBJECT}cost (?:a lot )?(?:more|less|much|extra)",
            rf"<{_LEAD}how (?:far|nice|good|safe|expensive|big|old|popular|crowded|far away) (?:is|are) (?!it|this|that|the )[^,.;!?]{{2,30}}(?= ?\?)",
            rf"<{_LEAD}what(?:'s| is| are) {_SUBJECT}like(?= ?\?)",
            rf"<{_LEAD}(?:who|what)(?:'s| is) (?:dr|doctor|mr|mrs|ms|prof)\.? [a-z]{{2,20}}(?= ?\?)",
        ),
    ),
    changing=CHANGING,
    stating=STATING,
    telling=TELLING_EN,
    chatter=CHATTER | frozenset(_SMALL.split()),
    soft_question=Cue(
        words=(
            r"(?:can|could|would|will|may|might|shall|should) (?:you|i|we)",
            r"do you (?:have|offer|know of|sell|serve)",
            r"have you got",
            r"(?:is|are) there",
            r"(?:how|what) about",
            r"any chance",
            r"why not",
            r"why don't (?:i|we|you)",
            r"do you mind",
            r"would it be possible",
            r"is it possible",
            r"i(?:'d| would) like",
            r"(?:i|we) (?:want|need)",
            r"looking for",
            r"find me",
            r"book me",
            r"which .{1,40}? (?:go|goes|leave|leaves|run|runs|depart|departs|fly|flies)",
            r"what .{1,40}? (?:go|goes|leave|leaves|run|runs|depart|departs|fly|flies|are there|do you have)",
            r"is .{1,30}? (?:free|open|available) (?:on|at|for|from)",
            r"will it",
        ),
    ),
    polite=Cue(
        words=(
            r"(?:can|could|would|will) you(?: please)? (?!tell|say|explain|give me the|let me know)[a-z]+",
            r"(?:can|could|may|might|shall) (?:i|we) (?:please )?(?:get|have|book|order|reserve|take|add|change|make|go|leave)",
            r"i(?:'d| would) like (?!to know)",
            r"(?:i|we) (?:want|need)(?! to know)",
            r"find me",
            r"book me",
            r"do you mind",
            r"would it be possible to",
            r"is it possible to",
        ),
    ),
    closing_question=Cue(
        words=(
            r"(?:anything|something|what) else",
            r"(?:help|assist) you (?:with|further|today|now)",
            r"(?:can|may|could) i (?:help|assist)",
            r"need (?:any )?(?:more |further |other )?(?:help|assistance|information)",
            r"further (?:help|assistance|questions)",
            r"any (?:other|more|further) questions?",
        ),
    ),
    check_question=Cue(
        words=(
            r"right>",
            r"correct>",
            r"(?:is|was|sounds|does) (?:that|this|it|everything|all) (?:right|correct|ok|okay|fine|good|all right|alright|look|sound|work)",
            r"do i have (?:that|it) right",
            r"(?:please )?confirm",
            r"are you sure",
            r"is that (?:so|what you)",
            r"yes or no",
            r"agreed>",
            r"ok>",
            r"okay>",
            r"sounds good",
            r"all good",
            r"did i get (?:that|it|this)",
            r"shall (?:i|we) go ahead",
            r"shall i (?:book|confirm|proceed|reserve|order|send)",
            r"should i (?:book|confirm|proceed|reserve|order|send|go ahead)",
            r"proceed",
            r"<(?:(?:so|ok|okay|then),? )?you(?:'d| would)? (?:want|like|need|prefer)",
        ),
    ),
    taking=Cue(
        words=(
            r"(?:book|reserve|take) (?:it|that|this)(?: one)?",
            r"(?:i(?:'ll| will|'d like to| want to| would like to)|let's|let us|we(?:'ll| will)) (?:take|go with|go for|book|"
            r"reserve|have|pick|choose) (?:it|that|this|that one|this one)",
            r"(?:book|reserve|take|go with|go for) (?:that|this) (?!one\b)\w{2,12}>",
            r"(?:fine|ok|okay|good|great|perfect|alright|all right),? then>",
            r"go for it",
        ),
        traps=(
            r"(?:don't|do not|won't|can't|cannot|not) \w{0,8} ?(?:book|reserve|take|go) (?:it|that|this|with|for)(?: one)?",
            r"before (?:i|we|you) (?:book|reserve|take) (?:it|that|this)",
        ),
    ),
    quantities={
        "all": rf"{_LEAD_IN}(?:all(?: of)?(?: the)?(?: {_N})?(?: ?of)?(?: (?:them|these|those|it|the above))?"
        rf"|everything|the lot|(?P<both>both){_OF_THEM}){_SO}",
        "first": rf"{_LEAD_IN}(?:just |only )?(?:the )?first {_N}(?: ones)?{_OF_THEM}{_SO}",
        "last": rf"{_LEAD_IN}(?:just |only )?(?:the )?last {_N}(?: ones)?{_OF_THEM}{_SO}",
        "some": rf"{_LEAD_IN}(?:(?:just|only|any|maybe|perhaps)(?: the)?|one or) (?:one|{_N}){_OF_THEM}{_SO}",
    },
    accepting=Cue(
        words=(
            rf"(?:it|that|this)(?:'s| is|s| sounds like| seems like| looks like)(?: also| just)?(?: an?| the)?(?: {_PRAISE})"
            rf"(?: {_PRAISED})?>",
            rf"(?:that|this|the|which) {_PRAISED} (?:works|suits|is (?:fine|good|great|perfect|ok|okay|ideal))",
            rf"(?:what an?|an?) {_PRAISE} {_PRAISED}>",
            rf"(?:your|you're|the|these|those|all) (?:\w{{1,12}} )?(?:are|is|were) (?:all )?{_PRAISE}>",
            r"(?:it|that|this|which)(?:'ll| will| would|'d)? (?:works|work|do|suits|suit)(?: \w{1,12}){0,3}>",
            r"works(?: \w{1,12}){0,2}>",
            r"you(?:'ve| have)? got it(?: right)?",
            r"<(?:permission )?granted>",
            r"(?:i|we) (?:can|could) (?:do|make|manage) (?:it|that|this)",
            r"(?:i'm|i am|we're|we are) (?:fine|happy|good|ok|okay) with (?:it|that|this)",
            r"let's do (?:it|that|this)",
            r"see you then",
        ),
        traps=(
            rf"(?:{_NOT_ACCEPTED}) (?:\w{{1,12}} ){{0,2}}(?:works?|do|suits?|make|manage|{_PRAISE})",
            r"(?:if|whether|hope|hopefully|is|are|does|do|will|would|can|could|how) (?:it|that|this|i|we|you)(?:'ll|'d)?"
            r"(?: \w{1,12}){0,4}",
            r"too (?:good|nice|right)",
        ),
    ),
    pointing=Cue(
        words=(
            r"it",
            r"that(?: one)?",
            r"this(?: one)?",
            r"one of (?:them|these|those)",
            r"which",
            r"either",
            r"them",
            r"these",
            r"those",
            r"works?",
            r"interested",
            r"suit",
            r"ok",
            r"okay",
            r"like",
            r"good",
            r"fine",
            r"how about",
            r"what about",
            r"book",
            r"take",
            r"reserve",
        ),
    ),
    wants=Cue(
        words=(
            r"(?:i|we)(?:'d| would)?(?: also| really)? (?:need|want|like|prefer|require|take|have to have)",
            r"with",
            r"includ(?:e|ing)",
            r"must have",
            r"please",
            r"add",
            r"should have",
            r"needs?",
            r"has to have",
            r"also",
            r"has",
            r"having",
            r"plus",
            r"preferably",
            r"it must",
            r"prefer",
            r"offers?",
            r"that has",
        ),
    ),
    adds=Cue(
        words=(
            r"add",
            r"also",
            r"plus",
            r"as well",
            r"too",
            r"and also",
            r"include",
            r"in addition",
            r"along with",
            r"another",
            r"put .{1,30}? on",
        )
    ),
    item_leads=(
        rf"(?:(?:i|we|you|he|she|it|they|{_MY} [a-z]{{2,12}})(?: also| just| still)?(?: has| have|'ve|'s)(?: also| just)? (?:(?:got|had|been having) )?"
        rf"|there(?: is| are|'s| was) (?:also )?|(?:i|we|he|she|it|they|{_MY} [a-z]{{2,12}})(?: is| are|'s|'re|'m| am| has been| have been)(?: also| still| always| constantly)? (?=[a-z]{{2,20}}ing\b))?"
        r"(?:also |just |mainly |mostly |maybe |perhaps )?(?:(?:a bit|a little|a lot|some kind|a kind|signs|lots) of )?(?:(?:an?|some|the|his|her|its|my) (?=[a-z]))?"
    ),
    joins=r" ?, ?(?:and |or )?| and | & | plus | as well as ",
    between=r" ?",
    name_stop=frozenset(f"{_PRONOUNS} {_VERBS} {_SMALL}".split()),
    calendar_words=frozenset(
        "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october "
        "november december morning afternoon evening night noon midnight mon tue wed thu fri sat sun am pm today tomorrow".split()
    ),
    name_links=frozenset("of de la le du del di da der van von the st saint upon el al and & - y i do dos das".split()),
    name_end=r"(?:\Z|[,.!?;:)(\"\n]|(?:\b(?:to|from|on|at|in|for|by|with|and|or|around|before|after|via|leaving|departing|arriving|returning|please|tomorrow|today|tonight|next|this|instead|then|but|thanks|as|is|"
    r"would|sounds|works|until|till|about|near|if|because|so|not|when|where|that|which|who|the|a|one|coming|going|later|"
    r"right|and|back|now|again|too|also|there|soon|sometime|i|we|it|you)\b))",
    not_in_name=r"(?!)",
    determiners=frozenset({"my", "our", "the"}),
    articles=("the",),
    asks_for=r"\b(?:find|need|want|get|book|show|search|see|me|us|for)(?: an?| the| some| any)? \Z",
    not_before_name=r"\b(?:chang|switch|updat|set|correct|renam|modif|edit)\w*\b[^,.;]{0,30}\Z",
    motion=rf"\b{_GO} (?:back |over |up |down |there )?(?:to|from|into|for|towards|out of|in) \Z|\bfrom .{{2,40}} to \Z|\b(?:send|sending|transfer|pay|give|wire)(?: [a-z0-9]{{1,12}}){{0,3}} to \Z",
    weak=frozenset(
        "a an the one two three any all both other either it this that here there on off in out up down to from for at by and or not "
        "more less now today next last good new open back may march long short early late right left".split()
    ),
    middle=r"\b(?:the )?middle (?:one|option|slot|time|of (?:them|the three))\b|\bthe middle(?= ?(?:\Z|[,.!]| please| then))|\bthe one in the middle\b",
    kind_names={
        "time": "time",
        "hour": "time",
        "date": "date",
        "day": "date",
        "phone number": "phone",
        "email": "email",
    },
    swapped=r"\b(?:(?:swap|replac|switch|chang|exchang|trad)\w{0,4}(?: out)?(?: (?:it|that|this|them|the \w+|my \w+))?(?: from)?|(?:mov|shift|postpon|push|reschedul)\w{0,4} (?:\w+ ){0,3}from)(?: (?:the|my|our))? \Z",
    swapped_after=r"[^,.;]{0,12} (?:for|with|to|by|into)\b",
    more_before=(
        r"\b(?:add(?:ing)?|another|extra|additional|further|plus)(?: (?:about|around|another|an?(?: extra| additional)?|extra))? \Z"
        r"|\b(?:rais|increas|reduc|lower|extend|cut|shorten|lengthen|push|bump|drop|decreas|prolong|stretch|go|up|mov)\w*(?: \w+){0,3} by (?:about |another |an extra )?\Z"
    ),
    more_after=r" ?(?:[a-z]{2,12} )?(?:more|extra|fewer|less|longer|shorter|on top)\b(?! than| or less)",
    part_after=r" (?:[a-z]{2,12} )?of (?:them|those|these|whom|which)\b",
    spread=r" ?(?:up )?to (?:the )?| ?- ?| (?:until|till|through|or)(?: maybe| even| perhaps)? (?:the )?",
    spread_after=r"\bbetween (?:about |around |the )?\Z",
    timing=frozenset({"at", "on", "in"}),
    range_joins=(r" plus ", r" ?(?:up )?to ", r" ?- ?", r" (?:until|till|through) ", r" and ", r" over "),
    prefixes=(
        "has",
        "is",
        "needs",
        "need",
        "wants",
        "want",
        "with",
        "includes",
        "include",
        "allows",
        "requires",
        "offers",
        "have",
        "add",
    ),
    question_kinds={
        r"when": ("date", "datetime", "time"),
        r"(?:what|which) (?:day|date)s?": ("date", "datetime"),
        r"(?:what|which|at what) (?:time|hour)": ("time", "datetime"),
        r"how many": ("integer", "number"),
        r"how much": ("money", "decimal", "number", "integer"),
        r"how long": ("duration", "integer"),
        r"(?:phone|telephone|mobile|cell)(?: number)?": ("phone",),
        r"e-?mail": ("email",),
        r"(?:where|which city|what city|which station|which town)": ("place",),
        r"(?:who|(?:your|the|full) name)": ("person",),
    },
    ellipsis=r"(?:and |ok(?:ay)?,? )?(?:(?:what|how) about|and)(?: in| for| to)? (?P<value>[^?]{2,40}?)(?: then| instead)?[ ?.!]*",
    year_question=r"year",
    shifts={
        r"(?:the )?(?:next|following) day|(?:the )?day after(?: that)?(?! tomorrow| the| \w+day| my| our)|(?:a|one) day later|(?:(?<=morning )|(?<=afternoon )|(?<=evening )|(?<=night ))after(?: that)?(?= ?[?.!,]|\Z)": 1,
        r"(?:the )?day before(?: that)?(?! yesterday| the| \w+day| my| our)|(?:a|one) day (?:earlier|before that)": -1,
        r"two days later": 2,
        r"(?:a|one) week (?:later|after that)|the week after(?: that)?(?! next)|the following week": 7,
        r"two weeks later": 14,
        r"(?:a|one) week (?:earlier|before that)|the week before(?: that)?": -7,
    },
    small_talk=Cue(
        words=(
            r"(?:nice|lovely|bad|good|great|terrible|awful|beautiful|gorgeous|horrible|rainy|sunny|what a)(?: \w{2,10})? (?:weather|day|morning|evening|afternoon|weekend|sunshine)",
            r"(?:weather|sun|it)(?:'s| is| was) (?:so |very |really |quite |too )?(?:nice|lovely|bad|good|great|terrible|awful|beautiful|hot|cold|rainy|sunny|shining|warm)",
            r"how are you",
            r"(?:i'm|i am|feeling|so|very|been) (?:so |very |really )?(?:tired|busy|happy|sad|bored|sleepy|excited)",
            r"have a (?:nice|good|great|lovely)",
            r"had a (?:long|bad|good|great|nice|hard|rough)",
            r"see you",
            r"talk (?:to you )?(?:soon|later)",
            r"long day",
        ),
        traps=(r"(?:if|when) (?:the weather|it)",),
    ),
    colours=frozenset(
        "black white red green blue yellow orange purple pink brown grey gray beige navy turquoise silver gold golden violet cream khaki ivory maroon teal "
        "burgundy lilac olive magenta cyan bronze".split()
    ),
    colour_slots=frozenset({"color", "colour", "color of", "shade"}),
    measures=frozenset(
        "cm mm km m kg g lb lbs oz ml l gb mb tb eur usd gbp cny hours hrs minutes mins days percent pct celsius fahrenheit sqm kwh".split()
    ),
    counters=("number of ", "num ", "how many ", "count of ", " count", " number", " total"),
    features={
        "wifi": ("wifi", "wi-fi", "internet"),
        "parking": ("parking", "park", "car park"),
        "smoking": ("smoking", "smoke", "smoker"),
        "breakfast": ("breakfast",),
        "pets": ("pets", "pet", "pet friendly"),
        "receipt": ("receipt", "invoice"),
        "delivery": ("delivery", "delivered"),
        "takeaway": ("takeaway", "take away", "takeout", "to go"),
        "wheelchair": ("wheelchair", "step-free", "accessible"),
        "insurance": ("insurance", "insured"),
        "window": ("window",),
        "vegan": ("vegan",),
        "vegetarian": ("vegetarian",),
        "return": ("return trip", "round trip"),
    },
    counter=r" (?:(?:pieces?|bottles?|cups?|boxes|packs?|cans?|bags?|slices?|kilos?) of )?",
    vocative=r"(?:(?:hi|hello|hey)[, ]+)?(?P<name>[a-z'-]{2,20}(?: [a-z'-]{2,20})?)(?: here)?, ",
    opposites={
        "good": "bad",
        "yes": "no",
        "true": "false",
        "on": "off",
        "open": "closed",
        "hot": "cold",
        "high": "low",
        "happy": "sad",
        "well": "unwell",
        "positive": "negative",
        "indoor": "outdoor",
        "indoors": "outdoors",
        "cheap": "expensive",
        "safe": "unsafe",
        "satisfied": "unsatisfied",
    },
    verdict=(
        r"(?:(?:just|so|very|really|quite|too|much|rather|pretty|all|a bit|absolutely|perfectly|totally|not|also|far|even|more|most|the) ){0,3}"
        r"(?:fine|good|great|ok|okay|alright|all right|right|correct|wrong|perfect|lovely|nice|bad|terrible|awful|horrible|rude|kind|friendly|better|best|worse|worst|easier|cheaper|"
        r"cheapest|nearer|nearest|closer|closest|earlier|earliest|later|latest|sooner|soonest|quicker|quickest|faster|fastest|bigger|smaller|expensive|busy|late|slow|helpful|useless|excellent|"
        r"amazing|wonderful|brilliant|former|latter|middle|previous|same|other|others|usual|available|free|possible|whoever|whichever|whatever|either|neither|both|any|none)"
        r"(?: (?:one|ones|two|person|time|of (?:them|those|these|the two)|last time|for me|by me|with me|too|as well|already|now|again|first))?"
    ),
    idle=(
        rf"(?:{_DEGREES})(?: there)?|guess|you guess|"
        r"lol|lmao|rofl|haha\w{0,20}|meh|wtf|omg|idk|huh|ugh|nonsense|whatever|nothing|stupid|"
        r"private|confidential|(?:a |my )?secret|(?:the|my|your) (?:connection|reception|signal|battery|sound|audio)|still (?:thinking|deciding|undecided)|undecided|not decided(?: yet)?"
    ),
    turned_down=r"(?:not|never|don't|do not|except|any(?:thing|where) (?:but|except)) ",
    no_way=(
        r"\b(?:thanks|thank you|listen(?:s|ed|ing)?|compar(?:ed|ing)|talk(?:s|ed|ing)?|sp(?:eak|oke)|hello|hi|say(?: \w{1,20})?|"
        r"from time) (?=(?:to )?\Z)"
    ),
    no_place=r"(?:time|bed|sleep|learn|hell|waste|work|the toilet|toilet|the bathroom)\b",
    age=r",? (?:and )?(?:i am|i'm|aged?)\b",
    other_sense=(
        r" ?(?:class )?(?:is|are|was|were) (?:so |very |too |really |such |just ){0,4}(?:an? )?(?:\w{1,20} )?"
        r"(?:scam|joke|rip-?off|bad|terrible|awful|in trouble|in recession|weak|overpriced)\b"
        r"| (?:procedure|practice|geometry|on the wall|against|of thought|class work)\b"
        r"|(?<=none) of (?:us|my|our|your|his|her)\b"
    ),
    passed=Cue(words=(rf"{_WHO}{_AWAY}",)),
    contrasts=(
        rf"(?:(?:no|nope|sorry|actually|wait|well|oh|hm+|ok|okay|but),? )?{_OLD}(?P<no>{_AWAY})(?: ?[,.;-] ?| (?=so|then))(?:so|then|but|and)?,? ?{_TAKE}{_MEANT}(?:,? (?:then|instead|is fine|is ok|will do|works))?{_SO}",
        rf"(?:[^,.;]{{0,20}}, )?(?:(?:can|could|would) you |i(?:'d| would) like to |i want to |(?:we|i) (?:need|have) to |let's |please )?(?:please )?(?P<no>change|switch|swap|replace|exchange) {_OLD} (?:to|for|with|into|by) (?:be )?{_MEANT}(?: instead)?(?:,? (?:please|thanks|thank you))?[ .!?]{{0,4}}",
        rf"(?:(?:no|nope|sorry|actually|wait|well|oh|yes|ok|okay),? )?(?:.{{0,40}} to )?{_MEANT}(?:,? |[.;] ){_IN_PLACE}{_TOWARDS} {_OLD}{_SO}",
        rf"(?:[^,.;]{{0,12}}[,.;] )?(?:(?:it|that)(?:'s| is) |(?:i'm|i am|i) )?(?:said |meant |want )?"
        rf"(?P<no>not(?! (?:only|just|merely|simply)\b)|instead of|rather than|(?:did not|didn't) (?:say|mean)){_TOWARDS} {_OLD}(?:[,.;]? but(?: rather)?|[,.;]|(?= (?:it's|it is) )) {_MEANT}{_SO}",
    ),
    fillers=(
        rf"(?:{_DEGREES})(?: there)?|"
        r"h+m+|u+h*m+|u+h+|e+r+m*|e+m+|m+h*m*|a+h+|o+h+|eh|huh|so|well|okay|ok|wait(?: a (?:minute|second|sec|moment))?|hold on|hang on|(?:just )?(?:one|a) (?:moment|second|sec|minute)|"
        r"(?:please )?(?:give me|bear with me|gimme)(?: (?:a|one) (?:moment|second|sec|minute))?|let me (?:think|see|check|look)(?: about (?:it|that))?|let's see|i'm thinking|thinking|"
        r"good question|(?:i'm |i am )?(?:not sure|unsure)|i don't know(?: yet)?|(?:say|come) (?:that )?again|(?:i beg your )?pardon(?: me)?|excuse me|sorry|what(?: was that)?|i can't say|can't say|you tell me"
    ),
    picked=r" (?:one|ones|option|options|choice|item|result|entry|suggestion|offer|alternative|answer|possibility)\b",
    compared={
        "latest": rf"{_PICK}{_THE}(?:later|latest){_ONE}",
        "earliest": rf"{_PICK}{_THE}(?:earlier|earliest|sooner|soonest){_ONE}",
        "cheapest": rf"{_PICK}{_THE}(?:cheaper|cheapest|less expensive|least expensive|lower-priced){_ONE}",
        "dearest": rf"{_PICK}{_THE}(?:more expensive|most expensive|dearer|pricier|priciest){_ONE}",
    },
    pair_joins=r" (?:over|by|x|to|versus|vs|and) | ?[/x×:-] ?",
    price_question=r"how much|(?:what|which) (?:does|do|would|will|is|are) .{0,30}?(?:cost|price|fare)",
)
