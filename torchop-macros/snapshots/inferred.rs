// #[torch_op(…)]
// name = "my_ops::add_", cpu, foreign
//     pub fn add_(self_: &mut Tensor, #[torch(default = 1)] n: i64) { todo!() }

#[doc(hidden)]
#[allow(non_camel_case_types)]
pub enum add_ {}
#[doc(hidden)]
impl add_ {
    /// The function as written: no dispatcher, no autograd.
    pub fn kernel(self_: &mut Tensor, n: i64) {
        todo!()
    }
}
/**

Schema: `my_ops::add_(Tensor(a!) self, SymInt n=1) -> ()`

Calls the operator through torch's dispatcher. The function as written is `add_::kernel`.*/
#[allow(clippy::too_many_arguments)]
pub fn add_(
    self_: &mut Tensor,
    n: i64,
) -> <() as ::torchop::__private0::Returned>::Called {
    use ::torchop::__private0::NotCalled as _;
    ::torchop::__private0::Call::<add_, (&mut Tensor, i64), ()>::call((self_, n))
}
#[doc(hidden)]
const _: () = {
    use ::torchop::__private0 as __torchop;
    use __torchop::{NoMethod as _, NotMade as _, NotRead as _, Silent as _};
    const __TORCHOP_TYPES: &[__torchop::SchemaType] = &[
        __torchop::SchemaType::with_sizes(
            &<&mut Tensor as __torchop::Argument<'_>>::TYPE,
        ),
        __torchop::SchemaType::with_sizes(&<i64 as __torchop::Argument<'_>>::TYPE),
    ];
    const __TORCHOP_ARGUMENTS: &[__torchop::ArgumentDef] = &[
        __torchop::ArgumentDef {
            name: "self",
            ty: __TORCHOP_TYPES[0usize],
            default: ::core::option::Option::None,
        },
        __torchop::ArgumentDef {
            name: "n",
            ty: __TORCHOP_TYPES[1usize],
            default: ::core::option::Option::Some(__torchop::SchemaDefault::Int(1i64)),
        },
    ];
    const __TORCHOP_RESULTS: &[__torchop::SchemaType] = match __torchop::Quiet::<
        (),
    >::TYPES {
        ::core::option::Option::Some(types) => types,
        ::core::option::Option::None => &[],
    };
    const __TORCHOP_RETURNS: &[__torchop::SchemaType] = &__torchop::with_sizes::<
        { __TORCHOP_RESULTS.len() },
    >(__TORCHOP_RESULTS);
    const __TORCHOP_TENSORS: &[u16] = &__torchop::positions::<
        { __torchop::count(__TORCHOP_TYPES, __torchop::Which::Tensors) },
    >(__TORCHOP_TYPES, __torchop::Which::Tensors);
    const __TORCHOP_WRITTEN: &[u16] = &__torchop::positions::<
        { __torchop::count(__TORCHOP_TYPES, __torchop::Which::Written) },
    >(__TORCHOP_TYPES, __torchop::Which::Written);
    static __TORCHOP_DEF: __torchop::OpDef = __torchop::OpDef {
        name: "my_ops::add_",
        overload: "",
        foreign: true,
        schema: __torchop::SchemaDef::Inferred {
            arguments: __TORCHOP_ARGUMENTS,
            returns: __TORCHOP_RETURNS,
        },
        arguments: &["self", "n"],
        tensor_arguments: __TORCHOP_TENSORS,
        written_arguments: __TORCHOP_WRITTEN,
        returns: __TORCHOP_RETURNS.len() as u16,
        constant_results: __torchop::Constant::Some(&[]),
        autocast: &[],
        effectful: false,
        is_pointwise: false,
        tags: &["pt2_compliant_tag"],
        location: __torchop::Location {
            file: ::core::file!(),
            line: ::core::line!(),
        },
        handle: __torchop::OpHandle::new(),
    };
    pub struct names_of_add_ {
        pub self_: __torchop::Slot,
        pub n: __torchop::Slot,
        pub needs_grad_self_: __torchop::Slot,
        pub needs_grad_n: __torchop::Slot,
    }
    impl __torchop::Op for add_ {
        const DEF: &'static __torchop::OpDef = &__TORCHOP_DEF;
        type Names = names_of_add_;
        const NAMES: names_of_add_ = names_of_add_ {
            self_: __torchop::Slot {
                kind: __torchop::SlotKind::Argument,
                index: 0u16,
                ty: __TORCHOP_TYPES[0usize],
                wants: "`add_` has `self_: &mut Tensor` here; write the same",
                fake_wants: "`add_` has `self_: &mut Tensor` here; a fake has the same, with `&FakeTensor` for a tensor and `SymInt` for a size",
                unwritten: "`add_` has `self_: &mut Tensor` here, which is not written to; write the same, or `&mut Tensor` in both",
            },
            n: __torchop::Slot {
                kind: __torchop::SlotKind::Argument,
                index: 1u16,
                ty: __TORCHOP_TYPES[1usize],
                wants: "`add_` has `n: i64` here; write the same",
                fake_wants: "`add_` has `n: i64` here; a fake has the same, with `&FakeTensor` for a tensor and `SymInt` for a size",
                unwritten: "`add_` has `n: i64` here, which is not written to; write the same, or `&mut Tensor` in both",
            },
            needs_grad_self_: __torchop::needs_grad(
                __TORCHOP_TYPES[0usize],
                0u16,
                "`needs_grad_self_` says whether the gradient of `self_` is wanted; write `needs_grad_self_: bool`",
                "`self_` holds no tensors, so it needs no gradient; take `needs_grad_self_` away",
            ),
            needs_grad_n: __torchop::needs_grad(
                __TORCHOP_TYPES[1usize],
                1u16,
                "`needs_grad_n` says whether the gradient of `n` is wanted; write `needs_grad_n: bool`",
                "`n` holds no tensors, so it needs no gradient; take `needs_grad_n` away",
            ),
        };
        const COUNT: usize = 2usize;
        const TAKES: &'static str = "`add_` takes 2 arguments: self_: &mut Tensor, n: i64";
        const RETURNS: &'static [__torchop::SchemaType] = __TORCHOP_RETURNS;
        const RETURN_TEXT: &'static str = "`add_` returns `()`; return the same";
        const FAKE_RETURN_TEXT: &'static str = "`add_` returns `()`; return the same, with `FakeTensor` for `Tensor` and `SymInt` for `i64`";
        const WRITES: bool = !__TORCHOP_WRITTEN.is_empty();
        const TENSOR_ARGUMENTS: &'static [u16] = __TORCHOP_TENSORS;
        const GRADIENTS: usize = __TORCHOP_TENSORS.len();
        const GIVES: &'static str = "the backward of `add_` returns one gradient for each argument that holds tensors, in the order of the arguments";
    }
    const __TORCHOP_NAMES: <add_ as __torchop::Op>::Names = <add_ as __torchop::Op>::NAMES;
    const _: () = __torchop::inferred_argument(
        <&mut Tensor as __torchop::Argument<'_>>::TYPE,
    );
    const _: () = __torchop::inferred_argument(<i64 as __torchop::Argument<'_>>::TYPE);
    const _: () = __torchop::default_fits(
        <i64 as __torchop::Argument<'_>>::TYPE,
        __torchop::SchemaDefault::Int(1i64),
        "`1` is no default for `n: i64`",
    );
    const _: () = __torchop::inferred_results(
        __torchop::Quiet::<()>::TYPES,
        0usize,
        !__TORCHOP_WRITTEN.is_empty(),
    );
    const _: () = {
        use __torchop::NotCalled as _;
        __torchop::callable(
            __torchop::Read::<(&mut Tensor, i64)>::FITS,
            __torchop::Call::<add_, (&mut Tensor, i64), ()>::FITS,
            __torchop::Quiet::<()>::TYPES,
        );
    };
    const _: () = {
        let _ = add_;
    };
    fn __torchop_call(
        arguments: __torchop::Arguments<'_>,
        results: __torchop::Results<'_>,
    ) -> __torchop::Result<()> {
        let (argument0, argument1) = __torchop::Read::<
            (&mut Tensor, i64),
        >::read(arguments)?;
        __torchop::Quiet::<()>::give(results, <add_>::kernel(argument0, argument1))
    }
    impl __torchop::KernelFor<__torchop::key::CPU> for add_ {}
    const _: () = __torchop::reached(<add_ as __torchop::Op>::WITHOUT_TENSORS);
    #[__torchop::linkme::distributed_slice(__torchop::REGISTRATIONS)]
    #[linkme(crate = ::torchop::__private0::linkme)]
    static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Op {
        op: &__TORCHOP_DEF,
        kernels: &[
            __torchop::KernelDef {
                key: "CPU",
                call: __torchop_call,
                dynamic: 0u16,
                path: ::core::concat!(::core::module_path!(), "::", "add_"),
                location: __torchop::Location {
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
            },
        ],
    };
    __torchop::load_hook!();
    #[cfg(panic = "abort")]
    ::core::compile_error!(
        "torchop turns a panic into a Python exception, which needs unwinding\nremove `panic = \"abort\"` from the profile in Cargo.toml"
    );
};

