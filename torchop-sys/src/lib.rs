//! The cxx bridge of torchop into libtorch, and nothing but the bridge.
//!
//! Every function that can meet a C++ exception returns `Result`; the exception itself is kept whole on the C++ side and
//! is taken with [`ffi::failure_take`] right after an `Err`. Rust functions reach C++ as plain function pointers
//! ([`KernelFn`], [`DropFn`]); there is no `extern "Rust"` section, so nothing of ours is exported for another library to
//! bind to. [`RawValue`] is torch's value, 16 bytes, which Rust reads in place.

mod fields;
mod types;

pub use fields::{FIELDS_KNOWN, PLACES, Plain, fields_hold, storage_pin, storage_unpin};
pub use types::{DropFn, GeneratorHandle, KernelFn, RangeFn, RawValue, SymIntHandle, TensorHandle, TensorMemory};

/// The functions. Contracts that are not said here are those of the torch function of the same name.
#[allow(missing_docs, unreachable_pub, clippy::missing_safety_doc, clippy::too_many_arguments)]
#[cxx::bridge(namespace = "torchop")]
pub mod ffi {
    unsafe extern "C++" {
        include!("torchop-sys/cpp/bridge.h");

        type RawValue = crate::RawValue;
        type TensorHandle = crate::TensorHandle;
        type SymIntHandle = crate::SymIntHandle;
        type GeneratorHandle = crate::GeneratorHandle;
        type KernelFn = crate::KernelFn;
        type DropFn = crate::DropFn;
        type TensorMemory = crate::TensorMemory;
        type RangeFn = crate::RangeFn;

        // Exceptions.
        type Failure;
        fn failure_take() -> UniquePtr<Failure>;
        fn failure_new(kind: u8, message: &str) -> Result<UniquePtr<Failure>>;
        fn failure_kind(failure: &Failure) -> u8;
        fn failure_message(failure: &Failure) -> &CxxString;

        // Values.
        fn value_layout(tags: &mut [u64; 13]) -> Result<()>;
        unsafe fn value_drop(value: *mut RawValue);
        unsafe fn value_type_name(value: *const RawValue) -> Result<UniquePtr<CxxString>>;
        unsafe fn value_is_sym_int(value: *const RawValue) -> bool;
        unsafe fn value_sym_int(value: *const RawValue) -> Result<SymIntHandle>;
        unsafe fn value_string<'a>(value: *const RawValue) -> Result<&'a [u8]>;
        unsafe fn value_is_shared(value: *const RawValue) -> bool;
        unsafe fn value_copy_container(value: *const RawValue, to: *mut RawValue) -> Result<()>;
        unsafe fn value_list(value: *const RawValue, length: &mut usize) -> Result<*const RawValue>;
        unsafe fn value_put_string(to: *mut RawValue, text: &str) -> Result<()>;
        unsafe fn value_put_sym_int(to: *mut RawValue, value: SymIntHandle);
        unsafe fn value_put_list(
            to: *mut RawValue,
            element: &str,
            elements: *mut RawValue,
            length: usize,
        ) -> Result<()>;
        unsafe fn value_put_tuple(to: *mut RawValue, elements: *mut RawValue, length: usize) -> Result<()>;
        unsafe fn value_tuple(value: *const RawValue, length: &mut usize) -> *const RawValue;
        unsafe fn value_put_dict(
            to: *mut RawValue,
            key: &str,
            value: &str,
            keys: *mut RawValue,
            values: *mut RawValue,
            length: usize,
        ) -> Result<()>;
        unsafe fn value_dict(value: *const RawValue, entries: *mut [*const RawValue; 2], room: usize) -> i64;
        unsafe fn value_float(value: *const RawValue, out: &mut f64) -> Result<bool>;
        unsafe fn value_bool(value: *const RawValue, out: &mut bool) -> Result<bool>;
        unsafe fn value_complex(value: *const RawValue, out: &mut [f64; 2]) -> Result<bool>;
        unsafe fn value_uint(value: *const RawValue, out: &mut u64) -> Result<bool>;
        unsafe fn value_put_complex(to: *mut RawValue, real: f64, imaginary: f64) -> Result<()>;
        unsafe fn value_put_uint(to: *mut RawValue, number: u64) -> Result<()>;
        unsafe fn value_put_device(to: *mut RawValue, kind: i8, index: i8) -> Result<()>;
        unsafe fn value_stream(value: *const RawValue, out: &mut [i64; 3]) -> Result<bool>;
        unsafe fn value_put_stream(to: *mut RawValue, id: i64, kind: i8, index: i8) -> Result<()>;
        unsafe fn value_generator(value: *const RawValue) -> GeneratorHandle;
        unsafe fn value_put_generator(to: *mut RawValue, generator: GeneratorHandle);

        // Generators of random numbers.
        fn generator_clone_handle(generator: &GeneratorHandle) -> GeneratorHandle;
        unsafe fn generator_drop_handle(generator: *mut GeneratorHandle);
        fn generator_default_cpu() -> Result<GeneratorHandle>;
        fn generator_next(generator: &GeneratorHandle) -> Result<u64>;
        fn generator_seed(generator: &GeneratorHandle) -> Result<u64>;
        fn generator_device(generator: &GeneratorHandle) -> Result<UniquePtr<CxxString>>;

        // Tensors.
        fn tensor_undefined() -> TensorHandle;
        fn tensor_clone_handle(tensor: &TensorHandle) -> TensorHandle;
        unsafe fn tensor_drop_handle(tensor: *mut TensorHandle);
        fn tensor_defined(tensor: &TensorHandle) -> bool;
        fn tensor_use_count(tensor: &TensorHandle) -> usize;
        fn tensor_dim(tensor: &TensorHandle) -> Result<i64>;
        fn tensor_size(tensor: &TensorHandle, dim: i64, known: &mut bool) -> Result<i64>;
        fn tensor_numel(tensor: &TensorHandle, known: &mut bool) -> Result<i64>;
        fn tensor_storage_offset(tensor: &TensorHandle, known: &mut bool) -> Result<i64>;
        fn tensor_is_contiguous(tensor: &TensorHandle) -> Result<bool>;
        fn tensor_requires_grad(tensor: &TensorHandle) -> bool;
        fn tensor_dtype(tensor: &TensorHandle) -> Result<i8>;
        fn tensor_device_type(tensor: &TensorHandle) -> Result<i8>;
        fn tensor_device_index(tensor: &TensorHandle) -> Result<i8>;
        fn tensor_layout(tensor: &TensorHandle) -> Result<i8>;
        fn tensor_item_size(tensor: &TensorHandle) -> Result<usize>;
        fn tensor_sizes<'a>(tensor: &'a TensorHandle, known: &mut bool) -> Result<&'a [i64]>;
        fn tensor_strides<'a>(tensor: &'a TensorHandle, known: &mut bool) -> Result<&'a [i64]>;
        fn tensor_data(tensor: &TensorHandle) -> Result<*const u8>;
        fn tensor_sym_size(tensor: &TensorHandle, dim: i64) -> Result<SymIntHandle>;
        fn tensor_sym_stride(tensor: &TensorHandle, dim: i64) -> Result<SymIntHandle>;
        fn tensor_sym_numel(tensor: &TensorHandle) -> Result<SymIntHandle>;
        fn tensor_sym_storage_offset(tensor: &TensorHandle) -> Result<SymIntHandle>;
        fn dtype_name(dtype: i8) -> Result<UniquePtr<CxxString>>;
        fn code_is_known(kind: u8, code: i8) -> bool;
        fn device_name(device_type: i8) -> Result<UniquePtr<CxxString>>;

        fn tensor_storage_range(tensor: &TensorHandle, begin: &mut usize, bytes: &mut usize) -> bool;
        unsafe fn tensor_memory_quick(tensor: &TensorHandle, purpose: u8, found: *mut TensorMemory);
        fn tensor_is_contiguous_as(tensor: &TensorHandle, format: i8) -> Result<bool>;
        fn tensor_is_conj(tensor: &TensorHandle) -> bool;
        fn tensor_is_neg(tensor: &TensorHandle) -> bool;
        fn tensor_is_inference(tensor: &TensorHandle) -> Result<bool>;
        fn tensor_version(tensor: &TensorHandle) -> Result<i64>;
        fn tensor_address(tensor: &TensorHandle) -> Result<usize>;
        fn tensor_storage(tensor: &TensorHandle) -> Result<usize>;
        fn tensor_text(tensor: &TensorHandle) -> Result<UniquePtr<CxxString>>;
        unsafe fn tensor_from_memory(
            data: usize,
            sizes: &[i64],
            strides: &[i64],
            dtype: i8,
            context: *mut u8,
            drop: DropFn,
        ) -> Result<TensorHandle>;

        // Torch's intra-op threads.
        fn parallel_threads() -> Result<i64>;
        fn parallel_set_threads(count: i32) -> Result<()>;
        fn parallel_inside() -> Result<bool>;
        unsafe fn parallel_run(count: i64, grain: i64, function: RangeFn, context: *const u8) -> Result<()>;

        // Their memory.
        unsafe fn tensor_memory(tensor: &TensorHandle, purpose: u8, found: *mut TensorMemory) -> Result<()>;
        fn tensor_part(tensor: &TensorHandle, index: usize) -> TensorHandle;
        fn storage_hold(tensor: &TensorHandle) -> Result<usize>;
        unsafe fn storage_release(storage: usize);
        unsafe fn storage_pin(storage: usize) -> bool;
        unsafe fn storage_unpin(storage: usize);
        fn process_wide(name: &str, own: usize) -> Result<usize>;

        // Devices.
        fn device_stream(kind: i8, index: i8, current: &mut i8) -> Result<u64>;
        fn device_exchange(kind: i8, index: i8) -> Result<i8>;
        fn device_set_back(kind: i8, index: i8);
        fn stream_exchange(id: i64, kind: i8, index: i8, before: &mut [i64; 3]) -> Result<()>;
        fn tensor_device_memory(tensor: &TensorHandle, written: bool, out: &mut [i64; 6]) -> Result<()>;
        fn tensor_new_strided(tensor: &TensorHandle, sizes: &[i64], strides: &[i64], dtype: i8)
        -> Result<TensorHandle>;

        // Symbolic numbers.
        fn sym_int_new(value: i64) -> SymIntHandle;
        fn sym_int_clone(value: &SymIntHandle) -> SymIntHandle;
        unsafe fn sym_int_drop(value: *mut SymIntHandle);
        fn sym_int_is_symbolic(value: &SymIntHandle) -> bool;
        fn sym_int_known(value: &SymIntHandle, known: &mut bool) -> Result<i64>;
        fn sym_int_guard(value: &SymIntHandle) -> Result<i64>;
        fn sym_int_arithmetic(a: &SymIntHandle, b: &SymIntHandle, operation: u8) -> Result<SymIntHandle>;
        fn sym_int_compare(a: &SymIntHandle, b: &SymIntHandle, comparison: u8) -> Result<UniquePtr<SymBool>>;
        fn sym_int_text(value: &SymIntHandle) -> Result<UniquePtr<CxxString>>;
        type SymFloat;
        fn sym_float_new(value: f64) -> Result<UniquePtr<SymFloat>>;
        fn sym_float_of(value: &SymIntHandle) -> Result<UniquePtr<SymFloat>>;
        fn sym_float_copy(value: &SymFloat) -> Result<UniquePtr<SymFloat>>;
        fn sym_float_is_symbolic(value: &SymFloat) -> bool;
        fn sym_float_guard(value: &SymFloat) -> Result<f64>;
        fn sym_float_arithmetic(a: &SymFloat, b: &SymFloat, operation: u8) -> Result<UniquePtr<SymFloat>>;
        fn sym_float_compare(a: &SymFloat, b: &SymFloat, comparison: u8) -> Result<UniquePtr<SymBool>>;
        fn sym_float_text(value: &SymFloat) -> Result<UniquePtr<CxxString>>;
        unsafe fn value_sym_float(value: *const RawValue) -> Result<UniquePtr<SymFloat>>;
        type SymBool;
        fn sym_bool_new(value: bool) -> Result<UniquePtr<SymBool>>;
        fn sym_bool_copy(value: &SymBool) -> Result<UniquePtr<SymBool>>;
        fn sym_bool_and(a: &SymBool, b: &SymBool) -> Result<UniquePtr<SymBool>>;
        fn sym_bool_or(a: &SymBool, b: &SymBool) -> Result<UniquePtr<SymBool>>;
        fn sym_bool_not(a: &SymBool) -> Result<UniquePtr<SymBool>>;
        fn sym_bool_guard(value: &SymBool) -> Result<bool>;
        fn sym_bool_expect(value: &SymBool) -> Result<bool>;
        fn sym_bool_guard_or(value: &SymBool, otherwise: bool) -> Result<bool>;
        fn sym_bool_text(value: &SymBool) -> Result<UniquePtr<CxxString>>;
        unsafe fn value_sym_bool(value: *const RawValue) -> Result<UniquePtr<SymBool>>;

        // Whether fakes and kernels agree.
        unsafe fn check_fake(
            op: &str,
            hidden: &str,
            arguments: *mut RawValue,
            count: usize,
            compared: &mut Vec<String>,
            problems: &mut Vec<String>,
        ) -> Result<()>;

        // Registration of operators.
        type Namespace;
        fn namespace_new(name: &str, file: &str, line: u32) -> Result<UniquePtr<Namespace>>;
        fn namespace_define(ns: Pin<&mut Namespace>, schema: &str, tags: &[&str]) -> Result<()>;
        unsafe fn namespace_kernel(
            ns: Pin<&mut Namespace>,
            op: &str,
            key: &str,
            function: KernelFn,
            context: *const u8,
            arguments: u32,
            results: u32,
            name: &'static str,
            tensors: &[u16],
            written: &[u16],
        ) -> Result<()>;
        unsafe fn namespace_open_kernel(
            ns: Pin<&mut Namespace>,
            op: &str,
            key: &str,
            function: KernelFn,
            context: *const u8,
            arguments: u32,
            results: u32,
            name: &'static str,
        ) -> Result<()>;
        fn namespace_written(
            ns: Pin<&mut Namespace>,
            op: &str,
            arguments: u16,
            written: &[u16],
            needs_fake: bool,
        ) -> Result<()>;
        type AutogradOp;
        fn autograd_new(
            name: &'static str,
            tensors: &[u16],
            written: &[u16],
            arguments: u16,
            results: u16,
            constant: &[u16],
            all_constant: bool,
            no_backward: &'static str,
        ) -> Result<UniquePtr<AutogradOp>>;
        unsafe fn autograd_backward(
            op: Pin<&mut AutogradOp>,
            function: KernelFn,
            context: *const u8,
            name: &'static str,
            needs: &[u32],
            gradients: &[u16],
        ) -> Result<()>;
        unsafe fn autograd_jvp(
            op: Pin<&mut AutogradOp>,
            function: KernelFn,
            context: *const u8,
            name: &'static str,
            needs: &[u32],
        ) -> Result<()>;
        fn namespace_traced_backward(
            ns: Pin<&mut Namespace>,
            op: &str,
            held: &str,
            backward: &str,
            parts: &AutogradOp,
        ) -> Result<bool>;
        fn namespace_autograd(ns: Pin<&mut Namespace>, op: &str, parts: UniquePtr<AutogradOp>) -> Result<()>;
        unsafe fn namespace_batch(
            ns: Pin<&mut Namespace>,
            op: &str,
            function: KernelFn,
            context: *const u8,
            name: &'static str,
            needs: &[u32],
            tensors: &[u16],
            arguments: u16,
            results: u16,
        ) -> Result<()>;
        fn namespace_autocast(
            ns: Pin<&mut Namespace>,
            op: &str,
            key: &str,
            device: i8,
            dtype: i8,
            tensors: &[u16],
            arguments: u16,
        ) -> Result<()>;
        unsafe fn namespace_open_fake(
            ns: Pin<&mut Namespace>,
            op: &str,
            hidden: &str,
            dynamic: u32,
            anchor: bool,
            function: KernelFn,
            context: *const u8,
            results: u32,
            name: &'static str,
        ) -> Result<()>;
        fn operator_origin(name: &str, overload: &str) -> Result<UniquePtr<CxxString>>;
        fn operator_schema(name: &str, overload: &str) -> Result<UniquePtr<CxxString>>;
        fn schema_printed(schema: &str) -> Result<UniquePtr<CxxString>>;
        fn operator_has_kernel(name: &str, overload: &str, key: &str) -> Result<bool>;

        // Calls of operators.
        type Operator;
        fn operator_find(name: &str, overload: &str) -> Result<UniquePtr<Operator>>;
        unsafe fn operator_effect(
            op: &Operator,
            argument: usize,
            arguments: *const RawValue,
            argument_count: usize,
        ) -> u8;
        unsafe fn operator_call(
            op: &Operator,
            arguments: *mut RawValue,
            count: usize,
            results: *mut RawValue,
            result_count: usize,
            checked: bool,
        ) -> Result<()>;

        // Modes of the thread, and settings of the process.
        fn grad_enabled() -> bool;
        fn grad_enable(on: bool);
        fn inference_enabled() -> bool;
        type InferenceMode;
        fn inference_mode(on: bool) -> Result<UniquePtr<InferenceMode>>;
        fn manual_seed(seed: u64) -> Result<()>;
        fn default_dtype() -> i8;
        fn set_default_dtype(dtype: i8) -> Result<()>;

        // Classes.
        type Class;
        fn class_origin(name: &str) -> Result<UniquePtr<CxxString>>;
        fn class_new(name: &str, doc: &str) -> Result<UniquePtr<Class>>;
        unsafe fn class_method(
            the_class: Pin<&mut Class>,
            schema: &str,
            function: KernelFn,
            context: *const u8,
            arguments: u32,
            results: u32,
            name: &'static str,
            doc: &str,
            kind: u8,
            property: &str,
        ) -> Result<()>;
        fn class_negation(the_class: Pin<&mut Class>, from: &str, to: &str) -> Result<()>;
        unsafe fn class_flatten(
            the_class: Pin<&mut Class>,
            name: &'static str,
            function: KernelFn,
            save: *const u8,
            restore: *const u8,
            names: &[&str],
            types: &[&str],
        ) -> Result<()>;
        unsafe fn class_pickle(
            the_class: Pin<&mut Class>,
            name: &'static str,
            function: KernelFn,
            save: *const u8,
            version: u32,
            names: &[&str],
        ) -> Result<()>;
        unsafe fn class_state_reader(
            the_class: Pin<&mut Class>,
            name: &'static str,
            version: u32,
            function: KernelFn,
            restore: *const u8,
            names: &[&str],
            types: &[&str],
        ) -> Result<()>;
        unsafe fn class_move_to(
            the_class: Pin<&mut Class>,
            name: &'static str,
            function: KernelFn,
            save: *const u8,
            restore: *const u8,
            names: &[&str],
            types: &[&str],
        ) -> Result<()>;
        fn class_no_pickle(the_class: Pin<&mut Class>, message: &str) -> Result<()>;
        fn class_finish(the_class: Pin<&mut Class>) -> Result<()>;
        fn class_strip(the_class: Pin<&mut Class>) -> Result<()>;
        unsafe fn object_get(value: *const RawValue, identity: *const u8, problem: &mut u8) -> *const u8;
        unsafe fn object_new(
            to: *mut RawValue,
            name: &str,
            object: *mut u8,
            size: usize,
            alignment: usize,
            drop: DropFn,
            identity: *const u8,
        ) -> Result<()>;
        unsafe fn value_copy(to: *mut RawValue, from: *const RawValue);
        unsafe fn object_set(
            value: *const RawValue,
            object: *mut u8,
            size: usize,
            alignment: usize,
            drop: DropFn,
            identity: *const u8,
        ) -> Result<()>;

        fn torch_version() -> Result<UniquePtr<CxxString>>;
    }
}
