//! Whether a sentence means its opposite: harm that nobody wishes for, praised or asked for as a habit.

use crate::cue::{Cue, Cues};
use crate::phrase::Words;

/// What nobody orders in earnest.
const HARM: &str = "break|breaks|breaking the|my|our|everything|production|prod|builds|things; \
    crash|crashing the|my|our|everything; wreck|wrecking|ruin|ruining|destroy|destroying|corrupt|sabotage|brick ?; mess|messing up; \
    screw|screwing up; lose|losing my|our|the; ignore|ignoring me|my|us|our|everything|whatever; burn|burning down; \
    wipe|wiping our|everything|production; wake|waking everyone|everybody|up; confuse|annoy|insult|scare ?; waste|wasting ?; \
    make|making things|it worse; hide|hiding the bugs|errors|mistakes|failures; delete|deleting everything|half|all; \
    overwrite|overwriting my|our|everything; set fire; forget everything; make|making something|things|it|stuff up; \
    invent|inventing numbers|results|sources|facts|data; without testing|tests|backups|looking";
/// What people let go only in jest, when something behind it mocks.
const CARE: &str =
    "never; don't; stop; skip|skipping; straight to; without asking|reading|thinking; no tests|backups|reviews";
/// How praise opens that may be mocked.
const PRAISE: &str = "great; oh; sure; wonderful; brilliant; perfect; fantastic; lovely; awesome; excellent; marvellous; marvelous; terrific; \
    nice; yeah; yes; yay; wow; super; splendid; right; of course; absolutely; by all means; please do; good; cool; thanks; thank you; \
    genius; bravo; love it; clever; charming; delightful; fine";
/// What mocks whatever stands before it.
const MOCKING: &str = "why don't you; why don't we; what a great|brilliant|lovely|wonderful|fantastic|clever|nice|terrific|marvellous|splendid|smart \
    idea|plan|surprise|joy|treat|relief|concept|thought; how very thoughtful|helpful|clever|kind|original|nice|considerate|convenient; \
    how thoughtful|kind|original|considerate; who needs tests|backups|reviews|sleep|docs|users|data|safety|it|them|those|that|weekends; who needs a ?; \
    who doesn't love|want|enjoy; nobody needs ? anyway; what could possibly; what could go wrong; what's the worst; \
    because everyone|everybody|users|customers|patients|players|clients love|loves|enjoy|enjoys ?*ing; because i|we love|enjoy|adore *ing; \
    i just|really|so love|adore|enjoy debugging|losing|watching|waiting|fixing|cleaning|restoring|explaining|redoing; that'll teach|show; \
    good luck with that; said nobody; said no one; said no ? ever; thanks for nothing; it's not like we|i|anyone; sleep is for; hooray; slow clap; \
    will love|enjoy that|it; what a joy; what a treat; my favourite|favorite part|pastime|hobby; just what i needed today; as if i|we|anyone";
/// What mocks behind praise, or behind harm.
const DOUBTFUL: &str = "that always|really|never works|worked|goes|went|ends|ended|helps|helped; works|worked|went|goes out so|really|just well|great|fine; \
    so well last|for; so much fun; that's always fun; totally|obviously|clearly|surely fine|safe; love|adore|enjoy it when; how helpful|clever|nice";

/// Whether a sentence means the opposite of what it says.
pub(super) fn is_meant_otherwise(words: &Words, cues: Cues) -> bool {
    let orders = cues.any(&[Cue::Imperative, Cue::Prohibition, Cue::Lasting, Cue::Keep]);
    let praises = words.begin(PRAISE);
    let harms = words.have(HARM) && !forbids_harm(words);
    let mocks = words.have(MOCKING);
    let is_tagged = mocks || words.have(DOUBTFUL) && (praises || harms);
    orders && (is_tagged && (praises || harms || words.have(CARE)) || praises && harms && cues.has(Cue::Lasting))
        || mocks && is_short(words)
        || praises && harms && words.have("keep *ing")
}

/// Whether harm is what the sentence forbids or warns of.
fn forbids_harm(words: &Words) -> bool {
    words.have(
        "never|don't|not|stop|avoid|no|cannot|can't|won't break|breaking|crash|crashing|wreck|ruin|ruining|destroy|corrupt|mess|screw|lose|losing|\
         ignore|ignoring|burn|wipe|wiping|wake|waking|confuse|confusing|annoy|waste|wasting|make|making|hide|hiding|delete|deleting|\
         overwrite|overwriting|invent|inventing|guess|guessing; never|don't|not ? without; never|don't|not ? ? without; never|don't|not ? ? ? without; \
         must not; before you; if you; so that; may|might|would|could|can break|crash|ruin|destroy|corrupt|lose|confuse|waste",
    )
}

/// Whether hardly more than the mockery stands there: then it is about the sentence before.
fn is_short(words: &Words) -> bool {
    words.clauses().flatten().count() <= 9 && !words.begin("we; our; when; whenever; please; always; never")
}
