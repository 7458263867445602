//! Functions and procedures of users: what is known of them, and their bytes in the catalog.
//!
//! A function is kept as the text of its body, which is parsed when it is first called and bound
//! into each statement that calls it; names in it mean what they mean to the caller, or what they
//! meant when it was made, where it is `BEGIN ATOMIC`.
//!
//! | field | bytes |
//! |---|---|
//! | version of this layout | 1: 1 |
//! | kind of object | 1, 21 = function |
//! | object id | 8 |
//! | name | 2 (length) + UTF-8 |
//! | flags: 1 gives a set, 2 strict, 4 PL/pgSQL, 8 stable, 16 immutable, 32 statements instead of a text, 64 what it uses is listed, 128 a procedure | 1 |
//! | what it gives: 0 nothing, 1 a trigger, 2 a value, 3 rows of a relation or composite type, 4 its OUT columns, 5 records, 6 a value of a domain | 1 |
//! | 2, 6: type code; 3: object of the relation; 6: that of the domain | bytes; 8; 8 |
//! | number of arguments, each: mode (0 IN, 1 OUT, 2 INOUT, 3 VARIADIC, 4 TABLE; 8 more with a default, 16 of a domain), type code, object of the domain, name | 2, then 1 + bytes + 8 + 2 + UTF-8 |
//! | the text of its default, where there is one | 4 (length) + UTF-8 |
//! | length of the body, the body | 4 + UTF-8 |
//! | number of objects that it uses, their ids | 2, then 8 each |

use std::sync::{Arc, OnceLock};

use varve_ast::ArgumentMode;
use varve_expr::Volatility;
use varve_parser::plpgsql::{Code, Header, ReturnKind, parse_body};
use varve_types::{LogicalType, ObjectId, Result, RowTypeId, SqlText, TypeMod, sql};

use crate::model::bytes::{Input, broken, code, put_count, put_name, schema_head};
use crate::model::catalog::Catalog;
use crate::model::schema::RelationName;
use crate::model::view::{put_text, take_object, take_text};

const LAYOUT_VERSION: u8 = 1;
const RECORD: LogicalType = LogicalType::Row(RowTypeId::RECORD);
/// The kind of object that a function is.
pub(crate) const KIND_FUNCTION: u8 = 21;
const IS_SET: u8 = 1;
const IS_STRICT: u8 = 2;
const IS_PLPGSQL: u8 = 4;
const IS_STABLE: u8 = 8;
const IS_IMMUTABLE: u8 = 16;
const IS_ATOMIC: u8 = 32;
const HAS_READS: u8 = 64;
const IS_PROCEDURE: u8 = 128;
const HAS_DEFAULT: u8 = 8;
const HAS_DOMAIN: u8 = 16;

/// Modes by their codes.
const MODES: [ArgumentMode; 5] = [
    ArgumentMode::In,
    ArgumentMode::Out,
    ArgumentMode::InOut,
    ArgumentMode::Variadic,
    ArgumentMode::Table,
];

/// A function or a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDef {
    /// Whether it is a procedure: only CALL runs it, with a value for each OUT argument too.
    pub is_procedure: bool,
    /// Its catalog object.
    pub object: ObjectId,
    /// The schema that it is in.
    pub schema: ObjectId,
    /// Its name, as it was folded.
    pub name: String,
    /// Its arguments, those for results included.
    pub arguments: Vec<ArgumentDef>,
    /// What it gives.
    pub returns: Returns,
    /// The domain of the value that it gives.
    pub domain: Option<ObjectId>,
    /// Whether it gives any number of rows.
    pub returns_set: bool,
    /// Whether a NULL argument makes the result NULL.
    pub is_strict: bool,
    /// What the result depends on.
    pub volatility: Volatility,
    /// Whether the body is PL/pgSQL, else SQL.
    pub is_plpgsql: bool,
    /// Whether the body is statements (`BEGIN ATOMIC`) whose names are known since it was made,
    /// else a text whose names are those that its callers find.
    pub is_atomic: bool,
    /// The text of its body.
    pub body: String,
    /// The objects that defaults and the statements of the body name.
    pub reads: Vec<ObjectId>,
    /// The body, once it was needed.
    pub parsed: ParsedBody,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentDef {
    /// What it is for.
    pub mode: ArgumentMode,
    /// Its name; empty without one.
    pub name: String,
    /// Its type.
    pub ty: LogicalType,
    /// What bounds it; only of a column that a call defines.
    pub modifier: TypeMod,
    /// The domain that its values, or the elements of its arrays, are of.
    pub domain: Option<ObjectId>,
    /// The text of its default.
    pub default: Option<String>,
}

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Nothing.
    Void,
    /// It is called by triggers.
    Trigger,
    /// A value.
    Value(LogicalType),
    /// A row of a table, view or composite type.
    Relation(ObjectId),
    /// A row of its OUT arguments.
    Columns,
    /// A row of what columns its body has.
    Record,
}

/// A body that was parsed, once it was needed.
#[derive(Clone, Default)]
pub struct ParsedBody(OnceLock<Arc<Code>>);

impl ParsedBody {
    /// What `parse` makes of the text, the first time.
    pub(crate) fn get(&self, parse: &dyn Fn() -> Result<Code>) -> Result<Arc<Code>> {
        if let Some(parsed) = self.0.get() {
            return Ok(Arc::clone(parsed));
        }
        let parsed = Arc::new(parse()?);
        Ok(Arc::clone(self.0.get_or_init(|| parsed)))
    }
}

impl PartialEq for ParsedBody {
    fn eq(&self, _: &ParsedBody) -> bool {
        true
    }
}

impl core::fmt::Debug for ParsedBody {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("ParsedBody")
    }
}

impl ArgumentDef {
    /// Whether a call gives it.
    pub fn is_input(&self) -> bool {
        !matches!(self.mode, ArgumentMode::Out | ArgumentMode::Table)
    }

    /// Whether it is part of the result.
    pub fn is_output(&self) -> bool {
        !matches!(self.mode, ArgumentMode::In | ArgumentMode::Variadic)
    }
}

impl FunctionDef {
    /// The arguments that a call gives.
    pub fn inputs(&self) -> impl Iterator<Item = &ArgumentDef> {
        self.arguments
            .iter()
            .filter(|argument| self.takes(argument))
    }

    /// Whether a call gives an argument.
    pub fn takes(&self, argument: &ArgumentDef) -> bool {
        self.is_procedure || argument.is_input()
    }

    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self.is_procedure {
            true => "procedure",
            false => "function",
        }
    }

    /// The types that tell it from others of its name.
    pub fn input_types(&self) -> Vec<LogicalType> {
        self.inputs().map(|argument| argument.ty).collect()
    }

    /// Its name with the types of its arguments.
    pub fn signature(&self) -> String {
        let types = self.inputs().map(|argument| argument.ty.to_string());
        let types: Vec<String> = types.collect();
        format!("{}({})", self.name, types.join(","))
    }

    /// The names and types of the columns that it gives; none where its relation is gone.
    pub fn columns(&self, catalog: &Catalog) -> Vec<(String, LogicalType)> {
        let outputs = || {
            self.arguments
                .iter()
                .filter(|argument| argument.is_output())
        };
        match self.returns {
            Returns::Void | Returns::Trigger => vec![(self.name.clone(), LogicalType::Text)],
            Returns::Value(ty) => {
                let name = outputs().next().map(|argument| argument.name.clone());
                let name = name.filter(|name| !name.is_empty());
                vec![(name.unwrap_or_else(|| self.name.clone()), ty)]
            }
            Returns::Relation(object) => catalog.row_columns(object),
            Returns::Record => vec![(self.name.clone(), RECORD)],
            Returns::Columns => (1..)
                .zip(outputs())
                .map(|(number, argument)| match argument.name.is_empty() {
                    true => (format!("column{number}"), argument.ty),
                    false => (argument.name.clone(), argument.ty),
                })
                .collect(),
        }
    }

    /// Whether the name of a column of the result is that of the function.
    pub fn has_unnamed_column(&self) -> bool {
        let mut outputs = self
            .arguments
            .iter()
            .filter(|argument| argument.is_output());
        self.row_type().is_none() && outputs.all(|argument| argument.name.is_empty())
    }

    /// The type of the rows that it gives; `None` where it gives values.
    pub fn row_type(&self) -> Option<LogicalType> {
        match self.returns {
            Returns::Relation(object) => {
                let id = u32::try_from(object.0).ok()?;
                Some(LogicalType::Row(RowTypeId(id)))
            }
            Returns::Columns | Returns::Record => Some(RECORD),
            _ => None,
        }
    }

    /// What bounds a column that it gives.
    pub fn column_modifier(&self, at: usize, catalog: &Catalog) -> TypeMod {
        let modifier = match (self.returns, self.row_type()) {
            (Returns::Relation(_), Some(LogicalType::Row(id))) => {
                let fields = catalog.fields_of(id).unwrap_or_default();
                fields.get(at).map(|(.., modifier)| *modifier)
            }
            _ => {
                let mut outputs = self.arguments.iter().filter(|one| one.is_output());
                outputs.nth(at).map(|output| output.modifier)
            }
        };
        modifier.unwrap_or(TypeMod::NONE)
    }

    /// The domain of a column that it gives.
    pub fn column_domain(&self, at: usize) -> Option<ObjectId> {
        let mut outputs = self.arguments.iter().filter(|one| one.is_output());
        outputs.nth(at).map_or(self.domain, |output| output.domain)
    }

    /// Whether it takes or gives values of a domain.
    pub(crate) fn names_domain(&self, domain: ObjectId) -> bool {
        let mut arguments = self.arguments.iter();
        let domain = Some(domain);
        self.domain == domain || arguments.any(|argument| argument.domain == domain)
    }

    /// Whether it takes or gives values of such a type.
    pub(crate) fn names(&self, is: &dyn Fn(LogicalType) -> bool) -> bool {
        let returned = match self.returns {
            Returns::Value(ty) => Some(ty),
            _ => self.row_type(),
        };
        returned.is_some_and(is) || self.arguments.iter().any(|argument| is(argument.ty))
    }

    /// Its body.
    pub fn code(&self) -> Result<Arc<Code>> {
        self.parsed.get(&|| match self.is_plpgsql {
            true => parse_body(self.header(&self.argument_names()), &self.body),
            false => Code::of_statements(&self.body),
        })
    }

    fn argument_names(&self) -> Vec<&str> {
        let arguments = self.arguments.iter();
        arguments.map(|argument| argument.name.as_str()).collect()
    }

    /// What its body may use of it.
    fn header<'a>(&'a self, arguments: &'a [&'a str]) -> Header<'a> {
        Header {
            name: &self.name,
            arguments,
            returns: match self.returns {
                Returns::Void => ReturnKind::Void,
                Returns::Trigger => ReturnKind::Trigger,
                _ => ReturnKind::Value,
            },
            returns_set: self.returns_set,
        }
    }
}

impl Catalog {
    /// The names and types of the columns of a table, view or composite type.
    fn row_columns(&self, object: ObjectId) -> Vec<(String, LogicalType)> {
        let id = u32::try_from(object.0).unwrap_or(0);
        let fields = self
            .fields_of(RowTypeId(id))
            .unwrap_or_default()
            .into_iter();
        fields.map(|(name, ty, _)| (name, ty)).collect()
    }
}

impl Catalog {
    /// A function as messages name it, with its schema where it is not found without.
    pub fn shown_function(&self, def: &FunctionDef) -> SqlText {
        let types: Vec<SqlText> = def
            .input_types()
            .into_iter()
            .map(|ty| self.shown_type(ty))
            .collect();
        let types = SqlText::joined(&types, ",");
        sql![self.function_name(def), "(", types, ")"]
    }

    /// The name of a function, with its schema where it is not found without.
    pub fn function_name(&self, def: &FunctionDef) -> SqlText {
        let plain = RelationName {
            schema: None,
            name: def.name.clone(),
        };
        let mut known = self.functions_named(&plain).into_iter();
        let types = def.input_types();
        let first = known.find(|known| known.input_types() == types);
        match first.is_some_and(|known| known.object == def.object) {
            true => SqlText::name(&def.name),
            false => SqlText::name_in(self.schema_name(def.schema), &def.name),
        }
    }
}

/// The bytes of a function in the catalog.
pub fn encode_function(def: &FunctionDef) -> Result<Vec<u8>> {
    let mut bytes = schema_head(def.schema);
    bytes.extend([LAYOUT_VERSION, KIND_FUNCTION]);
    bytes.extend(def.object.0.to_le_bytes());
    put_name(&mut bytes, &def.name)?;
    let flag = |is: bool, flag: u8| if is { flag } else { 0 };
    let volatility = match def.volatility {
        Volatility::Volatile => 0,
        Volatility::Stable => IS_STABLE,
        Volatility::Immutable => IS_IMMUTABLE,
    };
    bytes.push(
        flag(def.returns_set, IS_SET)
            | flag(def.is_strict, IS_STRICT)
            | flag(def.is_plpgsql, IS_PLPGSQL)
            | flag(def.is_atomic, IS_ATOMIC)
            | flag(!def.reads.is_empty(), HAS_READS)
            | flag(def.is_procedure, IS_PROCEDURE)
            | volatility,
    );
    match def.returns {
        Returns::Void => bytes.push(0),
        Returns::Trigger => bytes.push(1),
        Returns::Value(ty) => {
            bytes.push(if def.domain.is_some() { 6 } else { 2 });
            ty.encode(&mut bytes);
            if let Some(domain) = def.domain {
                bytes.extend(domain.0.to_le_bytes());
            }
        }
        Returns::Relation(object) => {
            bytes.push(3);
            bytes.extend(object.0.to_le_bytes());
        }
        Returns::Columns => bytes.push(4),
        Returns::Record => bytes.push(5),
    }
    put_count(&mut bytes, def.arguments.len())?;
    for argument in &def.arguments {
        let code = code(&MODES, &argument.mode)?;
        bytes.push(
            code | flag(argument.default.is_some(), HAS_DEFAULT)
                | flag(argument.domain.is_some(), HAS_DOMAIN),
        );
        argument.ty.encode(&mut bytes);
        if let Some(domain) = argument.domain {
            bytes.extend(domain.0.to_le_bytes());
        }
        put_name(&mut bytes, &argument.name)?;
        if let Some(default) = &argument.default {
            put_text(&mut bytes, default)?;
        }
    }
    put_text(&mut bytes, &def.body)?;
    if !def.reads.is_empty() {
        put_count(&mut bytes, def.reads.len())?;
        for object in &def.reads {
            bytes.extend(object.0.to_le_bytes());
        }
    }
    Ok(bytes)
}

/// The function that [`encode_function`] wrote; `XX001` for any other bytes.
pub(crate) fn decode_function(bytes: &[u8]) -> Result<FunctionDef> {
    let (schema, mut input) = Input::behind(bytes, [LAYOUT_VERSION, KIND_FUNCTION])?;
    let object = take_object(&mut input)?;
    let name = input.name()?;
    let flags = input.u8()?;
    let volatility = match flags & (IS_STABLE | IS_IMMUTABLE) {
        0 => Volatility::Volatile,
        IS_STABLE => Volatility::Stable,
        IS_IMMUTABLE => Volatility::Immutable,
        _ => return Err(broken("flags of a function")),
    };
    let (returns, domain) = decode_returns(&mut input)?;
    let mut arguments = Vec::new();
    for _ in 0..input.count()? {
        arguments.push(decode_argument(&mut input)?);
    }
    let body = take_text(&mut input)?;
    let mut reads = Vec::new();
    if flags & HAS_READS != 0 {
        for _ in 0..input.count()? {
            reads.push(take_object(&mut input)?);
        }
        if reads.is_empty() {
            return Err(broken("flags of a function"));
        }
    }
    input.end()?;
    Ok(FunctionDef {
        is_procedure: flags & IS_PROCEDURE != 0,
        object,
        schema,
        name,
        arguments,
        returns,
        domain,
        returns_set: flags & IS_SET != 0,
        is_strict: flags & IS_STRICT != 0,
        volatility,
        is_plpgsql: flags & IS_PLPGSQL != 0,
        is_atomic: flags & IS_ATOMIC != 0,
        body,
        reads,
        parsed: ParsedBody::default(),
    })
}

/// What a function gives, and the domain of that.
fn decode_returns(input: &mut Input<'_>) -> Result<(Returns, Option<ObjectId>)> {
    let kind = input.u8()?;
    let mut domain = None;
    let returns = match kind {
        0 => Returns::Void,
        1 => Returns::Trigger,
        2 | 6 => {
            let ty = input.ty().ok_or_else(|| broken("type of a result"))?;
            if kind == 6 {
                domain = Some(take_object(input)?);
            }
            Returns::Value(ty)
        }
        3 => Returns::Relation(take_object(input)?),
        4 => Returns::Columns,
        5 => Returns::Record,
        _ => return Err(broken("result of a function")),
    };
    Ok((returns, domain))
}

fn decode_argument(input: &mut Input<'_>) -> Result<ArgumentDef> {
    let code = input.u8()?;
    let mode = MODES.get(usize::from(code & !(HAS_DEFAULT | HAS_DOMAIN)));
    let mode = *mode.ok_or_else(|| broken("mode of an argument"))?;
    let ty = input.ty().ok_or_else(|| broken("type of an argument"))?;
    let domain = match code & HAS_DOMAIN {
        0 => None,
        _ => Some(take_object(input)?),
    };
    let name = input.name()?;
    let default = match code & HAS_DEFAULT {
        0 => None,
        _ => Some(take_text(input)?),
    };
    Ok(ArgumentDef {
        mode,
        name,
        ty,
        modifier: TypeMod::NONE,
        domain,
        default,
    })
}

#[cfg(test)]
mod tests {
    use super::{ArgumentDef, FunctionDef, ParsedBody, Returns, decode_function, encode_function};
    use varve_ast::ArgumentMode;
    use varve_expr::Volatility;
    use varve_types::{LogicalType, ObjectId, TypeMod};

    #[test]
    fn every_damaged_function_is_refused_or_sound() {
        let argument = |mode, default: Option<&str>| ArgumentDef {
            mode,
            name: "a".to_owned(),
            ty: LogicalType::Int4,
            modifier: TypeMod::NONE,
            domain: default.map(|_| ObjectId(5)),
            default: default.map(str::to_owned),
        };
        let returns = [
            Returns::Void,
            Returns::Trigger,
            Returns::Value(LogicalType::Text),
            Returns::Relation(ObjectId(7)),
            Returns::Columns,
            Returns::Record,
        ];
        for returns in returns {
            let def = FunctionDef {
                is_procedure: returns == Returns::Columns,
                object: ObjectId(3),
                schema: ObjectId(9),
                name: "f".to_owned(),
                arguments: vec![
                    argument(ArgumentMode::In, Some("1")),
                    argument(ArgumentMode::Table, None),
                ],
                returns,
                domain: matches!(returns, Returns::Value(_)).then_some(ObjectId(8)),
                returns_set: true,
                is_strict: true,
                volatility: Volatility::Stable,
                is_plpgsql: false,
                is_atomic: true,
                body: "select 1".to_owned(),
                reads: vec![ObjectId(6)],
                parsed: ParsedBody::default(),
            };
            let good = encode_function(&def).unwrap();
            assert_eq!(decode_function(&good), Ok(def));
            for len in 0..good.len() {
                assert!(decode_function(&good[..len]).is_err(), "{len}");
            }
            for at in 0..good.len() {
                for byte in 0..=255 {
                    let mut bad = good.clone();
                    bad[at] = byte;
                    if let Ok(def) = decode_function(&bad) {
                        assert_eq!(encode_function(&def).unwrap(), bad);
                    }
                }
            }
        }
    }
}
