//! The entries of a flow by name, as types: `Chat::say`.

use std::fmt;
use std::marker::PhantomData;

use super::Flow;
use crate::schema::{ActionDef, EntryType};

macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        pub struct $name<F, B> {
            name: &'static str,
            of: PhantomData<fn() -> (F, B)>,
        }

        impl<F, B> $name<F, B> {
            // no bound: what is not a block is refused where it is run
            #[doc(hidden)]
            #[must_use]
            pub const fn new(name: &'static str) -> Self {
                Self { name, of: PhantomData }
            }

            /// The entry's name.
            #[must_use]
            pub fn name(&self) -> &'static str {
                self.name
            }
        }

        impl<F: Flow, B> $name<F, B> {
            /// The entry's definition.
            #[must_use]
            pub fn def(&self) -> &'static ActionDef {
                let found = F::DEF.entry(EntryType::$name, self.name);
                found.unwrap_or_else(|| unreachable!("the flow has made the handle"))
            }
        }

        impl<F, B> Clone for $name<F, B> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<F, B> Copy for $name<F, B> {}

        impl<F, B> fmt::Debug for $name<F, B> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.name)
            }
        }
    };
}

handle! {
    /// An entry of a flow that is called from outside: `Loud::shout`.
    Action
}

handle! {
    /// An entry of a flow that only blocks start, `#[internal]`. No request can call it.
    ///
    /// ```
    /// use flowstate::app::Internal;
    /// use flowstate::prelude::*;
    ///
    /// #[block(handler)]
    /// async fn answer(input: String) -> Result<String> {
    ///     Ok(input)
    /// }
    ///
    /// flow! {
    ///     pub struct Chat {
    ///         pub say: answer,
    ///         /// Says that something is due.
    ///         #[internal]
    ///         pub remind: answer,
    ///     }
    /// }
    ///
    /// let remind: Internal<Chat, answer> = Chat::remind;
    /// assert_eq!(remind.def().description, "Says that something is due.");
    /// ```
    Internal
}

handle! {
    /// An entry of a flow that works on tasks, `#[task]`. No request can call it.
    Task
}
