//! COMMENT ON.

use varve_ast::{
    CommentTarget, Ddl, NamedKind, NamedTrigger, ObjectKind, RoutineKind, StatementBody,
};
use varve_lexer::Keyword;
use varve_types::Result;

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `COMMENT`.
    pub(crate) fn comment(&mut self) -> Result<StatementBody> {
        self.expect_keyword(Keyword::ON)?;
        if self.parse_keyword(Keyword::EXTENSION) {
            return self.comment_on_extension();
        }
        let Some(on) = self.comment_target()? else {
            self.skip_rest();
            return Ok(StatementBody::Ddl(Ddl::Comment {
                on: CommentTarget::Other,
                text: None,
            }));
        };
        self.expect_keyword(Keyword::IS)?;
        let text = match self.parse_keyword(Keyword::NULL) {
            true => None,
            // One without words is none.
            false => Some(self.parse_literal_string()?).filter(|text| !text.is_empty()),
        };
        Ok(StatementBody::Ddl(Ddl::Comment { on, text }))
    }

    /// What a comment is on; `None` for what there is none of.
    fn comment_target(&mut self) -> Result<Option<CommentTarget>> {
        let is_materialized = self.parse_keyword(Keyword::MATERIALIZED);
        let relation = match self.next_token().keyword {
            Keyword::TABLE => NamedKind::Table,
            Keyword::INDEX => NamedKind::Index,
            Keyword::VIEW if is_materialized => NamedKind::MaterializedView,
            Keyword::VIEW => NamedKind::View,
            Keyword::SEQUENCE => NamedKind::Sequence,
            other => return self.other_comment_target(other),
        };
        let name = self.parse_object_name()?;
        Ok(Some(CommentTarget::Relation(relation, name)))
    }

    fn commented_function(&mut self, kind: RoutineKind) -> Result<CommentTarget> {
        self.named_function(kind).map(CommentTarget::Function)
    }

    /// As [`Parser::comment_target`], of what is no relation.
    fn other_comment_target(&mut self, kind: Keyword) -> Result<Option<CommentTarget>> {
        Ok(Some(match kind {
            Keyword::COLUMN => CommentTarget::Column(self.parse_object_name()?),
            Keyword::SCHEMA => CommentTarget::Schema(self.parse_identifier()?),
            Keyword::TYPE => CommentTarget::Type(ObjectKind::Type, self.parse_object_name()?),
            Keyword::DOMAIN => CommentTarget::Type(ObjectKind::Domain, self.parse_object_name()?),
            Keyword::FUNCTION => self.commented_function(RoutineKind::Function)?,
            Keyword::PROCEDURE => self.commented_function(RoutineKind::Procedure)?,
            Keyword::ROUTINE => self.commented_function(RoutineKind::Any)?,
            Keyword::TRIGGER => CommentTarget::Trigger(self.named_trigger(false)?),
            Keyword::CONSTRAINT => {
                let name = self.parse_identifier()?;
                self.expect_keyword(Keyword::ON)?;
                let of_domain = self.parse_keyword(Keyword::DOMAIN);
                let constraint = NamedTrigger {
                    if_exists: false,
                    name,
                    table: self.parse_object_name()?,
                };
                CommentTarget::Constraint {
                    constraint,
                    of_domain,
                }
            }
            Keyword::DATABASE => CommentTarget::Database(self.parse_identifier()?),
            Keyword::ROLE => CommentTarget::Role(self.parse_identifier()?),
            _ => return Ok(None),
        }))
    }
}
