//! How each agent reads a folder, as data: which files, in which order, and what becomes of their text.
//!
//! Observed, not documented, where the two differ: facts.md, Part A, sections 2 to 5 and 10.

use mem_types::load::InstructionLayer;
use mem_types::load::InstructionLayer::{Local, Project};

use crate::world::Profile;

/// One agent's reading of a folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// As `--profile` names it.
    pub name: &'static str,
    /// Whether the organisation's files count.
    pub has_managed: bool,
    /// The user's own files.
    pub user: Parts<(Root, Part)>,
    /// The files of each folder on the way to `cwd`.
    pub folder: Parts<Part>,
    /// The files of a folder below `cwd` in which a touched file lies.
    pub below: Parts<Part>,
    /// Where the way to `cwd` begins.
    pub begins: Begins,
    /// Which end of the way comes first.
    pub order: Order,
    /// When AGENTS.md counts beside the files above.
    pub agents_md: AgentsMd,
    /// What is taken off a file's text.
    pub text: Text,
    /// What an `@path` in a text does.
    pub imports: Imports,
    /// What may lie where.
    pub trust: Trust,
    /// Most bytes of all project files; the rest is cut.
    pub most_bytes: Option<usize>,
}

/// Some files of a place, in order.
#[derive(Debug, PartialEq, Eq)]
pub struct Parts<T: 'static> {
    /// The files.
    pub parts: &'static [T],
    /// How many of them count.
    pub takes: Takes,
}

/// How many files of a list count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// All that are there.
    All,
    /// The first that is there, in each folder.
    FirstOfFolder,
    /// In all folders those of the first name that is there in any.
    FirstName,
}

/// A file, or a folder of rules, relative to its place.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// A file.
    File(&'static str, InstructionLayer),
    /// A folder with `*.md` in it and below.
    Rules(&'static str),
}

/// Where a user's files lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// `$CLAUDE_CONFIG_DIR`, else `~/.claude`.
    Claude,
    /// `~/.gemini`.
    Gemini,
    /// `$CODEX_HOME`, else `~/.codex`.
    Codex,
    /// `$XDG_CONFIG_HOME/opencode`, else `~/.config/opencode`.
    Opencode,
}

/// Where the way to `cwd` begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begins {
    /// At the root of the file system.
    Root,
    /// At the git root, without one at `cwd`.
    GitRoot,
    /// At the git root, without one at the root of the file system.
    GitRootOrRoot,
}

/// Which end of the way comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The outermost folder.
    OuterFirst,
    /// `cwd`.
    NearestFirst,
}

/// When AGENTS.md counts for an agent that reads CLAUDE.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentsMd {
    /// As its setting says; not below `cwd`.
    AtStart,
    /// As its setting says; also below `cwd`.
    Everywhere,
    /// It is in the list of files, or never read.
    Never,
}

/// What is taken off a file's text; blank ends always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Front matter, byte order mark, carriage returns.
    pub front_matter: bool,
    /// Block comments of HTML.
    pub comments: bool,
    /// All but one of several blank lines.
    pub blank_lines: bool,
}

/// What an `@path` in a text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Imports {
    /// Nothing.
    None,
    /// The file comes behind the one that imports it, down to so many hops.
    Behind {
        /// Hops below the first file.
        hops: usize,
        /// Whether marks that the agent passes over are followed where it is clear what was meant.
        is_friendly: bool,
    },
    /// The file's text takes the place of the mark.
    Inline {
        /// Hops below the first file.
        hops: usize,
    },
}

/// What may come from where, and what a touch reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    /// Whether imports may leave the project, or only `cwd`.
    pub border: Border,
    /// Whose files may import from anywhere.
    pub importers: &'static [InstructionLayer],
    /// Whether the patterns of the user's rules are relative to the project, or to `cwd`.
    pub user_rules: Border,
    /// Whether the imports of a waiting rule come at the start all the same.
    pub waiting_imports: bool,
    /// Whether a file outside of `cwd` can bring anything when it is touched.
    pub touches_outside: bool,
    /// Whether a CLAUDE.md may be a link that leads out of the project.
    pub links_outside: bool,
}

/// A folder that counts as one's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// The project root.
    Project,
    /// The folder in which the agent was started.
    Cwd,
}

/// The architecture of mem.
pub const MEM: Agent = Agent {
    name: "mem",
    agents_md: AgentsMd::Everywhere,
    text: Text { front_matter: true, comments: true, blank_lines: true },
    imports: Imports::Behind { hops: 5, is_friendly: true },
    trust: Trust {
        border: Border::Project,
        importers: &[InstructionLayer::Managed, InstructionLayer::Team, InstructionLayer::User],
        user_rules: Border::Project,
        waiting_imports: false,
        touches_outside: true,
        links_outside: false,
    },
    ..CLAUDE_CODE
};

/// Claude Code 2.1.332.
pub const CLAUDE_CODE: Agent = Agent {
    name: "claude-code",
    has_managed: true,
    user: Parts {
        parts: &[(Root::Claude, Part::File("CLAUDE.md", InstructionLayer::User)), (Root::Claude, Part::Rules("rules"))],
        takes: Takes::All,
    },
    folder: Parts {
        parts: &[
            Part::File("CLAUDE.md", Project),
            Part::File(".claude/CLAUDE.md", Project),
            Part::Rules(".claude/rules"),
            Part::File("CLAUDE.local.md", Local),
        ],
        takes: Takes::All,
    },
    // Below cwd the local file stands before the rules.
    below: Parts {
        parts: &[
            Part::File("CLAUDE.md", Project),
            Part::File(".claude/CLAUDE.md", Project),
            Part::File("CLAUDE.local.md", Local),
            Part::Rules(".claude/rules"),
        ],
        takes: Takes::All,
    },
    begins: Begins::Root,
    order: Order::OuterFirst,
    agents_md: AgentsMd::AtStart,
    text: Text { front_matter: true, comments: true, blank_lines: false },
    imports: Imports::Behind { hops: 4, is_friendly: false },
    trust: Trust {
        border: Border::Cwd,
        importers: &[InstructionLayer::User],
        user_rules: Border::Cwd,
        waiting_imports: true,
        touches_outside: false,
        links_outside: true,
    },
    most_bytes: None,
};

const NOTHING_BELOW: Parts<Part> = Parts { parts: &[], takes: Takes::All };
const AS_IT_IS: Text = Text { front_matter: false, comments: false, blank_lines: false };

/// Gemini CLI 0.61.0.
pub const GEMINI: Agent = Agent {
    name: "gemini",
    has_managed: false,
    user: Parts { parts: &[(Root::Gemini, Part::File("GEMINI.md", InstructionLayer::User))], takes: Takes::All },
    folder: Parts { parts: &[Part::File("GEMINI.md", Project)], takes: Takes::All },
    below: NOTHING_BELOW,
    begins: Begins::GitRoot,
    agents_md: AgentsMd::Never,
    text: AS_IT_IS,
    imports: Imports::Inline { hops: 4 },
    trust: Trust { border: Border::Project, importers: &[], ..CLAUDE_CODE.trust },
    ..CLAUDE_CODE
};

/// Codex CLI 0.171.0.
pub const CODEX: Agent = Agent {
    name: "codex",
    user: Parts {
        parts: &[
            (Root::Codex, Part::File("AGENTS.override.md", InstructionLayer::User)),
            (Root::Codex, Part::File("AGENTS.md", InstructionLayer::User)),
        ],
        takes: Takes::FirstOfFolder,
    },
    folder: Parts {
        parts: &[Part::File("AGENTS.override.md", Project), Part::File("AGENTS.md", Project)],
        takes: Takes::FirstOfFolder,
    },
    imports: Imports::None,
    // The default of its `project_doc_max_bytes`; cut without a word.
    most_bytes: Some(32 * 1024),
    ..GEMINI
};

/// opencode 1.18.33.
pub const OPENCODE: Agent = Agent {
    name: "opencode",
    user: Parts {
        parts: &[
            (Root::Opencode, Part::File("AGENTS.md", InstructionLayer::User)),
            (Root::Claude, Part::File("CLAUDE.md", InstructionLayer::User)),
        ],
        takes: Takes::FirstOfFolder,
    },
    folder: Parts {
        parts: &[Part::File("AGENTS.md", Project), Part::File("CLAUDE.md", Project), Part::File("CONTEXT.md", Project)],
        takes: Takes::FirstName,
    },
    below: Parts {
        parts: &[Part::File("AGENTS.md", Project), Part::File("CLAUDE.md", Project), Part::File("CONTEXT.md", Project)],
        takes: Takes::FirstOfFolder,
    },
    begins: Begins::GitRootOrRoot,
    order: Order::NearestFirst,
    imports: Imports::None,
    ..GEMINI
};

/// All agents, mem first, in the order in which they are shown side by side.
pub const ALL: [&Agent; 5] = [&MEM, &CLAUDE_CODE, &GEMINI, &CODEX, &OPENCODE];

impl Agent {
    /// Returns the agent of a profile; for `all` that is mem, beside which the others are put.
    #[must_use]
    pub fn of(profile: Profile) -> &'static Self {
        match profile {
            Profile::Mem | Profile::All => &MEM,
            Profile::ClaudeCode => &CLAUDE_CODE,
            Profile::Gemini => &GEMINI,
            Profile::Codex => &CODEX,
            Profile::Opencode => &OPENCODE,
        }
    }

    /// Whether this is mem's own reading, which says what others drop in silence.
    #[must_use]
    pub fn is_mem(&self) -> bool {
        self.name == MEM.name
    }

    /// Whether the agent reads the settings, the rules and the worktrees of Claude Code.
    #[must_use]
    pub fn is_of_claude(&self) -> bool {
        self.has_managed
    }
}
