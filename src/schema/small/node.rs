//! A schema of the small set as the checker walks it: one node for each schema, referred to by number.

use super::super::ecma::Expression;
use super::super::json::Kind;
use super::super::number::Number;
use super::format::Format;

/// The number of a node.
pub(super) type Id = usize;

/// What one schema asks for. A field at rest asks for nothing.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Where on the tape of its document it is.
    pub(super) at: usize,
    /// The types allowed; none named means all.
    pub(super) types: Types,
    pub(super) allowed: Option<Vec<Scalar>>,
    pub(super) constant: Option<Scalar>,
    pub(super) reference: Option<Id>,
    pub(super) any_of: Vec<Id>,
    pub(super) one_of: Vec<Id>,
    pub(super) bounds: Vec<(Bound, Number)>,
    /// Characters of a string, at least and at most.
    pub(super) length: Counts,
    pub(super) pattern: Option<Box<dyn Expression>>,
    pub(super) format: Option<Format>,
    /// Items of an array, at least and at most.
    pub(super) count: Counts,
    pub(super) items: Option<Id>,
    /// In the order of their names.
    pub(super) properties: Vec<Property>,
    /// Required names that no property has.
    pub(super) required: Vec<String>,
    pub(super) additional: Additional,
    pub(super) names: Option<Id>,
}

/// A property that the schema describes.
#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) schema: Id,
    pub(super) required: bool,
}

/// What other properties may be.
#[derive(Debug, Default, Clone, Copy)]
pub(super) enum Additional {
    #[default]
    Anything,
    Nothing,
    Schema(Id),
}

/// A plain value.
#[derive(Debug)]
pub(super) enum Scalar {
    Null,
    Boolean(bool),
    Number(Number),
    String(String),
}

/// A least and a most.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}

impl Counts {
    /// Whether any count is right.
    pub(super) fn is_open(self) -> bool {
        self.least.is_none() && self.most.is_none()
    }
}

/// A bound of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

impl Bound {
    pub(super) const ALL: [Self; 4] =
        [Self::Minimum, Self::Maximum, Self::ExclusiveMinimum, Self::ExclusiveMaximum];

    pub(super) fn keyword(self) -> &'static str {
        match self {
            Self::Minimum => "minimum",
            Self::Maximum => "maximum",
            Self::ExclusiveMinimum => "exclusiveMinimum",
            Self::ExclusiveMaximum => "exclusiveMaximum",
        }
    }
}

/// A set of types.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    /// In the order in which they are told.
    const ALL: [Kind; 7] =
        [Kind::Array, Kind::Boolean, Kind::Integer, Kind::Number, Kind::Object, Kind::String, Kind::Null];

    /// The type of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).map(Self::of)
    }

    fn of(kind: Kind) -> Self {
        Self(1 << kind as u8)
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all types are allowed, because none is named.
    pub(super) fn is_open(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, kind: Kind) -> bool {
        self.0 & Self::of(kind).0 != 0
    }

    pub(super) fn names(self) -> Vec<&'static str> {
        Self::ALL.into_iter().filter(|kind| self.has(*kind)).map(Kind::name).collect()
    }
}

impl Node {
    /// Where among the properties one of that name is, or else would be.
    pub(super) fn place_of(&self, name: &str) -> Result<usize, usize> {
        self.properties.binary_search_by(|property| property.name.as_str().cmp(name))
    }

    /// The nodes that judge the very value this one judges.
    pub(super) fn in_place(&self) -> impl Iterator<Item = Id> {
        self.reference.iter().chain(&self.any_of).chain(&self.one_of).copied()
    }

    /// All nodes this one leads to.
    pub(super) fn leads_to(&self) -> impl Iterator<Item = Id> {
        let additional = match self.additional {
            Additional::Schema(id) => Some(id),
            _ => None,
        };
        let inside = self.items.into_iter().chain(additional).chain(self.names);
        self.in_place().chain(inside).chain(self.properties.iter().map(|property| property.schema))
    }
}
