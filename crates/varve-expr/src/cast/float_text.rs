//! Floating point numbers as text: the fewest digits that read back as the same number, or as many
//! as `extra_float_digits` asks for.
//!
//! Digits that lie halfway to the next number are not taken, though reading them gives the even
//! one: 1e23 is written 9.999999999999999e+22. Only whole numbers have halves of so few digits.
//! Of two equally near ends the even one is taken: 2975000.25 in single precision is 2.9750002e+06.

use super::write::write_integer;

/// Numbers of 2^127 and more are halves for a few dozen values only.
const SHIFT_MAX: u32 = 127 - f64::MANTISSA_DIGITS;

pub(super) fn write_float4(number: f32, extra_digits: i8, text: &mut String) {
    if extra_digits <= 0 {
        return write_rounded(number.into(), 6 + i32::from(extra_digits), text);
    }
    let bits = number.to_bits();
    let mantissa = bits & 0x7f_ffff | 0x80_0000;
    let power = (bits >> 23 & 0xff).cast_signed() - 150;
    let shown = chosen(mantissa.into(), power, format!("{number:e}"));
    write_float(number.into(), &shown, 6, text);
}

pub(super) fn write_float8(number: f64, extra_digits: i8, text: &mut String) {
    if extra_digits <= 0 {
        return write_rounded(number, 15 + i32::from(extra_digits), text);
    }
    let bits = number.to_bits();
    let mantissa = bits & 0xf_ffff_ffff_ffff | 0x10_0000_0000_0000;
    let power = i32::try_from(bits >> 52 & 0x7ff).unwrap_or(0) - 1075;
    let shown = chosen(mantissa.into(), power, format!("{number:e}"));
    write_float(number, &shown, 15, text);
}

/// So many significant digits, but for zeros at the end, as C's `%g` has them.
fn write_rounded(number: f64, digits: i32, text: &mut String) {
    let places = usize::try_from(digits - 1).unwrap_or(0);
    let shown = format!("{number:.places$e}");
    let (mantissa, exponent) = shown.split_once('e').unwrap_or((&shown, "0"));
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    write_float(
        number,
        &format!("{mantissa}e{exponent}"),
        digits.max(1),
        text,
    );
}

/// The digits of `mantissa * 2^power`, or others of as few that are not halfway, and even.
fn chosen(mantissa: u128, power: i32, mut scientific: String) -> String {
    let shift = u32::try_from(power).ok();
    let shift = shift.filter(|shift| (2..=SHIFT_MAX).contains(shift));
    if let Some(fewest) = shift.and_then(|shift| fewest(mantissa, shift, &scientific)) {
        return fewest;
    }
    if is_odd_end(mantissa, power, &scientific) == Some(true)
        && let Some(end) = scientific.find('e').and_then(|end| end.checked_sub(1))
        && let Some(digit) = scientific.as_bytes().get(end)
    {
        let even = char::from(digit - 1).to_string();
        scientific.replace_range(end..=end, &even);
    }
    scientific
}

/// Whether the last digit is odd and the one below it as near.
fn is_odd_end(mantissa: u128, power: i32, scientific: &str) -> Option<bool> {
    let (digits, places) = parts(scientific)?;
    // Below a power of two the next number is half as far.
    if digits % 2 == 0 || (mantissa.is_power_of_two() && mantissa * 4 >= digits * 2 - 1) {
        return None;
    }
    // mantissa * 2^power = (digits - 1/2) * 10^places: powers of two and the rest apart.
    let (whole, half) = (mantissa * 2, digits * 2 - 1);
    let twos = whole.trailing_zeros();
    let (mut left, mut right) = (whole >> twos, half);
    let side = if places < 0 { &mut left } else { &mut right };
    *side = side.checked_mul(5_u128.checked_pow(places.unsigned_abs())?)?;
    Some(twos.cast_signed() + power == places && left == right)
}

/// Digits as a whole number and the power of ten that they count.
fn parts(scientific: &str) -> Option<(u128, i32)> {
    let (digits, exponent) = scientific.trim_start_matches('-').split_once('e')?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{whole}{fraction}").parse().ok()?;
    let places = exponent.parse::<i32>().ok()?;
    Some((digits, places - i32::try_from(fraction.len()).ok()?))
}

/// Other digits than these, if they are a half.
fn fewest(mantissa: u128, shift: u32, scientific: &str) -> Option<String> {
    let number = mantissa << shift;
    let above = 1_u128 << (shift - 1);
    let below = if mantissa.is_power_of_two() {
        above / 2
    } else {
        above
    };
    let is_inside = |shown: u128| shown < number + above && number < shown + below;
    let (mut shown, zeros) = parts(scientific)?;
    let mut zeros = u32::try_from(zeros).ok()?;
    if is_inside(shown.checked_mul(10_u128.checked_pow(zeros)?)?) {
        return None;
    }
    loop {
        zeros = zeros.checked_sub(1)?;
        let unit = 10_u128.checked_pow(zeros)?;
        shown = (number + unit / 2) / unit;
        if is_inside(shown * unit) {
            break;
        }
    }
    let digits = shown.to_string();
    let (first, rest) = digits.split_at_checked(1)?;
    let exponent = usize::try_from(zeros).ok()? + rest.len();
    let sign = if scientific.starts_with('-') { "-" } else { "" };
    Some(format!("{sign}{first}.{rest}e{exponent}"))
}

/// A number of which `scientific` has the digits; with an exponent below 1e-4 and from ten to
/// `digits` on.
fn write_float(number: f64, scientific: &str, digits: i32, text: &mut String) {
    if number.is_nan() {
        return text.push_str("NaN");
    }
    if number.is_infinite() {
        let name = if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        return text.push_str(name);
    }
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return text.push_str(scientific);
    };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let zeros = |count: usize, text: &mut String| text.extend(core::iter::repeat_n('0', count));
    text.push_str(sign);
    match usize::try_from(exponent) {
        Ok(shift) if exponent < digits => {
            let (moved, rest) = fraction.split_at_checked(shift).unwrap_or((fraction, ""));
            text.push_str(whole);
            text.push_str(moved);
            zeros(shift - moved.len(), text);
            if !rest.is_empty() {
                text.push('.');
                text.push_str(rest);
            }
        }
        Err(_) if exponent >= -4 => {
            text.push_str("0.");
            zeros(exponent.unsigned_abs() as usize - 1, text);
            text.push_str(whole);
            text.push_str(fraction);
        }
        _ => {
            text.push_str(mantissa);
            text.push('e');
            text.push(if exponent < 0 { '-' } else { '+' });
            let size = exponent.unsigned_abs();
            if size < 10 {
                text.push('0');
            }
            write_integer(i64::from(size), text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{write_float4, write_float8};
    use varve_types::{parse_f32, parse_f64};

    #[test]
    fn halves_are_not_taken() {
        let cases = [
            (1e23, "9.999999999999999e+22"),
            (-1e23, "-9.999999999999999e+22"),
            (2e23, "1.9999999999999998e+23"),
            (1e22, "1e+22"),
            (18_014_398_509_481_992.0, "1.8014398509481992e+16"),
            (18_014_398_509_481_988.0, "1.8014398509481988e+16"),
            (36_028_797_018_963_968.0, "3.602879701896397e+16"),
            (0.1, "0.1"),
            (1.0 / 33_554_432.0, "2.9802322387695312e-08"),
            (1_732_050_820_600_365.0 + 0.25, "1.7320508206003652e+15"),
            (-1_732_050_820_600_365.0 - 0.75, "-1.7320508206003658e+15"),
        ];
        for (number, shown) in cases {
            let mut text = String::new();
            write_float8(number, 1, &mut text);
            assert_eq!(text, shown);
        }
        let cases = [
            (37_556_568.0, "3.7556568e+07"),
            (37_556_572.0, "3.7556572e+07"),
            (2_975_000.0 + 0.25, "2.9750002e+06"),
            (2_975_000.0 + 0.75, "2.9750008e+06"),
            (1.0 / 4096.0, "0.00024414062"),
            (33_554_432.0, "3.3554432e+07"),
            (67_108_880.0, "6.710888e+07"),
        ];
        for (number, shown) in cases {
            let mut text = String::new();
            write_float4(number, 1, &mut text);
            assert_eq!(text, shown);
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let double =
                f64::from_bits((state >> 5) % 0x0480_0000_0000_0000 + 0x4330_0000_0000_0000);
            let mut text = String::new();
            write_float8(double, 1, &mut text);
            assert_eq!(parse_f64(&text), Some(double));
            let single = f32::from_bits((state >> 34) as u32 % 0x2000_0000 + 0x4b00_0000);
            text.clear();
            write_float4(single, 1, &mut text);
            assert_eq!(parse_f32(&text), Some(single));
        }
    }
}
