//! The built commands, alone and piped, and the rules of the house.

#![allow(clippy::unwrap_used)]

mod ageing;
mod associations;
mod audit;
mod cases;
mod choosing;
mod conformance;
mod corpus;
mod document;
mod faults;
mod folders;
mod forgetting;
mod git;
mod held;
mod hook;
mod house;
mod install;
mod instructions;
mod merging;
mod model;
mod pages;
mod passing;
mod planted;
mod prefetch;
mod prefix;
mod refused;
mod regression;
mod report;
mod scripts;
mod session;
mod streams;
mod support;
mod taking_back;
mod wire;
