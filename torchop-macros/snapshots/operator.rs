// #[torch_op(…)]
// schema = "my_ops::scale(Tensor x, float alpha=1.) -> Tensor", cpu
//     /// Scales.
//     fn scale(x: &Tensor, alpha: f64) -> Result<Tensor> { todo!() }

#[doc(hidden)]
#[allow(non_camel_case_types)]
enum scale {}
#[doc(hidden)]
impl scale {
    /// The function as written: no dispatcher, no autograd.
    fn kernel(x: &Tensor, alpha: f64) -> Result<Tensor> {
        todo!()
    }
}
/// Scales.
/**

Schema: `my_ops::scale(Tensor x, float alpha=1.) -> Tensor`

Calls the operator through torch's dispatcher. The function as written is `scale::kernel`.*/
#[allow(clippy::too_many_arguments)]
fn scale(
    x: &Tensor,
    alpha: f64,
) -> <Result<Tensor> as ::torchop::__private0::Returned>::Called {
    use ::torchop::__private0::NotCalled as _;
    ::torchop::__private0::Call::<
        scale,
        (&Tensor, f64),
        Result<Tensor>,
    >::call((x, alpha))
}
#[doc(hidden)]
const _: () = {
    use ::torchop::__private0 as __torchop;
    use __torchop::{NoMethod as _, NotMade as _, NotRead as _, Silent as _};
    static __TORCHOP_DEF: __torchop::OpDef = __torchop::OpDef {
        name: "my_ops::scale",
        overload: "",
        foreign: false,
        schema: __torchop::SchemaDef::Text(
            "my_ops::scale(Tensor x, float alpha=1.) -> Tensor",
        ),
        arguments: &["x", "alpha"],
        tensor_arguments: &[0u16],
        written_arguments: &[],
        returns: 1u16,
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
    pub struct names_of_scale {
        pub x: __torchop::Slot,
        pub alpha: __torchop::Slot,
        pub output: __torchop::Slot,
        pub grad_output: __torchop::Slot,
        pub needs_grad_x: __torchop::Slot,
    }
    impl __torchop::Op for scale {
        const DEF: &'static __torchop::OpDef = &__TORCHOP_DEF;
        type Names = names_of_scale;
        const NAMES: names_of_scale = names_of_scale {
            x: __torchop::Slot {
                kind: __torchop::SlotKind::Argument,
                index: 0u16,
                ty: __torchop::SchemaType::Tensor,
                wants: "the schema has `Tensor x` here; write `x: &Tensor`",
                fake_wants: "the schema has `Tensor x` here; a fake takes it as `x: &FakeTensor`",
                unwritten: "the schema has `Tensor x` here, which is not written to; write `x: &Tensor`, or `Tensor(a!) x` in the schema",
            },
            alpha: __torchop::Slot {
                kind: __torchop::SlotKind::Argument,
                index: 1u16,
                ty: __torchop::SchemaType::Float,
                wants: "the schema has `float alpha` here; write `alpha: f64`",
                fake_wants: "the schema has `float alpha` here; a fake takes it as `alpha: f64`",
                unwritten: "",
            },
            output: __torchop::Slot {
                kind: __torchop::SlotKind::Output,
                index: 0u16,
                ty: __torchop::SchemaType::Tensor,
                wants: "`output` is a result, `Tensor` in the schema; write `output: &Tensor`",
                fake_wants: "",
                unwritten: "",
            },
            grad_output: __torchop::Slot {
                kind: __torchop::SlotKind::Gradient,
                index: 0u16,
                ty: __torchop::SchemaType::Tensor,
                wants: "`grad_output` is the gradient of a result; write `grad_output: &Tensor` (zeros where undefined) or `grad_output: Option<&Tensor>`",
                fake_wants: "",
                unwritten: "",
            },
            needs_grad_x: __torchop::Slot {
                kind: __torchop::SlotKind::NeedsGrad,
                index: 0u16,
                ty: __torchop::SchemaType::Bool,
                wants: "`needs_grad_x` says whether the gradient of `x` is wanted; write `needs_grad_x: bool`",
                fake_wants: "",
                unwritten: "",
            },
        };
        const COUNT: usize = 2usize;
        const TAKES: &'static str = "`scale` takes 2 arguments: Tensor x, float alpha";
        const RETURNS: &'static [__torchop::SchemaType] = &[
            __torchop::SchemaType::Tensor,
        ];
        const RETURN_TEXT: &'static str = "the schema returns `Tensor`; write `Result<Tensor>`";
        const FAKE_RETURN_TEXT: &'static str = "the schema returns `Tensor`; write `Result<FakeTensor>`";
        const WRITES: bool = false;
        const TENSOR_ARGUMENTS: &'static [u16] = &[0u16];
        const GRADIENTS: usize = 1usize;
        const GIVES: &'static str = "the backward of `scale` returns 1 gradient: x";
    }
    const __TORCHOP_NAMES: <scale as __torchop::Op>::Names = <scale as __torchop::Op>::NAMES;
    const _: () = __torchop::kernel_argument(
        <&Tensor as __torchop::Argument<'_>>::TYPE,
        __TORCHOP_NAMES.x,
    );
    const _: () = __torchop::kernel_argument(
        <f64 as __torchop::Argument<'_>>::TYPE,
        __TORCHOP_NAMES.alpha,
    );
    const _: () = __torchop::returns(
        __torchop::Quiet::<Result<Tensor>>::TYPES,
        <scale as __torchop::Op>::COUNT,
        <scale as __torchop::Op>::RETURNS,
        <scale as __torchop::Op>::RETURN_TEXT,
    );
    const _: () = {
        use __torchop::NotCalled as _;
        __torchop::callable(
            __torchop::Read::<(&Tensor, f64)>::FITS,
            __torchop::Call::<scale, (&Tensor, f64), Result<Tensor>>::FITS,
            __torchop::Quiet::<Result<Tensor>>::TYPES,
        );
    };
    const _: () = {
        let _ = scale;
    };
    fn __torchop_call(
        arguments: __torchop::Arguments<'_>,
        results: __torchop::Results<'_>,
    ) -> __torchop::Result<()> {
        let (argument0, argument1) = __torchop::Read::<(&Tensor, f64)>::read(arguments)?;
        __torchop::Quiet::<
            Result<Tensor>,
        >::give(results, <scale>::kernel(argument0, argument1))
    }
    impl __torchop::KernelFor<__torchop::key::CPU> for scale {}
    const _: () = __torchop::reached(<scale as __torchop::Op>::WITHOUT_TENSORS);
    #[__torchop::linkme::distributed_slice(__torchop::REGISTRATIONS)]
    #[linkme(crate = ::torchop::__private0::linkme)]
    static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Op {
        op: &__TORCHOP_DEF,
        kernels: &[
            __torchop::KernelDef {
                key: "CPU",
                call: __torchop_call,
                dynamic: 0u16,
                path: ::core::concat!(::core::module_path!(), "::", "scale"),
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

// #[torch_op(…)]
// fake_of = scale
//     fn scale_fake(x: &FakeTensor, alpha: f64) -> Result<FakeTensor> { x.empty_like() }

fn scale_fake(x: &FakeTensor, alpha: f64) -> Result<FakeTensor> {
    x.empty_like()
}
#[doc(hidden)]
const _: () = {
    use ::torchop::__private0 as __torchop;
    use __torchop::{NoMethod as _, NotMade as _, NotRead as _, Silent as _};
    const __TORCHOP_NAMES: <scale as __torchop::Op>::Names = <scale as __torchop::Op>::NAMES;
    const _: () = __torchop::takes(
        2usize,
        <scale as __torchop::Op>::COUNT,
        <scale as __torchop::Op>::TAKES,
    );
    const _: () = __torchop::fake_argument(
        <&FakeTensor as __torchop::Argument<'_>>::TYPE,
        __TORCHOP_NAMES.x,
    );
    const _: () = __torchop::fake_argument(
        <f64 as __torchop::Argument<'_>>::TYPE,
        __TORCHOP_NAMES.alpha,
    );
    const _: () = {
        __torchop::in_order(__TORCHOP_NAMES.x, 0u16);
        __torchop::in_order(__TORCHOP_NAMES.alpha, 1u16);
    };
    const _: () = __torchop::fake_returns(
        ::core::option::Option::Some(<Result<FakeTensor> as __torchop::Returned>::TYPES),
        <scale as __torchop::Op>::COUNT,
        <scale as __torchop::Op>::RETURNS,
        <scale as __torchop::Op>::FAKE_RETURN_TEXT,
    );
    fn __torchop_call(
        arguments: __torchop::Arguments<'_>,
        results: __torchop::Results<'_>,
    ) -> __torchop::Result<()> {
        let (argument0, argument1) = __torchop::Read::<
            (&FakeTensor, f64),
        >::read(arguments)?;
        __torchop::Quiet::<
            Result<FakeTensor>,
        >::give(results, scale_fake(argument0, argument1))
    }
    impl __torchop::KernelFor<__torchop::key::Meta> for scale {}
    #[__torchop::linkme::distributed_slice(__torchop::REGISTRATIONS)]
    #[linkme(crate = ::torchop::__private0::linkme)]
    static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Kernels {
        op: <scale as __torchop::Op>::DEF,
        kernels: &[
            __torchop::KernelDef {
                key: "Meta",
                call: __torchop_call,
                dynamic: 0u16,
                path: ::core::concat!(::core::module_path!(), "::", "scale_fake"),
                location: __torchop::Location {
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
            },
        ],
    };
};

// #[torch_op(…)]
// backward_of = scale
//     fn scale_backward(grad_output: &Tensor, alpha: f64) -> Result<Tensor> { scale(grad_output, alpha) }

fn scale_backward(grad_output: &Tensor, alpha: f64) -> Result<Tensor> {
    scale(grad_output, alpha)
}
#[doc(hidden)]
const _: () = {
    use ::torchop::__private0 as __torchop;
    use __torchop::{NoMethod as _, NotMade as _, NotRead as _, Silent as _};
    const __TORCHOP_NAMES: <scale as __torchop::Op>::Names = <scale as __torchop::Op>::NAMES;
    const _: () = __torchop::backward_possible(<scale as __torchop::Op>::WRITES);
    const _: () = __torchop::backward_argument(
        <&Tensor as __torchop::Argument<'_>>::TYPE,
        __TORCHOP_NAMES.grad_output,
    );
    const _: () = __torchop::backward_argument(
        <f64 as __torchop::Argument<'_>>::TYPE,
        __TORCHOP_NAMES.alpha,
    );
    const _: () = __torchop::gives(
        <Result<Tensor> as __torchop::Gradients>::COUNT,
        <scale as __torchop::Op>::GRADIENTS,
        <scale as __torchop::Op>::GIVES,
    );
    fn __torchop_call(
        arguments: __torchop::Arguments<'_>,
        results: __torchop::Results<'_>,
    ) -> __torchop::Result<()> {
        let (argument0, argument1) = __torchop::Read::<(&Tensor, f64)>::read(arguments)?;
        __torchop::Quiet::<
            Result<Tensor>,
        >::give_gradients(results, scale_backward(argument0, argument1))
    }
    impl __torchop::KernelFor<__torchop::key::Backward> for scale {}
    #[__torchop::linkme::distributed_slice(__torchop::REGISTRATIONS)]
    #[linkme(crate = ::torchop::__private0::linkme)]
    static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Backward {
        op: <scale as __torchop::Op>::DEF,
        backward: __torchop::BackwardDef {
            call: __torchop_call,
            needs: &[
                __torchop::need(
                    <&Tensor as __torchop::Argument<'_>>::TYPE,
                    __TORCHOP_NAMES.grad_output,
                ),
                __torchop::need(
                    <f64 as __torchop::Argument<'_>>::TYPE,
                    __TORCHOP_NAMES.alpha,
                ),
            ],
            gradients: <scale as __torchop::Op>::TENSOR_ARGUMENTS,
            op: ::core::option::Option::None,
            path: ::core::concat!(::core::module_path!(), "::", "scale_backward"),
            location: __torchop::Location {
                file: ::core::file!(),
                line: ::core::line!(),
            },
        },
    };
};

