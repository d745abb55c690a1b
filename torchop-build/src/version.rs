//! A version of torch, and the range that torchop is made for.

use std::fmt;

/// The oldest release of torch that torchop is tested with. What is older is refused.
pub const OLDEST: &str = "2.11.0";
/// The newest release of torch that torchop is tested with. What is newer is used with a warning.
pub const NEWEST: &str = "2.15.0";

/// A version of torch, such as `2.15.0+cu132`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// 2 in `2.15.0+cu132`.
    pub major: u32,
    /// 15 in `2.15.0+cu132`.
    pub minor: u32,
    /// 0 in `2.15.0+cu132`.
    pub patch: u32,
    /// All of it, as torch writes it.
    pub text: String,
}

impl Version {
    /// Reads `2.15.0`, `2.15.0+cu132`, `2.16.0a0+git1234567`, `2.16.0.dev20261101+cpu`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Version> {
        let text = text.trim();
        let mut parts = text.split('.');
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        let patch = parts.next()?;
        let digits = patch.find(|c: char| !c.is_ascii_digit()).unwrap_or(patch.len());
        Some(Version { major, minor, patch: patch[..digits].parse().ok()?, text: text.to_owned() })
    }

    /// The CUDA release that the local part names: `13.2` for `2.15.0+cu132`.
    pub(crate) fn cuda(&self) -> Option<String> {
        let digits = self.text.split_once("+cu")?.1;
        let digits = &digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())];
        let (major, minor) = digits.split_at_checked(digits.len().checked_sub(1)?)?;
        (!major.is_empty()).then(|| format!("{major}.{minor}"))
    }

    /// Older than [`OLDEST`]: nothing of torchop works with it.
    pub fn is_too_old(&self) -> bool {
        self.release() < minor_of(OLDEST)
    }

    /// Newer than the minor release of [`NEWEST`]: likely to work, not tested.
    pub fn is_untested(&self) -> bool {
        self.release() > minor_of(NEWEST)
    }

    fn release(&self) -> (u32, u32) {
        (self.major, self.minor)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn minor_of(release: &str) -> (u32, u32) {
    Version::parse(release).map_or((0, 0), |version| version.release())
}

/// `2.11 to 2.15`, for messages.
pub(crate) fn supported() -> String {
    let minor = |release| {
        let (major, minor) = minor_of(release);
        format!("{major}.{minor}")
    };
    format!("{} to {}", minor(OLDEST), minor(NEWEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_and_nightlies_are_read() {
        for (text, numbers, cuda) in [
            ("2.15.0", (2, 15, 0), None),
            ("2.11.1+cu130", (2, 11, 1), Some("13.0")),
            ("2.11.0+cpu", (2, 11, 0), None),
            ("2.16.0a0+git1234567", (2, 16, 0), None),
            ("2.16.0.dev20261101+cu132\n", (2, 16, 0), Some("13.2")),
            ("2.5.1+cu118.with.pypi.cudnn", (2, 5, 1), Some("11.8")),
        ] {
            let version = Version::parse(text).unwrap();
            assert_eq!((version.major, version.minor, version.patch), numbers, "{text}");
            assert_eq!(version.cuda().as_deref(), cuda, "{text}");
            assert_eq!(version.text, text.trim());
        }
        for text in ["", "2", "2.15", "two.15.0", "2.15.x"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_range_is_of_minor_releases() {
        let judge = |text| {
            let version = Version::parse(text).unwrap();
            (version.is_too_old(), version.is_untested())
        };
        assert_eq!(judge("2.10.9"), (true, false));
        assert_eq!(judge("1.13.1"), (true, false));
        assert_eq!(judge("2.11.0"), (false, false));
        assert_eq!(judge("2.15.7"), (false, false));
        assert_eq!(judge("2.16.0a0+git12"), (false, true));
        assert_eq!(judge("3.0.0"), (false, true));
        assert_eq!(supported(), "2.11 to 2.15");
    }
}
