//! What can be wrong with a patch, and the words for it.
//!
//! The words say what to mend; which operation and where is added by others.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    NoJson,
    NoList,
    NoOperation,
    NoOp,
    OddOp,
    NoPath,
    NoFrom,
    NoValue,
    OddPointer,
    Nothing,
    NoContainer,
    NoIndex,
    IntoItself,
    Whole,
    Differs,
    TooMany,
    TooDeep,
    TooLarge,
    TooMuch,
}

impl Fault {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NoJson => "not JSON",
            Self::NoList => "a patch must be an array of operations",
            Self::NoOperation => "an operation must be an object",
            Self::NoOp => "an operation needs a string `op`",
            Self::OddOp => "`op` must be add, remove, replace, move, copy or test",
            Self::NoPath => "an operation needs a string `path`",
            Self::NoFrom => "this operation needs a string `from`",
            Self::NoValue => "this operation needs a `value`",
            Self::OddPointer => "a pointer is empty or begins with `/`, and has `~` only in `~0` and `~1`",
            Self::Nothing => "there is nothing at this place",
            Self::NoContainer => "only an object or an array can be added to",
            Self::NoIndex => "the array has no such place",
            Self::IntoItself => "a value cannot be moved into itself",
            Self::Whole => "the whole document can only be replaced",
            Self::Differs => "the value is another than the one tested for",
            Self::TooMany => "more than 10,000 operations",
            Self::TooDeep => "nested deeper than 256 levels",
            Self::TooLarge => "larger than 16 MB",
            Self::TooMuch => "too much work for one patch: send smaller ones, or the whole document",
        }
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.words())
    }
}
