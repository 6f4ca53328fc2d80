"""How users and assistants tell in English what a summary should keep. Phrases are separated by bars; see
slotstate.compact.phrases for how they are written.
"""

from __future__ import annotations

from slotstate.compact.wordings import Wordings

_I = "{i,we}"
_IM = "{i'm,im,i am,we're,we are}"
_ILL = "{i'll,i will,we'll,we will}"
_DONT = "{dont,do not,doesnt,does not,didnt,did not}"
_WONT = "{wont,will not,wouldnt,would not}"
_CANT = "{cant,cannot,can not}"
_COULDNT = "{couldnt,could not,cant,cannot,wasnt able to,was not able to,were not able to,werent able to,unable to}"
_BE = "{is,are,was,were,it's,that's}"
_WHOM = "{me,you,him,her,us,them,my,our,his,their,somebody,someone}"
_OWN = """
    {allergic,allergy,allergies,intolerant,intolerance,coeliac,celiac,anaphylactic,anaphylaxis,epipen}
    | {diabetic,diabetes,asthma,asthmatic,epileptic,epilepsy,vegetarian}
    | {vegetarians,vegan,vegans,halal,kosher,gluten,lactose}
    | {pregnant,wheelchair,crutches,disabled,disability,dyslexic,claustrophobic}
    | {deaf,blind,insulin,pacemaker,seasick,carsick,phobia,fasting,teetotal}
    | {gout,arthritis,migraine,migraines,autism,autistic,adhd,dementia,hypertension,eczema}
    | {sensitive,sensitivity,sensitivities,reaction,react,reacts} to | {food,light,noise} {sensitivity,sensitivities}
    | {have,has,having,with} … {disease,syndrome,disorder,heart condition,blood pressure}
"""
"""What somebody has or keeps to: it says something whatever stands beside it."""
_DEFY = "{ignore,disregard,forget,override,bypass,overrule,discard,neglect,violate,break,drop}"

ENGLISH = Wordings(
    strong={
        "constraint": f"""
            {{make,makes,made}} {{me,my,him,her,his,our,them}} … {{swell,itch,sick,ill,dizzy,faint,cough,panic}}
            | {{get,gets,getting}} {{sick,ill,dizzy,nauseous,claustrophobic}}
            | {{keep,leave}} … {{off,out of,away from}} {{the,my,our,every,any,it}}
            | {_DONT} {{let,allow,permit}} {{me,us,him,her,them}}
            | {_WONT} {{let,allow,permit}} {{me,us,him,her,them}}
            | not {{a,one,any}} {{minute,second,hour,day,euro,cent}} {{earlier,later,before,after,more,less,longer}}
            | {{can,could,may}} only | all {{i,we}} can | absolutely {{no,not,never,nothing,nobody}}
            | {{definitely,certainly}} {{no,not}} | <no … please>
            | {{whatever,anything,wherever,whichever,however}} you {{like,want,think,please,prefer}} … but | must
            | mustnt | {{has,have,had,needs,need,got,gotta}} to {{be,stay,remain,have,include,work,fit,come with}}
            | has to | needs to | shouldnt | should not | should never | should always
            | no {{more,less,fewer,later,earlier,longer,bigger,higher,sooner}} than
            | not {{more,less,later,earlier,longer}} than | not {{before,after,until}}
            | at {{most,least,the very most,the very least,the latest,the earliest}} | {{maximum,minimum,max,min}}
            | {_CANT} | not able to | not {{allowed,permitted,possible,an option,negotiable,acceptable,safe}}
            | {{isnt,arent,wasnt}} {{allowed,permitted,an option,negotiable,acceptable,safe}} | forbidden | banned
            | prohibited | off limits | {_OWN} | afraid of | scared of
            | {{would,will,could,can,might,may,i'd,we'd}} … {{kill,hurt,harm,poison,hospitalise,hospitalize}} {_WHOM}
            | {{would,will,could,can,might,may}} {{die,choke,faint,collapse}} | {{lethal,deadly,fatal,toxic}} {{for,to}}
            | makes me {{sick,ill}} | {{exclusively,strictly}} | under no circumstances | no exceptions
            | without exception | on no account | in no case | by no means
            | no matter {{what,how,which,where,when,who}}
            | {{whatever,whichever,wherever}} … {{must,has,have,needs,be,should}} | make {{sure,certain}} | ensure
            | be sure to | see to it that | {{required,requirement,requirements,mandatory,compulsory}}
            | {{essential,crucial,vital,imperative,indispensable,necessary,important}} | insist | insists
            | {{deal breaker,dealbreaker,non negotiable,an absolute must}} | a must> | out of the question
            | wont work for {{me,us}} | doesnt work for {{me,us}} | on condition that | on the condition
            | provided that | {{doctor's,company,school}} {{orders,policy,rules,rule}}
            | against {{the rules,the law,company policy,my religion,our religion}} | limit is | limited to
            | {_I} only | {{from now on,in future,in the future}} … {{please,always,never,only,use,send,call,dont}}
            | please {{always,never,only}} | {{please,and,but}} {{dont,do not}}
            | please … {{every,each,all,always,never,only}} | <never | <always
            | <{{dont,do not}} … {{without,before,unless,until}} | nobody {{may,must,should,can,is to}}
            | nothing {{may,must,should,can}} | has got to | have got to be | better not | be careful {{with,not to}}
            | {{keep,stay}} … {{secret,private,confidential}} | a secret | confidential | dont tell | do not tell
            | {{for,by}} {{medical,health,religious,safety,legal}} reasons
            """,
        "preference": f"""
            prefer | prefers | preferred | preferably | preference | preferences
            | {{i'd,we'd,would,i would,we would}} rather | ideally | if {{possible,at all possible}}
            | {{would be,it'd be,that'd be}} {{nice,ideal,best,better,lovely}} if | {{favourite,favorite}}
            | {{hate,hates,dislike,dislikes}} | {{cant,cannot}} stand | not {{a,a big,a huge}} fan of
            | not {{fond of,keen on,a fan}} | {{care most about,matters most,rather have,soft spot for}}
            | {{the,a}} {{quieter,cheaper,smaller,bigger,earlier,later}} the better | the … the better
            | {_I} {{usually,normally,always}} {{take,choose,order,go,fly,stay,sit,have,drink,eat,book}}
            """,
        "decision": f"""
            verdict | consider it {{settled,done,decided,agreed}} | settled> | decided> | is settled | {{i,we}} voted
            | it will be … then> | {{that's,this is,it's}} the {{plan,deal,decision}}
            | {{i,we}} {{have made,finally made}}
            | let's {{go with,go for,take,use,stick with,keep to,settle,choose,pick,stay with,stick to}}
            | lets {{go with,go for,take,use,stick}}
            | {_ILL} {{take,go with,go for,stick with,stick to,settle for,choose,pick,use,stay with,keep to}}
            | {{decided,decide,decision,decisions}} | {{settled,settle}} {{on,for,it,that}}
            | {{is,it's,that's}} {{settled,decided,final,fixed}} | {{we,and,have,they,both}} agreed
            | agreed {{to,on,that}} | {{opted,opting,opt}} {{for,to}}
            | {{i,we,i've,we've,have}} {{chose,chosen,picked,selected}}
            | {{i,we,he,she,they,wife,husband,family,team}} {{chose,picked,voted}}
            | {{made,made up,making up}} {{my,our}} {{mind,minds}} | {{my,our}} mind is made up
            | final {{answer,decision,choice,word}} | go ahead with
            | {{going,went,go}} {{with,for}} {{the,a,an,option,plan}} | {{sticking,stick,stuck}} {{with,to}}
            | the plan {{is,now is,is now,will be}} | {{my,our}} {{choice,pick}} {{is,was}}
            | {_IM} {{doing,taking,using,going with,going for,having,keeping}}
            | {_IM} {{choosing,moving,switching,meeting,bringing}} | <the … it is> | then … it is>
            | {{in the end,after all}} {{i,we}} | after {{thinking,talking,some thought,much thought}}
            | that's {{that,final}} | moves to | moved to | {{switched,switching,changed,changing}} {{over to,to}} the
            | {{signed,signing}} {{off on,up for}} | {{it's,its}} a deal | count {{me,us}} in | chosen
            """,
        "refusal": f"""
            too {{much,long,far,loud,big,small,expensive,risky,dangerous,early,late,hot,cold}} for {{me,my,us,our}}
            | no {{thanks,thank you,thankyou}}
            | not {{interested,for me,for us,my thing,our thing,our cup of tea,my cup of tea,worth it,necessary}}
            | no {{interest,need,use}} {{in,for,to}} | {{isnt,arent}} {{for me,for us,my thing,necessary}}
            | {{i,we}} {_DONT} {{want,need,wish,care for,like,intend,do}} | {_DONT} {{want,need,bother,wish,care for}}
            | {_WONT} {{need,want,be needing,be going,be taking,take,do,be using,be joining,go,use,pay,be paying}}
            | {{rather,prefer}} not | {_ILL} {{pass,skip}} | {{pass,passing}} on {{the,that,this,it}} | no need
            | {{skip,drop}} the | skip {{it,that,this}} | {{leave,leaving}} {{out,off,it out}} | {{stop,quit}} *ing
            | said no | say no | saying no | {{refuse,refused,refusing,decline,declining}}
            | {{turn,turned,turning}} … down | {{turn,turned,turning}} down | {{decided,voted,advised}} against
            | {_IM} not *ing | not {{going,about,planning,willing}} to | {{there's,there is,is}} no way | <no way
            | hard no | {{count,leave}} {{me,us}} out
            | {{dont,do not}} {{offer,suggest,show,send,ask,bring,mention,sign,sell,add,book,give,include}}
            | doesnt appeal | {{doesnt,does not}} {{interest,suit,convince}} | {{we,i}} can do without
            | {{can,could}} do without | {{not,never}} {{again,going back}} | had enough of | fed up with
            | no {{more,longer want,longer need}} | without {{the,a,any}} … please | wouldnt {{dream,touch,recommend}}
            | {{do,does}} nothing for {{me,us}} | {{rule,ruled,ruling}} … out | ruled out
            """,
        "open": f"""
            remind {{me,us}} | reminder
            | still {{need,needs,have,has,waiting,missing,open,pending,unclear,undecided,looking,owe,to be}}
            | {{waiting,wait}} {{for,on,to hear}} | {{get,got,come,coming,getting}} back to {{you,me,us,him,her,them}}
            | let {{you,me,us}} know {{when,once,if,as soon,by}} | follow up | following up
            | {{havent,hasnt,have not,has not}} … yet | not … yet | yet to | to be {{confirmed,decided,announced}}
            | {{tbd,tbc,tba,todo}} | to do list | {{dont,do not,mustnt}} forget | remember to | undecided
            | {{need,have}} to {{check,ask,think,talk}}
            | {_ILL} {{check,ask,think,find out,get back,decide,look into,sort,confirm,tell you,send you}}
            | {{any,no}} {{news,word,answer,reply}} {{from,on,about,yet}} | {{hear,heard}} back | sleep on it
            | think {{it over,about it}} | up in the air | open question | as soon as {{i,we,you}} {{know,hear,have}}
            | {{not,arent,am not}} sure … yet | will {{confirm,decide,know}}
            | {{come,coming}} back to {{that,this,it}} | by {{tomorrow,the end of}} {{please,the day,the week}}
            """,
        "failed": f"""
            sold out | {{fully,all,completely}} booked | booked {{up,out,solid}} | failed | failure | fails
            | {{an,the,this,same,internal}} error | error> | {{unavailable,unsuccessful,unreachable}}
            | {{not,isnt,arent,wasnt,no longer}} available | no … {{available,left,found,free,vacancies,openings}}
            | {_COULDNT} {{find,book,reserve,complete,process,reach,connect,get,load}}
            | {_COULDNT} {{open,send,verify,locate,make,cancel,log in,pay}}
            | {{was not,wasnt,not,were not,is not,isnt}} successful
            | {{didnt,did not,doesnt,does not,wont}} {{work,load,open,go through,respond,answer,accept}}
            | {{isnt,is not,not}} working
            | {{was,been,got,is}} {{declined,rejected,cancelled,canceled,blocked,refused}} | {{timed out,timeout}}
            | expired | no {{results,matches,match,luck,response,vacancies,vacancy,availability}} | not found
            | {{crashed,crashes}} | went wrong | out of stock | {{already,have,i've,we've}} tried
            | tried … {{but,without,and}} | to no avail | in vain | nothing {{found,matches,available,came up}}
            | {{there,they}} {{are,were}} no | {{out of,not in}} {{service,order}} | {{is,was,are}} closed
            """,
        "fact": f"""
            my {{name,full name,surname,number,phone,phone number}} is
            | my {{email,address,birthday,passport,account,policy number}} is | call me | {_I} work {{as,at,for,in}}
            | {_I} live {{in,at,on,near}} | {{i'm,i am,we're,we are}} from | years old
            | {{number,code,reference,address,pin}} is
            | {{reference,confirmation,booking,order,ticket,tracking,case}} {{number,code,id}} | birthday is
            | was born
            | {{my,our,her,his,their,husband's,wife's,mother's,father's,son's,daughter's}}
              … {{birthday,anniversary,honeymoon,graduation,retirement}}
            """,
        "quote": """
            {exact,following} {words,wording,text} | word for word | {should,must} {say,read}
            | {write,print,engrave} … on
            """,
    },
    weak={
        "constraint": f"""
            <{{put,take,keep,send,give,bring,use,call,ring,write,print,leave,add,move,order,include,charge}}
            | <{{pack,arrange,reserve,hold,deliver,email,phone,contact,tell,ask,remove,swap,replace,bill,seat,serve}}
            | so {{he,she,it,they,we,the,my,our}} | rather than | expect | only | {{have,need}} to | never | always
            | should | unless | as long as | otherwise | under | within | up to | by the time | {{dont,do not}}
            | before … {{is,are,has,have}} | until | limit | policy | {_CANT} | or else | each and every | avoid
            """,
        "preference": f"""
            {_I} {{like,love,enjoy,want}} | hopefully | {{i'd,we'd}} {{like,love}} | would be {{nice,great,good}}
            | if you can | rather
            """,
        "decision": """
            because | since | so that | that's why | therefore | instead | let's | lets | it is> | in the end
            | first … then | first … afterwards | final | finally | {i'll,we'll} have | the plan | plan | going to
            | {will,shall} be
            """,
        "refusal": """
            <no | <{nothing,zero} | <nope | <nah | not | without | {we're,i'm,i am,we are} good> | no more
            | enough | too much | <{im,i'm} fine>
            """,
        "open": """
            later | tomorrow | next time | once {i,we,you,they} | when {i,we} | yet | soon | someday | at some point
            | maybe
            """,
        "failed": "unfortunately | sorry | problem | tried | broken | wrong | afraid | issue | trouble",
        "fact": """
            {i,we} have | {costs,cost} | {starts,opens,closes,leaves,arrives,departs} at
            | {total,price,fare,fee,deposit}
            """,
    },
    traps="""
        no {change,changes,preference,preferences,question,questions,comment,difference,hard feelings,chance}
        | no {clue,joke,kidding,offense,matter,pressure,stress}
        | {can,could,may,might,would} i die | need to check in | need to check out
        | must {be,have been} {joking,kidding,nice,fun,great,lovely,hard,tired,tough,amazing,exciting,a}
        | {i,we} must {say,admit,confess}
        | it must be {nice,great,fun,lovely,hard,late,hot,cold,the weather,so,very,a}
        | {that,this,you,he,she,they} must {be,have} | must see | must have been
        | {cant,cannot,can not} {wait,believe,complain,help,remember,recall,decide,imagine,think of}
        | {cant,cannot,can not} {thank you,blame,hear,see,find,tell,say,stop}
        | {i,we} {have,need} to {go,run,say,admit,get going} | not only | if only | only {kidding,joking,just}
        | the only {thing,problem,one} | only a {minute,second,moment,joke}
        | never {been,seen,had,tried,heard,mind,knew,thought,gets,ends,realised,realized,liked,understood}
        | make sure {i,we} {have,get,got} … right | {dont,do not} {worry,know,mind,think,remember,believe,mention it}
        | {dont,do not} {get me wrong,see,understand,be sorry,care,hesitate}
        | {dont,do not} need to {apologise,apologize,thank}
        | not {sure,bad,really,yet,a problem,too bad,kidding,going to lie,long,much,at all,that i know}
        | {i'm,im,i am,we're,we are} not {sure,feeling,kidding,surprised,certain,complaining,lying,saying}
        | {i'm,im,we're,we are,i am} doing {fine,well,great,good,ok,okay,alright}
        | no {problem,worries,doubt,idea,wonder,hurry,rush,big deal,offence}
        | no {thanks,thank you} {that's,that is,that will be,that'll be,it's,nothing} {all,it,everything,fine,good,else}
        | <no that's {all,it,everything,fine} | <no {that,this} {is,will be} {all,it,everything}
        | {nothing,anything,something} else | <no {thanks,thank you} {i,we} {appreciate,think,have}
        | no {more,other,further} {questions,help} | i {dont,do not} need anything {else,more,further}
        | {dont,do not,wont} need {anything,any more help,any further help,more help} | cant {have,get} enough
        | i {decided,chose} to {call,chat,write,ask} | last but not least | important {news,day,meeting}
        | going to {bed,sleep,work,rain,snow,be fun}
        | {stop,quit} {raining,snowing,laughing,smiling,talking,working,smoking} | sorry to {hear,bother}
        | no {sorry,sir,madam} | long time no see | waiting for {the bus,the train,summer,winter,spring,the weekend}
        | i would like to go to | how {old,long,much,many} | {would,do,does,did} {you,it,that} | why not | or not
        | whether or not | {let,lets} me know {if there is,if there's,if you need,if i can}
        | at least {it's,it is,the,that,i,we,you} | at least {there's,there is} | what it is | how it is | as it is
        | as far as | so far | has to do with | have to do with | had to be | max> | under the weather
        | {havent,have not} {seen,heard} … {in,for} {years,ages,months}
        | always {been,wanted,liked,loved,nice,fun,good,a pleasure}
        """,
    back="""
        {forget,scratch,scrap,ditch} {about,that,the,what,my,it,all} | <{forget,cancel,drop} {the,my,our,that,about}
        | never mind {the,about,my,that,what,our} | nevermind {the,about,my,that,what}
        | no longer {need,want,care,matters,matter,applies,apply,necessary}
        | no longer {required,needed,allergic,vegetarian,vegan,a problem,an issue}
        | {dont,do not,doesnt,does not,wont,isnt,arent,not,neednt} … {any more,anymore,any longer}
        | {wont,dont,do not,will not} … after all | instead of
        | {dont,do not,no need to,need not,neednt} {worry,care,bother} about
        | {ignore,disregard,take back,strike} {what i said,what i told you,my,the bit,the part} {about,on}
        | {was,were} {wrong,mistaken} about | take back what {i,we} said about | scrap | call off | called off
        | {i,we} take back
        """,
    again="""
        after all | changed {my,our} {mind,minds} | change of plan | change of plans | on second {thought,thoughts}
        | {is,are} {fine,ok,okay,possible,allowed} {now,again} | {can,may} … {now,again}>
        """,
    done="""
        {is,are,has been,have been,got,all} {sorted,done,settled,taken care of} {now,already,}
        | {is,are,has been,have been,got,all} {dealt with,resolved,arranged,finished} {now,already,}
        | {took,taken} care of | already {did,done,called,sent,paid,bought,booked,asked,told,checked,handled}
        | {has,have} {arrived,come through,replied,answered}
        | {i,we} {called,paid,sent,checked,asked,finished,handled} … {today,yesterday,already,now,this morning}
        """,
    rules=f"""
        {_DEFY} … {{instruction,instructions,prompt,prompts,programming,guidelines,guideline,guardrails}}
        | {_DEFY} … {{above,previously said,came before}}
        | {_DEFY} {{all,the,your,any,every,these,those}} {{rules,rule,restrictions}}
        | {_DEFY} {{all,the,your,any}} {{previous,prior,other,safety,of the}} {{rules,rule}}
        | {_DEFY} {{all of the,all your,all the,previous,prior}} {{rules,restrictions}}
        | {{act,behave,respond,answer,reply,pretend}} … {{developer mode,unrestricted,jailbroken,no restrictions,dan>}}
        | {{you are,you're}} … {{developer mode,unrestricted,jailbroken,without restrictions}}
        | from now on you {{are,will,must,act,answer,obey,follow}} | you are now | you must {{now,obey,comply}}
        | {{new,updated,secret,real,true}} {{instruction,instructions}}
        | system {{prompt,message,instruction,instructions}} | system override | <{{system,assistant,developer}} ,
        | {{reveal,print,repeat,show,leak,output}} … {{prompt,instructions}} | jailbreak
        | {{pretend,act as if}} {{you,to be}} | your {{instructions,guidelines,system prompt,programming}}
        | {{previous,prior,earlier,above,preceding,foregoing}} {{instruction,instructions,prompt,prompts,directives}}
        """,
    offer="""
        {would you,do you,did you} {like,want,need,wish,prefer,care} | {shall,should,may,could} {i,we}
        | {can,could} i {offer,interest,suggest,add,sign,book,reserve} | interested in | how about | what about
        | you {could,can,might} {also,add,upgrade} | {i,we} {can,could} {also,add,offer,suggest,recommend}
        | {i,we} {recommend,suggest,offer} | there is a | there are | {has,have} a {discount,deal,special}
        | {want,need,fancy} {me,us,a,an,to,some} | comes with | special offer
        """,
    yes="""
        <{yes,yeah,yep,yup,sure,ok,okay,certainly,absolutely,definitely,perfect,alright}
        | <{please do,go ahead,sounds good,of course,why not,good idea,do it,deal}
        """,
    own=_OWN,
    bars="<no | <{nothing,anything but} | <{zero,not any}",
    request="{can,could,would,will} {you,we} | please | would you mind | is it possible | may {i,we}",
    leads="""
        ok okay well right so and but oh please actually alright yes yeah no also then hmm hm ah fine great thanks
        sure
        """,
    setting="""
        no {more,less,later,earlier,fewer} than | at {most,least} | maximum | minimum | max | min | limit | budget
        | price | up to | per {night,person,day} | around | about | roughly | approximately | departure | arrival
        | destination | date | time
        | {leave,leaving,arrive,arriving,travel,travelling,traveling,stay,staying,return,returning} | seat | seats
        | room | rooms | hotel | ticket | tickets | total | altogether
        """,
    checks="""
        right> | correct> | confirm | confirming | is that {right,correct,ok,okay} | {tell,show,give,get,find,send} me
        | is there | are there | do they
        """,
    small="""
        a an the this that these those there here it its it's i me my mine we us our ours you your yours he him his
        she her they them their theirs one ones who whom whose which what when where why how am is are was were be
        been being do does did doing done dont doesnt didnt have has had having havent hasnt hadnt will would shall
        should can could may might must mustnt cannot cant couldnt wont wouldnt shouldnt isnt arent wasnt werent aint
        i'm im i'll i'd i've we're we'll we'd we've you're you'll you'd you've he's she's they're they'll that's
        there's what's who's let's lets and or but nor so if then than as of in on at to for from with without by
        about into onto over under up down off out after before until till while because since not no yes yeah yep ok
        okay nope nah please thanks thank sorry hi hello hey well oh ah just only also too very really quite rather
        even still already again now later soon today always never ever all any some every each both either neither
        none more most less least much many few lot lots bit enough want wants wanted need needs needed like likes
        love would prefer prefers make makes made making get gets got getting go goes going gone went take takes
        taking took put let give say said tell told know think thought see look looks come came use using used thing
        things something anything nothing everything else other another sure fine good great nice perfect right
        alright actually maybe perhaps anyway way bit kind sort instead anymore longer able book booked booking change
        changed switch set keep kept add find help forget mind cancel scrap drop matter matters worry bother ignore
        changed minds day days time times hour hours minute minutes night nights week weeks month months year years
        people person persons guest guests euro euros eur dollar dollars usd pound pounds gbp yuan rmb cny am pm
        oclock o'clock
        """,
    negations="""
        not no never none nothing nobody without dont doesnt didnt wont wouldnt cant cannot isnt arent wasnt werent
        mustnt shouldnt couldnt aint nor neither hate refuse
        """,
)
