//! The types of a signature, and what its placeholders stand for in a call.

use varve_types::{ElementType, LogicalType};

use crate::conversions::common_type;

/// The type of an argument or result in the function table: a type, or a placeholder.
///
/// A byte: the code of the type, with [`ARRAY`] set for arrays of it, or a number from 64 on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Param(u8);

const ARRAY: u8 = 0x80;

impl Param {
    /// `"any"`: taken as it is.
    pub(crate) const ANY: Param = Param(64);
    /// All of one type.
    pub(crate) const ELEMENT: Param = Param(65);
    /// An array of the type that [`Param::ELEMENT`] stands for.
    pub(crate) const ARRAY_OF_ELEMENT: Param = Param(66);
    /// As [`Param::ELEMENT`], but no array.
    pub(crate) const NON_ARRAY: Param = Param(67);
    /// As [`Param::ELEMENT`], but an enumeration.
    pub(crate) const ENUM: Param = Param(68);
    /// All are converted to their common type.
    pub(crate) const COMPATIBLE: Param = Param(69);
    /// An array of the type that [`Param::COMPATIBLE`] stands for.
    pub(crate) const ARRAY_OF_COMPATIBLE: Param = Param(70);
    /// As [`Param::COMPATIBLE`], but no array.
    pub(crate) const COMPATIBLE_NON_ARRAY: Param = Param(71);
    /// A row whose columns the call itself lists; of results only.
    pub(crate) const RECORD: Param = Param(72);

    /// The parameter of exactly this type.
    pub(crate) const fn of(ty: LogicalType) -> Param {
        Param(ty.code())
    }

    /// The parameter of exactly this type; those of the catalog are in no row of the table.
    pub(crate) fn of_type(ty: LogicalType) -> Param {
        match ty {
            LogicalType::Enum(_)
            | LogicalType::Row(_)
            | LogicalType::Array(ElementType::Enum(_) | ElementType::Row(_)) => Param(127),
            ty => Param::of(ty),
        }
    }

    /// The parameter that takes arrays of this type.
    pub(crate) const fn array(self) -> Param {
        Param(self.0 | ARRAY)
    }

    fn is_compatible(self) -> bool {
        (Param::COMPATIBLE.0..=Param::COMPATIBLE_NON_ARRAY.0).contains(&self.0)
    }

    fn is_element(self) -> bool {
        (Param::ELEMENT.0..=Param::ENUM.0).contains(&self.0)
    }

    fn is_array_of(self) -> bool {
        self == Param::ARRAY_OF_ELEMENT || self == Param::ARRAY_OF_COMPATIBLE
    }

    /// The type where placeholders stand for `bound`; `None` for `"any"` and records.
    pub(crate) fn ty(self, bound: Option<LogicalType>) -> Option<LogicalType> {
        if self.is_array_of() {
            return bound?.array();
        }
        if self.is_element() || self.is_compatible() {
            return bound;
        }
        let of = LogicalType::from_code(self.0 & !ARRAY)?;
        if self.0 & ARRAY == 0 {
            Some(of)
        } else {
            of.array()
        }
    }

    /// The parameter that takes the whole array of a VARIADIC call in the place of this one.
    pub(crate) fn spread(self) -> Param {
        match self {
            Param::ELEMENT => Param::ARRAY_OF_ELEMENT,
            Param::COMPATIBLE => Param::ARRAY_OF_COMPATIBLE,
            Param::ANY => Param::ANY,
            other => other.array(),
        }
    }

    /// PostgreSQL's OID of the type or placeholder.
    pub(crate) fn oid(self) -> u32 {
        /// Those of the placeholders, from [`Param::ANY`] on.
        const PLACEHOLDERS: [u32; 9] = [2276, 2283, 2277, 2776, 3500, 5077, 5078, 5079, 2249];
        let place = usize::from(self.0).checked_sub(usize::from(Param::ANY.0));
        let placeholder = place.and_then(|place| PLACEHOLDERS.get(place));
        match (placeholder, self.ty(None)) {
            (Some(number), _) => *number,
            (None, Some(ty)) => ty.oid(),
            (None, None) => 0,
        }
    }

    /// PostgreSQL's category; placeholders have one of their own.
    pub(crate) fn category(self) -> u8 {
        self.ty(None).map_or(b'P', LogicalType::category)
    }
}

/// What the placeholders among `params` stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// There are none.
    Plain,
    /// This type.
    Of(LogicalType),
    /// No argument tells.
    Unknown,
    /// The arguments do not go together.
    Conflict,
}

/// What the placeholders stand for, for arguments of these types (`None` where not known yet).
pub(crate) fn bind(params: &[(Param, Option<LogicalType>)]) -> Binding {
    let used = |test: fn(Param) -> bool| params.iter().any(|(param, _)| test(*param));
    let bound = if used(Param::is_compatible) {
        bind_compatible(params).map(Binding::Of)
    } else if used(Param::is_element) {
        bind_element(params)
    } else {
        Some(Binding::Plain)
    };
    bound.unwrap_or(Binding::Conflict)
}

fn bind_element(params: &[(Param, Option<LogicalType>)]) -> Option<Binding> {
    let mut bound = None;
    for (param, ty) in params {
        let (true, Some(ty)) = (param.is_element(), *ty) else {
            continue;
        };
        let element = if param.is_array_of() {
            element_of(ty)?
        } else {
            ty
        };
        if *bound.get_or_insert(element) != element {
            return None;
        }
    }
    let Some(bound) = bound else {
        return Some(Binding::Unknown);
    };
    let is_array = bound.array().is_none();
    let fits = params.iter().all(|(param, _)| match *param {
        Param::ARRAY_OF_ELEMENT | Param::NON_ARRAY => !is_array,
        Param::ENUM => matches!(bound, LogicalType::Enum(_)),
        _ => true,
    });
    fits.then_some(Binding::Of(bound))
}

fn bind_compatible(params: &[(Param, Option<LogicalType>)]) -> Option<LogicalType> {
    let mut types = Vec::with_capacity(params.len());
    for (param, ty) in params {
        match (*param, *ty) {
            (Param::ARRAY_OF_COMPATIBLE, Some(ty)) => types.push(Some(element_of(ty)?)),
            (param, ty) if param.is_compatible() => types.push(ty),
            _ => {}
        }
    }
    let bound = common_type(&types)?;
    let is_array = bound.array().is_none();
    let plain_only =
        |param: Param| param == Param::ARRAY_OF_COMPATIBLE || param == Param::COMPATIBLE_NON_ARRAY;
    let fits = !is_array || !params.iter().any(|(param, _)| plain_only(*param));
    fits.then_some(bound)
}

fn element_of(ty: LogicalType) -> Option<LogicalType> {
    match ty {
        LogicalType::Array(element) => Some(element.logical()),
        _ => None,
    }
}
