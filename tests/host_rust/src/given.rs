//! What the two programs share: files of raw numbers, and checks by name.

#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, dead_code, unreachable_pub)]

use std::path::PathBuf;
use torchop::prelude::*;

/// The files that pytest made.
#[derive(Debug)]
pub struct Given {
    pub folder: PathBuf,
    pub library: PathBuf,
}

impl Given {
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// `name.f32`: little-endian numbers.
    pub fn tensor(&self, name: &str, sizes: &[i64]) -> Tensor {
        let bytes = std::fs::read(self.file(&format!("{name}.f32"))).unwrap();
        let numbers = bytes.chunks_exact(4).map(|number| f32::from_le_bytes(number.try_into().unwrap())).collect();
        Tensor::from_vec::<f32>(numbers, sizes).unwrap()
    }
}

/// What fails by panicking.
pub type Check = fn(&Given);

/// Runs the check that the command line names: `program FOLDER LIBRARY CHECK`, or says which there are.
pub fn main(checks: &[(&str, Check)]) {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.get(1).is_some_and(|first| first == "--list") {
        checks.iter().for_each(|(name, _)| println!("{name}"));
        return;
    }
    let [_, folder, library, name] = arguments.as_slice() else { panic!("usage: program FOLDER LIBRARY CHECK") };
    let (_, check) = checks.iter().find(|(known, _)| known == name).expect("a check of that name");
    check(&Given { folder: folder.into(), library: library.into() });
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(!maps.contains("libpython") && !maps.contains("libtorch_python"), "Python is mapped");
    println!("passed");
}

/// All elements within the usual tolerance of float32.
#[track_caller]
pub fn assert_close(found: &Tensor, expected: &Tensor) {
    assert_eq!(found.sizes().unwrap()[..], expected.sizes().unwrap()[..]);
    let (found, expected) = (found.view::<f32>().unwrap(), expected.view::<f32>().unwrap());
    for (a, b) in found.iter().zip(expected.iter()) {
        assert!((a - b).abs() <= 1e-5 + 1e-4 * b.abs(), "{a} is not {b}");
    }
}

/// The text of the error.
#[track_caller]
pub fn text<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("no error"),
        Err(error) => error.message().to_owned(),
    }
}

#[track_caller]
pub fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in: {text}");
    }
}
