//! Whether a sentence is about the speaker: trade, experience, senses.

use crate::cue::{Cue, Cues};
use crate::phrase::Words;

/// Reads whether the speaker describes themselves.
pub(super) fn read_self(words: &Words, cues: &mut Cues) {
    let is_something = words.have(
        "i'm a|an; i am a|an; i'm the; i am the; i'm new to; i am new to; i'm not a|an; \
            i'm on call; i'm more of; i'm mainly|mostly|primarily|originally; i'm responsible; \
            i'm ? at home; i'm ? ? at home; i'm at home; i'm ? comfortable|familiar|fluent; i'm in charge; i'm fluent; i'm comfortable; i'm familiar; i'm not familiar; \
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
