//! Turns of phrase and what they are a sign of, parted by `; `. `a|b` is either word, `*ing` an ending, `?` any one word.

use crate::cue::Cue;

/// Turns of phrase that are a sign wherever they stand.
pub const PHRASES: &[(Cue, &str)] = &[
    (
        Cue::Lasting,
        "the habit of; want that everywhere; how i want; nobody here; everyone here; i told you; i've told; i said before; i already said; told you twice; let's agree; let us agree; that goes for; goes for all|every|everything|any; \
         applies to all|every|everything|any; i want|need|expect every|all|each|any|no; don't|not|never ever; \
         whatever you do; whichever ?; as long as you; always; never; from now on; from now onwards; \
         from today on; from here on; going forward; moving forward; in future|general|principle; in the future; \
         for the future; henceforth; as a rule; by default; without exception; no exceptions; \
         every|each|any time; every single; whenever; next time; at all times; under no circumstances; \
         from this point; permanently; as standard; a habit; house style|rule; \
         our policy|convention|standard|rule|practice; must not ever; ever again; until further notice; \
         for good; all future; any future; \
         the rule is; the convention is; forever; for ever; all the time; at any time; in any case where; \
         across the board; these days; anymore; any more; consistently; no matter what; invariably",
    ),
    (
        Cue::Whenever,
        "before|after|during|for|on any|every|each ?; when in; unless i|we|you|it|there; before|after adding|changing|making; it when; \
         if a|an|any|there's|something|anything|somebody|someone; when|whenever|if|once you|we|i ?; \
         when|whenever *ing; before|after you|we; before|after *ing; as soon as you",
    ),
    (
        Cue::Once,
        "this one time; one time only; only today; on|in this branch|pr|commit|ticket|session|prototype|notebook|run; don't ? ? yet; don't ? ? ? yet; \
         don't ? yet; just|only this once; this once; this time; just once; only once; for once; for now; \
         right now; for the moment; for the time being; today only; only|just today; just|only for today; \
         for today; temporarily; temporary; one-off; as an exception; an exception; \
         for this pr|commit|branch|run|one|task|session|change|release|push|file|hotfix|call|demo; in this case; \
         in this pr|session|run|commit; not yet; until i say; while we debug; while i; just for this; \
         only for this; on this occasion; quick and dirty; for a minute|moment|second",
    ),
    (
        Cue::Remember,
        "remember; keep in mind; bear in mind; note down; make a note; take note; note to self; please note; \
         note that; memorise; memorize; to memory; in memory; don't forget; do not forget; never forget; \
         for future reference; for your memory; write that down; write this down; jot down; jot this|that down; \
         noted for; save this|that|these|the; store this|that|these|the; record this|that; worth remembering; \
         for the record; good to know for later; save to; your notes; your memory",
    ),
    (
        Cue::Unneeded,
        "need to remember; don't remember; not remember; don't save; do not save; don't note; \
         not worth remembering; no need to remember|save|note; don't store; do not store; \
         don't memorise|memorize; needn't remember; nothing to remember; off the record; don't keep this|that; \
         i remember; do you remember; can't remember; remember when; i don't remember; keep this|that out of; \
         not for your memory",
    ),
    (
        Cue::StopHabit,
        "stop *ing; quit *ing; no more *ing; enough with; stop with the; cut out; cut it out; drop the habit; \
         lose the; stop it with; keep *ing; spare me",
    ),
    (Cue::Contrast, "instead of; rather than; instead; and not; in place of; over the; not the"),
    (
        Cue::Complaint,
        "twice; told you; told you before; again and again; i told you; i've told; i said; i already said; \
         as i said; like i said; i've said; times now; three|two|four|several|many|five|countless times; \
         how often; how many times; you ignored; ignored the; you've now ignored; you keep; you forgot; \
         you still; yet again; once more you; not followed; second|third|fourth time; already asked; \
         i asked you; keeps happening; you skipped; still not",
    ),
    (
        Cue::Approval,
        "exactly; perfect; \
         good|great|nice|right|smart|excellent|solid|wise call|choice|move|idea|thinking|instinct|decision|approach|way|job|work|one; \
         spot on; well done; love it; love this|that|how; like this|that|how; liked how|that|the; that's how; \
         that's the way; this is how; was right; was good; worked well; works well; much better; that's better; \
         yes please; i appreciate; much easier; helped a lot; very helpful; really helpful; just what; \
         what i wanted; what i want; how i like; glad you; thanks for *ing; nicely done; makes sense; \
         was the right; is the right; really useful; great that you; good that you; nice that you; ideal",
    ),
    (
        Cue::Approach,
        "\
         call|approach|way|choice|move|instinct|decision|strategy|style|format|level|order|ordering|structure|split|pattern; \
         call *ing; you did; you asked; you checked; you *ed; thanks for *ing; by *ing; how you; that you",
    ),
    (
        Cue::Keep,
        "same procedure|format|approach|style|thing|recipe|for; do that again; do it again; \
         again for|when|whenever; keep doing; keep it|that|this|them; keep *ing; continue like; continue doing; \
         continue to; stick with|to; more of; do it this|that way; same way; that way; this way; same again; \
         same next; carry on like; like that; like this; every time; like you did; stay with; do the same; \
         from now on; always; going forward; next time; in future",
    ),
    (
        Cue::Reason,
        "the reason for; that's why; that is why; this is why; so the; because; since; \
         as it|they|we|the|our|that|those|these|nobody|some|most; so that; otherwise; or else; due to; \
         the reason; in order to; given that; thanks to; lest; the reason we; why we; isn't about; is not about; \
         it's not about; driven by; the goal is; the aim is; for legal reasons; the point is; it breaks; \
         we lost; we had; cost us; burned; burnt; bit us; took down",
    ),
    (
        Cue::Reported,
        "wrote; writes; said; says; claims that; claimed that; told us; told me; suggests; suggested; demands; \
         insists on; recommends; asked us; wants us; wants every|all|to; according to; sent this; sent us; \
         sent me; the docs say; apparently; mentioned; thinks we; proposes; proposed; would like us; they want",
    ),
    (
        Cue::Endorsed,
        "i agree; we agree; agreed; i'm with; they're right; they are right; he's right; she's right; is right; \
         are right; good point; fair point; let's do it like; let's adopt; let's follow; do it like this; \
         do as they; do what they; i second; i'd follow; we'll follow; makes sense to me; has a point; \
         i like that",
    ),
    (
        Cue::Rejected,
        "not accept; won't accept; but no; which is wrong; i think is wrong; is wrong; don't buy; i disagree; don't agree; do not agree; ignore it|that|them|him|her; not convinced; we won't; i won't; \
         nonsense; let them; not doing that; not going to; disregard it|that; no thanks; wouldn't follow; \
         don't follow that",
    ),
    (
        Cue::Wish,
        "i find ? hard|easier|difficult|annoying|confusing|unreadable; i find ? ? hard|easier|difficult|annoying|confusing|unreadable; i prefer; i'd prefer; i'd rather; i like; i hate; i dislike; i don't like; i can't stand; \
         i love when|it; prefer; i'd appreciate; i favour; i favor; we prefer; we'd rather; my preference; \
         please prefer; it annoys; annoys me; i find it easier; drives me; i only want; i never want; \
         i'm not a fan; i find ? easier; my eyes glaze; i'm allergic",
    ),
    (
        Cue::Deontic,
        "i want; i don't want; i do not want; i need you; i expect; i'd like you; is enough|plenty; will do; \
         suffices; is sufficient; must; mustn't; should; shouldn't; has to; have to; need to; needs to; \
         ought to; may only; may not; cannot; is not allowed; not allowed; forbidden; is required; are required; \
         is mandatory; are mandatory; works best|better; works for me|us; per ? works; no-go; is|are banned|taboo|out; not an option; out of the question; off limits; off-limits; may never; are to be; is to be; supposed to; \
         only ever; strictly; at most; at least; no more than; not more than; no longer than; up to; max; \
         maximum; under ? lines|words|characters|kb|mb",
    ),
    (
        Cue::Ownership,
        "only ? may|can; only ? ? may|can; nobody but ? may|can; handles|runs|owns|maintains ? now; now handles|runs|owns|maintains; ask them|her|him before|first; \
         goes|go through them|her|him; belong|belongs|belonging to; owned by; owns; own the; maintained by; \
         responsible for; in charge of; sign-off; sign off; signs off; their approval; approval from|of|by; \
         approved by; taken over; took over; takes over; handed over to; handed to; is run by; are run by; \
         runs the; looks after; point of contact; contact person; go-to person; has the last word; \
         needs an ok from; must approve; has to approve; to approve; moved to the ? team; reports to; \
         is the owner; are the owners",
    ),
    (
        Cue::Decision,
        "we dropped|abandoned|stopped|discontinued|cancelled|canceled|replaced|postponed|moved|switched; we're|we are *ing; the reason for; we chose; we picked; that's why; that is why; this is why; \
         we're|we are moving|switching|migrating|replacing|dropping|rewriting|rebuilding|leaving|phasing|merging|splitting|adopting|abandoning|outsourcing|hiring; \
         is|are being rebuilt|replaced|rewritten|migrated|phased|retired|split|merged|redesigned|renamed|dropped|moved|built; \
         that's why we|the; that is why we|the; this is why we|the; \
         legal|compliance|security|finance|management|regulators insists|requires|demands|insist|require|demand; \
         moved|switched|migrated|changed|went from ? to; moved|switched|migrated|changed from ? ? to; was|were replaced|dropped|retired|abandoned; we decided; was decided; has been decided; it's decided; decided to; decided against; decision; \
         we agreed; agreed to; agreed with; settled on; we settled; we're going with; we are going with; \
         the reason we; on why we; why we; the point of this|the; the goal is; the aim is; driven by; \
         it isn't about; it's not about; is about; not tech debt; legal flagged|wants|asked|requires; \
         compliance; regulator; for legal reasons; we chose; we picked; we postponed; postponed; is on hold; \
         on hold until; won't ship; we won't; we don't plan; purpose of; so the priority; the priority is; \
         matters more than; beats; takes priority; out of scope; signed off on; board decided; \
         management decided; got approved",
    ),
    (
        Cue::Event,
        "freeze; freezes; frozen; release; releases; released; launch; launches; go|goes live; go-live; \
         going live; ship; ships; shipping; deadline; due; audit; audits; migration; migrate; migrates; cutover; \
         cut-over; cut over; cuts; switch; switched off; switches; shut down; shuts; shutdown; sunset; sunsets; \
         deprecated; retired; retires; decommission; decommissioned; expire; expires; ends; end; starts; start; \
         begins; begin; opens; closes; close; demo; demos; review; inspection; exam; maintenance; outage; \
         downtime; rollout; rolls out; roll out; load test; conference; go offline; offline; moves; move; \
         moving; leaves; leaving; joins; joining; arrives; until; till; by; before; delivered; delivery; \
         deliver; submission; submit; visit; visits; presentation; pilot; trial; upgrade; upgraded; removed; \
         stops; lapses; window; sprint; milestone; handover; takes effect; in effect; effective; kick-off; \
         kickoff; hand in; drops; unavailable; closed; away; vacation; holiday",
    ),
    (
        Cue::Surprise,
        "surprised; surprising; surprise; surprisingly; unexpected; unexpectedly; non-obvious; not obvious; \
         odd thing; strange thing; weird thing; the catch; gotcha; turned out; turns out; nobody expected; \
         didn't expect; did not expect; caught us; caught me; astonished; interesting part; interesting bit; \
         learned that; learnt that; took me by; what i learned; what i learnt; the lesson; the strange; the odd",
    ),
    (
        Cue::Retraction,
        "forget what i|we; forget that; forget about; forget the; forget it; ignore what i; ignore what we; \
         ignore my; disregard what i; disregard my; disregard that; scratch that; strike that; i take that back; \
         i take it back; take back what; never mind; nevermind; what i said about; drop what i; drop the rule; \
         drop that rule; no longer applies; doesn't apply any|anymore; does not apply any; not valid any; \
         not true any; no longer true; no longer valid; no longer needed; i was wrong about; undo that rule; \
         delete that memory; delete the memory; remove that memory; remove the note; delete the note; \
         delete that note; cancel that; i withdraw; withdraw what; changed my mind about; no longer want",
    ),
    (
        Cue::Joke,
        "kidding; joking; just a joke; was a joke; not serious; wasn't serious; don't take that; wrong window; \
         wrong chat; wrong repo; mistyped",
    ),
    (
        Cue::Change,
        "that changed; has changed; that's changed; changed; no longer; not ? any more; any more; anymore; \
         used to be; is now; are now; now use; now go; now lives|live|run|runs|happen|happens; we moved; \
         moved to; moved from; switched to; switched from; we've switched; we switched; instead of the old; \
         replaced by; replaces; as of; make that; make it; scrap that; change of plan; change of plans; \
         correction; was moved; got moved; pushed back; brought forward; slipped to; new value; update",
    ),
    (
        Cue::Deictic,
        "\
         use ? there; there instead; this file|function|line|one|method|class|test|branch|error|variable|script|page|query|commit|pr|bug|ticket|step; \
         that file|function|line|one|method|class|test|branch|error|variable|page|query|bug; \
         these lines|files|two|three|tests; \
         the file|function|line|variable|method|error|test|branch|cast|diff|helper|hotfix; over here; up there; \
         this for the; the first|second|third|last|next|other|remaining; this branch",
    ),
    (
        Cue::Anaphor,
        "that way; this way; like that; like this; do that; doing that; doing it; do this; keep it; keep that; \
         same way; do it; keep them; not that",
    ),
    (
        Cue::Universal,
        "a|per line|page|file|function|day|week|month|commit|paragraph|test|method|module|sentence|section; \
         every; each; any; all; everything; anything; nothing; anywhere; everywhere; whatever; no matter; \
         in this codebase|repo|repository|project|team|house|company|shop|lab|office|department|practice; \
         around here; in our; on our; at our; with us; for us; at|in this lab|office|firmware|clinic|studio|newsroom|school; anyone; anybody; wherever; across all; throughout; house style; per ? ?",
    ),
    (
        Cue::Speech,
        "bother|ping|interrupt|remind|nag|tell|ask me; you write|say|tell|send; \
         your messages|texts|words|writing|style; answer|reply|respond|speak|talk|explain; \
         answers|replies|responses|explanations|summaries|summary|tone|jargon|emojis|emoji|apologies|apologising|apologizing|greetings|pleasantries|preamble|filler|buzzwords|wording; \
         your answer|reply|response|explanation|output|messages; to me; show|give|tell|send|hand|spare me; \
         for me; is enough|plenty; will do",
    ),
    (
        Cue::Generic,
        "our; \
         answers|commits|tests|files|branches|comments|messages|logs|names|migrations|queries|builds|deploys|deployments|reviews|functions|modules|endpoints|docs|explanations|examples|summaries|tables|charts|diagrams|scripts|reports|emails|tickets|errors|changes|refactors|releases|units|dates|numbers|prs|handlers|replies|responses|questions|plans|suggestions|dependencies|libraries|packages|flags|variables|types|imports|screenshots|lists|steps|commands|snippets|patches|images|links|headings|titles|users|tasks|jobs|fixtures|mocks|secrets|translations|labels|paragraphs|sentences|figures|formulas|citations|sources|recipes|lessons|letters|invoices|quotes|drafts",
    ),
    (
        Cue::Listing,
        "list of; pr list; the list; this list; these prs; the prs; all prs; changelog of; log of; the log; \
         everything we did; what we did; all we did; summary of; the commits; all commits; activity; \
         the tickets; list for; following prs|commits|tickets|files",
    ),
    (
        Cue::Progress,
        "tasks left; things left; step ? of; we're at step; next you; todo list; to-do list; what's left; \
         still to do; left to do; remaining:; then i; then we; halfway; so far; almost done; half done; next up; \
         i'll continue; we'll continue; we continue; pick up; picking up; resume; to be done; in progress; \
         work in progress; wip",
    ),
    (
        Cue::Sarcasm,
        "loves it when you; everyone loves; everybody loves; because everyone; oh brilliant; oh great; \
         oh wonderful; oh sure; oh perfect; oh lovely; oh fantastic; oh good; yeah right; sure sure; \
         just what i needed; love it when you delete|break|lose|ignore; love that; how nice of you; \
         thanks a lot for *ing; thanks for breaking|deleting|losing; brilliant idea to; what could possibly; \
         what could go wrong; as if; very funny; genius; bravo; well great; why not also; why don't you also; \
         congratulations",
    ),
    (
        Cue::Past,
        "was; were; had; did; last week|month|year|quarter|spring|summer|autumn|winter|night; yesterday; ago; \
         lost; broke; failed; dropped; produced; took; caused; burned; happened; spent; hit; came; got; went; \
         missed; kept; found",
    ),
    (Cue::Break, "anyway; on another note; back to; now let's; next question"),
];
