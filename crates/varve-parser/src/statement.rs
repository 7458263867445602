//! Which statement a text is, by its first words.

use varve_ast::{Command, Dml, Explain, QueryBody, Session, Statement, StatementBody, Utility};
use varve_lexer::{Keyword, Lexeme, Token};
use varve_types::Result;

use crate::parser::Parser;
use crate::query::saved_dictionary::saved_dictionary;
use crate::query::transparent_call::transparent_call;
use crate::session::no_op::no_op;

/// A statement without a plan.
pub(crate) fn command(command: Command) -> StatementBody {
    StatementBody::Session(Session::Command(command))
}

impl Parser<'_> {
    /// One statement; the tokens behind it are left.
    pub(crate) fn parse_statement(&mut self) -> Result<Statement> {
        let first = self.next_span();
        let explain = self.explain()?;
        let body = self.statement_body()?;
        Ok(Statement {
            explain,
            body,
            span: self.since(first),
        })
    }

    /// A statement that is not supported, whose rest is passed over.
    pub(crate) fn unsupported(&mut self, what: Option<&'static str>) -> StatementBody {
        self.skip_rest();
        StatementBody::Unsupported(what)
    }

    /// `EXPLAIN` and its options, if it comes next.
    fn explain(&mut self) -> Result<Option<Explain>> {
        if !self.parse_keyword(Keyword::EXPLAIN) {
            return Ok(None);
        }
        if self.peek() == Token::LParen && !self.at_parenthesized_query() {
            return Ok(Some(Explain {
                is_query_plan: false,
                is_analyze: false,
                is_verbose: false,
                options: self.parse_utility_options()?,
            }));
        }
        let is_word = |at: usize, word: &str| {
            let text = self.text_of(self.peek_nth_token(at));
            text.eq_ignore_ascii_case(word)
        };
        let is_query_plan = is_word(0, "query") && is_word(1, "plan");
        if is_query_plan {
            self.next_token();
            self.next_token();
        }
        Ok(Some(Explain {
            is_query_plan,
            is_analyze: !is_query_plan && self.parse_keyword(Keyword::ANALYZE),
            is_verbose: !is_query_plan && self.parse_keyword(Keyword::VERBOSE),
            options: Vec::new(),
        }))
    }

    fn statement_body(&mut self) -> Result<StatementBody> {
        let first = self.next_token();
        match first.keyword {
            Keyword::SELECT | Keyword::VALUES | Keyword::WITH | Keyword::TABLE => {
                self.prev_token();
                self.whole_query()
            }
            Keyword::INSERT => {
                let insert = Box::new(self.parse_insert(first)?);
                Ok(change(Dml::Insert(insert)))
            }
            Keyword::UPDATE => {
                let update = Box::new(self.parse_update(first)?);
                Ok(change(Dml::Update(update)))
            }
            Keyword::DELETE => {
                let delete = Box::new(self.parse_delete(first)?);
                Ok(change(Dml::Delete(delete)))
            }
            Keyword::MERGE => {
                let merge = Box::new(self.parse_merge(first)?);
                Ok(change(Dml::Merge(merge)))
            }
            Keyword::CREATE => self.create_statement(first),
            Keyword::ALTER => self.alter_statement(),
            Keyword::DROP => self.drop_statement(),
            Keyword::COMMENT => self.comment(),
            Keyword::REFRESH => self.refresh().map(StatementBody::Ddl),
            Keyword::GRANT | Keyword::REVOKE => self.grant(first.keyword).map(no_op),
            Keyword::REASSIGN => self.reassign_owned(),
            Keyword::REINDEX => self.reindex(),
            Keyword::CLUSTER => self.cluster(),
            _ if first.token == Token::LParen => {
                self.prev_token();
                self.whole_query()
            }
            _ => self.other_statement(first),
        }
    }

    /// A statement that neither reads or changes rows nor is about the catalog.
    fn other_statement(&mut self, first: Lexeme) -> Result<StatementBody> {
        Ok(match first.keyword {
            Keyword::BEGIN
            | Keyword::START
            | Keyword::COMMIT
            | Keyword::END
            | Keyword::ROLLBACK
            | Keyword::ABORT
            | Keyword::SAVEPOINT
            | Keyword::RELEASE => return self.transaction(first.keyword),
            Keyword::SET => return self.set(),
            Keyword::RESET => command(Command::Reset(self.setting_or_all()?)),
            Keyword::SHOW => command(Command::Show(self.setting_or_all()?)),
            Keyword::VACUUM => command(self.vacuum()?),
            Keyword::CHECKPOINT => command(Command::Checkpoint),
            Keyword::FETCH => command(self.fetch_rows(false)?),
            Keyword::MOVE => command(self.fetch_rows(true)?),
            Keyword::CLOSE => command(Command::Close(self.name_or_all()?)),
            Keyword::DEALLOCATE => {
                let _ = self.parse_keyword(Keyword::PREPARE);
                command(Command::Deallocate(self.name_or_all()?))
            }
            Keyword::DISCARD => return self.discard(),
            Keyword::PREPARE => return self.prepare(),
            Keyword::EXECUTE => StatementBody::Session(Session::Execute(Box::new(self.execute()?))),
            Keyword::DECLARE => StatementBody::Session(Session::Declare(Box::new(self.declare()?))),
            Keyword::TRUNCATE => utility(Utility::Truncate(Box::new(self.truncate()?))),
            Keyword::ANALYZE | Keyword::ANALYSE => utility(Utility::Analyze(self.analyze()?)),
            Keyword::LOCK => utility(Utility::LockTable(self.lock_table()?)),
            Keyword::COPY => utility(Utility::Copy(Box::new(self.parse_copy()?))),
            Keyword::DO => utility(Utility::Do(Box::new(self.do_block()?))),
            Keyword::CALL => utility(Utility::Call(Box::new(self.procedure_call()?))),
            Keyword::IMPORT
            | Keyword::LISTEN
            | Keyword::LOAD
            | Keyword::NOTIFY
            | Keyword::SECURITY
            | Keyword::UNLISTEN => self.unsupported(None),
            // No keywords of PostgreSQL.
            _ if self.text_of(first).eq_ignore_ascii_case("pragma") => return self.pragma(),
            _ if self.text_of(first).eq_ignore_ascii_case("flush") => command(Command::Checkpoint),
            _ if self.text_of(first).eq_ignore_ascii_case("compress") => command(self.compress()?),
            _ => return Err(self.error_at(first)),
        })
    }

    /// A query, or a statement that changes rows with WITH before it.
    fn whole_query(&mut self) -> Result<StatementBody> {
        let mut query = self.parse_query()?;
        if !matches!(*query.body, QueryBody::Dml(_)) {
            query = match saved_dictionary(query) {
                Ok(insert) => return Ok(change(Dml::Insert(insert))),
                Err(query) => query,
            };
            return Ok(match transparent_call(query) {
                Ok(call) => StatementBody::Session(Session::Transparent(Box::new(call))),
                Err(query) => StatementBody::Query(query),
            });
        }
        Ok(match core::mem::take(&mut *query.body) {
            QueryBody::Dml(dml) => StatementBody::Dml {
                with: query.with.take(),
                dml: *dml,
            },
            _ => StatementBody::Query(query),
        })
    }
}

/// A statement that changes rows, without WITH before it.
fn change(dml: Dml) -> StatementBody {
    StatementBody::Dml { with: None, dml }
}

fn utility(utility: Utility) -> StatementBody {
    StatementBody::Utility(utility)
}
