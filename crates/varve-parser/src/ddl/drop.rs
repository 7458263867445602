//! DROP and TRUNCATE.

use varve_ast::{Ddl, DropObjects, ObjectKind, StatementBody, Truncate};
use varve_lexer::{Keyword, Token};
use varve_types::Result;

use crate::parser::Parser;

impl Parser<'_> {
    /// What follows `DROP`.
    pub(crate) fn drop_statement(&mut self) -> Result<StatementBody> {
        if self.parse_words(&["OWNED", "BY"]) {
            return self.drop_owned();
        }
        if self.role_word() {
            return self.drop_role();
        }
        if self.parse_words(&["DATABASE", "IF", "EXISTS"]) {
            return Ok(self.drop_database());
        }
        if self.parse_words(&["EXTENSION", "IF", "EXISTS"]) {
            return self.drop_extension();
        }
        Ok(match self.drop_what()? {
            Some(ddl) => StatementBody::Ddl(ddl),
            None => self.unsupported(None),
        })
    }

    /// The rest of DROP; `None` for what is not supported.
    fn drop_what(&mut self) -> Result<Option<Ddl>> {
        if self.parse_keyword(Keyword::TRIGGER) {
            return Ok(Some(Ddl::DropTrigger {
                trigger: self.named_trigger(true)?,
                is_cascade: self.cascade(),
            }));
        }
        if let Some(kind) = self.routine_kind() {
            let if_exists = self.if_exists();
            let mut functions = vec![self.named_function(kind)?];
            while self.consume_token(&Token::Comma) {
                functions.push(self.named_function(kind)?);
            }
            return Ok(Some(Ddl::DropFunction {
                if_exists,
                functions,
                is_cascade: self.cascade(),
            }));
        }
        if self.parse_keyword(Keyword::SEQUENCE) {
            return Ok(Some(Ddl::Sequence(Box::new(self.drop_sequence()?))));
        }
        if self.parse_keyword(Keyword::INDEX) {
            let is_concurrent = self.parse_keyword(Keyword::CONCURRENTLY);
            let if_exists = self.if_exists();
            let names = self.parse_object_names()?;
            // Nothing depends on an index that is not a constraint's.
            let _cascade = self.cascade();
            return Ok(Some(Ddl::DropIndex {
                names,
                if_exists,
                is_concurrent,
            }));
        }
        let mut kinds = ObjectKind::ALL.iter();
        let found = kinds.find(|(_, words)| {
            let words: Vec<&str> = words.split(' ').collect();
            self.parse_words(&words)
        });
        let Some((kind, _)) = found else {
            return Ok(None);
        };
        Ok(Some(Ddl::Drop(DropObjects {
            kind: *kind,
            if_exists: self.if_exists(),
            names: self.parse_object_names()?,
            is_cascade: self.cascade(),
        })))
    }

    /// Takes CASCADE or RESTRICT if either comes next; whether it was CASCADE.
    pub(crate) fn cascade(&mut self) -> bool {
        let behaviors = [Keyword::CASCADE, Keyword::RESTRICT];
        self.parse_one_of_keywords(&behaviors) == Some(Keyword::CASCADE)
    }

    /// What follows `TRUNCATE`.
    pub(crate) fn truncate(&mut self) -> Result<Truncate> {
        let _table = self.parse_keyword(Keyword::TABLE);
        let tables = self.parse_comma_separated(|parser| {
            let only = parser.parse_keyword(Keyword::ONLY);
            let name = parser.parse_object_name()?;
            let _descendants = parser.consume_token(&Token::Mul);
            Ok((name, only))
        })?;
        let restart_identity = self.parse_keywords(&[Keyword::RESTART, Keyword::IDENTITY]);
        if !restart_identity {
            let _ = self.parse_keywords(&[Keyword::CONTINUE, Keyword::IDENTITY]);
        }
        Ok(Truncate {
            tables,
            restart_identity,
            is_cascade: self.cascade(),
        })
    }
}
