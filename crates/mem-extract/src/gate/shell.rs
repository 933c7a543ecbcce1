//! Bash: one simple command, taken apart without a shell. All but git are answered here, so that nothing is started.

use serde_json::Value;

use super::files::failed;
use super::{Gate, No, shown, text};

/// Longest command line.
const LONGEST: usize = 4000;
/// Most files of one command.
const MOST_FILES: usize = 20;
/// What a shell would act on.
const ACTED_ON: [char; 14] = [';', '&', '|', '<', '>', '$', '`', '\\', '(', ')', '{', '}', '\n', '\r'];
/// Lines of head and tail when nobody says.
const LINES: usize = 10;
/// Most entries that ls shows.
const MOST_ENTRIES: usize = 500;

impl Gate {
    /// Answers a command line.
    pub(super) fn bash(&self, input: &Value) -> Result<String, No> {
        let command = text(input, "command")?;
        if command.len() > LONGEST {
            return Err(No("the command is too long".into()));
        }
        if command.contains('\0') || command.contains(ACTED_ON) {
            return Err(No(
                "only one simple command is open, without pipes, lists, redirections, variables and line breaks".into(),
            ));
        }
        let words = shlex::split(command).ok_or_else(|| No("a quote is not closed".into()))?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((name, arguments)) = words.split_first() else { return Err(No("there is no command".into())) };
        match *name {
            "pwd" if arguments.is_empty() => Ok(self.places.project().to_string_lossy().into_owned()),
            "ls" => self.ls(arguments),
            "cat" => self.cat(arguments),
            "head" => self.part(arguments, |lines, count| &lines[..count.min(lines.len())]),
            "tail" => self.part(arguments, |lines, count| &lines[lines.len().saturating_sub(count)..]),
            "wc" => self.wc(arguments),
            "stat" => self.stat(arguments),
            "git" => super::git::run(&self.places, arguments),
            "pwd" => Err(No("pwd takes nothing here".into())),
            name => Err(No(format!("the command '{}' is not open", shown(name)))),
        }
    }

    fn ls(&self, arguments: &[&str]) -> Result<String, No> {
        let (flags, paths) = taken(arguments, "laA1hFrtSd")?;
        let paths = if paths.is_empty() { vec!["."] } else { paths };
        let mut lines = Vec::new();
        for path in &paths {
            let spot = self.places.spot(path)?;
            let entry = spot.beneath.look(&spot.path).map_err(|error| failed(path, &error))?;
            let entries = if entry.is_folder && !flags.contains('d') {
                spot.beneath.list(&spot.path).map_err(|error| failed(path, &error))?
            } else {
                vec![entry]
            };
            if paths.len() > 1 {
                lines.push(format!("{path}:"));
            }
            let shows_hidden = flags.contains(['a', 'A', 'd']);
            for entry in entries.iter().filter(|entry| shows_hidden || !entry.name.starts_with('.')).take(MOST_ENTRIES)
            {
                let name = mem_text::width::escape_line(&entry.name);
                let kind = if entry.is_folder { 'd' } else { '-' };
                let day = entry.modified.map(|modified| modified.to_string()).unwrap_or_default();
                lines.push(if flags.contains('l') {
                    format!("{kind} {:>10} {day} {name}", entry.bytes)
                } else {
                    name.into_owned()
                });
            }
        }
        Ok(lines.join("\n"))
    }

    fn cat(&self, arguments: &[&str]) -> Result<String, No> {
        let (flags, paths) = taken(arguments, "n")?;
        let texts = self.contents(&paths)?;
        let text = texts.into_iter().map(|(_, text)| text).collect::<String>();
        if !flags.contains('n') {
            return Ok(text);
        }
        Ok(text.lines().enumerate().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect())
    }

    /// head and tail: `-n N`, `-nN`, `-N`.
    fn part(
        &self,
        arguments: &[&str],
        choose: impl for<'l, 't> Fn(&'l [&'t str], usize) -> &'l [&'t str],
    ) -> Result<String, No> {
        let mut count = LINES;
        let mut paths = Vec::new();
        let mut left = arguments.iter();
        while let Some(argument) = left.next() {
            let digits = match argument.strip_prefix('-') {
                None | Some("") => {
                    paths.push(*argument);
                    continue;
                }
                Some("n") => left.next().copied().unwrap_or_default(),
                Some(rest) => rest.strip_prefix('n').unwrap_or(rest),
            };
            count = digits.parse().map_err(|_| No(format!("the flag '{}' is not open", shown(argument))))?;
        }
        let texts = self.contents(&paths)?;
        let parts = texts.iter().map(|(path, text)| {
            let lines: Vec<&str> = text.lines().collect();
            let head = if texts.len() > 1 { format!("==> {path} <==\n") } else { String::new() };
            head + &choose(&lines, count).join("\n")
        });
        Ok(parts.collect::<Vec<_>>().join("\n"))
    }

    fn wc(&self, arguments: &[&str]) -> Result<String, No> {
        let (flags, paths) = taken(arguments, "lwcm")?;
        let lines = self.contents(&paths)?.into_iter().map(|(path, text)| {
            let counts = [
                ('l', text.matches('\n').count()),
                ('w', text.split_whitespace().count()),
                ('m', text.chars().count()),
                ('c', text.len()),
            ];
            let wanted = |flag: char| if flags.is_empty() { flag != 'm' } else { flags.contains(flag) };
            let counts = counts.iter().filter(|(flag, _)| wanted(*flag)).map(|(_, count)| format!("{count:>8}"));
            format!("{} {path}", counts.collect::<String>())
        });
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }

    fn stat(&self, arguments: &[&str]) -> Result<String, No> {
        let (_, paths) = taken(arguments, "")?;
        enough(&paths)?;
        let mut lines = Vec::new();
        for path in paths {
            let spot = self.places.spot(path)?;
            let entry = spot.beneath.look(&spot.path).map_err(|error| failed(path, &error))?;
            let kind = if entry.is_folder { "folder" } else { "file" };
            let day = entry.modified.map(|modified| modified.to_string()).unwrap_or_default();
            lines.push(format!("{path}: {kind}, {} bytes, modified {day}", entry.bytes));
        }
        Ok(lines.join("\n"))
    }

    fn contents<'p>(&self, paths: &[&'p str]) -> Result<Vec<(&'p str, String)>, No> {
        enough(paths)?;
        paths.iter().map(|path| self.content(path).map(|text| (*path, text))).collect()
    }
}

fn enough(paths: &[&str]) -> Result<(), No> {
    match paths.len() {
        0 => Err(No("it names no file, and there is no input here".into())),
        count if count > MOST_FILES => Err(No(format!("{MOST_FILES} files in one command are enough"))),
        _ => Ok(()),
    }
}

/// Returns the letters of the flags, all of which must be `known`, and the paths.
fn taken<'a>(arguments: &[&'a str], known: &str) -> Result<(String, Vec<&'a str>), No> {
    let mut flags = String::new();
    let mut paths = Vec::new();
    let mut are_over = false;
    for argument in arguments {
        match argument.strip_prefix('-').filter(|rest| !are_over && !rest.is_empty()) {
            Some("-") => are_over = true,
            Some(letters) if letters.chars().all(|letter| known.contains(letter)) => flags += letters,
            Some(_) => return Err(No(format!("the flag '{}' is not open", shown(argument)))),
            None if *argument == "-" => return Err(No("there is no input here".into())),
            None => paths.push(*argument),
        }
    }
    Ok((flags, paths))
}
