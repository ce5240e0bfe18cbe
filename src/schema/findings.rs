//! Faults whose words need the schema around them: what a missing property must be, which names are known,
//! what an object holds.
//!
//! Every checker says where in the schema a keyword refused. A place the schema cannot be followed to costs the
//! hint, never the issue.

use std::borrow::Cow;

use super::issue::Issue;
use super::json::{Json, Kind, unescape};
use super::wording::{self, quoted};

/// Unknown properties of one object that are told.
const TOLD_CAP: usize = 64;

/// Names of an object that are looked at.
pub(super) const NAME_CAP: usize = 2048;

/// Where in a schema a keyword refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'p, S> {
    /// The whole schema.
    pub(super) root: S,
    /// The pointer of the schema that holds the keyword.
    pub(super) pointer: &'p str,
}

impl<'s, S: Json<'s>> Place<'_, S> {
    /// The schema that holds the keyword.
    pub(super) fn holder(&self) -> Option<S> {
        self.root.at(self.pointer)
    }

    /// A value of another type than those named.
    pub(super) fn wrong_type<'a>(&self, path: &str, names: &[&str], got: impl Json<'a>) -> Issue {
        let issue = wording::wrong_type(path, names, got, self.is_optional());
        match issue.hint {
            None if names.contains(&"object") => issue.hinting(self.outline()),
            _ => issue,
        }
    }

    /// A required property is missing.
    pub(super) fn missing<'a>(&self, path: &str, name: &str, got: impl Json<'a>) -> Issue {
        let holder = self.holder();
        let known = known_names(holder);
        let wanted = holder.and_then(|holder| holder.member("properties")?.member(name));
        let about = wanted.and_then(|wanted| wording::describe(self.follow(wanted)));
        let came = got.names(NAME_CAP);
        let strays: Vec<&str> = came.iter().filter(|name| !known.contains(name)).map(AsRef::as_ref).collect();
        let issue = wording::missing_property(path, "required", name, about, &strays);
        let [only] = came.as_slice() else { return issue };
        if got.member(only).and_then(|inside| inside.member(name)).is_none() {
            return issue;
        }
        let around = quoted(only);
        issue.hinting(Some(format!(
            "it is inside {around}: send that object itself, without {around} around it"
        )))
    }

    /// Properties that are not allowed.
    pub(super) fn unknown<'a, N: AsRef<str>>(
        &self,
        path: &str,
        keyword: &str,
        unexpected: &[N],
        got: impl Json<'a>,
    ) -> Vec<Issue> {
        let known = known_names(self.holder());
        let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
        let issue = |name: &N| wording::unknown_property(path, keyword, name.as_ref(), &known);
        match unexpected {
            [name] if wraps(name.as_ref(), &known, got) => {
                let around = quoted(name.as_ref());
                vec![issue(name).hinting(Some(format!("send what is inside it, without {around} around it")))]
            }
            _ => unexpected.iter().take(TOLD_CAP).map(issue).collect(),
        }
    }

    /// What an object of this schema holds, for one that was sent as something else.
    fn outline(&self) -> Option<String> {
        let holder = self.holder()?;
        let properties = holder.member("properties").filter(|list| list.kind() == Kind::Object)?;
        let required = holder.list_of("required");
        let needed = required.is_some();
        let names: Vec<Cow<'_, str>> = match required {
            Some(names) => names.into_iter().filter_map(Json::text).collect(),
            None => properties.names(NAME_CAP),
        };
        let parts = names.iter().map(|name| {
            let about = properties.member(name).and_then(|one| wording::describe(self.follow(one)));
            (name.clone().into_owned(), about)
        });
        (!names.is_empty()).then(|| wording::outline(parts, needed))
    }

    /// A schema, or what its local reference names.
    fn follow(&self, schema: S) -> S {
        let reference = schema.text_of("$ref");
        reference.and_then(|reference| self.root.at(reference.strip_prefix('#')?)).unwrap_or(schema)
    }

    /// Whether the refused value is a property its object may do without.
    fn is_optional(&self) -> bool {
        let mut parts = self.pointer.rsplitn(3, '/');
        let (Some(name), Some("properties"), Some(owner)) = (parts.next(), parts.next(), parts.next()) else {
            return false;
        };
        let name = unescape(name);
        let required = self.root.at(owner).and_then(|owner| owner.list_of("required"));
        !required.is_some_and(|names| names.into_iter().any(|one| one.text().as_deref() == Some(&name)))
    }
}

/// Whether one stray property is around what the object itself should be: models wrap arguments once more.
fn wraps<'a>(name: &str, known: &[&str], got: impl Json<'a>) -> bool {
    let inside = got.member(name).filter(|inside| got.count() == 1 && inside.kind() == Kind::Object);
    let names = inside.map(|inside| inside.names(NAME_CAP)).unwrap_or_default();
    !names.is_empty() && names.iter().all(|name| known.contains(&name.as_ref()))
}

fn known_names<'s, S: Json<'s>>(schema: Option<S>) -> Vec<Cow<'s, str>> {
    let properties = schema.and_then(|schema| schema.member("properties"));
    properties.map(|properties| properties.names(NAME_CAP)).unwrap_or_default()
}
