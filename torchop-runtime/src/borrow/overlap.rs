//! Whether two claims have a byte in common.

use super::claim::{Claim, Step};

/// Never false if there is a byte in common; true at times if there is none (a question that is hard in general). Parts of
/// one tensor along any of its dimensions, with or without steps, are told apart.
pub(super) fn overlap(a: &Claim<'_>, b: &Claim<'_>) -> bool {
    if a.end <= b.start || b.end <= a.start {
        return false;
    }
    if a.gaps.is_none() && b.gaps.is_none() {
        return true;
    }
    let strides = a.steps().iter().chain(b.steps()).map(|step| step.stride);
    let all = strides.clone().fold(0, gcd);
    !strides.chain([all]).any(|modulus| apart(a, b, modulus))
}

/// Whether the bytes of the two have no remainder by `modulus` in common. Steps that are multiples of it do not count.
fn apart(a: &Claim<'_>, b: &Claim<'_>, modulus: usize) -> bool {
    if modulus < 2 {
        return false;
    }
    let (Some(width_a), Some(width_b)) = (width(a, modulus), width(b, modulus)) else {
        return false;
    };
    if width_a >= modulus || width_b >= modulus {
        return false;
    }
    // From the first byte of each to the first of the other, around the circle.
    let a_to_b = (b.start % modulus + modulus - a.start % modulus) % modulus;
    let b_to_a = (modulus - a_to_b) % modulus;
    a_to_b >= width_a && b_to_a >= width_b
}

/// How many bytes from its first one a claim reaches, by steps that are no multiples of `modulus`.
fn width(claim: &Claim<'_>, modulus: usize) -> Option<usize> {
    claim
        .steps()
        .iter()
        .filter(|step| step.stride % modulus != 0)
        .try_fold(claim.block(), |width, step: &Step| width.checked_add((step.count - 1).checked_mul(step.stride)?))
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::super::claim::{Gaps, Place};
    use super::*;
    use std::collections::HashSet;
    use std::panic::Location;

    /// Whether two claims with these first bytes, dimensions and elements of so many bytes overlap.
    fn overlap_of(a: (usize, &[(usize, usize)]), b: (usize, &[(usize, usize)]), item: usize) -> bool {
        let gaps = [a, b].map(|(_, dims)| Gaps::of(dims.iter().map(|&(count, stride)| Step { count, stride }), item));
        let [a, b] = [(a, &gaps[0]), (b, &gaps[1])].map(|((start, dims), gaps)| {
            let span = item + dims.iter().map(|(count, stride)| (count - 1) * stride).sum::<usize>();
            Claim { gaps: gaps.as_ref(), ..Claim::solid(start, span, 1, true, Place::new(Location::caller())) }
        });
        assert_eq!(overlap(&a, &b), overlap(&b, &a));
        overlap(&a, &b)
    }

    fn bytes(start: usize, dims: &[(usize, usize)], item: usize) -> HashSet<usize> {
        let mut places = vec![start];
        for &(count, stride) in dims {
            places = places.iter().flat_map(|place| (0..count).map(move |step| place + step * stride)).collect();
        }
        places.iter().flat_map(|place| *place..place + item).collect()
    }

    #[test]
    fn parts_of_one_tensor_are_told_apart() {
        // Of 6 rows of 8 numbers of 4 bytes: left and right half, even and odd columns, even and odd rows, quarters.
        let cases = [
            (0, [(6, 32), (4, 4)], 16, [(6, 32), (4, 4)]),
            (0, [(6, 32), (4, 8)], 4, [(6, 32), (4, 8)]),
            (0, [(3, 64), (8, 4)], 32, [(3, 64), (8, 4)]),
            (0, [(8, 4), (3, 64)], 32, [(3, 64), (8, 4)]),
            (0, [(2, 96), (2, 4)], 8, [(6, 32), (2, 4)]),
        ];
        for (a, dims_a, b, dims_b) in cases {
            assert!(!overlap_of((a, &dims_a), (b, &dims_b), 4), "{a} {dims_a:?} {b} {dims_b:?}");
        }
        assert!(overlap_of((0, &[(6, 32), (4, 4)]), (12, &[(6, 32), (4, 4)]), 4));
        assert!(overlap_of((0, &[(6, 32), (4, 8)]), (0, &[(6, 32)]), 4));
    }

    /// Against the sets of bytes, for many random pairs.
    #[test]
    fn a_common_byte_is_never_missed() {
        let mut seed = 7_u64;
        let mut next = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % below) as usize
        };
        let (mut common, mut apart) = (0, 0);
        for _ in 0..20_000 {
            let item = 1 << next(3);
            let mut one = || {
                let rank = next(4);
                let dims: Vec<_> = (0..rank).map(|_| (1 + next(4), item * next(9))).collect();
                (item * next(20), dims)
            };
            let ((start_a, dims_a), (start_b, dims_b)) = (one(), one());
            let really = !bytes(start_a, &dims_a, item).is_disjoint(&bytes(start_b, &dims_b, item));
            let said = overlap_of((start_a, &dims_a), (start_b, &dims_b), item);
            assert!(said || !really, "{start_a} {dims_a:?} {start_b} {dims_b:?}");
            common += usize::from(really);
            apart += usize::from(!said);
        }
        assert!(common > 1000 && apart > 1000, "{common} {apart}");
    }
}
