//! The bridge to torch's tensors of foreign memory.

/// The functions.
#[allow(missing_docs, unreachable_pub, clippy::missing_safety_doc, clippy::too_many_arguments)]
#[cxx::bridge(namespace = "torchop")]
pub(crate) mod ffi {
    unsafe extern "C++" {
        include!("torchop-dlpack/cpp/dlpack.h");

        type TensorHandle = torchop_sys::TensorHandle;
        type DropFn = torchop_sys::DropFn;

        fn dlpack_problem(tensor: &TensorHandle) -> u8;
        unsafe fn dlpack_import(
            data: usize,
            sizes: &[i64],
            strides: &[i64],
            dtype: i8,
            device_type: i8,
            device_index: i8,
            context: *mut u8,
            drop: DropFn,
        ) -> Result<TensorHandle>;
    }
}
