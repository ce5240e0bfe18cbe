//! A JSON text read once: its events in a list, each with the place of the one after it and all it holds.
//!
//! Nothing is copied out of the text and nothing is built for its parts, so that a check costs little more than
//! the reading. A [`Cell`] is one value on the tape, shown by the rules of [`Json`].

use std::borrow::Cow;

use super::arguments::Limits;
use super::ecma::Ecma;
use super::json::{Json, Kind};
use super::number::Number;
use super::reader::{Event, Reader, Text};
use super::syntax::SyntaxError;
use super::walk::escape;
use crate::protocol::settle::write::quote;

/// Members of an object up to which equal names are looked for when they are counted.
const FEW: usize = 16;

/// Members of an object from which on their names are given as they come: to put them in order costs the square.
const MANY: usize = 4096;

/// One event, and the place after all that it begins.
#[derive(Debug, Clone, Copy)]
struct Token<'t> {
    event: Event<'t>,
    next: u32,
}

/// One whole document. The ends of containers are left out: what they hold ends at their `next`.
#[derive(Debug)]
pub(super) struct Tape<'t> {
    tokens: Vec<Token<'t>>,
    ecma: &'t dyn Ecma,
}

impl<'t> Tape<'t> {
    /// Reads a document.
    ///
    /// # Errors
    /// Where the text leaves the grammar or the depth cap; the size cap is the caller's to check.
    pub(super) fn read(text: &'t str, limits: &Limits, ecma: &'t dyn Ecma) -> Result<Self, SyntaxError> {
        let mut reader = Reader::new(text, limits.depth);
        // Short of one for each eight bytes most texts are.
        let mut tokens: Vec<Token<'t>> = Vec::with_capacity(text.len() / 8 + 1);
        let mut open: Vec<usize> = Vec::new();
        while let Some(event) = reader.read()? {
            let at = tokens.len();
            match event {
                Event::ObjectEnd | Event::ArrayEnd => {
                    if let Some(start) = open.pop().and_then(|start| tokens.get_mut(start)) {
                        start.next = at as u32;
                    }
                    continue;
                }
                Event::ObjectStart | Event::ArrayStart => open.push(at),
                _ => {}
            }
            tokens.push(Token { event, next: at as u32 + 1 });
        }
        Ok(Self { tokens, ecma })
    }

    /// Whether its containers hold more than that many parts, empty ones counted as one.
    pub(super) fn is_larger(&self, parts: usize) -> bool {
        self.tokens.len() > parts && {
            let held = |cell: Cell<'_>| match cell.event() {
                Event::ObjectStart => cell.members().count().max(1),
                Event::ArrayStart => cell.inside().count().max(1),
                _ => 0,
            };
            (0..self.tokens.len()).map(|at| held(Cell { tape: self, at })).sum::<usize>() > parts
        }
    }

    /// The document.
    pub(super) fn root(&self) -> Cell<'_> {
        Cell { tape: self, at: 0 }
    }
}

/// One value of a tape, or the name of a member, which is a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'t> {
    tape: &'t Tape<'t>,
    /// Where on the tape.
    pub(super) at: usize,
}

impl<'t> Cell<'t> {
    pub(super) fn event(self) -> Event<'t> {
        self.tape.tokens.get(self.at).map_or(Event::Null, |token| token.event)
    }

    /// Behind it and all it holds.
    fn after(self) -> Self {
        let next = self.tape.tokens.get(self.at).map_or(usize::MAX, |token| token.next as usize);
        Self { at: next, ..self }
    }

    /// What comes after each other inside: the items of an array; the names of an object, each with its value.
    pub(super) fn inside(self) -> Inside<'t> {
        let end = self.after().at;
        let holds = matches!(self.event(), Event::ObjectStart | Event::ArrayStart);
        Inside { next: Self { at: if holds { self.at + 1 } else { end }, ..self }, end }
    }

    /// The members of an object as they come, names that come twice too.
    pub(super) fn members(self) -> Members<'t> {
        let object = self.event() == Event::ObjectStart;
        let inside = self.inside();
        Members(if object { inside } else { Inside { end: 0, ..inside } })
    }

    /// The JSON pointer of what is inside at a place of the tape.
    pub(super) fn way_to(self, place: usize) -> String {
        let mut way = String::new();
        let mut cell = self;
        while cell.at < place {
            let holds = |inside: &Self| inside.after().at > place;
            let found = match cell.event() {
                Event::ObjectStart => cell
                    .members()
                    .find(|(_, value)| holds(value))
                    .map(|(name, value)| (escape(&name.decode()), value)),
                _ => cell
                    .inside()
                    .enumerate()
                    .find(|(_, item)| holds(item))
                    .map(|(at, item)| (at.to_string(), item)),
            };
            let Some((part, inside)) = found else { break };
            way.push('/');
            way.push_str(&part);
            cell = inside;
        }
        way
    }

    /// The names of an object as they come.
    pub(super) fn names_inside(self) -> impl Iterator<Item = Self> {
        let inside = if self.event() == Event::ObjectStart { Some(self.inside()) } else { None };
        inside.into_iter().flatten().step_by(2)
    }

    /// What stands between its quotes.
    pub(super) fn string(self) -> Option<Text<'t>> {
        match self.event() {
            Event::String(text) | Event::Key(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn number(self) -> Option<Number> {
        match self.event() {
            Event::Number(digits) => Some(Number::read(digits, self.tape.ecma)),
            _ => None,
        }
    }

    /// The member whose name comes next after `last` by order, the last of equals.
    fn next_member(self, last: Option<&str>) -> Option<(Cow<'t, str>, Self)> {
        let mut best: Option<(Cow<'t, str>, Self)> = None;
        for (name, value) in self.members() {
            let name = name.decode();
            if last.is_none_or(|last| *last < *name) && best.as_ref().is_none_or(|best| name <= best.0) {
                best = Some((name, value));
            }
        }
        best
    }

    fn write(self, out: &mut String, cap: usize) {
        if out.len() > cap {
            return;
        }
        match self.event() {
            Event::Null => out.push_str("null"),
            Event::Boolean(true) => out.push_str("true"),
            Event::Boolean(false) => out.push_str("false"),
            Event::ArrayStart => {
                out.push('[');
                for (place, item) in self.inside().enumerate() {
                    if out.len() > cap {
                        return;
                    }
                    if place > 0 {
                        out.push(',');
                    }
                    item.write(out, cap);
                }
                out.push(']');
            }
            Event::ObjectStart => {
                out.push('{');
                let mut last: Option<Cow<'t, str>> = None;
                while let Some((name, value)) = self.next_member(last.as_deref()).filter(|_| out.len() <= cap)
                {
                    if last.is_some() {
                        out.push(',');
                    }
                    quote(out, &name);
                    out.push(':');
                    value.write(out, cap);
                    last = Some(name);
                }
                out.push('}');
            }
            Event::Number(digits) => {
                out.push_str(&Number::read(digits, self.tape.ecma).write(self.tape.ecma))
            }
            _ => quote(out, &self.text().unwrap_or_default()),
        }
    }
}

impl<'t> Json<'t> for Cell<'t> {
    fn kind(self) -> Kind {
        match self.event() {
            Event::Null => Kind::Null,
            Event::Boolean(_) => Kind::Boolean,
            Event::ArrayStart | Event::ArrayEnd => Kind::Array,
            Event::ObjectStart | Event::ObjectEnd => Kind::Object,
            Event::String(_) | Event::Key(_) => Kind::String,
            Event::Number(_) if self.number().is_some_and(Number::is_whole) => Kind::Integer,
            Event::Number(_) => Kind::Number,
        }
    }

    fn text(self) -> Option<Cow<'t, str>> {
        self.string().map(|text| text.decode())
    }

    fn count(self) -> usize {
        if self.event() != Event::ObjectStart {
            return self.inside().count();
        }
        // Equal names are looked for where they could change what is said.
        match self.members().count() {
            few @ 0..=FEW => self.names(few).len(),
            many => many,
        }
    }

    fn items(self) -> Vec<Self> {
        if self.event() == Event::ArrayStart { self.inside().collect() } else { Vec::new() }
    }

    fn names(self, cap: usize) -> Vec<Cow<'t, str>> {
        let all = self.members().map(|(name, _)| name.decode());
        if self.members().count() > MANY {
            return all.take(cap).collect();
        }
        let mut names: Vec<Cow<'t, str>> = Vec::new();
        while names.len() < cap {
            let Some((name, _)) = self.next_member(names.last().map(AsRef::as_ref)) else { break };
            names.push(name);
        }
        names
    }

    fn member(self, name: &str) -> Option<Self> {
        self.members().filter(|(other, _)| *other.decode() == *name).last().map(|(_, value)| value)
    }

    fn print(self, cap: usize) -> String {
        let mut text = String::new();
        self.write(&mut text, cap);
        text
    }
}

/// The parts of a container, one after another.
#[derive(Debug)]
pub(super) struct Inside<'t> {
    next: Cell<'t>,
    end: usize,
}

impl<'t> Iterator for Inside<'t> {
    type Item = Cell<'t>;

    fn next(&mut self) -> Option<Cell<'t>> {
        let found = self.next;
        if found.at >= self.end {
            return None;
        }
        self.next = found.after();
        Some(found)
    }
}

/// The members of an object: what stands between the quotes of the name, and the value.
#[derive(Debug)]
pub(super) struct Members<'t>(Inside<'t>);

impl<'t> Iterator for Members<'t> {
    type Item = (Text<'t>, Cell<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.0.next()?.string()?;
        Some((name, self.0.next()?))
    }
}
