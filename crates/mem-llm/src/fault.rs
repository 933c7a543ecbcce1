//! Why there is no answer, each cause for itself.

use std::fmt;

/// Why a model gave no answer that can be used. Shown, it is one sentence for people, without a key in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// No key for this service is in the environment.
    NoKey(&'static str),
    /// The server cannot be reached.
    Unreachable(String),
    /// There was no whole answer in time, counted in seconds over all repetitions.
    Late(u64),
    /// 429 until the end; what the server says.
    RateLimited(String),
    /// 529 or 503 until the end.
    Overloaded(u16, String),
    /// 500, 502 or 504 until the end.
    ServerFault(u16, String),
    /// 401, 402 or 403.
    NoAccess(u16, String),
    /// Any other 4xx, and what no server of this kind sends.
    Refused(u16, String),
    /// The answer broke off.
    Half(String),
    /// The answer is larger than any.
    TooLarge,
    /// The body is no answer of this interface, such as a page of HTML.
    Unreadable(String),
    /// The model declined to answer.
    Declined(String),
    /// The answer ended at the limit of its length, and what there is cannot be used.
    CutOff,
    /// There is no JSON in the answer.
    NoJson,
    /// There is JSON, but not what was asked for.
    Misfit(String),
    /// The program that was to answer failed: its code and sentence.
    Program(&'static str, String),
    /// There is no recorded answer to this question.
    NotRecorded(String),
    /// This kind of model cannot do what was asked.
    Unfit(String),
}

impl Unanswered {
    /// Returns a fixed word in kebab case, for `.problems`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoKey(_) => "model-no-key",
            Self::Unreachable(_) => "model-unreachable",
            Self::Late(_) => "model-late",
            Self::RateLimited(_) => "model-rate-limited",
            Self::Overloaded(..) => "model-overloaded",
            Self::ServerFault(..) => "model-server-fault",
            Self::NoAccess(..) => "model-no-access",
            Self::Refused(..) => "model-request-refused",
            Self::Half(_) => "model-half-answer",
            Self::TooLarge => "model-answer-too-large",
            Self::Unreadable(_) => "model-answer-unreadable",
            Self::Declined(_) => "model-declined",
            Self::CutOff => "model-cut-off",
            Self::NoJson => "model-no-json",
            Self::Misfit(_) => "model-answer-misfit",
            Self::Program(code, _) => code,
            Self::NotRecorded(_) => "model-not-recorded",
            Self::Unfit(_) => "model-unfit",
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoKey(_) => "set the variable, or name another model with --llm",
            Self::Unreachable(_) => "check that the server runs, --llm-url, and the proxy's variables",
            Self::Late(_) => "give more time with --llm-timeout, or take a smaller model",
            Self::RateLimited(_) | Self::Overloaded(..) | Self::ServerFault(..) => "try again later",
            Self::NoAccess(..) => "check the key and what it may be used for",
            Self::Refused(..) => "check the model's name and --llm-url",
            Self::Half(_) | Self::TooLarge | Self::Unreadable(_) => "check that --llm-url names a model's server",
            Self::Declined(_) | Self::CutOff | Self::NoJson | Self::Misfit(_) => "take another model",
            Self::Program(..) => "run the command by hand with the question on stdin",
            Self::NotRecorded(_) => "record it with --llm-record, or write answer.json into the folder",
            Self::Unfit(_) => "name another model with --llm",
        }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |text: &str| if text.is_empty() { String::new() } else { format!(": {text}") };
        match self {
            Self::NoKey(name) => write!(formatter, "the model is not asked: {name} is not set"),
            Self::Unreachable(reason) => write!(formatter, "the model's server cannot be reached{}", told(reason)),
            Self::Late(seconds) => write!(formatter, "the model gave no whole answer within {seconds} s"),
            Self::RateLimited(reason) => {
                write!(formatter, "the model's server takes no more questions (429){}", told(reason))
            }
            Self::Overloaded(status, reason) => {
                write!(formatter, "the model's server is overloaded ({status}){}", told(reason))
            }
            Self::ServerFault(status, reason) => {
                write!(formatter, "the model's server has a fault ({status}){}", told(reason))
            }
            Self::NoAccess(status, reason) => {
                write!(formatter, "the model's server gives no access ({status}){}", told(reason))
            }
            Self::Refused(status, reason) => {
                write!(formatter, "the model's server refuses the question ({status}){}", told(reason))
            }
            Self::Half(reason) => write!(formatter, "the model's answer broke off{}", told(reason)),
            Self::TooLarge => write!(formatter, "the model's answer is larger than an answer can be"),
            Self::Unreadable(start) => write!(formatter, "what came back is no answer of a model{}", told(start)),
            Self::Declined(reason) => write!(formatter, "the model declined to answer{}", told(reason)),
            Self::CutOff => write!(formatter, "the model's answer ended at the limit of its length"),
            Self::NoJson => write!(formatter, "the model's answer holds no JSON"),
            Self::Misfit(reason) => write!(formatter, "the model's answer is not what was asked for{}", told(reason)),
            Self::Program(_, reason) => write!(formatter, "the program that was to answer failed: {reason}"),
            Self::NotRecorded(reason) => write!(formatter, "there is no recorded answer: {reason}"),
            Self::Unfit(reason) => write!(formatter, "the model cannot do this: {reason}"),
        }
    }
}

impl std::error::Error for Unanswered {}
