//! Reads the signs of an English sentence.

mod lexicon;
mod phrases;
mod subject;

use crate::cue::{Cue, Cues};
use crate::phrase::{Words, begins, lists};
use lexicon::*;
use phrases::PHRASES;
use subject::{PEOPLE, Subject, after_leads, subject};

/// Returns the signs of an English sentence.
pub fn read(text: &str) -> Cues {
    let words = Words::of(text);
    let mut cues = Cues::default();
    for (cue, phrases) in PHRASES {
        cues.add_if(words.have(phrases), *cue);
    }
    read_mood(text, &words, &mut cues);
    read_self(&words, &mut cues);
    read_location(text, &words, &mut cues);
    settle(&words, &mut cues);
    cues
}

fn read_mood(text: &str, words: &Words, cues: &mut Cues) {
    let is_request = words.begin(REQUESTS) || words.begin("please ?");
    let closed = text.trim_end().ends_with(['.', '!']);
    let asks = text.trim_end().ends_with('?') || !closed && words.begin(QUESTION_WORDS);
    cues.add_if(asks && !is_request, Cue::Question);
    cues.add_if(
        words.begin(
            "if we|i|you|they; what if; suppose; imagine; say we; let's say; assuming; \
            hypothetically",
        ) && words.have("would; could; might; had; were; what|how happens; what if; suppose; imagine"),
        Cue::Hypothetical,
    );
    cues.add_if(
        words.have(
            "maybe; perhaps; might want; we could always|also|just|try|use|add|do|go|make|run|have; one could; i wonder; i'm thinking; i am thinking; \
            not sure if|whether; i guess; probably",
        ),
        Cue::Hypothetical,
    );
    cues.add_if(
        words.begin(
            "no; nope; not like; wrong; that's wrong; that's not; that is not; not what; hmm; nah; \
            you shouldn't; incorrect; not quite; actually; hey; ugh; argh; too",
        ),
        Cue::Correction,
    );
    let is_good_start = words.begin(
        "yes; exactly; perfect; great; good; nice; love; excellent; brilliant; spot on; \
            that's it; right; lovely; awesome; wonderful; much better; yep; splendid",
    );
    cues.add_if(is_good_start, Cue::Approval);
    cues.add_if(
        words.begin(
            "i'll; i will; i'm going to; i am going to; let me; \
            let's finish|do|continue|look|start|stop",
        ),
        Cue::Progress,
    );
    cues.add_if(text.ends_with('…') || text.contains("... ") || text.ends_with("..."), Cue::Hypothetical);
    cues.add_if(
        words.clauses().any(|clause| {
            clause.first().is_some_and(|word| word.len() > 5 && word.ends_with("ing"))
                && clause.iter().any(|word| matches!(word.as_str(), "was" | "is" | "worked" | "helped" | "made"))
        }),
        Cue::Approach,
    );
    let mut is_first = true;
    let (mut forbade, mut ordered) = (false, false);
    for clause in words.clauses() {
        let forbids = begins(clause, "don't; do not; never; please don't; not");
        let orders = !forbids && clause.len() > 1 && subject(after_leads(clause).0) == Subject::Order;
        cues.add_if(forbade && orders || ordered && forbids, Cue::Contrast);
        forbade |= forbids;
        ordered |= orders;
        is_first = !read_clause(clause, is_first, cues) && is_first;
    }
}

/// Reads a clause. Returns whether it says something by itself; the first that does is the main one.
fn read_clause(clause: &[String], is_main: bool, cues: &mut Cues) -> bool {
    let (rest, was_never) = after_leads(clause);
    let subject = subject(rest);
    let prohibits = begins(
        rest,
        "don't; do not; never; no *s; no *ing; avoid; not; refrain from; stop *ing; quit *ing; \
            without",
    ) || was_never
        || begins(
            rest,
            "you|we shouldn't|mustn't|can't; you|we should|must|may never|not; we never; we don't; \
            we do not; nobody should|may; nothing ? may",
        );
    cues.add_if(
        prohibits && matches!(subject, Subject::Order | Subject::We | Subject::Assistant) && !begins(rest, "not"),
        Cue::Prohibition,
    );
    let forbids_all = begins(rest, "nothing; nobody; none; no ?")
        && rest.iter().take(9).any(|word| lists("may must can belongs belong goes go leaves leave gets touches", word));
    cues.add_if(forbids_all, Cue::Prohibition);
    cues.add_if(forbids_all, Cue::Universal);
    cues.add_if(begins(rest, "no|not ? ?; no|not ?") && clause.len() <= 6, Cue::Contrast);
    match subject {
        Subject::Order => read_order(rest, is_main, cues),
        Subject::We => {
            cues.add_if(is_habit(rest), Cue::Convention);
            cues.add_if(rest[0] == "we" && rest.get(1).is_some_and(|verb| lists(PLANNED, verb)), Cue::Decision);
        }
        Subject::Assistant => cues
            .add_if(begins(rest, "you should|must|need|can|have|may|shouldn't|mustn't|can't|don't"), Cue::Imperative),
        Subject::Kind => read_kind(rest, is_main, cues),
        Subject::Thing => read_thing(rest, cues),
        Subject::Speaker | Subject::None => {}
    }
    cues.add_if(is_main && subject == Subject::Speaker, Cue::Mine);
    cues.add_if(is_main && begins(rest, "you'll|you find; you will|can find; see"), Cue::Told);
    cues.add_if(
        is_main && matches!(subject, Subject::Thing | Subject::We | Subject::Kind | Subject::Speaker),
        Cue::Told,
    );
    subject != Subject::None && rest.len() > 1
}

/// Reads an order: of a manner or of a deed.
fn read_order(rest: &[String], is_main: bool, cues: &mut Cues) {
    cues.add(Cue::Imperative);
    let at = if begins(rest, "do not") { 2 } else { usize::from(begins(rest, "don't; never")) };
    let verb = rest.get(at).map(String::as_str).unwrap_or_default();
    // "Write tests in full" is a manner, "write a test" a deed.
    let names_kind =
        rest.get(at + 2).is_some_and(|word| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss"));
    let is_one =
        !names_kind && begins(&rest[at.min(rest.len())..], "write|draft|put|use|leave|name|call a|an|the|this|that|it");
    let object = rest.get(at + 1..).unwrap_or_default();
    let is_definite =
        object.iter().take(6).any(|word| lists(POINTING, word) || word.bytes().all(|b| b.is_ascii_digit()));
    let of_a_kind = !is_definite && object.iter().take(3).any(|word| is_plural(word));
    let is_manner_of_kind = of_a_kind && (lists(STANDING, verb) || lists(EITHER, verb));
    cues.add_if(is_manner_of_kind, Cue::Generic);
    cues.add_if(is_manner_of_kind, Cue::Standing);
    let is_deed = lists(TELIC, verb) || lists(AT_ONCE, verb) || is_one && lists("write draft", verb);
    cues.add_if(lists(STANDING, verb) && !is_one || lists("use keep", verb), Cue::Standing);
    cues.add_if(lists(DURATIVE, verb), Cue::Durative);
    cues.add_if(begins(rest, "keep|leave|put|use|make|write it|this|that|them|these|those"), Cue::Deictic);
    let is_manner = lists(STANDING, verb) && !lists("write draft", verb);
    cues.add_if(is_main && is_deed && !is_manner && !begins(rest, "stop *ing; quit *ing"), Cue::Telic);
}

/// Whether the clause says how a kind of thing is to be: "comments in the drivers should cite", "plots go in grey".
fn binds_a_kind(rest: &[String]) -> bool {
    let Some(at) = rest.iter().take(9).position(|word| lists(BINDING, word) || lists(MODALS, word)) else {
        return false;
    };
    let head = rest[..at].iter().take_while(|word| !lists(PREPOSITIONS, word.as_str())).last();
    let is_plural = head.is_some_and(|noun| is_plural(noun) && !lists(BUILT, noun));
    is_plural
        && lists(BINDING, &rest[at])
        && !begins(&rest[at..], "go|goes|get|gets wrong|missing|lost|to|through|up|down")
}

/// Whether a noun names several of a kind.
pub fn is_plural(noun: &str) -> bool {
    noun.len() > 3 && noun.ends_with('s') && !noun.ends_with("ss") && !noun.ends_with("us") && !noun.ends_with("is")
}

/// Reads a clause about a kind of thing: "recipes list the ingredients first, always".
fn read_kind(rest: &[String], is_main: bool, cues: &mut Cues) {
    let is_people = rest.iter().take(3).any(|word| lists(PEOPLE, word));
    let is_bound = begins(
        rest,
        "? always|never|must|should|shouldn't|mustn't|have|need|go|goes; ? ? always|never|must|should|have|need|go|goes; \
         ? ? ? must|should|always|never|go|goes; ? needs; ? ? needs; ? has to; ? ? has to",
    );
    let lasts = is_main && cues.has(Cue::Lasting) && rest[0].ends_with('s');
    cues.add_if(!is_people && (is_bound || lasts || is_main && binds_a_kind(rest)), Cue::Convention);
    cues.add_if(is_people && cues.has(Cue::Lasting), Cue::OtherHabit);
}

/// Reads a clause about one thing: what is being built, or somebody else's habit.
fn read_thing(rest: &[String], cues: &mut Cues) {
    let is_group = rest.iter().take(5).any(|word| {
        lists(PEOPLE, word)
            || matches!(
                word.as_str(),
                "team"
                    | "teams"
                    | "guys"
                    | "folks"
                    | "vendor"
                    | "client"
                    | "customer"
                    | "department"
                    | "colleague"
                    | "colleagues"
                    | "people"
                    | "they"
                    | "he"
                    | "she"
                    | "competitor"
                    | "competitors"
                    | "company"
            )
    });
    let at = rest.iter().take(8).position(|word| {
        matches!(
            word.as_str(),
            "should"
                | "must"
                | "needs"
                | "has"
                | "have"
                | "need"
                | "shall"
                | "can"
                | "cannot"
                | "shouldn't"
                | "mustn't"
                | "may"
                | "always"
                | "never"
                | "can't"
                | "is"
                | "are"
                | "will"
        )
    });
    let Some(at) = at else { return };
    let is_rule_word = matches!(
        rest[at].as_str(),
        "should"
            | "must"
            | "needs"
            | "shall"
            | "shouldn't"
            | "mustn't"
            | "has"
            | "can"
            | "cannot"
            | "may"
            | "can't"
            | "need"
            | "have"
            | "will"
    );
    cues.add_if(is_group && matches!(rest[at].as_str(), "always" | "never"), Cue::OtherHabit);
    let is_single = matches!(rest[0].as_str(), "the" | "a" | "an" | "this" | "that")
        && rest.get(at.saturating_sub(1)).is_some_and(|noun| !noun.ends_with('s') || noun.ends_with("ss"));
    cues.add_if(
        is_single && !is_group && (is_rule_word || matches!(rest[at].as_str(), "always" | "never")),
        Cue::Product,
    );
}

/// Whether "we …" tells of a habit, not of a deed.
fn is_habit(rest: &[String]) -> bool {
    const OTHER: &str = "are were have had will would could might may can was been got get went made found saw see took lost \
         came think know hope guess believe wonder talked still just also already hit need needs should must have shipped decided chose did";
    let second = rest.get(1).map(String::as_str).unwrap_or_default();
    let is_plain = rest[0] == "we"
        && !lists(OTHER, second)
        && !lists(PLANNED, second)
        && !second.ends_with("ed")
        && !second.ends_with("'t");
    rest[0] == "our" || is_plain || begins(rest, "we don't; we can't; we do not; we won't ever")
}

/// Reads whether the speaker describes themselves.
fn read_self(words: &Words, cues: &mut Cues) {
    let is_something = words.have(
        "i'm a|an; i am a|an; i'm the; i am the; i'm new to; i am new to; i'm not a|an; \
            i'm on call; i'm more of; i'm mainly|mostly|primarily|originally; i'm responsible; \
            i'm in charge; i'm fluent; i'm comfortable; i'm familiar; i'm not familiar; \
            i'm not used; i'm used to; \
            i'm colour-blind|color-blind|colourblind|colorblind|blind|deaf|dyslexic|left-handed|partially; \
            i'm red-green; i'm still learning; i'm learning; i'm still new; i'm self-taught; \
            i'm rusty; i'm good|bad with|at; i'm no",
    );
    let moment_only = words.have(
        "i'm a bit|little|while|minute|moment; i'm the one who; i'm an hour; i'm a few; \
            i'm a couple",
    );
    let has_background = words.have(
        "i come from; i came from; my background; my role; my job; my day job; \
            i work as|in|on|with|at|mostly|mainly; \
            i mostly|mainly|usually|normally|primarily work|write|do|look|use|code|build|deal; \
            mostly look at; i've been *ing; i have been *ing; i've never; i have never; \
            have never touched|used|seen|written|worked; never touched|used|written ? before; \
            i've spent; i have ? years; i've ? years; years of; for ? years; i've done ? for; \
            i've written; i know ? well|inside; i know nothing; i don't know ?; \
            i don't know the first; as a|an ? i; as a|an ? ? i; \
            my ? is rusty|weak|basic|limited|poor|fluent|bad; i did mostly|mainly; \
            i read ? fine|well; i can read ? but; i'm in my first|second|third|last; i get migraines|headaches|dizzy; i can't|cannot write|code|program; i have no experience; i've no experience; my main|first|only language is; as a|an|the ? ? i; \
            i don't write|read|code|program; i've only|mostly|mainly ever? used|written|worked; \
            i run the ? shift; isn't my area; not my area; is not my area; isn't my field; \
            not my field; my strong suit; isn't my strength; my first time; \
            first time with|using|touching; i studied; i trained as; i teach; i lead the|a; \
            i run the|a; i manage the|a; i look after; i own the; i maintain the|a; i speak; \
            i read ? slowly; i use a screen; screen reader; i can't|cannot see|hear|distinguish|tell; \
            i have trouble; i have dyslexia|adhd|tremor; my eyes; my eyesight; my hearing; \
            i'm based in; i live in; my time zone; my timezone; my native; my first language; \
            native speaker; my english; i have a degree|phd|background; i'm from the; i was a|an; \
            i used to be|work|write; i only know; new|foreign|unfamiliar|alien to me; black box to me; a mystery|maze|riddle|puzzle to me; closed book to me; i did ? for|back; i play; i sing; i can't read|draw|spell|sight-read; i've edited|taught|run|managed|worked|built|sold|designed|written|been ? ? since; i've ? ? ? ? since; i'm weak|strong in|at; where i'm weak|strong; make|makes me nervous; i look after; i speak ? and; natively; self-taught; i have low; low vision; hard of hearing; wheelchair; i only read; i handle the|all; day to day i; \
            i've only; by training; by trade",
    );
    cues.add_if(is_something && !moment_only || has_background, Cue::Role);
}

/// Reads whether a sentence says where something stands outside the code.
fn read_location(text: &str, words: &Words, cues: &mut Cues) {
    let stands = words.have("\
            we track|keep|file|log|store|document|post|collect|discuss|record ? in|on; we track|keep|file|log|store|document|post|collect|discuss|record ? ? in|on; hangs in|on; tracked|filed|logged|posted|raised|reported|scheduled|drawn|mapped|documented|kept|stored|listed|recorded|collected|announced|published|reported|managed|maintained|described|discussed|written|saved|planned|archived|defined|held in|on|at|under|to|by|over; \
            come|comes in through|via|by; they're|it's|that's in|on|at|under; \
            lives|live|sits|stands|resides|live in|on|at|under; end|ends up in|on; \
            find ? in|on|under|at; find the ? in|on|under|at; find the ? ? in|on|under|at; \
            arrives|arrive|land|lands|appear|appears|show|shows in|on|at|up; is|are in|on|at|under; \
            is|are ? in|on|at|under; go|goes|belong|belongs to|in|into|on|under; is the place; \
            source of truth; where we keep|track|file|post; can be found; you'll find; \
            you will find; look it up in; is up in|on|at; single source; the place for; \
            are up on|in; comes from the; come from the; found in|on|under|at; \
            ? is the board|dashboard|channel|tracker|wiki|page|sheet; to look at is; to check is; \
            watches; uses to watch");
    let place = names_service(words)
        || words
            .clauses()
            .flatten()
            .any(|word| word.starts_with('#') && word.len() > 2 && !word[1..].bytes().all(|b| b.is_ascii_digit()));
    let is_quoted = text.contains(['"', '“', '\'', '‘']) && !text.contains("n't");
    let named_place = words.clauses().any(|clause| {
        clause.iter().enumerate().any(|(at, word)| {
            let is_any = at > 1 && lists("one a an per each every", clause[at - 2].as_str());
            at > 0 && !is_any && lists(PLACES, word.as_str()) && (is_quoted || is_name_like(text, &clause[..at]))
        })
    });
    let address = text.contains("https://") || text.contains("http://");
    let place = place || words.clauses().any(|clause| is_kept_in_a_name(text, clause));
    cues.add_if(
        (stands && (place || named_place)) || (address && (stands || words.have("see; is at; here; at; under"))),
        Cue::Location,
    );
}

/// Whether things are kept, by a verb of keeping, at something that has a name: "receipts are archived in DATEV".
fn is_kept_in_a_name(text: &str, clause: &[String]) -> bool {
    let Some(verb) = clause.iter().position(|word| lists(KEPT, word)) else { return false };
    let Some(preposition) = clause[verb..].iter().take(5).position(|word| lists("in on at under from to via", word))
    else {
        return false;
    };
    let name = clause[verb + preposition + 1..].iter().take(6);
    let is_of_things =
        clause[..verb].iter().any(|word| is_plural(word) && !lists(PEOPLE, word) && !word.ends_with("ers"));
    is_of_things && name.clone().any(|word| is_written_as_a_name(text, word) && !lists(CALENDAR, word))
}

/// Whether a word stands in the text with a capital, or as an address of a file system.
fn is_written_as_a_name(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '#'))).skip(1).any(|found| {
        let bare = found.trim_matches('/');
        (bare.starts_with(char::is_uppercase) || found.starts_with('/') || found.starts_with('#'))
            && bare.to_lowercase().contains(word)
            && word.len() > 1
    })
}

/// Whether a service is named that teams keep things in.
pub fn names_service(words: &Words) -> bool {
    words.clauses().flatten().any(|word| lists(SERVICES, word.as_str()))
}

/// Whether the noun before a place is written like a name: `INGEST board`, "the 'Rates' page".
fn is_name_like(text: &str, before: &[String]) -> bool {
    let Some(name) = before.last() else { return false };
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '"' | '’'))).enumerate().any(
        |(at, word)| {
            let bare = word.trim_matches(['\'', '"', '’']);
            bare.eq_ignore_ascii_case(name) && at > 0 && bare.starts_with(char::is_uppercase)
        },
    )
}

/// Whether a clause forbids a kind of thing: "don't add co-author lines", but not "don't touch the migration".
fn forbids_a_kind(clause: &[String]) -> bool {
    let (rest, _) = after_leads(clause);
    let object = match rest {
        [first, object @ ..] if first == "no" => object,
        [first, _, object @ ..] if first == "don't" || first == "never" => object,
        [first, second, _, object @ ..] if first == "do" && second == "not" => object,
        _ => return false,
    };
    let head = object.iter().take(4);
    let is_definite = head.clone().any(|word| {
        matches!(
            word.as_str(),
            "the"
                | "this"
                | "that"
                | "these"
                | "those"
                | "it"
                | "them"
                | "yet"
                | "him"
                | "her"
                | "me"
                | "here"
                | "now"
                | "anything"
        )
    });
    !is_definite && head.clone().any(|word| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss"))
}

/// Whether a clause is "for reviews," or "in contracts,": it says for what kind the rest holds.
fn is_about_a_kind(clause: &[String]) -> bool {
    let is_short = (2..=4).contains(&clause.len()) && matches!(clause[0].as_str(), "for" | "in" | "with" | "on");
    let is_definite = clause.iter().any(|word| lists("this that these those now my two other", word));
    is_short
        && !is_definite
        && clause.last().is_some_and(|word| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss"))
}

/// Whether a clause begins with "in contracts", "for load cases": what follows holds for that kind.
fn opens_with_a_kind(clause: &[String]) -> bool {
    let is_open = clause.len() > 4 && matches!(clause[0].as_str(), "for" | "in" | "with" | "on");
    let noun = clause.iter().skip(1).take(3).position(|word| is_plural(word));
    let Some(noun) = noun.map(|at| at + 1).filter(|_| is_open) else { return false };
    let is_definite =
        clause[1..=noun].iter().any(|word| lists(POINTING, word) && word != "my" || lists("two three", word));
    !is_definite && clause.get(noun + 1).is_some_and(|next| !lists(PREPOSITIONS, next))
}

/// Whether a sentence is about one thing at hand: "for this letter", "on this branch"; "in this firm" is all of it.
fn names_this_one(words: &Words) -> bool {
    words.clauses().any(|clause| {
        clause.windows(3).any(|three| {
            matches!(three[0].as_str(), "for" | "on" | "in")
                && three[1] == "this"
                && !lists(HOMES, &three[2])
                && !clause.iter().any(|word| word == "like")
        })
    })
}

/// Takes back signs that others make void.
fn settle(words: &Words, cues: &mut Cues) {
    if words.have("we're|we are getting|seeing|having|going|trying|waiting|looking|losing|missing|talking|doing|using")
    {
        cues.drop(Cue::Decision);
    }
    // A dialog that must remember its size is no wish to the assistant.
    if words.have("must|should|could|will|to|has|does|doesn't|can|can't remember")
        && !words.have("you|we must|should|to remember; remember to")
    {
        cues.drop(Cue::Remember);
    }
    if cues.has(Cue::Prohibition) && words.clauses().any(forbids_a_kind) {
        cues.add(Cue::Universal);
        cues.drop(Cue::Telic);
    }
    if words.have("you|i|we|i've|you've wrote|said|suggested|proposed|mentioned") {
        cues.drop(Cue::Reported);
    }
    // "We always cached it" tells of the past.
    if words.have("always|never *ed; always|never was|were|had|did|went|got|knew|saw") {
        cues.drop(Cue::Lasting);
        cues.drop(Cue::Convention);
    }
    cues.add_if(words.clauses().next().is_some_and(is_about_a_kind), Cue::Whenever);
    cues.add_if(words.clauses().next().is_some_and(opens_with_a_kind), Cue::Whenever);
    // "Don't wake anyone unless the shop is down" holds whenever it comes up.
    let is_told_to = cues.any(&[Cue::Imperative, Cue::Prohibition]) && !cues.has(Cue::Told);
    cues.add_if(is_told_to && words.have("unless"), Cue::Whenever);
    // What no longer applies to us is news; what no longer applies of what was said is taken back.
    if cues.has(Cue::Retraction)
        && words.have("no longer ? to us|me|them|you")
        && !words.have("rule|note|memory|what; that|this|it no longer")
    {
        cues.drop(Cue::Retraction);
        cues.add(Cue::Decision);
        cues.add(Cue::Reason);
    }
    cues.add_if(names_this_one(words), Cue::Once);
    // "Add a button that always scrolls" orders a button, once.
    if cues.has(Cue::Telic)
        && words.have(
            "that|which|who always|never; that|which|who ? always|never; \
            should|must|can always|never",
        )
    {
        cues.drop(Cue::Lasting);
    }
    if cues.has(Cue::Unneeded) {
        cues.drop(Cue::Remember);
    }
    // "No, never push": a rule, whatever the sentence begins with; "keep failing" is no wish.
    if words.have("keep|keeps failing|getting|breaking|crashing|seeing|losing|happening|leaking|asking") {
        cues.drop(Cue::Keep);
        if !words.have("stop *ing; you keep") {
            cues.drop(Cue::StopHabit);
        }
    }
    if words.have("keep doing; keep using; keep going; keep writing; keep ?*ing") && cues.has(Cue::Approval) {
        cues.drop(Cue::StopHabit);
    }
    if !words.have(
        "stop *ing; quit *ing; no more *ing; enough with; stop with the; cut out; cut it out; \
            you keep *ing; spare me",
    ) {
        cues.drop(Cue::StopHabit);
    }
    if words.have(
        "when you're|you are|we're done|finished|ready|back; when done|finished|ready; \
            if you can|like|want|have|need; once you're|that's|it's; once you ?; once we ?; \
            after you're|that",
    ) {
        cues.drop(Cue::Whenever);
    }
}
