//! Mood and subject: what a clause orders, forbids, tells, and of whom.

use super::is_plural;
use super::lexicon::*;
use super::subject::{PEOPLE, Subject, after_leads, subject};
use crate::cue::{Cue, Cues};
use crate::phrase::{Words, begins, lists};

pub(super) fn read_mood(text: &str, words: &Words, cues: &mut Cues) {
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
    cues.add_if(!is_main && begins(clause, "only for|in|on|when|if|at|with|to"), Cue::Contrast);
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
    // "Page nobody", "change nothing".
    let spares_all = rest.get(1).is_some_and(|object| lists("nobody nothing", object));
    cues.add_if(spares_all, Cue::Prohibition);
    cues.add_if(spares_all, Cue::Universal);
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

/// Reads a clause about a kind of thing: "recipes list the ingredients first, always".
fn read_kind(rest: &[String], is_main: bool, cues: &mut Cues) {
    let is_people = rest.iter().take(3).any(|word| lists(PEOPLE, word));
    let is_bound = begins(
        rest,
        "? always|never|must|should|shouldn't|mustn't|have|need|go|goes; ? ? always|never|must|should|have|need|go|goes; \
         ? ? ? must|should|always|never|go|goes; ? needs; ? ? needs; ? has to; ? ? has to",
    );
    // "Every register write needs a comment": all of a kind, and what they need.
    let is_every = lists("every each all any no", &rest[0])
        && rest.iter().take(7).skip(1).any(|word| lists("must should needs need gets get has have goes go", word));
    let lasts = is_main && cues.has(Cue::Lasting) && rest[0].ends_with('s');
    cues.add_if(!is_people && (is_bound || is_every || lasts || is_main && binds_a_kind(rest)), Cue::Convention);
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
pub(super) fn is_habit(rest: &[String]) -> bool {
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
