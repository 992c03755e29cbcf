//! The guide: one short page a topic, and every example in it is tested.
//!
//! | page | answers |
//! |---|---|
//! | [`state`] | What can a state hold, what can I do with it, and what does a write tell me? |
//! | [`addresses`] | Whose state do I reach, and how? |
//! | [`blocks`] | How is a block written, and which options are there? |
//! | [`sequencers`] | How do blocks run after one another? |
//! | [`routers`] | How does a block go on with one of several others? |
//! | [`contracts`] | How is a state changed by its own functions alone, and shown to a model within a budget? |
//! | [`capabilities`] | How do several blocks share state, functions and options? |
//! | [`generators`] | How does a block ask a model, and which blocks are its tools? |
//! | [`reference`](mod@reference) | Which methods and options are there, and how is each written? |
//! | [`errors`] | What does a failure tell me, and how do I recover from it? |
//! | [`streaming`] | What does a request say while it runs? |
//! | [`flows`] | How does a program offer its blocks, and what is kept between requests? |
//! | [`testing`] | How do I test one block alone? |
//! | [`compile_errors`] | The compiler refuses my block: what does it mean, and what do I change? |

#[doc = include_str!("addresses.md")]
pub mod addresses {}
#[doc = include_str!("blocks.md")]
pub mod blocks {}
#[doc = include_str!("capabilities.md")]
pub mod capabilities {}
#[doc = include_str!("compile_errors.md")]
pub mod compile_errors {}
#[doc = include_str!("contracts.md")]
pub mod contracts {}
#[doc = include_str!("errors.md")]
pub mod errors {}
#[doc = include_str!("flows.md")]
pub mod flows {}
#[doc = include_str!("generators.md")]
pub mod generators {}
#[doc = include_str!("reference.md")]
pub mod reference {}
#[doc = include_str!("routers.md")]
pub mod routers {}
#[doc = include_str!("sequencers.md")]
pub mod sequencers {}
#[doc = include_str!("state.md")]
pub mod state {}
#[doc = include_str!("streaming.md")]
pub mod streaming {}
#[doc = include_str!("testing.md")]
pub mod testing {}
