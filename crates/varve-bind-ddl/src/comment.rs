//! COMMENT ON: what a comment is on must be there.

use varve_ast::{CommentTarget, NamedTrigger, ObjectName};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::comment::{CommentDef, Part};
use varve_catalog::model::schema::PUBLIC;
use varve_catalog::text::name::{relation_name, undefined_schema, undefined_table};
use varve_plan::plan::Statement;
use varve_plan::plan::statement::utility;
use varve_plan::plan::utility::{Definition, Dropped, Message, Utility};
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::binder::DdlBinder;

/// The object, the part of it, and the name of that.
type On = (ObjectId, Part, String);

impl DdlBinder<'_, '_> {
    pub(crate) fn comment(&mut self, on: &CommentTarget, text: Option<&str>) -> Result<Statement> {
        let Some((of, part, name)) = self.commented(on)? else {
            return Ok(utility(Utility::Nothing));
        };
        let own = self.catalog.temporary();
        let def = CommentDef {
            object: ObjectId(0),
            schema: own
                .filter(|_| self.catalog.is_temporary(of))
                .unwrap_or(PUBLIC),
            of,
            part,
            name,
            text: text.unwrap_or_default().to_owned(),
        };
        let known = self.catalog.comments.iter();
        let known = known.filter(|known| known.is_on_same(&def));
        let known = known.map(|known| known.object).collect();
        Ok(utility(Utility::Comment(def, known)))
    }

    /// What the comment is on; `None` for what has no comments here, which a notice says.
    fn commented(&mut self, on: &CommentTarget) -> Result<Option<On>> {
        let whole = |object: ObjectId| Ok(Some((object, Part::Whole, String::new())));
        match on {
            CommentTarget::Relation(of, name) => match self.known_relation(*of, name)? {
                Some((Named::Index(table), name)) => Ok(Some((table, Part::Index, name))),
                Some((Named::Table(of) | Named::View(of) | Named::Sequence(of), _)) => whole(of),
                Some((Named::Chunk(_), _)) => Ok(self.without_comments("chunks")),
                None => Ok(self.without_comments("system views")),
            },
            CommentTarget::Column(name) => self.commented_column(name),
            CommentTarget::Schema(name) => match self.catalog.schema(&name.text) {
                Some(schema) => whole(schema),
                None if ["pg_catalog", "information_schema"].contains(&name.text.as_str()) => {
                    Ok(self.without_comments("system schemas"))
                }
                None => Err(undefined_schema(&name.text)),
            },
            CommentTarget::Type(kind, name) => match self.dropped_type(*kind, name)? {
                Some(Dropped::Type(object)) => whole(object),
                _ => Ok(None),
            },
            CommentTarget::Function(name) => whole(self.named_function(name)?.object),
            CommentTarget::Trigger(trigger) => whole(self.named_trigger(trigger)?.object),
            CommentTarget::Constraint {
                constraint,
                of_domain,
            } => self.commented_constraint(constraint, *of_domain).map(Some),
            CommentTarget::Database(name) => {
                if name.text == varve_catalog::model::schema::DATABASE {
                    return Ok(Some((ObjectId(0), Part::Database, String::new())));
                }
                let text = format!("database \"{}\" does not exist", name.text);
                self.query.outputs.messages.push(Message::notice(text));
                Ok(None)
            }
            CommentTarget::Role(name) if name.text == varve_system_views::OWNER => {
                Ok(Some((ObjectId(0), Part::Role, String::new())))
            }
            CommentTarget::Role(name) => {
                let message = format!("role \"{}\" does not exist", name.text);
                Err(Error::new(SqlState::UNDEFINED_OBJECT, message))
            }
            CommentTarget::Other => Ok(self.without_comments("such objects")),
        }
    }

    fn commented_constraint(&self, constraint: &NamedTrigger, of_domain: bool) -> Result<On> {
        let name = &constraint.name.text;
        let missing = |message: String| Err(Error::new(SqlState::UNDEFINED_OBJECT, message));
        if of_domain {
            let written = self.query.relation_name(&constraint.table)?;
            let Some(def) = self.catalog.domain_named(&written) else {
                return missing(format!("type \"{written}\" does not exist"));
            };
            return match def.checks.iter().any(|check| check.name == *name) {
                true => Ok((def.object, Part::Constraint, name.clone())),
                false => missing(format!(
                    "constraint \"{name}\" for domain {} does not exist",
                    def.name
                )),
            };
        }
        let table = self.query.writable_table(&constraint.table)?;
        match table.has_constraint(name) {
            true => Ok((table.object, Part::Constraint, name.clone())),
            false => missing(format!(
                "constraint \"{name}\" for table \"{}\" does not exist",
                table.name
            )),
        }
    }

    fn without_comments(&mut self, what: &str) -> Option<On> {
        let text = format!("comments on {what} are not kept");
        let message = Message::notice(text);
        self.query.outputs.messages.push(message);
        None
    }

    /// `table.column`
    fn commented_column(&mut self, name: &ObjectName) -> Result<Option<On>> {
        let column = name.name.text.clone();
        if name.qualifiers.is_empty() {
            let message = "column name must be qualified";
            return Err(Error::new(SqlState::SYNTAX_ERROR, message));
        }
        let parts = name.qualifiers.iter().map(|part| part.text.clone());
        let folded = relation_name(parts.collect())?;
        let (of, is_known) = match self.query.find(&folded) {
            None if self.query.system_view(&folded).is_some() => {
                return Ok(self.without_comments("system views"));
            }
            None => return Err(undefined_table(&folded, 0)),
            Some(Named::Table(object)) => {
                let table = self.catalog.tables.get(&object);
                let mut columns = table.iter().flat_map(|table| &table.columns);
                (object, columns.any(|known| known.name == column))
            }
            Some(Named::View(object)) => {
                let view = self.catalog.views.get(&object);
                let mut columns = view.iter().flat_map(|view| &view.columns);
                (object, columns.any(|known| known.name == column))
            }
            Some(found) => {
                let message = format!("cannot set comment on relation \"{}\"", folded.name);
                let what = match found {
                    Named::Index(_) => "indexes",
                    Named::Chunk(_) => "chunks",
                    _ => "sequences",
                };
                let detail = format!("This operation is not supported for {what}.");
                let error = Error::new(SqlState::WRONG_OBJECT_TYPE, message);
                return Err(error.with_detail(detail));
            }
        };
        if is_known {
            return Ok(Some((of, Part::Column, column)));
        }
        let relation = &folded.name;
        let message = format!("column \"{column}\" of relation \"{relation}\" does not exist");
        Err(Error::new(SqlState::UNDEFINED_COLUMN, message))
    }

    /// The comments on a part of an object that gets another name.
    pub fn renamed_comments<'a>(
        &'a self,
        (of, part): (ObjectId, Part),
        (from, to): (&'a str, &'a str),
    ) -> impl Iterator<Item = Definition> + use<'a> {
        let comments = self.catalog.comments.iter();
        let comments =
            comments.filter(move |def| (def.of, def.part) == (of, part) && def.name == from);
        comments.map(|def| {
            let mut def = CommentDef::clone(def);
            to.clone_into(&mut def.name);
            Definition::Comment(def)
        })
    }
}
