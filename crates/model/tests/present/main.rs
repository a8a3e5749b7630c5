//! What providers are shown of tools: that it fits the provider, and that it never accepts less than
//! what is enforced.

mod cases;
mod corpus;
mod fits;
mod offers;
mod random;
mod sample;
mod support;
