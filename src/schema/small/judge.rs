//! Walks a value along a schema: for a verdict alone, which stops at the first fault, or for all that is wrong.
//!
//! One walk for both, so that they cannot differ: each keyword that refuses is told to [`Judge::refuse`], which
//! says whether to go on.

use core::cmp::Ordering;
use std::borrow::Cow;

use super::super::issue::Issue;
use super::super::json::Kind;
use super::super::number::Number;
use super::super::reader::Event;
use super::super::tape::Cell;
use super::super::walk::escape;
use super::explain::Told;
use super::node::{Additional, Bound, Counts, Id, Node, Scalar};

/// Looks at later members for one of the same name, of one object: beyond it equal names all count.
const REPEATS_CAP: usize = 10_000_000;

/// What a keyword has against a value.
#[derive(Debug)]
pub(super) enum Fault<'f> {
    Type,
    Enum,
    Const,
    Bound(Bound),
    /// The keyword, and how many it wants.
    Count(&'static str, u64),
    Pattern,
    Format(&'static str),
    Missing(&'f str),
    Unknown,
}

/// One walk, and what is told on it; where nobody listens it ends at the first fault.
#[derive(Debug)]
pub(super) struct Judge<'j> {
    pub(super) nodes: &'j [Node],
    pub(super) told: Option<Told<'j>>,
}

/// Whether a value meets the schema of a node.
pub(super) fn verdict(nodes: &[Node], id: Id, value: Cell<'_>) -> bool {
    Judge { nodes, told: None }.meets(id, value)
}

impl<'j> Judge<'j> {
    /// Tells a fault to whoever listens. False, as what it says of the value.
    fn refuse(&mut self, node: &Node, value: Cell<'j>, fault: &Fault<'_>) -> bool {
        if let Some(told) = &mut self.told {
            told.tell(node, value, fault);
        }
        false
    }

    /// Whether the walk may end, now that the value so far is what `fits` says.
    fn is_over(&self, fits: bool) -> bool {
        !fits && self.told.as_ref().is_none_or(Told::is_full)
    }

    /// Whether a value meets the schema of a node.
    pub(super) fn meets(&mut self, id: Id, value: Cell<'j>) -> bool {
        let Some(node) = self.nodes.get(id) else { return false };
        let event = value.event();
        let mut fits =
            node.types.is_open() || of_type(node, value, event) || self.refuse(node, value, &Fault::Type);
        if self.is_over(fits) {
            return false;
        }
        if let Some(allowed) = &node.allowed
            && !allowed.iter().any(|one| equals(one, value))
        {
            fits = self.refuse(node, value, &Fault::Enum);
        }
        if let Some(constant) = &node.constant
            && !equals(constant, value)
        {
            fits = self.refuse(node, value, &Fault::Const);
        }
        fits &= match event {
            Event::String(_) | Event::Key(_) => self.string(node, value),
            Event::Number(_) => self.number(node, value),
            Event::ArrayStart => self.array(node, value),
            Event::ObjectStart => self.object(node, value),
            _ => true,
        };
        if self.is_over(fits) {
            return false;
        }
        if let Some(target) = node.reference {
            fits &= self.meets(target, value);
        }
        if !node.any_of.is_empty() {
            fits &= self.alternatives(&node.any_of, false, value);
        }
        if !node.one_of.is_empty() {
            fits &= self.alternatives(&node.one_of, true, value);
        }
        fits
    }

    fn string(&mut self, node: &Node, value: Cell<'j>) -> bool {
        if node.length.is_open() && node.pattern.is_none() && node.format.is_none() {
            return true;
        }
        let Some(text) = value.string() else { return true };
        let text = text.decode();
        let mut fits = true;
        if !node.length.is_open() {
            // Not `chars().count()`, which is fast and large.
            let count = text.bytes().filter(|byte| byte & 0xC0 != 0x80).count() as u64;
            fits &= self.counted(node, value, count, ["minLength", "maxLength"], node.length);
        }
        if node.pattern.as_ref().is_some_and(|pattern| !pattern.matches(&text)) {
            fits = self.refuse(node, value, &Fault::Pattern);
        }
        if let Some(format) = node.format.filter(|format| !format.fits(&text)) {
            fits = self.refuse(node, value, &Fault::Format(format.name()));
        }
        fits
    }

    fn counted(
        &mut self,
        node: &Node,
        value: Cell<'j>,
        count: u64,
        [least, most]: [&'static str; 2],
        wanted: Counts,
    ) -> bool {
        let mut fits = true;
        if let Some(limit) = wanted.least.filter(|&limit| count < limit) {
            fits = self.refuse(node, value, &Fault::Count(least, limit));
        }
        if let Some(limit) = wanted.most.filter(|&limit| count > limit) {
            fits = self.refuse(node, value, &Fault::Count(most, limit));
        }
        fits
    }

    fn number(&mut self, node: &Node, value: Cell<'j>) -> bool {
        let mut fits = true;
        for &(bound, limit) in &node.bounds {
            let order = value.number().map(|number| number.compare(limit));
            let within = match bound {
                Bound::Minimum => order != Some(Ordering::Less),
                Bound::Maximum => order != Some(Ordering::Greater),
                Bound::ExclusiveMinimum => order == Some(Ordering::Greater),
                Bound::ExclusiveMaximum => order == Some(Ordering::Less),
            };
            if !within {
                fits = self.refuse(node, value, &Fault::Bound(bound));
            }
        }
        fits
    }

    fn array(&mut self, node: &Node, value: Cell<'j>) -> bool {
        let mut fits = true;
        if !node.count.is_open() {
            let count = value.inside().count() as u64;
            fits &= self.counted(node, value, count, ["minItems", "maxItems"], node.count);
        }
        let Some(items) = node.items else { return fits };
        for (place, item) in value.inside().enumerate() {
            if self.is_over(fits) {
                break;
            }
            let left = self.enter(|path| path.push_str(&place.to_string()));
            fits &= self.meets(items, item);
            self.leave(left);
        }
        fits
    }

    fn object(&mut self, node: &Node, value: Cell<'j>) -> bool {
        let mut fits = true;
        // The value of each property that is described; of equal names the last.
        let mut found: Vec<Option<Cell<'j>>> = vec![None; node.properties.len()];
        let mut others: Vec<(Cow<'j, str>, Cell<'j>)> = Vec::new();
        let keeps_others = !matches!(node.additional, Additional::Anything) || !node.required.is_empty();
        for (name, member) in value.members() {
            let name = name.decode();
            match node.place_of(&name).ok().and_then(|known| found.get_mut(known)) {
                Some(slot) => *slot = Some(member),
                None if keeps_others => others.push((name, member)),
                None => {}
            }
        }
        for (property, member) in node.properties.iter().zip(&found) {
            if self.is_over(fits) {
                return false;
            }
            if let Some(member) = member {
                let left = self.enter(|path| path.push_str(&escape(&property.name)));
                fits &= self.meets(property.schema, *member);
                self.leave(left);
            } else if property.required {
                fits = self.refuse(node, value, &Fault::Missing(&property.name));
            }
        }
        for name in &node.required {
            if !others.iter().any(|(other, _)| other == name) {
                fits = self.refuse(node, value, &Fault::Missing(name));
            }
        }
        match node.additional {
            Additional::Anything => {}
            Additional::Nothing if others.is_empty() => {}
            Additional::Nothing => fits = self.refuse(node, value, &Fault::Unknown),
            Additional::Schema(schema) => fits &= self.others(schema, &others),
        }
        if let Some(names) = node.names {
            fits &= self.names(names, value);
        }
        fits
    }

    /// The properties that are not described; of equal names the last counts.
    fn others(&mut self, schema: Id, others: &[(Cow<'j, str>, Cell<'j>)]) -> bool {
        let mut fits = true;
        let mut looks = REPEATS_CAP;
        for (place, (name, member)) in others.iter().enumerate() {
            if self.is_over(fits) {
                break;
            }
            if verdict(self.nodes, schema, *member) {
                continue;
            }
            let later = others.get(place + 1..).unwrap_or_default();
            looks = looks.saturating_sub(later.len());
            if looks > 0 && later.iter().any(|(other, _)| other == name) {
                continue;
            }
            fits = false;
            if self.told.is_some() {
                let left = self.enter(|path| path.push_str(&escape(name)));
                self.meets(schema, *member);
                self.leave(left);
            }
        }
        fits
    }

    fn names(&mut self, schema: Id, value: Cell<'j>) -> bool {
        let mut fits = true;
        for name in value.names_inside() {
            if self.is_over(fits) {
                break;
            }
            if !verdict(self.nodes, schema, name) {
                fits = false;
                let found = self.aside(schema, name);
                if let Some(told) = &mut self.told {
                    told.name(name, &found);
                }
            }
        }
        fits
    }

    fn alternatives(&mut self, branches: &[Id], just_one: bool, value: Cell<'j>) -> bool {
        let mut met = Vec::new();
        for (place, &branch) in branches.iter().enumerate() {
            if verdict(self.nodes, branch, value) {
                met.push(place + 1);
                if !just_one || self.told.is_none() && met.len() > 1 {
                    break;
                }
            }
        }
        let fits = if just_one { met.len() == 1 } else { !met.is_empty() };
        if !fits && self.told.is_some() {
            let keyword = if just_one { "oneOf" } else { "anyOf" };
            let mut found = Vec::new();
            if met.is_empty() {
                found.extend(branches.iter().map(|&branch| self.aside(branch, value)));
            }
            if let Some(told) = &mut self.told {
                told.alternatives(keyword, &met, found, branches.len(), value);
            }
        }
        fits
    }

    /// What a node has against a value at this place, apart from all that is told else.
    fn aside(&mut self, id: Id, value: Cell<'j>) -> Vec<Issue> {
        let Some(told) = &mut self.told else { return Vec::new() };
        let before = core::mem::take(&mut told.issues);
        self.meets(id, value);
        self.told.as_mut().map(|told| core::mem::replace(&mut told.issues, before)).unwrap_or_default()
    }

    /// Steps into a part, whose name `add` writes. Gives where to come back to.
    fn enter(&mut self, add: impl FnOnce(&mut String)) -> usize {
        let Some(told) = &mut self.told else { return 0 };
        let left = told.path.len();
        told.path.push('/');
        add(&mut told.path);
        left
    }

    fn leave(&mut self, left: usize) {
        if let Some(told) = &mut self.told {
            told.path.truncate(left);
        }
    }
}

fn of_type(node: &Node, value: Cell<'_>, event: Event<'_>) -> bool {
    match event {
        Event::Number(_) if node.types.has(Kind::Number) => true,
        Event::Number(_) => node.types.has(Kind::Integer) && value.number().is_some_and(Number::is_whole),
        Event::String(_) | Event::Key(_) => node.types.has(Kind::String),
        Event::ObjectStart | Event::ObjectEnd => node.types.has(Kind::Object),
        Event::ArrayStart | Event::ArrayEnd => node.types.has(Kind::Array),
        Event::Boolean(_) => node.types.has(Kind::Boolean),
        Event::Null => node.types.has(Kind::Null),
    }
}

fn equals(one: &Scalar, value: Cell<'_>) -> bool {
    match (one, value.event()) {
        (Scalar::Null, Event::Null) => true,
        (Scalar::Boolean(one), Event::Boolean(other)) => *one == other,
        (Scalar::String(one), Event::String(other) | Event::Key(other)) => *one == *other.decode(),
        (Scalar::Number(one), Event::Number(_)) => {
            value.number().is_some_and(|other| one.compare(other) == Ordering::Equal)
        }
        _ => false,
    }
}
