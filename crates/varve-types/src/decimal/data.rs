//! The decimals of a column.

use crate::Decimal;

/// Decimals in rows: mantissas, and the scale that all have or that each has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecimalData {
    mantissas: Vec<i128>,
    scales: Scales,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Scales {
    /// No number has come yet.
    Open,
    /// That of every row.
    Same(u8),
    /// One a row.
    Each(Vec<u8>),
}

impl Default for DecimalData {
    fn default() -> DecimalData {
        DecimalData::with_capacity(0)
    }
}

impl DecimalData {
    /// No rows, with room for some.
    pub fn with_capacity(rows: usize) -> DecimalData {
        DecimalData {
            mantissas: Vec::with_capacity(rows),
            scales: Scales::Open,
        }
    }

    /// Decimals of one scale.
    pub fn of_scale(mantissas: Vec<i128>, scale: u8) -> DecimalData {
        DecimalData {
            mantissas,
            scales: Scales::Same(scale),
        }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.mantissas.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.mantissas.is_empty()
    }

    /// The mantissas.
    pub fn mantissas(&self) -> &[i128] {
        &self.mantissas
    }

    /// The scale of all rows, where it is the same. That of NaN and the infinities has no meaning.
    pub fn scale(&self) -> Option<u8> {
        match self.scales {
            Scales::Open => Some(0),
            Scales::Same(scale) => Some(scale),
            Scales::Each(_) => None,
        }
    }

    /// Row `i`.
    pub fn get(&self, i: usize) -> Option<Decimal> {
        let mantissa = *self.mantissas.get(i)?;
        let scale = match &self.scales {
            Scales::Open => 0,
            Scales::Same(scale) => *scale,
            Scales::Each(scales) => *scales.get(i)?,
        };
        Some(Decimal::from_parts(mantissa, scale))
    }

    /// Adds a row.
    pub fn push(&mut self, number: Decimal) {
        let rows = self.mantissas.len();
        let scale = number.scale();
        match &mut self.scales {
            Scales::Each(scales) => scales.push(scale),
            _ if !number.is_finite() => {}
            Scales::Open => self.scales = Scales::Same(scale),
            Scales::Same(same) if *same == scale => {}
            Scales::Same(same) => {
                let mut scales = vec![*same; rows];
                scales.push(scale);
                self.scales = Scales::Each(scales);
            }
        }
        self.mantissas.push(number.mantissa());
    }

    /// Adds a row of a NULL.
    pub fn push_null(&mut self) {
        if let Scales::Each(scales) = &mut self.scales {
            scales.push(0);
        }
        self.mantissas.push(0);
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> usize {
        let scales = match &self.scales {
            Scales::Open | Scales::Same(_) => 1,
            Scales::Each(scales) => scales.len(),
        };
        self.mantissas.len() * 16 + scales
    }
}
