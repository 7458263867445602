//! Types that a call decides: `anyelement`, `anyarray`, `anycompatible` and their like.
//!
//! A function of such types is kept with them; a call makes one of real types of it, which is
//! bound as any other.

use varve_expr::common_type;
use varve_types::{ElementType, EnumId, Error, LogicalType, Result, SqlState};

use crate::model::function_def::{FunctionDef, Returns};
use crate::model::schema::RelationName;

/// Their names and OIDs.
const PSEUDO_TYPES: [(&str, u16); 7] = [
    ("anyelement", 2283),
    ("anyarray", 2277),
    ("anynonarray", 2776),
    ("anyenum", 3500),
    ("anycompatible", 5077),
    ("anycompatiblearray", 5078),
    ("anycompatiblenonarray", 5079),
];
/// `"any"`: each argument has the type that it is given, or `text`. Only routines that are built
/// in have such arguments.
pub const ANY: LogicalType = LogicalType::Enum(EnumId::pseudo(2276));
/// Those that PostgreSQL has beside.
const OF_RANGES: [&str; 5] = [
    "any",
    "anyrange",
    "anymultirange",
    "anycompatiblerange",
    "anycompatiblemultirange",
];

/// What the types of a call make of `anyelement` and of `anycompatible`.
pub struct Bound {
    element: Option<LogicalType>,
    compatible: Option<LogicalType>,
}

/// The name of a type that a call decides.
pub fn pseudo_name(ty: LogicalType) -> Option<&'static str> {
    if ty == ANY {
        return Some("\"any\"");
    }
    let LogicalType::Enum(id) = ty else {
        return None;
    };
    let mut known = PSEUDO_TYPES.iter();
    let known = known.find(|(_, oid)| EnumId::pseudo(*oid) == id);
    known.map(|(name, _)| *name)
}

/// The type that a call decides, of this name.
pub fn pseudo_type(name: &RelationName) -> Result<Option<LogicalType>> {
    if name
        .schema
        .as_deref()
        .is_some_and(|schema| schema != "pg_catalog")
    {
        return Ok(None);
    }
    if OF_RANGES.contains(&name.name.as_str()) {
        return Err(Error::unsupported(format!("type {name}")));
    }
    let mut known = PSEUDO_TYPES.iter();
    let known = known.find(|(known, _)| *known == name.name);
    Ok(known.map(|(_, oid)| LogicalType::Enum(EnumId::pseudo(*oid))))
}

/// Whether a type is that of arrays, or may be.
pub fn is_array(ty: LogicalType) -> bool {
    matches!(ty, LogicalType::Array(_)) || pseudo_name(ty).is_some_and(is_of_arrays)
}

fn is_of_arrays(name: &str) -> bool {
    name.ends_with("array") && !name.ends_with("nonarray")
}

fn is_compatible(name: &str) -> bool {
    name.starts_with("anycompatible")
}

/// The type of the elements of an array.
pub fn element_of(ty: LogicalType) -> LogicalType {
    match (ty, pseudo_name(ty)) {
        (LogicalType::Array(element), _) => element.logical(),
        (_, Some(name)) if is_of_arrays(name) => {
            let element = if is_compatible(name) { 5077 } else { 2283 };
            LogicalType::Enum(EnumId::pseudo(element))
        }
        _ => ty,
    }
}

/// What arguments of these types, each with that of a value, decide; `None` where they differ.
pub fn bound(pairs: &[(LogicalType, Option<LogicalType>)]) -> Option<Bound> {
    let mut element = None;
    let mut compatible = Vec::new();
    for (declared, written) in pairs {
        let Some(name) = pseudo_name(*declared) else {
            continue;
        };
        if *declared == ANY {
            continue;
        }
        let of = match (is_of_arrays(name), written) {
            (true, Some(LogicalType::Array(of))) => Some(ElementType::logical(*of)),
            (true, Some(_)) => return None,
            (false, Some(LogicalType::Array(_))) if name.ends_with("nonarray") => return None,
            (false, Some(ty)) if name == "anyenum" && !matches!(ty, LogicalType::Enum(_)) => {
                return None;
            }
            (_, written) => *written,
        };
        if is_compatible(name) {
            compatible.push(of);
        } else if let Some(of) = of
            && *element.get_or_insert(of) != of
        {
            return None;
        }
    }
    let compatible = match compatible.as_slice() {
        [] => None,
        types => Some(common_type(types)?),
    };
    Some(Bound {
        element,
        compatible,
    })
}

impl Bound {
    /// A type as the call has it.
    pub(crate) fn real(&self, ty: LogicalType) -> Result<LogicalType> {
        let Some(name) = pseudo_name(ty) else {
            return Ok(ty);
        };
        let of = if is_compatible(name) {
            self.compatible
        } else {
            self.element
        };
        let of = of.ok_or_else(|| {
            let message = "could not determine polymorphic type because input has type unknown";
            Error::new(SqlState::DATATYPE_MISMATCH, message)
        })?;
        if !is_of_arrays(name) {
            return Ok(of);
        }
        of.array().ok_or_else(|| {
            let message = format!("could not find array type for data type {of}");
            Error::new(SqlState::UNDEFINED_OBJECT, message)
        })
    }
}

impl FunctionDef {
    /// Whether a call decides some of its types.
    pub fn is_polymorphic(&self) -> bool {
        let mut arguments = self.arguments.iter();
        arguments.any(|argument| pseudo_name(argument.ty).is_some())
    }

    /// The function as a call has it.
    pub fn real(&self, bound: &Bound) -> Result<FunctionDef> {
        let mut real = self.clone();
        for argument in &mut real.arguments {
            argument.ty = bound.real(argument.ty)?;
        }
        if let Returns::Value(ty) = &mut real.returns {
            *ty = bound.real(*ty)?;
        }
        Ok(real)
    }

    /// Refuses results that no argument decides.
    pub fn check_pseudo_types(&self) -> Result<()> {
        let outputs = self.arguments.iter().filter(|one| one.is_output());
        let value = match self.returns {
            Returns::Value(ty) => Some(ty),
            _ => None,
        };
        for name in outputs
            .map(|one| one.ty)
            .chain(value)
            .filter_map(pseudo_name)
        {
            let kind = |ty| pseudo_name(ty).map(is_compatible);
            if self
                .inputs()
                .any(|one| kind(one.ty) == Some(is_compatible(name)))
            {
                continue;
            }
            let needed = match is_compatible(name) {
                true => {
                    "anycompatible, anycompatiblearray, anycompatiblenonarray, \
                     anycompatiblerange, or anycompatiblemultirange"
                }
                false => "anyelement, anyarray, anynonarray, anyenum, anyrange, or anymultirange",
            };
            let message = "cannot determine result data type";
            let error = Error::new(SqlState::INVALID_FUNCTION_DEFINITION, message);
            return Err(error.with_detail(format!(
                "A result of type {name} requires at least one input of type {needed}."
            )));
        }
        Ok(())
    }
}
