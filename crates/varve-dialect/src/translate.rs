//! The second reading: statement by statement, into our own dialect.

use sqlparser::ast::Statement as Ast;
use sqlparser::tokenizer::TokenWithSpan;

use crate::Dialect;
use crate::parse::{statement, tokens};
use crate::passed_over::{Verdict, name, verdict};
use crate::scope::Writer;
use crate::script::{Fault, Remark, Result, Script};
use crate::split::{Piece, pieces};
use crate::survey::survey;
use crate::translator::Translator;

/// Letters of a statement that is passed over.
const SHOWN_CHARS_MAX: usize = 60;

/// Translates a script.
pub fn translate(script: &[u8], dialect: Dialect) -> Script {
    let schema = survey(script, dialect);
    let mut translator = Translator::new(&schema, dialect);
    for piece in pieces(script, dialect) {
        if let Err(fault) = piece.and_then(|piece| translator.piece(&piece)) {
            translator.script.faults.push(fault);
        }
    }
    let Translator {
        mut script, later, ..
    } = translator;
    script.statements.extend(later.finish());
    script
}

impl Translator<'_> {
    fn piece(&mut self, piece: &Piece) -> Result<()> {
        let (written, later) = (self.script.statements.len(), self.later.len());
        let outcome = self.checked(piece).map_err(|fault| fault.at(piece.line));
        if outcome.is_err() {
            self.script.statements.truncate(written);
            self.later.truncate(later);
        }
        outcome
    }

    fn checked(&mut self, piece: &Piece) -> Result<()> {
        if self.dialect == Dialect::Sqlite && piece.text.starts_with('.') {
            return Err(Fault::new(piece.line, "a command of SQLite's shell"));
        }
        let tokens = tokens(piece, self.dialect)?;
        match verdict(&tokens, self.dialect) {
            Verdict::PassOver => self.pass_over(piece, &tokens),
            Verdict::Refuse(message) => Err(Fault::new(piece.line, message)),
            Verdict::Trigger => self.create_trigger(&tokens, piece.line),
            Verdict::Read => self.statement(statement(tokens, self.dialect)?, piece.line),
        }
    }

    fn pass_over(&mut self, piece: &Piece, tokens: &[TokenWithSpan]) -> Result<()> {
        if name(tokens, 0) == "use" {
            let name = name(tokens, 1);
            if self.database.get_or_insert_with(|| name.clone()) != &name {
                let message = format!("USE {name}: a second database; load each by itself");
                return Err(Fault::new(piece.line, message));
            }
        }
        let words: Vec<&str> = piece.text.split_whitespace().collect();
        let message = words.join(" ").chars().take(SHOWN_CHARS_MAX).collect();
        let line = piece.line;
        self.script.passed_over.push(Remark { line, message });
        Ok(())
    }

    fn statement(&mut self, ast: Ast, at: u64) -> Result<()> {
        let mut writer = Writer::new(self.schema, self.dialect);
        let text = match ast {
            Ast::CreateTable(create) => return self.create_table(&create, at),
            Ast::CreateIndex(index) => return self.create_index(&index, at),
            Ast::CreateView(view) => return self.create_view(&view, at),
            Ast::AlterTable(alter) => return self.alter_table(&alter, at),
            Ast::Drop {
                object_type,
                if_exists,
                names,
                ..
            } => return self.drop_objects(object_type, if_exists, &names, at),
            Ast::Insert(insert) => writer.insert(&insert)?,
            Ast::Update(update) => writer.update(&update)?,
            Ast::Delete(delete) => writer.delete(&delete)?,
            Ast::Query(query) => writer.query(&query)?,
            _ => return Err(Fault::new(at, "a statement that has no counterpart")),
        };
        self.write(at, text);
        Ok(())
    }
}
