"""English words that begin with a capital and name nobody, as the check of a summary reads them."""

# ruff: noqa: E501 (tables, of wide characters too)

from __future__ import annotations

from typing import Final

NO_NAMES: Final = frozenset(
    (
        "i i'm i'd i'll i've ok okay mr mrs ms miss dr prof sir madam am pm tv id eta pin url pdf csv json yaml html sql api "
        "utc gmt wifi wi-fi usb sms faq q&a vat ai ui n/a tbd tba asap fyi re cc bcc vip diy aka eg ie etc no nr monday "
        "tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
        "sundays january february march april may june july august september october november december jan feb mar apr "
        "jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun usd eur gbp chf cny rmb jpy krw "
        "inr cad aud hkd sgd twd km kg cm mm gb mb tb kb kwh kw mph not never none must should email e-mail gps"
    ).split()
)
"""Never a name."""
OPENERS: Final = frozenset(
    (
        "the a an this that these those there here it its he she they we you his her their our my your user users "
        "customer customers client clients caller guest guests patient traveller traveler travellers assistant agent "
        "bot both all any some each every either neither most many much more less few several other another one two "
        "three four five six seven eight nine ten eleven twelve no not nothing nobody none never always only also "
        "just even still yet already again now then today tomorrow yesterday tonight currently originally initially "
        "first second third last next finally later earlier before after until since while when where why how what "
        "which who whose if unless because although though however instead otherwise therefore so but and or nor as "
        "at by for from in into of off on onto out over to toward towards under up upon via with without within "
        "about above across against along among around behind below beneath beside besides between beyond despite "
        "down during except like near per through throughout regarding concerning including excluding following "
        "wants want wanted needs need needed prefers prefer preferred prefer likes like liked dislikes hates loves "
        "asks ask asked asking requests request requested requires require required requirement requirements chose "
        "choose chosen chooses choice picks pick picked selects selected decided decides decision decisions refused "
        "refuses refusal declined declines rejected rejects accepted accepts agreed agrees agreement confirmed "
        "confirms confirmation booked books booking bookings book reserved reserves reservation order ordered orders "
        "paid pays pay payment price prices cost costs budget budgets fee fees total deposit refund refunds refunded "
        "discount invoice invoices delivery deliver delivered deliveries shipping ship shipped parcel package send "
        "sends sent return returns returned exchange exchanged cancel cancels cancelled canceled cancellation pause "
        "paused move moves moved change changes changed swap replace replaced replacement remove removed add added "
        "drop dropped keep keeps kept use uses used avoid avoids avoided exclude excluded include includes included "
        "allergy allergic allergies diet dietary vegetarian vegan meal meals food menu dinner lunch breakfast drinks "
        "table room rooms seat seats ticket tickets train trains flight flights bus coach taxi car cars hotel hotels "
        "restaurant flat apartment house office home address phone email mail name date dates day days time times "
        "deadline week weeks month months year years morning afternoon evening night nights noon midnight weekend "
        "arrival arrives departure departs leaves leave check checkin checkout stay stays trip travel travels "
        "traveling travelling visit visits meeting meetings appointment appointments event party guests people adults "
        "adult child children baby kids daughter son mother father brother sister wife husband partner friend friends "
        "parents family neighbour neighbor boss manager colleague colleagues team doctor teacher "
        "dog dogs cat cats pet pets open question questions issue issues problem problems error errors failed fails "
        "failure failures attempt attempts tried tries try retry fix fixed bug bugs crash crashes logs log tool tools "
        "search result results found finds lookup call calls called returned status ticket account accounts plan "
        "plans option options offer offers offered available unavailable pending waiting awaiting waits missing lost "
        "broken wrong right new old same different good bad best cheapest cheap expensive free full empty closed "
        "max maximum min minimum at least most exactly approximately approx roughly nearly almost up down left "
        "constraint constraints preference preferences fact facts note notes reason reasons quote summary task tasks "
        "todo done do does did don't doesn't didn't can can't cannot could couldn't will won't would wouldn't shall "
        "should shouldn't must mustn't may might has hasn't have haven't had is isn't are aren't was wasn't were "
        "lives live works work drives drive owns own takes take took gets get got gives give gave goes go went comes "
        "come came makes make made says say said tells tell told knows know known thinks think thought feels feel "
        "felt looks look looking plans planning hopes hope wishes wish expects expect expected flies fly starts start "
        "started starting ends end ended stops stop runs run reminds remind reminder reminders contact send insurance "
        "insured warranty contract subscription membership policy rent rental loan bank card cash transfer savings "
        "charged charge size colour color red blue green white black brown grey gray dark light wooden warm cold hot "
        "big small large tall short long late early quiet quietly own please thanks thank yes hello hi sorry let "
        "per keeping having being doing working allowed allows allow permitted forbidden prohibited nice fine "
        "music wine beer coffee tea fish meat lamb chicken milk nuts peanuts catering parking luggage baggage "
        "suitcase bags bag window aisle floor ground garden kitchen bathroom bedroom bed beds balcony pool gym "
        "production staging deploy deployment version release server database code data file files report reports "
        "reference references ref instructions directions address details number numbers code codes amount amounts figure figures half twice "
        "once rather originally previously afterwards meanwhile according due owing given based thus hence plus minus"
    ).split()
)
"""Words that a sentence may begin with."""
COMMON_ENDS: Final = (
    "ing", "ed", "tion", "tions", "sion", "ment", "ments", "ness", "ity", "ance", "ances", "able", "ible", "ful",
    "less", "ous", "ally", "ably", "ively", "ently", "ship", "ism", "ual", "ive", "ised", "ized",
)  # fmt: skip
"""Endings of common words; a name of more than five letters seldom ends so."""
