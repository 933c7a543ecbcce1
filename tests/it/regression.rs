//! What users of such systems ran into, each as the smallest input that shows it. The number is the report's.

mod age;
mod compact;
mod extract;
mod imports;
mod index;
mod load;
mod recall;
mod wishes;
