//! Unsigned integers of any size, for the intermediate results of decimal arithmetic that 128 bits
//! do not hold: at most a few dozen limbs, so the schoolbook methods are the fast ones.

use core::cmp::Ordering;

const BASE: u32 = 1_000_000_000;
const BASE_DIGITS: u32 = 9;

/// Limbs in base 10^9, least significant first, the last one not 0.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Big(Vec<u32>);

/// The low limb of a sum of products, and the carry.
fn split(wide: u64) -> (u32, u64) {
    let base = u64::from(BASE);
    // A remainder by 10^9 fits.
    (u32::try_from(wide % base).unwrap_or(0), wide / base)
}

impl Big {
    pub(crate) fn new(mut number: u128) -> Big {
        let base = u128::from(BASE);
        let mut limbs = Vec::with_capacity(5);
        while number > 0 {
            limbs.push(u32::try_from(number % base).unwrap_or(0));
            number /= base;
        }
        Big(limbs)
    }

    pub(crate) fn pow10(exponent: u32) -> Big {
        Big::new(1).times_pow10(exponent)
    }

    /// The number, where 128 bits hold it.
    pub(crate) fn to_u128(&self) -> Option<u128> {
        self.0.iter().rev().try_fold(0_u128, |number, limb| {
            number
                .checked_mul(u128::from(BASE))?
                .checked_add(u128::from(*limb))
        })
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of decimal digits; 0 of 0.
    pub(crate) fn digits(&self) -> u32 {
        let Some((last, rest)) = self.0.split_last() else {
            return 0;
        };
        let below = u32::try_from(rest.len()).unwrap_or(u32::MAX);
        below.saturating_mul(BASE_DIGITS) + last.ilog10() + 1
    }

    /// Of the number divided by `10^scale`: the first group of four digits, counted from the point,
    /// that is not 0, and its exponent of 10000.
    pub(crate) fn leading_group(&self, scale: u32) -> (i32, u32) {
        let digits = self.digits();
        if digits == 0 {
            return (0, 0);
        }
        let place = |digits: u32| i32::try_from(digits).unwrap_or(i32::MAX);
        let exponent = place(digits) - 1 - place(scale);
        let wanted = exponent.rem_euclid(4).unsigned_abs() + 1;
        let group = if digits >= wanted {
            self.divided(&Big::pow10(digits - wanted)).0
        } else {
            self.times_pow10(wanted - digits)
        };
        let first = group.to_u128().and_then(|first| u32::try_from(first).ok());
        (exponent.div_euclid(4), first.unwrap_or(0))
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.0.len() * size_of::<u32>()
    }

    fn limb(&self, at: usize) -> u32 {
        self.0.get(at).copied().unwrap_or(0)
    }

    fn trimmed(mut limbs: Vec<u32>) -> Big {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Big(limbs)
    }

    pub(crate) fn plus(&self, other: &Big) -> Big {
        let places = self.0.len().max(other.0.len());
        let mut limbs = Vec::with_capacity(places + 1);
        let mut carry = 0;
        for at in 0..=places {
            let sum = u64::from(self.limb(at)) + u64::from(other.limb(at)) + carry;
            let (limb, over) = split(sum);
            limbs.push(limb);
            carry = over;
        }
        Big::trimmed(limbs)
    }

    /// The difference; `other` is not greater.
    pub(crate) fn minus(&self, other: &Big) -> Big {
        let mut limbs = Vec::with_capacity(self.0.len());
        let mut borrow = 0;
        for (at, limb) in self.0.iter().enumerate() {
            let taken = other.limb(at) + borrow;
            borrow = u32::from(*limb < taken);
            limbs.push((limb + borrow * BASE).saturating_sub(taken));
        }
        Big::trimmed(limbs)
    }

    pub(crate) fn times_small(&self, factor: u32) -> Big {
        let mut limbs = Vec::with_capacity(self.0.len() + 2);
        let mut carry = 0;
        for limb in &self.0 {
            let (low, over) = split(u64::from(*limb) * u64::from(factor) + carry);
            limbs.push(low);
            carry = over;
        }
        while carry > 0 {
            let (low, over) = split(carry);
            limbs.push(low);
            carry = over;
        }
        Big::trimmed(limbs)
    }

    pub(crate) fn times(&self, other: &Big) -> Big {
        let mut limbs = vec![0_u32; self.0.len() + other.0.len()];
        for (at, a) in self.0.iter().enumerate() {
            let mut carry = 0;
            let mut factors = other.0.iter();
            for slot in limbs.iter_mut().skip(at) {
                let product = u64::from(*a) * u64::from(factors.next().copied().unwrap_or(0));
                let (low, over) = split(u64::from(*slot) + product + carry);
                *slot = low;
                carry = over;
            }
        }
        Big::trimmed(limbs)
    }

    pub(crate) fn times_pow10(&self, exponent: u32) -> Big {
        if self.is_zero() {
            return Big::default();
        }
        let mut limbs = vec![0; (exponent / BASE_DIGITS) as usize];
        let small = self.times_small(10_u32.pow(exponent % BASE_DIGITS));
        limbs.extend(small.0);
        Big(limbs)
    }

    /// Quotient and remainder; `divisor` is not 0.
    pub(crate) fn divided_small(&self, divisor: u32) -> (Big, u32) {
        let divisor = u64::from(divisor.max(1));
        let mut limbs = Vec::with_capacity(self.0.len());
        let mut left = 0_u64;
        for limb in self.0.iter().rev() {
            let wide = left * u64::from(BASE) + u64::from(*limb);
            limbs.push(u32::try_from(wide / divisor).unwrap_or(0));
            left = wide % divisor;
        }
        limbs.reverse();
        (Big::trimmed(limbs), u32::try_from(left).unwrap_or(0))
    }

    /// Quotient and remainder; by 0 both are 0.
    pub(crate) fn divided(&self, divisor: &Big) -> (Big, Big) {
        let Some((top, rest)) = divisor.0.split_last() else {
            return (Big::default(), Big::default());
        };
        if rest.is_empty() {
            let (quotient, left) = self.divided_small(*top);
            return (quotient, Big::new(u128::from(left)));
        }
        // Both scaled so that the top limb is at least half the base: then the quotient of the
        // leading limbs is at most two too large.
        let scale = BASE / (top + 1);
        let (dividend, divisor) = (self.times_small(scale), divisor.times_small(scale));
        let places = divisor.0.len();
        let top = u64::from(divisor.limb(places - 1)).max(1);
        let mut quotient = Vec::with_capacity(dividend.0.len());
        let mut left = Big::default();
        for limb in dividend.0.iter().rev() {
            left.0.insert(0, *limb);
            left = Big::trimmed(left.0);
            let leading =
                u64::from(left.limb(places)) * u64::from(BASE) + u64::from(left.limb(places - 1));
            let guess = u32::try_from(leading / top).unwrap_or(u32::MAX);
            let mut digit = guess.min(BASE - 1);
            let mut product = divisor.times_small(digit);
            while product > left {
                digit -= 1;
                product = product.minus(&divisor);
            }
            left = left.minus(&product);
            quotient.push(digit);
        }
        quotient.reverse();
        (Big::trimmed(quotient), left.divided_small(scale).0)
    }

    /// The quotient rounded half up.
    pub(crate) fn divided_rounded(&self, divisor: &Big) -> Big {
        let (quotient, left) = self.divided(divisor);
        if left.times_small(2) >= *divisor {
            quotient.plus(&Big::new(1))
        } else {
            quotient
        }
    }

    /// The greatest integer whose square is not greater.
    pub(crate) fn square_root(&self) -> Big {
        if self.is_zero() {
            return Big::default();
        }
        // From above, each step comes nearer until one does not.
        let mut root = Big::pow10(self.digits().div_ceil(2));
        loop {
            let next = root.plus(&self.divided(&root).0).divided_small(2).0;
            if next >= root {
                return root;
            }
            root = next;
        }
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Big) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Big) -> Ordering {
        let by_length = self.0.len().cmp(&other.0.len());
        by_length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}
