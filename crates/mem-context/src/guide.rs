//! The memory guide: what a model is told about its memory. Fixed bytes, so that a cached prompt prefix stays valid.

/// The four types and their form, what not to keep, and how far to trust what is recalled.
pub const GUIDE: &str = "\
# Memory

This project has a memory of plain files. MEMORY.md is its index, one line for each memory; every memory is a Markdown \
file of its own beside it. Memories that fit a prompt are shown with it; any other can be read by its path.

Four types of memory are kept:

- feedback: how the user wants work done, from corrections and from confirmations. Form: the rule, then a line \
\"**Why:**\" and a line \"**How to apply:**\".
- user: who the user is: role, experience, what they prefer.
- project: decisions, deadlines and facts that neither code nor git history tells. Dates are absolute.
- reference: where something is to be found outside this project.

A memory file begins with front matter: name, description (one line by which it is found again), type.

Not kept: what code, git history or the loaded instructions already say, recipes for debugging, the state of the \
current task, and secrets.

A memory is an observation of its time. Before it is stated as a fact, files, functions and values that it names are \
checked against the project as it is now; where the two differ, the project is right and the memory is due for an update.
";
