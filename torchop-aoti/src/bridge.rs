//! The bridge to torch's loader of packages.

/// The functions. Contracts that are not said here are those of the torch function of the same name.
#[allow(missing_docs, unreachable_pub, clippy::missing_safety_doc)]
#[cxx::bridge(namespace = "torchop")]
pub(crate) mod ffi {
    unsafe extern "C++" {
        include!("torchop-aoti/cpp/package.h");

        type RawValue = torchop_sys::RawValue;
        type TensorHandle = torchop_sys::TensorHandle;

        type Package;
        fn package_load(
            file: &[u8],
            name: &str,
            single_threaded: bool,
            runners: usize,
            device: i8,
        ) -> Result<UniquePtr<Package>>;
        fn package_inputs(package: &Package) -> usize;
        fn package_outputs(package: &Package) -> usize;
        fn package_call_spec(package: &Package, specs: &mut Vec<String>) -> Result<()>;
        fn package_metadata(package: &Package, entries: &mut Vec<String>) -> Result<()>;
        fn package_library(package: &Package) -> Result<String>;
        fn package_constants(package: &Package, names: &mut Vec<String>) -> Result<()>;
        fn package_objects(package: &Package, names: &mut Vec<String>) -> Result<()>;
        unsafe fn package_object(package: &Package, name: &str, to: *mut RawValue) -> Result<()>;
        unsafe fn package_run(
            package: &Package,
            inputs: *const *const TensorHandle,
            count: usize,
            results: *mut TensorHandle,
        ) -> Result<()>;
        unsafe fn package_update(package: &Package, names: &[&str], values: *const *const TensorHandle) -> Result<()>;
        unsafe fn tensor_facts(tensor: &TensorHandle, sizes: *mut i64, rank: usize, facts: &mut [i64; 6]);
    }
}
