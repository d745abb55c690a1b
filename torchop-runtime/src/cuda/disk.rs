//! Compiled kernels on disk, for the next process.
//!
//! One file per image, named by the hash of all that it depends on. Written under a name of its own and then renamed, so that
//! several processes may write at once and none reads half a file; what does not carry the hash of its content is not there.

use super::nvrtc::Image;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder; empty for no cache on disk.
const VARIABLE: &str = "TORCHOP_CACHE_DIR";
const HEAD: &[u8; 16] = b"torchop kernel 1";

/// The file for what these parts make.
pub(super) fn file_of(parts: &[&[u8]]) -> Option<PathBuf> {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let name: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(folder()?.join(format!("{name}.image")))
}

fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os(VARIABLE) {
        return (!folder.is_empty()).then(|| folder.into());
    }
    let absolute = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("torchop"))
}

/// The image, if the file is there and whole.
pub(super) fn read(file: &Path) -> Option<Image> {
    let content = fs::read(file).ok()?;
    let rest = content.strip_prefix(HEAD)?;
    let (hash, rest) = rest.split_at_checked(32)?;
    if hash != Sha256::digest(rest).as_slice() {
        return None;
    }
    let (length, rest) = rest.split_at_checked(4)?;
    let (symbol, bytes) = rest.split_at_checked(u32::from_le_bytes(length.try_into().ok()?) as usize)?;
    Some(Image { symbol: std::str::from_utf8(symbol).ok()?.to_owned(), bytes: bytes.to_vec() })
}

/// Writes the image. A folder that cannot be written to is no error: the kernel is compiled again the next time.
pub(super) fn write(file: &Path, image: &Image) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Some(folder) = file.parent() else { return };
    let own = format!("{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let own = file.with_extension(own);
    let written = make(folder).and_then(|()| {
        let mut content = (image.symbol.len() as u32).to_le_bytes().to_vec();
        content.extend(image.symbol.as_bytes());
        content.extend(&image.bytes);
        let mut out = fs::File::create_new(&own)?;
        out.write_all(HEAD)?;
        out.write_all(&Sha256::digest(&content))?;
        out.write_all(&content)?;
        fs::rename(&own, file)
    });
    if written.is_err() {
        let _ = fs::remove_file(&own);
    }
}

/// For the user alone: what lies there is run.
fn make(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("torchop-disk-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_written_comes_back_and_what_is_damaged_does_not() {
        let folder = scratch("damage");
        let (file, image) = (folder.join("a/b.image"), Image { symbol: "_Z4copy".into(), bytes: vec![7; 5000] });
        assert_eq!(read(&file), None);
        write(&file, &image);
        assert_eq!(read(&file), Some(image));
        let whole = fs::read(&file).unwrap();
        for length in [0, 15, 16, 47, 50, 60, whole.len() - 1] {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(read(&file), None, "{length} bytes of {}", whole.len());
        }
        for place in [0, 20, 49, 55, 3000] {
            let mut flipped = whole.clone();
            flipped[place] ^= 1;
            fs::write(&file, flipped).unwrap();
            assert_eq!(read(&file), None, "byte {place}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn many_writers_leave_one_whole_file() {
        let folder = scratch("race");
        let file = folder.join("x.image");
        let image = Image { symbol: "f".into(), bytes: (0..200_000).map(|i| i as u8).collect() };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        write(&file, &image);
                        assert_eq!(read(&file).as_ref(), Some(&image));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn parts_are_told_apart_by_their_lengths() {
        assert_ne!(file_of(&[b"ab", b"c"]), file_of(&[b"a", b"bc"]));
    }
}
