//! Pieces that messages are made of.

/// `` `a`, `b` ``
pub(crate) fn listed<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> String {
    words.into_iter().map(|word| format!("`{}`", word.as_ref())).collect::<Vec<_>>().join(", ")
}

/// `no arguments`, `1 argument`, `2 arguments`
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match count {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}

/// `` ; did you mean `weight`? `` if one of `words` is near, else nothing.
pub(crate) fn did_you_mean<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> String {
    let near = words.into_iter().map(|candidate| (distance(word, candidate), candidate)).min();
    match near {
        Some((steps, candidate)) if candidate != word && steps <= 1 + candidate.len() / 4 => {
            format!("; did you mean `{candidate}`?")
        }
        _ => String::new(),
    }
}

/// Edits between two words (Levenshtein), letter case aside.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, (y, above)) in b.iter().zip(row.windows(2)).enumerate() {
            let left = next.get(j).copied().unwrap_or(usize::MAX - 1);
            let (diagonal, above) = (above[0], above[1]);
            next.push((diagonal + usize::from(x != y)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("weigth", "weight"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("kitten", "sitting"), 3);
    }

    #[test]
    fn suggests_only_what_is_near() {
        assert_eq!(did_you_mean("kernal_of", ["schema", "kernel_of"]), "; did you mean `kernel_of`?");
        assert_eq!(did_you_mean("banana", ["schema", "kernel_of"]), "");
    }
}
