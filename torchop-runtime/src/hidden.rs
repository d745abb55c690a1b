//! Names of operators that nobody calls by name: behind fakes and gradients, one for each role.

/// What a hidden operator does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    /// The fake of an operator that takes objects.
    Fake,
    /// The fake of an operator that Python calls: with sizes that depend on data, or without tensors.
    OpenFake,
    /// The fake of a method.
    MethodFake,
    /// Keeps the objects of a gradient.
    Held,
    /// The gradient of an operator that takes objects.
    Backward,
}

impl Role {
    /// None of them begins with another: no two roles share a name.
    fn word(self) -> &'static str {
        match self {
            Role::Fake => "fake",
            Role::OpenFake => "open_fake",
            Role::MethodFake => "method_fake",
            Role::Held => "held",
            Role::Backward => "backward",
        }
    }
}

/// The hidden operator's name, without namespace: `_role_owner`, or `_role5_owner_part` with how long the owner's name is, so that `f.x` and
/// `f_x` have names of their own. The owner is an operator or a class, the part its overload or method, empty for none.
pub(crate) fn hidden_name(role: Role, owner: &str, part: &str) -> String {
    let word = role.word();
    if part.is_empty() { format!("_{word}_{owner}") } else { format!("_{word}{}_{owner}_{part}", owner.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_has_a_name_of_its_own() {
        let words =
            ["f", "x", "y", "f_x", "x_y", "f_x_y", "fake", "fake_f", "open_fake_f", "op_f", "f1", "1_f", "fake1_f"];
        let roles = [Role::Fake, Role::OpenFake, Role::MethodFake, Role::Held, Role::Backward];
        let mut names = HashSet::new();
        for role in roles {
            for owner in words {
                for part in words.into_iter().chain([""]) {
                    let name = hidden_name(role, owner, part);
                    assert!(names.insert(name.clone()), "{name} twice");
                }
            }
        }
        assert_eq!(names.len(), roles.len() * words.len() * (words.len() + 1));
    }
}
