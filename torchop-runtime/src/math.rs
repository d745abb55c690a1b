//! Functions that the compiler can turn into vector code, for [`elementwise`](crate::elementwise): those of the standard library
//! are calls of one number each.

/// 1.5 · 2²³: adding it leaves a number's nearest integer in the low bits.
const ROUND: f32 = 12_582_912.0;

/// `e^x`, within 2 units in the last place; infinite above 88.73, and with gradual underflow below -87.34.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Outside, the result is infinite or zero already.
    let clamped = x.clamp(-104.0, 89.0);
    let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
    let power = shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32;
    let whole = shifted - ROUND;
    // The natural logarithm of 2 in two parts, so that the difference is exact.
    let rest = (clamped - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    let polynomial = 1.987_569_1e-4;
    let polynomial = polynomial * rest + 1.398_199_9e-3;
    let polynomial = polynomial * rest + 8.333_452e-3;
    let polynomial = polynomial * rest + 4.166_579_6e-2;
    let polynomial = polynomial * rest + 1.666_666_5e-1;
    let polynomial = polynomial * rest + 0.5;
    let value = polynomial * (rest * rest) + rest + 1.0;
    // In two steps: the power alone may be too large or too small for one number.
    let half = power >> 1;
    let two_to = |power: i32| f32::from_bits(((power + 127) as u32) << 23);
    let result = value * two_to(half) * two_to(power - half);
    if x.is_nan() { x } else { result }
}

/// `1 / (1 + e^-x)`
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// `x / (1 + e^-x)`
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_within_two_units() {
        let mut worst = 0.0_f64;
        for step in 0..2_000_000 {
            let x = -87.0 + step as f32 * (175.0 / 2_000_000.0);
            let (got, expected) = (f64::from(exp(x)), f64::from(x).exp());
            let unit = f64::from(f32::EPSILON) * 2_f64.powi((expected.log2()).floor() as i32);
            worst = worst.max((got - expected).abs() / unit);
        }
        assert!(worst < 2.0, "{worst}");
    }

    #[test]
    fn the_ends_of_exp() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(100.0), f32::INFINITY);
        assert_eq!(exp(f32::INFINITY), f32::INFINITY);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert!(exp(f32::NAN).is_nan());
        for x in [-90.0_f32, -95.0, -100.0, -103.0] {
            let expected = f64::from(x).exp();
            assert!((f64::from(exp(x)) - expected).abs() < 2.0 * 1.4e-45, "{x}");
        }
        assert!((silu(-88.0) - -88.0 / (1.0 + 88_f32.exp())).abs() < 1e-37);
    }
}
