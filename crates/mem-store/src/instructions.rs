//! Instruction files: which ones there are for a folder, from the lowest weight to the highest.
