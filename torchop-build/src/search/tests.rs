//! Every road to a torch, and every way to miss one, in made-up folder trees.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::*;

/// One at a time: a program that a test has just written cannot be started while the child of another test still has it open.
static ONE: Mutex<()> = Mutex::new(());

struct Tree(tempfile::TempDir, #[expect(dead_code, reason = "held")] MutexGuard<'static, ()>);

impl Tree {
    fn new() -> Tree {
        let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        Tree(tempfile::tempdir().unwrap(), guard)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn program(&self, path: &str, text: &str) -> PathBuf {
        let path = self.file(path, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Headers and libraries; `version.py` or `build-version` comes from the caller.
    fn libtorch(&self, root: &str) -> PathBuf {
        for file in ["include/torch/library.h", "include/c10/util/Exception.h", "lib/libtorch_cpu.so", "lib/libc10.so"]
        {
            self.file(&format!("{root}/{file}"), "");
        }
        self.path(root)
    }

    fn torch_package(&self, root: &str, version: &str) -> PathBuf {
        self.file(&format!("{root}/version.py"), &format!("__version__ = '{version}'\ncuda: Optional[str] = '13.2'\n"));
        self.libtorch(root)
    }

    /// A stand-in for an interpreter, which answers as ours is asked to.
    fn python(&self, path: &str, torch: Option<&Path>) -> PathBuf {
        let origin = torch.map_or(String::new(), |root| root.join("__init__.py").display().to_string());
        self.program(path, &format!("#!/bin/sh\necho a greeting\necho torchop-build\necho 3.11.7\necho {origin}\n"))
    }

    fn env(&self, vars: &[(&str, &Path)]) -> Env {
        Env::new(vars.iter().map(|(name, value)| ((*name).to_owned(), value.as_os_str().to_owned())))
    }

    fn find(&self, vars: &[(&str, &Path)]) -> Result<Torch, String> {
        find_in(&self.env(vars)).map_err(|error| error.to_string().replace(self.0.path().to_str().unwrap(), "~"))
    }

    fn error(&self, vars: &[(&str, &Path)]) -> String {
        self.find(vars).unwrap_err()
    }
}

const ON: &str = "1";

#[test]
fn the_active_virtual_environment_comes_before_path() {
    let tree = Tree::new();
    let (a, b) =
        (tree.torch_package("venv/site/torch", "2.15.0+cu132"), tree.torch_package("usr/site/torch", "2.11.0"));
    let python = tree.python("venv/bin/python", Some(&a));
    tree.python("usr/bin/python3", Some(&b));
    let torch = tree.find(&[("VIRTUAL_ENV", &tree.path("venv")), ("PATH", &tree.path("usr/bin"))]).unwrap();
    assert_eq!((torch.root, torch.source, torch.python), (a.clone(), Source::VirtualEnv, Some(python)));
    assert_eq!((torch.version.major, torch.version.minor, torch.version.patch), (2, 15, 0));
    assert_eq!(torch.version.to_string(), "2.15.0+cu132");
    assert_eq!(torch.cuda.as_deref(), Some("13.2"));
    assert_eq!(torch.include_dirs, [a.join("include"), a.join("include/torch/csrc/api/include")]);
    assert_eq!(torch.lib_dir, a.join("lib"));
    assert!(torch.cxx11_abi);
    assert_eq!(torch.variables, ["LIBTORCH", "TORCHOP_PYTHON", "VIRTUAL_ENV"], "PATH had no say");
    assert_eq!(torch.watched, [a.join("version.py")]);
}

#[test]
fn conda_then_python3_then_python() {
    let tree = Tree::new();
    let package = tree.torch_package("site/torch", "2.12.1");
    tree.python("conda/bin/python", Some(&package));
    tree.python("three/python3", Some(&package));
    tree.python("plain/python", Some(&package));
    let source = |vars: &[(&str, &Path)]| tree.find(vars).unwrap().source;
    assert_eq!(source(&[("CONDA_PREFIX", &tree.path("conda"))]), Source::Conda);
    assert_eq!(source(&[("PATH", &tree.path("three"))]), Source::Python3);
    assert_eq!(source(&[("PATH", &tree.path("plain"))]), Source::Python);
    tree.python("none/python3", None);
    let path = std::env::join_paths([tree.path("none"), tree.path("plain")]).unwrap();
    assert_eq!(source(&[("PATH", Path::new(&path))]), Source::Python, "a python3 without torch is passed over");
}

#[test]
fn torchop_python_overrides_all() {
    let tree = Tree::new();
    let (a, b) = (tree.torch_package("a/torch", "2.11.0"), tree.torch_package("b/torch", "2.15.0"));
    let named = tree.python("a/python", Some(&a));
    tree.python("venv/bin/python", Some(&b));
    let rest: [(&str, &Path); 3] = [("LIBTORCH", &b), ("VIRTUAL_ENV", &tree.path("venv")), ("PATH", &tree.path("a"))];
    for value in [named.as_path(), Path::new("python")] {
        let torch = tree.find(&[&rest[..], &[("TORCHOP_PYTHON", value)]].concat()).unwrap();
        assert_eq!((torch.root, torch.source, torch.python), (a.clone(), Source::TorchopPython, Some(named.clone())));
    }
}

#[test]
fn libtorch_is_a_cpp_distribution_or_a_package() {
    let tree = Tree::new();
    let (cpp, package) = (tree.libtorch("libtorch"), tree.torch_package("site/torch", "2.15.0"));
    let header = tree.file(
        "libtorch/include/torch/headeronly/version.h",
        "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 14\n#define TORCH_VERSION_PATCH 1\n",
    );
    let torch = tree.find(&[("LIBTORCH", &cpp)]).unwrap();
    assert_eq!((torch.version.text.as_str(), torch.cuda, torch.watched), ("2.14.1", None, vec![header]));
    let build = tree.file("libtorch/build-version", "2.14.1+cu132\n");
    let torch = tree.find(&[("LIBTORCH", &cpp)]).unwrap();
    assert_eq!((torch.version.text.as_str(), torch.cuda.as_deref()), ("2.14.1+cu132", Some("13.2")));
    assert_eq!((torch.source, torch.python, torch.watched), (Source::Libtorch, None, vec![build]));
    let torch = tree.find(&[("LIBTORCH", &package)]).unwrap();
    assert_eq!((torch.root, torch.version.text.as_str()), (package, "2.15.0"));
}

#[test]
fn libtorch_use_pytorch_passes_over_libtorch() {
    let tree = Tree::new();
    let (cpp, package) = (tree.torch_package("libtorch", "2.11.0"), tree.torch_package("site/torch", "2.15.0"));
    tree.python("bin/python3", Some(&package));
    let find = |switch: &str| {
        let vars: [(&str, &Path); 3] =
            [("LIBTORCH", &cpp), ("PATH", &tree.path("bin")), ("LIBTORCH_USE_PYTORCH", Path::new(switch))];
        tree.find(&vars).unwrap().source
    };
    assert_eq!(find(ON), Source::Python3);
    assert_eq!(find("0"), Source::Libtorch);
    assert_eq!(find(""), Source::Libtorch);
}

#[test]
fn another_torch_in_the_same_place_is_noticed() {
    let tree = Tree::new();
    let package = tree.torch_package("site/torch", "2.15.0+cpu");
    let record = tree.file("site/torch-2.15.0+cpu.dist-info/RECORD", "");
    let torch = tree.find(&[("LIBTORCH", &package)]).unwrap();
    assert_eq!(torch.watched, [package.join("version.py"), record]);
}

#[test]
fn the_string_abi_is_read_from_libc10() {
    let tree = Tree::new();
    let package = tree.torch_package("torch", "2.15.0");
    let abi = |symbol: &str| {
        tree.file("torch/lib/libc10.so", symbol);
        tree.find(&[("LIBTORCH", &package)]).unwrap().cxx_flags()
    };
    for (symbol, flag) in [
        ("\0_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE\0", "1"),
        ("\0_ZN3c106detail14torchCheckFailEPKcS2_jRKSs\0", "0"),
    ] {
        let flags = abi(symbol);
        assert_eq!(flags.last().unwrap(), &format!("-D_GLIBCXX_USE_CXX11_ABI={flag}"));
        let map = format!("-ffile-prefix-map={}=torch", package.display());
        let headers = package.join("include").display().to_string();
        for expected in [map.as_str(), "-std=c++20", "-isystem", &headers] {
            assert!(flags.iter().any(|flag| flag == expected), "{expected} is not in {flags:?}");
        }
    }
}

#[test]
fn a_real_interpreter_is_asked_without_importing_torch() {
    let tree = Tree::new();
    let package = tree.torch_package("site/torch", "2.15.0");
    tree.file("site/torch/__init__.py", "raise SystemExit('torch was imported')\n");
    tree.file("empty/README", "");
    let run = |name: &str, folder: &Path| {
        let text = format!("#!/bin/sh\nPYTHONPATH={} exec python3 -S \"$@\"\n", folder.display());
        tree.program(name, &text)
    };
    let torch = tree.find(&[("TORCHOP_PYTHON", &run("with", &tree.path("site")))]).unwrap();
    assert_eq!(torch.root, package);
    let error = tree.error(&[("TORCHOP_PYTHON", &run("without", &tree.path("empty")))]);
    assert!(error.contains("~/without (Python 3."), "{error}");
    assert!(error.contains(") has no torch"), "{error}");
}

#[test]
fn nothing_anywhere() {
    let tree = Tree::new();
    tree.python("bin/python3", None);
    symlink("python3", tree.path("bin/python")).unwrap();
    assert_eq!(
        tree.error(&[("VIRTUAL_ENV", &tree.path("venv")), ("PATH", &tree.path("bin"))]),
        "\
torchop needs torch 2.11 to 2.15; looked for, in order:
    TORCHOP_PYTHON   not set
    LIBTORCH         not set
    VIRTUAL_ENV      there is no ~/venv/bin/python
    CONDA_PREFIX     not set
    python3 on PATH  ~/bin/python3 (Python 3.11.7) has no torch
    python on PATH   ~/bin/python: the same Python again

to repair it, one of
    python3 -m pip install torch==2.15.0
    export TORCHOP_PYTHON=/path/to/python      # a Python that has torch
    export LIBTORCH=/path/to/libtorch          # a folder with torch's include/ and lib/
what needs no libtorch is checked with
    TORCHOP_NO_TORCH=1 cargo check"
    );
}

#[test]
fn too_old() {
    let tree = Tree::new();
    let old = tree.torch_package("old", "2.10.0");
    assert_eq!(
        tree.error(&[("LIBTORCH", &old)]),
        "\
torchop needs torch 2.11 to 2.15; looked for, in order:
    TORCHOP_PYTHON   not set
    LIBTORCH         ~/old is torch 2.10.0, which is too old
LIBTORCH is set, so the search ended there

to repair it, one of
    pip install torch==2.15.0
    export TORCHOP_PYTHON=/path/to/python      # a Python that has torch
    export LIBTORCH=/path/to/libtorch          # a folder with torch's include/ and lib/
    export LIBTORCH_USE_PYTORCH=1              # the active Python's torch, whatever LIBTORCH says
what needs no libtorch is checked with
    TORCHOP_NO_TORCH=1 cargo check"
    );
    // The active Python's torch decides: another one further on is not what the user runs.
    let new = tree.torch_package("new", "2.15.0");
    tree.python("venv/bin/python", Some(&old));
    tree.python("bin/python3", Some(&new));
    let error = tree.error(&[("VIRTUAL_ENV", &tree.path("venv")), ("PATH", &tree.path("bin"))]);
    assert!(error.contains("    VIRTUAL_ENV      ~/old is torch 2.10.0, which is too old\n"), "{error}");
    assert!(!error.contains("python3 on PATH"), "{error}");
}

#[test]
fn newer_is_taken() {
    let tree = Tree::new();
    let torch = tree.find(&[("LIBTORCH", &tree.torch_package("new", "2.16.0a0+git12"))]).unwrap();
    assert!(torch.version.is_untested());
}

/// Each bad value of a variable is one line of the message.
#[test]
fn every_miss_has_its_line() {
    let tree = Tree::new();
    let headerless = tree.path("headerless");
    fs::create_dir(&headerless).unwrap();
    let lines: &[(&str, &Path, &str)] = &[
        ("TORCHOP_PYTHON", Path::new("venv/bin/python"), "venv/bin/python is a relative path; write an absolute one"),
        ("TORCHOP_PYTHON", Path::new("python9"), "there is no `python9` on PATH"),
        ("TORCHOP_PYTHON", &tree.path("none"), "there is no ~/none"),
        ("TORCHOP_PYTHON", &tree.file("text", ""), "~/text cannot be started: Permission denied (os error 13)"),
        (
            "TORCHOP_PYTHON",
            &tree.program("broken", "#!/bin/sh\necho no module named encodings >&2\nexit 1\n"),
            "~/broken is not a Python that answers (exit status: 1): no module named encodings",
        ),
        (
            "TORCHOP_PYTHON",
            &tree.program("mute", "#!/bin/sh\n"),
            "~/mute is not a Python that answers (exit status: 0): it printed nothing",
        ),
        ("TORCHOP_PYTHON", &tree.python("empty", None), "~/empty (Python 3.11.7) has no torch"),
        ("LIBTORCH", Path::new("libtorch"), "libtorch is a relative path; write an absolute one"),
        ("LIBTORCH", &tree.path("none"), "there is no folder ~/none"),
        ("LIBTORCH", &headerless, "~/headerless has no include/torch/library.h"),
        (
            "LIBTORCH",
            &tree.libtorch("mute-torch"),
            "~/mute-torch does not say its version (version.py, build-version, version.h)",
        ),
        ("LIBTORCH", &tree.torch_package("odd", "unknown"), "~/odd/version.py names no version"),
    ];
    for (variable, value, line) in lines {
        let error = tree.error(&[(variable, value)]);
        assert!(error.contains(&format!("    {variable:<17}{line}\n")), "{line}\nis not in\n{error}");
        assert!(error.contains(&format!("{variable} is set, so the search ended there")), "{error}");
    }
    let half = tree.torch_package("half", "2.15.0");
    fs::remove_file(half.join("lib/libc10.so")).unwrap();
    assert!(tree.error(&[("LIBTORCH", &half)]).contains("~/half/lib/libc10.so is missing\n"));
}
