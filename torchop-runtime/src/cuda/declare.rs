//! The macro that declares kernels.

/// Declares CUDA kernels, each as a `static` [`Kernel`](crate::cuda::Kernel) with its name.
///
/// ```ignore
/// cuda_kernels! {
///     // SAFETY: thread `i` touches element `i` of `x` and `y`, for `i < n`; every launch passes tensors of at least `n`.
///     unsafe extern "CUDA" in source("scale.cu") {
///         safe fn scale<T: ["float", "__half"]>(x: In, y: Out, n: i64, factor: f32);
///     }
/// }
///
/// scale.launch(["float"], Grid::covering(n, 1, 256)?, (x, &mut y, n, 2.0))?;
/// ```
///
/// - Code: `source("file.cu")` is compiled by NVRTC at the first use, `ptx("file.ptx")` and `cubin("file.cubin")` are embedded;
///   paths are relative to this file. `inline(r"…")` is source in place. `ptx(bytes(EXPR))` and `cubin(bytes(EXPR))` take what a build script made.
/// - After the code: `headers ["own.cuh"]` for files that the source includes (`<torchop.cuh>` is always there), and
///   `options ["--use_fast_math"]` for NVRTC.
/// - In angle brackets stand the template parameters with all values that they may have. A `where` after the parameters does
///   the same for macros: `where TILE: ["16", "32"]`. A launch chooses one of each, in order.
/// - Parameters are [`Parameter`](crate::cuda::Parameter) types. Names are for messages; number and sizes are checked against the compiled
///   kernel when it is loaded.
///
/// # Safety
/// As in Rust's own `unsafe extern` blocks, the word `unsafe` is the promise that the declaration is right, and `safe fn` that
/// the launches need no further one: **with the arguments of every launch that the kernel's visibility allows, it
/// touches only memory of the tensors that it is given, writes only those that are declared as written, and ends.** Number,
/// sizes, dtypes and devices of the arguments are checked; what is not is the arithmetic in the kernel. Keep kernels private
/// to the module that launches them, and say in a comment why the promise holds.
#[macro_export]
macro_rules! cuda_kernels {
    ($(
        $(#[$block:meta])*
        unsafe extern "CUDA" in $kind:ident $code:tt $(headers $headers:tt)? $(options $options:tt)? { $($kernels:tt)* }
    )*) => {
        $($crate::__torchop_cuda! { @kernels ($kind $code) [$($headers)?] [$($options)?] $($kernels)* })*
    };
    ($(#[$block:meta])* extern $($rest:tt)*) => {
        ::core::compile_error!(
            "a declaration of kernels is a promise that they stay within their tensors; write `unsafe extern \"CUDA\"`"
        );
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __torchop_cuda {
    (@kernels $code:tt $headers:tt $options:tt) => {};
    (@kernels $code:tt $headers:tt $options:tt
        $(#[$meta:meta])*
        $visibility:vis safe fn $name:ident
        $(<$($template:ident: [$($value:literal),+ $(,)?]),+ $(,)?>)?
        ($($parameter:ident: $type:ty),* $(,)?)
        $(where $($define:ident: [$($defined:literal),+ $(,)?]),+)?;
        $($rest:tt)*
    ) => {
        $(#[$meta])*
        #[allow(non_upper_case_globals)]
        $visibility static $name: $crate::cuda::Kernel<
            ($($type,)*),
            { 0 $($(+ $crate::__torchop_cuda!(@one $template))+)? $($(+ $crate::__torchop_cuda!(@one $define))+)? },
        > = {
            #[$crate::__private::linkme::distributed_slice($crate::cuda::CUDA_KERNELS)]
            #[linkme(crate = $crate::__private::linkme)]
            static ENTRY: &$crate::cuda::KernelDef = &DEF;
            static DEF: $crate::cuda::KernelDef = $crate::cuda::KernelDef {
                name: ::core::stringify!($name),
                code: $crate::__torchop_cuda!(@code $code),
                headers: $crate::__torchop_cuda!(@headers $headers),
                options: $crate::__torchop_cuda!(@options $options),
                template: &[$($($crate::cuda::Choice {
                    name: ::core::stringify!($template),
                    values: &[$($value),+],
                }),+)?],
                defines: &[$($($crate::cuda::Choice {
                    name: ::core::stringify!($define),
                    values: &[$($defined),+],
                }),+)?],
                parameters: &[$((::core::stringify!($parameter), <$type as $crate::cuda::Parameter>::SIZE)),*],
                location: $crate::__private::Location { file: ::core::file!(), line: ::core::line!() },
            };
            $crate::cuda::Kernel::__declared(&DEF)
        };
        $crate::__torchop_cuda! { @kernels $code $headers $options $($rest)* }
    };

    (@one $name:ident) => { 1 };

    (@code (source($file:literal))) => { $crate::cuda::Code::Source($file, ::core::include_str!($file)) };
    (@code (inline($text:expr))) => {
        $crate::cuda::Code::Source(::core::concat!(::core::file!(), ":", ::core::line!()), $text)
    };
    (@code ($kind:ident(bytes($bytes:expr)))) => { $crate::cuda::Code::Image(::core::stringify!($kind), $bytes) };
    (@code (ptx($file:literal))) => { $crate::cuda::Code::Image($file, ::core::include_bytes!($file)) };
    (@code (cubin($file:literal))) => { $crate::cuda::Code::Image($file, ::core::include_bytes!($file)) };

    (@headers []) => { &[] };
    (@headers [[$($file:literal),* $(,)?]]) => { &[$(($file, ::core::include_str!($file))),*] };
    (@options []) => { &[] };
    (@options [[$($option:literal),* $(,)?]]) => { &[$($option),*] };
}
