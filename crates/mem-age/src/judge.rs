//! Gives each memory its age, its strength, what was seen about it, and one state.

use std::collections::{BTreeMap, HashMap};

use jiff::ZonedDateTime;
use jiff::civil::Date;
use mem_text::dates;
use mem_types::age::{AgedMemory, Citation, Finding, Terms};

use crate::deadline;
use crate::memory::Memory;
use crate::relations::{Relations, Replaced};
use crate::strength::{self, Form, Use};

/// When a memory counts as old; each is an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A project or reference memory older than this many days is stale,
    pub stale_days: u64,
    /// unless it was used in the last so many days.
    pub unused_days: u64,
    /// How memories fade.
    pub form: Form,
}

/// What is known about one memory besides itself.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// Recorded uses.
    pub uses: Vec<Use>,
    /// What it cites and the project does not have, in words.
    pub missing: Vec<String>,
    /// All that it cites.
    pub cites: Vec<Citation>,
}

/// The states, the first that fits first.
pub const STATES: [&str; 8] =
    ["expired", "contradicted", "duplicate", "dangling", "stale", "dormant", "unknown", "fresh"];

/// Judges all memories, in their order; `evidence` has an entry for each.
pub fn all(
    memories: &[Memory],
    evidence: &[Evidence],
    relations: &Relations,
    limits: Limits,
    now: &ZonedDateTime,
) -> Vec<AgedMemory> {
    let judge = Judge { memories, relations, limits, now };
    let mut judged: Vec<AgedMemory> = memories
        .iter()
        .zip(evidence)
        .enumerate()
        .map(|(place, (memory, evidence))| judge.one(place, memory, evidence))
        .collect();
    suspect(memories, relations, &mut judged);
    judged
}

struct Judge<'a> {
    memories: &'a [Memory],
    relations: &'a Relations,
    limits: Limits,
    now: &'a ZonedDateTime,
}

impl Judge<'_> {
    fn one(&self, place: usize, memory: &Memory, evidence: &Evidence) -> AgedMemory {
        let age = memory.written.map(|written| dates::age_days(written, self.now.timestamp()));
        let uses = &evidence.uses;
        let found = strength::of(self.limits.form, memory.kind, memory.written, uses, self.now.timestamp());
        let (strength, terms) = found.unzip();
        let mut findings = Vec::new();
        findings.extend(self.expired(memory));
        findings.extend(self.relations.contradicted.get(&place).map(contradicted));
        findings.extend(self.withdrawn(place, memory));
        findings.extend(
            self.relations.duplicate.get(&place).map(|replaced| finding("duplicate", replaced.evidence.clone())),
        );
        findings.extend(evidence.missing.iter().map(|missing| finding("dangling", missing.clone())));
        findings.extend(self.faded(memory, age, strength, &evidence.uses));
        findings.extend(age.filter(|age| age.is_future).map(|_| self.future(memory)));
        findings.extend(self.relative(memory));
        AgedMemory {
            path: memory.path.clone(),
            state: state(&findings, age.is_some()).to_owned(),
            of: self.of(place, &findings),
            age_days: age.and_then(|age| i64::try_from(age.days).ok()),
            modified_source: memory.source.clone(),
            note: age.filter(|age| age.days >= NOTED_FROM).map(|age| note(age.days)),
            findings,
            strength,
            terms: terms.map(|terms| Terms { is_kept: memory.is_kept, ..terms }),
            cites: evidence.cites.clone(),
        }
    }

    fn today(&self) -> Date {
        self.now.date()
    }

    fn expired(&self, memory: &Memory) -> Option<Finding> {
        if let Some(day) = memory.expires.as_deref().and_then(last_day)
            && day < self.today()
        {
            return Some(finding("expired", format!("expires: {day}")));
        }
        let written = memory.written.filter(|_| memory.has_own_date());
        let origin = deadline::Origin {
            written: written.map(|written| written.to_zoned_datetime(self.now.time_zone().clone())),
            is_of_project: !memory.is_personal(),
        };
        let (day, words) = deadline::passed(&memory.text(), self.today(), &origin)?;
        Some(finding("expired", format!("names {day} as its last day: {words}")))
    }

    /// It says that it no longer holds, and names no successor that is there.
    fn withdrawn(&self, place: usize, memory: &Memory) -> Option<Finding> {
        let day = memory.superseded.as_deref().filter(|_| !self.relations.contradicted.contains_key(&place))?;
        Some(finding("superseded", format!("superseded: {}", mem_text::cut::ellipsis(day, 80))))
    }

    /// Old and unused; what a person wants or is does not fade.
    fn faded(&self, memory: &Memory, age: Option<dates::Age>, strength: Option<f64>, uses: &[Use]) -> Option<Finding> {
        let age = age.filter(|_| !memory.is_personal() && !memory.is_kept)?;
        let last = uses.iter().map(|used| used.at).max();
        let unused = last.map(|last| dates::age_days(last, self.now.timestamp()).days);
        let is_unused = unused.is_none_or(|days| days > self.limits.unused_days);
        let used = unused.map_or("never used".to_owned(), |days| format!("last used {days} days ago"));
        if age.days > self.limits.stale_days && is_unused {
            return Some(finding("stale", format!("{} days old, {used}", age.days)));
        }
        let strength = strength.filter(|strength| *strength < strength::DORMANT)?;
        Some(finding("dormant", format!("strength {strength:.2}, {used}")))
    }

    fn future(&self, memory: &Memory) -> Finding {
        let written = memory.written.map(|written| written.to_string()).unwrap_or_default();
        finding("future", format!("{} is {written}, after now", memory.source))
    }

    /// A word such as "tomorrow" says nothing to who reads it later.
    fn relative(&self, memory: &Memory) -> Option<Finding> {
        let moment = memory.written?.to_zoned_datetime(self.now.time_zone().clone());
        let text = memory.text();
        let found = dates::relative(&text, &moment).into_iter().next()?;
        if dates::absolute(&text, &moment) == text {
            return None;
        }
        let words = &text[found.range.clone()];
        let evidence = match memory.has_own_date() {
            true => format!("'{words}' was {} when it was written", found.date),
            false => format!("'{words}' names no day to who reads it later"),
        };
        Some(finding("relative-date", evidence))
    }

    fn of(&self, place: usize, findings: &[Finding]) -> Option<String> {
        let replaced = match state(findings, true) {
            "contradicted" => self.relations.contradicted.get(&place),
            "duplicate" => self.relations.duplicate.get(&place),
            _ => None,
        };
        replaced.map(|replaced| self.memories[replaced.by].path.clone())
    }
}

/// What was written today or yesterday needs no word about its age.
const NOTED_FROM: u64 = 2;

fn note(days: u64) -> String {
    format!("written {days} days ago: an observation of its time, to be checked against the present")
}

fn finding(kind: &str, evidence: String) -> Finding {
    Finding { kind: kind.to_owned(), evidence }
}

fn contradicted(replaced: &Replaced) -> Finding {
    finding(if replaced.is_declared { "superseded" } else { "contradicted" }, replaced.evidence.clone())
}

/// Returns the first state that a finding speaks for.
fn state(findings: &[Finding], has_date: bool) -> &'static str {
    let speaks = |state: &str| {
        findings.iter().any(|finding| finding.kind == state || finding.kind == "superseded" && state == "contradicted")
    };
    let seen = STATES.iter().find(|state| speaks(state));
    seen.copied().unwrap_or(if has_date { "fresh" } else { "unknown" })
}

fn last_day(value: &str) -> Option<Date> {
    let found = dates::written(value).into_iter().next()?;
    Some(found.last_day())
}

/// Most links of one memory that are followed.
const MOST_LINKS: usize = 500;

/// States in which a memory no longer carries what rests on it.
const FALLEN: [&str; 3] = ["expired", "contradicted", "dangling"];

/// What rests on a memory that has fallen rests on nothing any more, and so does what rests on that: by a link, by
/// naming it as the successor, or by speaking of the same subject.
fn suspect(memories: &[Memory], relations: &Relations, judged: &mut [AgedMemory]) {
    let mut open: Vec<(usize, String)> = (0..judged.len())
        .filter(|place| FALLEN.contains(&judged[*place].state.as_str()))
        .map(|place| (place, format!("{}, which is {}", memories[place].path, judged[place].state)))
        .collect();
    if open.is_empty() {
        return;
    }
    let resting = resting(memories, relations);
    let mut seen: Vec<bool> = judged.iter().map(|memory| FALLEN.contains(&memory.state.as_str())).collect();
    let fallen = seen.clone();
    while !open.is_empty() {
        let mut next = Vec::new();
        for (place, chain) in open {
            for (other, how) in resting.get(&place).into_iter().flatten() {
                if is_replacement(judged, place, *other) || fallen[*other] && *how == SUBJECT {
                    continue;
                }
                // Of the ways in which one is shaken, the shortest is told, and of a fallen one each.
                if fallen[place] || !seen[*other] {
                    let evidence = mem_text::cut::ellipsis(&format!("{how} {chain}"), EVIDENCE).into_owned();
                    push_suspect(&mut judged[*other], evidence);
                }
                if !std::mem::replace(&mut seen[*other], true) {
                    next.push((*other, format!("{}, which {how} {chain}", memories[*other].path)));
                }
            }
        }
        open = next;
    }
}

/// Longest evidence of a chain of suspicion, in characters.
const EVIDENCE: usize = 300;

/// How a memory rests on another one on the same subject.
const SUBJECT: &str = "is on the same subject as";

fn push_suspect(memory: &mut AgedMemory, evidence: String) {
    if memory.findings.iter().all(|finding| finding.evidence != evidence) {
        memory.findings.push(finding("suspect", evidence));
    }
}

/// The one that stays may well name the one that it replaces, and that one names it.
fn is_replacement(judged: &[AgedMemory], fallen: usize, other: usize) -> bool {
    judged[fallen].of.as_deref() == Some(&judged[other].path)
        || judged[other].of.as_deref() == Some(&judged[fallen].path)
}

/// Returns for each memory those that rest on it, in order, and how.
fn resting(memories: &[Memory], relations: &Relations) -> BTreeMap<usize, Vec<(usize, &'static str)>> {
    let names = Names::of(memories);
    let mut resting: BTreeMap<usize, Vec<(usize, &'static str)>> = BTreeMap::new();
    let mut add = |on: usize, who: usize, how: &'static str| {
        let list = resting.entry(on).or_default();
        if on != who && list.iter().all(|(known, _)| *known != who) {
            list.push((who, how));
        }
    };
    for (place, memory) in memories.iter().enumerate() {
        for on in links(&memory.body).into_iter().take(MOST_LINKS).filter_map(|link| names.place(link)) {
            add(on, place, "links to");
        }
        if let Some(on) = memory.superseded_by.as_deref().and_then(|link| names.place(link)) {
            add(on, place, "gives way to");
        }
    }
    for (one, other) in &relations.same_subject {
        add(*one, *other, SUBJECT);
        add(*other, *one, SUBJECT);
    }
    resting
}

/// The memories by each word that a link may name them with.
struct Names<'a> {
    places: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    fn of(memories: &'a [Memory]) -> Self {
        let mut places = HashMap::new();
        for (place, memory) in memories.iter().enumerate() {
            for name in [memory.path.as_str(), memory.stem(), memory.name.as_str()] {
                places.entry(name).or_insert(place);
            }
        }
        Self { places }
    }

    fn place(&self, link: &str) -> Option<usize> {
        let link = link.split(['|', '#']).next().unwrap_or(link);
        let link = link.trim().trim_start_matches("[[").trim_end_matches("]]").trim_start_matches("./");
        let known = |name: &str| self.places.get(name).copied();
        known(link).or_else(|| known(link.rsplit('/').next()?.strip_suffix(".md")?))
    }
}

/// Returns what stands in `[[…]]` and in `](….md)`.
fn links(body: &str) -> Vec<&str> {
    let inside = |open: &str, close: &str| -> Vec<&str> {
        body.split(open)
            .skip(1)
            .filter_map(|rest| rest.lines().next()?.split_once(close).map(|(inside, _)| inside))
            .filter(|link| link.len() < 256)
            .collect()
    };
    let mut links = inside("[[", "]]");
    links.extend(inside("](", ")").into_iter().filter(|link| link.ends_with(".md")));
    links
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::memory::Kind;
    use crate::relations;

    const LIMITS: Limits = Limits { stale_days: 90, unused_days: 60, form: Form::ActR };

    fn memory(kind: Kind, written: &str, body: &str) -> Memory {
        Memory {
            path: format!("{body}.md"),
            kind: Some(kind),
            body: body.to_owned(),
            written: written.parse().ok(),
            source: "modified".to_owned(),
            ..Memory::default()
        }
    }

    fn judge(memories: &[Memory], uses: &[(&str, u64)]) -> Vec<AgedMemory> {
        let now: ZonedDateTime = "2026-10-13T10:20:00+02:00[+02:00]".parse().unwrap();
        let uses = uses.iter().map(|(at, count)| Use { at: at.parse().unwrap(), count: *count }).collect();
        let mut evidence = vec![Evidence::default(); memories.len()];
        evidence[0].uses = uses;
        all(memories, &evidence, &relations::of(memories), LIMITS, &now)
    }

    fn state_of(memory: Memory, uses: &[(&str, u64)]) -> String {
        judge(&[memory], uses).remove(0).state
    }

    #[test]
    fn age_makes_stale_unless_it_was_used_or_is_about_a_person() {
        let old = "2026-03-01T00:00:00Z";
        assert_eq!(state_of(memory(Kind::Project, old, "x"), &[]), "stale");
        assert_eq!(state_of(memory(Kind::Reference, old, "x"), &[]), "stale");
        assert_eq!(state_of(memory(Kind::Project, old, "x"), &[("2026-10-01T00:00:00Z", 40)]), "fresh");
        assert_eq!(state_of(memory(Kind::Project, old, "x"), &[("2026-07-01T00:00:00Z", 40)]), "stale");
        assert_eq!(state_of(memory(Kind::Feedback, old, "x"), &[]), "fresh");
        assert_eq!(state_of(memory(Kind::User, old, "x"), &[]), "fresh");
        assert_eq!(state_of(memory(Kind::Project, "2026-08-01T00:00:00Z", "x"), &[]), "dormant");
        assert_eq!(state_of(memory(Kind::Project, "2026-10-10T00:00:00Z", "x"), &[]), "fresh");
    }

    #[test]
    fn no_date_is_unknown_and_one_to_come_is_nought_days_and_told() {
        let unknown = judge(&[memory(Kind::Project, "", "x")], &[]).remove(0);
        assert_eq!((unknown.state.as_str(), unknown.age_days, unknown.strength), ("unknown", None, None));
        let future = judge(&[memory(Kind::Project, "2027-01-01T00:00:00Z", "x")], &[]).remove(0);
        assert_eq!((future.state.as_str(), future.age_days), ("fresh", Some(0)));
        assert_eq!(future.findings[0].kind, "future");
    }

    #[test]
    fn the_first_state_that_fits_is_given_and_the_others_stay_findings() {
        let mut old = memory(Kind::Project, "2026-03-01T00:00:00Z", "merge freeze of the api");
        old.expires = Some("2026-04-01".to_owned());
        let judged = judge(&[old], &[]).remove(0);
        assert_eq!(judged.state, "expired");
        assert_eq!(
            judged.findings.iter().map(|finding| finding.kind.as_str()).collect::<Vec<_>>(),
            ["expired", "stale"]
        );
    }

    #[test]
    fn what_links_to_a_fallen_memory_is_suspect() {
        let mut gone = memory(Kind::Project, "2026-10-01T00:00:00Z", "alpha");
        gone.expires = Some("2026-10-02".to_owned());
        let linking = memory(Kind::Project, "2026-10-01T00:00:00Z", "as said in [[alpha]], see [x](alpha.md)");
        let judged = judge(&[gone, linking], &[]);
        assert_eq!(judged[1].state, "fresh");
        assert_eq!(judged[1].findings.len(), 1);
        assert_eq!(judged[1].findings[0].kind, "suspect");
    }

    #[test]
    fn suspicion_flows_along_two_links_and_no_further_than_they_lead() {
        let recent = "2026-10-01T00:00:00Z";
        let mut gone = memory(Kind::Project, recent, "alpha");
        gone.expires = Some("2026-10-02".to_owned());
        let second = Memory { path: "second.md".to_owned(), ..memory(Kind::Project, recent, "rests on [[alpha]]") };
        let third = Memory { path: "third.md".to_owned(), ..memory(Kind::Project, recent, "计划见 [[second]]") };
        let apart = Memory { path: "apart.md".to_owned(), ..memory(Kind::Project, recent, "see [[nothing]]") };
        let judged = judge(&[gone, second, third, apart], &[]);
        let suspects: Vec<Vec<&str>> = judged
            .iter()
            .map(|memory| {
                memory.findings.iter().filter(|one| one.kind == "suspect").map(|one| one.evidence.as_str()).collect()
            })
            .collect();
        assert!(suspects[0].is_empty() && suspects[3].is_empty(), "{suspects:?}");
        assert_eq!(suspects[1], ["links to alpha.md, which is expired"]);
        assert_eq!(suspects[2], ["links to second.md, which links to alpha.md, which is expired"]);
    }

    #[test]
    fn a_date_word_is_told_with_the_day_it_meant() {
        let judged = judge(&[memory(Kind::Feedback, "2026-10-12T00:00:00Z", "ask again tomorrow")], &[]).remove(0);
        assert_eq!(judged.findings[0].evidence, "'tomorrow' was 2026-10-13 when it was written");
        assert!(
            judge(&[memory(Kind::Feedback, "2026-10-12T00:00:00Z", "ask tomorrow (2026-10-13)")], &[])[0]
                .findings
                .is_empty()
        );
    }
}
