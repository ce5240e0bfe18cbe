//! From the text of a schema to nodes, or to nothing: a schema is taken only if every part of it is understood
//! and in the form its draft asks for. What is wrong with one is for the whole of JSON Schema to say.

use super::super::draft::Draft;
use super::super::ecma::Ecma;
use super::super::json::{Json, Kind};
use super::super::number::Number;
use super::super::reader::Event;
use super::super::tape::{Cell, Tape};
use super::alternatives::survey;
use super::format::Format;
use super::node::{Additional, Bound, Id, Node, Property, Scalar, Types};

/// The drafts taken, by the only addresses that name them.
const DRAFTS: [(&str, Draft); 3] = [
    ("http://json-schema.org/draft-07/schema", Draft::Draft7),
    ("https://json-schema.org/draft/2019-09/schema", Draft::Draft201909),
    ("https://json-schema.org/draft/2020-12/schema", Draft::Draft202012),
];

/// Schemas of one document that are taken.
const NODE_CAP: usize = 2048;

/// The nodes of a schema, the root first, and whether there are alternatives among them.
pub(super) fn nodes(tape: &Tape<'_>, for_input: bool, ecma: &dyn Ecma) -> Option<(Vec<Node>, bool)> {
    let root = tape.root();
    let draft = match root.member("$schema") {
        None => Draft::Draft202012,
        Some(address) => {
            let address = address.text()?;
            DRAFTS.iter().find(|(known, _)| *known == address.trim_end_matches('#'))?.1
        }
    };
    let mut work = Work { draft, for_input, ecma, root, nodes: Vec::new(), references: Vec::new() };
    work.schema(root)?;
    work.resolve()?;
    let alternatives = survey(&work.nodes, !work.references.is_empty())?;
    (!for_input || takes_object(&work.nodes, 0)).then_some((work.nodes, alternatives))
}

/// A schema on its way to nodes.
struct Work<'w, 't> {
    draft: Draft,
    for_input: bool,
    ecma: &'w dyn Ecma,
    root: Cell<'t>,
    nodes: Vec<Node>,
    references: Vec<(Id, String)>,
}

impl Work<'_, '_> {
    /// Adds a schema and all inside it.
    fn schema(&mut self, cell: Cell<'_>) -> Option<Id> {
        let id = self.nodes.len();
        if id >= NODE_CAP {
            return None;
        }
        self.nodes.push(Node { at: cell.at, ..Node::default() });
        let mut node = Node { at: cell.at, ..Node::default() };
        match cell.kind() {
            Kind::Object => self.keywords(id, &mut node, cell)?,
            // `true`; `false` is taken only where it closes an object.
            Kind::Boolean if cell.event() == Event::Boolean(true) => {}
            _ => return None,
        }
        *self.nodes.get_mut(id)? = node;
        Some(id)
    }

    fn keywords(&mut self, id: Id, node: &mut Node, cell: Cell<'_>) -> Option<()> {
        let mut required = Vec::new();
        let (mut alone, mut refers) = (true, false);
        for (keyword, value) in cell.members() {
            let keyword = keyword.decode();
            // Of two equal keywords the last would count.
            if cell.member(&keyword)?.at != value.at {
                return None;
            }
            alone &= matches!(
                &*keyword,
                "$ref" | "title" | "description" | "default" | "examples" | "$comment" | "deprecated"
            );
            match &*keyword {
                "$schema" if id == 0 => {}
                "title" | "description" | "$comment" => drop(value.text()?),
                "default" => {}
                "examples" => only(value.kind() == Kind::Array)?,
                "deprecated" | "readOnly" | "writeOnly" => only(value.kind() == Kind::Boolean)?,
                "$defs" | "definitions" => {
                    only(value.kind() == Kind::Object)?;
                    for (_, schema) in value.members() {
                        self.schema(schema)?;
                    }
                }
                "type" => node.types = types(value)?,
                "enum" => node.allowed = Some(values(value)?),
                "const" => node.constant = Some(scalar(value)?),
                "$ref" => {
                    refers = true;
                    self.references.push((id, value.text()?.into_owned()));
                }
                "anyOf" => node.any_of = self.list(value)?,
                "oneOf" => node.one_of = self.list(value)?,
                "minLength" => node.length.least = Some(count(value)?),
                "maxLength" => node.length.most = Some(count(value)?),
                "minItems" => node.count.least = Some(count(value)?),
                "maxItems" => node.count.most = Some(count(value)?),
                "pattern" => node.pattern = Some(self.ecma.expression(&value.text()?)?),
                "format" => node.format = Format::named(&value.text()?, self.draft)?,
                "items" => node.items = Some(self.schema(value)?),
                "propertyNames" => node.names = Some(self.schema(value)?),
                "additionalProperties" => {
                    node.additional = match value.event() {
                        Event::Boolean(true) => Additional::Anything,
                        Event::Boolean(false) => Additional::Nothing,
                        _ => Additional::Schema(self.schema(value)?),
                    };
                }
                "properties" => {
                    only(value.kind() == Kind::Object)?;
                    for (name, schema) in value.members() {
                        let name = name.decode().into_owned();
                        let schema = self.schema(schema)?;
                        // Of two equal names the last would count.
                        let place = node.place_of(&name).err()?;
                        node.properties.insert(place, Property { name, schema, required: false });
                    }
                }
                "required" => {
                    only(value.kind() == Kind::Array)?;
                    for name in value.items() {
                        let name = name.text()?.into_owned();
                        only(!required.contains(&name))?;
                        required.push(name);
                    }
                }
                other => {
                    let bound = Bound::ALL.into_iter().find(|bound| bound.keyword() == other)?;
                    node.bounds.push((bound, value.number()?));
                }
            }
        }
        // Before 2019-09 a reference hides what stands beside it.
        only(!refers || alone || self.draft >= Draft::Draft201909)?;
        self.require(node, required)
    }

    /// Puts each required name where it is looked for.
    fn require(&self, node: &mut Node, names: Vec<String>) -> Option<()> {
        for name in names {
            match node.place_of(&name).ok().and_then(|place| node.properties.get_mut(place)) {
                Some(property) => property.required = true,
                // Nothing allows it: the developer is to hear of that.
                None if self.for_input && matches!(node.additional, Additional::Nothing) => return None,
                None => node.required.push(name),
            }
        }
        Some(())
    }

    fn list(&mut self, value: Cell<'_>) -> Option<Vec<Id>> {
        only(value.kind() == Kind::Array && value.inside().next().is_some())?;
        value.inside().map(|one| self.schema(one)).collect()
    }

    /// Finds the node of each reference.
    fn resolve(&mut self) -> Option<()> {
        for (id, reference) in &self.references {
            let pointer = reference.strip_prefix('#')?;
            only(!pointer.contains('%') && (pointer.is_empty() || pointer.starts_with('/')))?;
            let target = self.root.at(pointer)?.at;
            let target = self.nodes.iter().position(|node| node.at == target)?;
            self.nodes.get_mut(*id)?.reference = Some(target);
        }
        Some(())
    }
}

/// Goes on only if that is so.
fn only(so: bool) -> Option<()> {
    so.then_some(())
}

fn types(value: Cell<'_>) -> Option<Types> {
    let names = if value.kind() == Kind::Array { value.items() } else { vec![value] };
    only(!names.is_empty())?;
    names.into_iter().try_fold(Types::default(), |types, name| {
        let one = Types::named(&name.text()?)?;
        // Named twice it is no schema.
        (types.with(one) != types).then(|| types.with(one))
    })
}

fn values(value: Cell<'_>) -> Option<Vec<Scalar>> {
    only(value.kind() == Kind::Array && value.inside().next().is_some())?;
    value.inside().map(scalar).collect()
}

fn scalar(value: Cell<'_>) -> Option<Scalar> {
    Some(match value.kind() {
        Kind::Null => Scalar::Null,
        Kind::Boolean => Scalar::Boolean(value.event() == Event::Boolean(true)),
        Kind::String => Scalar::String(value.text()?.into_owned()),
        _ => Scalar::Number(value.number()?),
    })
}

/// A count as a whole number that is written as one.
fn count(value: Cell<'_>) -> Option<u64> {
    match value.number()? {
        Number::Whole(count) => Some(count),
        _ => None,
    }
}

/// Whether a schema can be seen to take an object, as the input of every tool is one.
fn takes_object(nodes: &[Node], id: Id) -> bool {
    let Some(node) = nodes.get(id) else { return false };
    let any = |branches: &[Id]| branches.is_empty() || branches.iter().any(|&one| takes_object(nodes, one));
    (node.types.is_open() || node.types.has(Kind::Object))
        && node.allowed.is_none()
        && node.constant.is_none()
        && node.reference.is_none_or(|target| takes_object(nodes, target))
        && any(&node.any_of)
        && any(&node.one_of)
}
