//! A document as text that is taken apart only along the paths that a patch goes.
//!
//! Every text in it is lent from the document or from the patch and known to be JSON, without space around it. What
//! stood between two values is kept with the second, so that writing the tree gives back what was not touched.
//! It recurses over its nesting, which never exceeds the cap. Which operation does what is not known here.

use super::fault::Fault;
use super::pointer::index;
use super::same::same;
use super::{MAX_BYTES, MAX_NESTING};
use crate::protocol::json;
use crate::protocol::settle::write::quote;
use crate::schema::Reader;
use std::borrow::Cow;

/// How many steps a patch may still take. A step is about a byte read or a name compared, so that a hostile
/// patch ends in a second or two where an honest one is far from the bound.
pub(super) struct Work(usize);

impl Work {
    /// What a member in memory counts as: it also bounds how many there may be.
    const MEMBER: usize = 200;

    const OF_A_PATCH: usize = 1 << 28;

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Fault> {
        self.0 = self.0.checked_sub(steps).ok_or(Fault::TooMuch)?;
        Ok(())
    }
}

/// A value: the text it came in, or taken apart.
pub(super) enum Node<'a> {
    Text(&'a str),
    Open(Box<Container<'a>>),
}

/// An object or an array taken apart.
pub(super) struct Container<'a> {
    pub(super) is_object: bool,
    pub(super) members: Vec<Member<'a>>,
    /// What stands before the closing bracket.
    tail: &'a str,
}

/// A member of an object or an item of an array, which has no name.
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    /// What stands between the value before and this one: mostly a comma, and the name as it was spelled.
    before: Cow<'a, str>,
    pub(super) value: Node<'a>,
}

impl<'a> Node<'a> {
    fn is_container(&self) -> bool {
        match self {
            Self::Text(text) => matches!(text.as_bytes().first(), Some(b'{' | b'[')),
            Self::Open(_) => true,
        }
    }

    /// The value taken apart, if it is a container.
    pub(super) fn open(&mut self, work: &mut Work) -> Result<Option<&mut Container<'a>>, Fault> {
        if !self.is_container() {
            return Ok(None);
        }
        if let Self::Text(text) = *self {
            work.spend(text.len())?;
            let mut members = Vec::new();
            let tail = json::parts(text, &mut |name, before, value| {
                work.spend(Work::MEMBER).ok()?;
                members.push(Member { name, before: Cow::Borrowed(before), value: Node::Text(value) });
                Some(())
            });
            // The text is known to be JSON, so only the work can have ended it.
            let tail = tail.ok_or(Fault::TooMuch)?;
            *self = Self::Open(Box::new(Container { is_object: text.starts_with('{'), members, tail }));
        }
        Ok(match self {
            Self::Open(container) => Some(container),
            Self::Text(_) => None,
        })
    }

    /// The same value once more.
    fn copy(&self, work: &mut Work) -> Result<Self, Fault> {
        let container = match self {
            Self::Text(text) => return Ok(Self::Text(text)),
            Self::Open(container) => container,
        };
        let mut members = Vec::new();
        for member in &container.members {
            work.spend(Work::MEMBER + member.name.len() + member.before.len())?;
            let value = member.value.copy(work)?;
            members.push(Member { name: member.name.clone(), before: member.before.clone(), value });
        }
        let (is_object, tail) = (container.is_object, container.tail);
        Ok(Self::Open(Box::new(Container { is_object, members, tail })))
    }

    /// The bytes it is written in; refused when it is nested deeper than `room`.
    fn measure(&self, room: usize, work: &mut Work) -> Result<usize, Fault> {
        let mut written = String::new();
        let text = match self {
            Self::Text(text) => text,
            Self::Open(_) => {
                self.write(&mut written);
                work.spend(written.len())?;
                written.as_str()
            }
        };
        // Without a bound there is nothing to look for.
        if room <= MAX_NESTING && self.is_container() {
            work.spend(text.len())?;
            Reader::new(text, room).drain().map_err(|_| Fault::TooDeep)?;
        }
        Ok(text.len())
    }

    fn write(&self, out: &mut String) {
        let container = match self {
            Self::Text(text) => return out.push_str(text),
            Self::Open(container) => container,
        };
        out.push(if container.is_object { '{' } else { '[' });
        let mut is_first = true;
        for member in &container.members {
            // The first has lost those before it, or another has come before it.
            match member.before.trim_ascii_start().strip_prefix(',') {
                Some(alone) if is_first => out.push_str(alone),
                None if !is_first => {
                    out.push(',');
                    out.push_str(&member.before);
                }
                _ => out.push_str(&member.before),
            }
            is_first = false;
            member.value.write(out);
        }
        out.push_str(container.tail);
        out.push(if container.is_object { '}' } else { ']' });
    }
}

impl Container<'_> {
    /// The place of the member that a name or the spelling of an index means.
    pub(super) fn place(&self, name: &str, work: &mut Work) -> Result<Option<usize>, Fault> {
        if !self.is_object {
            return Ok(index(name).filter(|place| *place < self.members.len()));
        }
        work.spend(self.members.len().saturating_mul(1 + name.len() / 16))?;
        Ok(self.members.iter().rposition(|member| member.name == name))
    }
}

/// A document, the bytes that it is at most written in, and the work that may still be done on it.
pub(super) struct Tree<'a> {
    root: Node<'a>,
    length: usize,
    work: Work,
}

impl<'a> Tree<'a> {
    pub(super) fn new(document: &'a str) -> Self {
        Self { root: Node::Text(document), length: document.len(), work: Work(Work::OF_A_PATCH) }
    }

    pub(super) fn into_text(self) -> String {
        let mut out = String::new();
        self.root.write(&mut out);
        out
    }

    /// The value at a place, once more.
    pub(super) fn copy(&mut self, names: &[String]) -> Result<Node<'a>, Fault> {
        find(&mut self.root, names, &mut self.work)?.copy(&mut self.work)
    }

    pub(super) fn test(&mut self, names: &[String], mut value: Node<'a>) -> Result<(), Fault> {
        let found = find(&mut self.root, names, &mut self.work)?;
        if same(found, &mut value, &mut self.work)? { Ok(()) } else { Err(Fault::Differs) }
    }

    /// Puts a value in the stead of the one that is there.
    pub(super) fn replace(&mut self, names: &[String], value: Node<'a>) -> Result<(), Fault> {
        let length = value.measure(MAX_NESTING - names.len(), &mut self.work)?;
        *find(&mut self.root, names, &mut self.work)? = value;
        self.grow(length)
    }

    pub(super) fn add(&mut self, names: &[String], value: Node<'a>) -> Result<(), Fault> {
        let Some((name, parent)) = names.split_last() else { return self.replace(names, value) };
        let work = &mut self.work;
        let container = find(&mut self.root, parent, work)?.open(work)?.ok_or(Fault::NoContainer)?;
        let mut before = String::new();
        let mut place = container.members.len();
        if container.is_object {
            if container.place(name, work)?.is_some() {
                return self.replace(names, value);
            }
            quote(&mut before, name);
            before.push(':');
        } else if name != "-" {
            place = index(name).filter(|at| *at <= place).ok_or(Fault::NoIndex)?;
        }
        let length = value.measure(MAX_NESTING - names.len(), work)?;
        work.spend(Work::MEMBER + container.members.len() - place)?;
        // With a comma.
        let length = length + before.len() + 1;
        let member = Member { name: Cow::Owned(name.clone()), before: Cow::Owned(before), value };
        container.members.insert(place, member);
        self.grow(length)
    }

    /// Takes a value out.
    pub(super) fn remove(&mut self, names: &[String]) -> Result<Node<'a>, Fault> {
        let (name, parent) = names.split_last().ok_or(Fault::Whole)?;
        let work = &mut self.work;
        let container = find(&mut self.root, parent, work)?.open(work)?.ok_or(Fault::Nothing)?;
        let mut taken = Err(Fault::Nothing);
        while let Some(place) = container.place(name, work)? {
            work.spend(container.members.len() - place)?;
            let member = container.members.remove(place);
            // Of equal names the last counts, but an earlier one would come to light.
            if taken.is_err() {
                taken = Ok(member.value);
            }
            if !container.is_object {
                break;
            }
        }
        taken
    }

    /// Counts what came in. What went out is not counted: only when the sum is beyond the cap is the document
    /// measured.
    fn grow(&mut self, length: usize) -> Result<(), Fault> {
        self.length += length;
        if self.length > MAX_BYTES {
            self.length = self.root.measure(usize::MAX, &mut self.work)?;
        }
        if self.length > MAX_BYTES { Err(Fault::TooLarge) } else { Ok(()) }
    }
}

fn find<'n, 'a>(
    mut node: &'n mut Node<'a>,
    names: &[String],
    work: &mut Work,
) -> Result<&'n mut Node<'a>, Fault> {
    for name in names {
        let container = node.open(work)?.ok_or(Fault::Nothing)?;
        let place = container.place(name, work)?;
        node = &mut place.and_then(|place| container.members.get_mut(place)).ok_or(Fault::Nothing)?.value;
    }
    Ok(node)
}
