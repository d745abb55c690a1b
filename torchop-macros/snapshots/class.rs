// #[torch_class(…)]
// name = "my_ops::Scale", pickle, flatten
//     struct Scale { factor: f64 }

struct Scale {
    factor: f64,
}
#[doc(hidden)]
const _: () = {
    use ::torchop::__private0 as __torchop;
    use __torchop::{NoMethod as _, NotMade as _, NotRead as _, Silent as _};
    static __TORCHOP_CHANGES: __torchop::Changes = __torchop::Changes::new();
    static __TORCHOP_CLASS: __torchop::ClassDef = __torchop::ClassDef {
        name: "my_ops::Scale",
        full_name: "__torch__.torch.classes.my_ops.Scale",
        doc: "",
        location: __torchop::Location {
            file: ::core::file!(),
            line: ::core::line!(),
        },
        version: 1u32,
        pickle: ::core::option::Option::Some(__torchop::fields_def::<Scale>()),
        flatten: ::core::option::Option::Some(__torchop::state_def::<Scale>()),
        changes: &__TORCHOP_CHANGES,
        to: false,
    };
    impl __torchop::Class for Scale {
        const DEF: &'static __torchop::ClassDef = &__TORCHOP_CLASS;
    }
    __torchop::returned_as_object!(Scale);
    impl __torchop::Pickle for Scale {}
    impl __torchop::State for Scale {
        const FIELDS: &'static [__torchop::FieldDef] = <Scale as __torchop::Fields>::FIELDS;
        fn save(
            &self,
            fields: &mut __torchop::FieldWriter<'_>,
        ) -> __torchop::Result<()> {
            __torchop::Fields::save(self, fields)
        }
        fn restore(fields: &mut __torchop::FieldReader<'_>) -> __torchop::Result<Self> {
            __torchop::Fields::restore(fields)
        }
    }
    impl __torchop::Fields for Scale {
        const FIELDS: &'static [__torchop::FieldDef] = &[
            __torchop::FieldDef {
                name: "factor",
                ty: <f64 as __torchop::Field>::TYPE,
            },
        ];
        fn save(
            &self,
            fields: &mut __torchop::FieldWriter<'_>,
        ) -> __torchop::Result<()> {
            __torchop::Quiet::<f64>::save(&self.factor, fields)?;
            let _ = fields;
            ::core::result::Result::Ok(())
        }
        fn restore(fields: &mut __torchop::FieldReader<'_>) -> __torchop::Result<Self> {
            let _ = &fields;
            ::core::result::Result::Ok(Scale {
                factor: __torchop::Quiet::<f64>::restore(fields)?,
            })
        }
    }
    #[__torchop::linkme::distributed_slice(__torchop::REGISTRATIONS)]
    #[linkme(crate = ::torchop::__private0::linkme)]
    static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Class(
        &__TORCHOP_CLASS,
    );
    __torchop::load_hook!();
    #[cfg(panic = "abort")]
    ::core::compile_error!(
        "torchop turns a panic into a Python exception, which needs unwinding\nremove `panic = \"abort\"` from the profile in Cargo.toml"
    );
};

// #[torch_class]
//     impl Scale {
//         #[init]
//         fn new(factor: f64) -> Self { Scale { factor } }
//         fn forward(&self, x: &Tensor) -> Result<Tensor> { todo!() }
//         #[fake(forward)]
//         fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> { x.empty_like() }
//     }

impl Scale {
    fn new(factor: f64) -> Self {
        Scale { factor }
    }
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        todo!()
    }
    fn forward_fake(&self, x: &FakeTensor) -> Result<FakeTensor> {
        x.empty_like()
    }
}
#[doc(hidden)]
const _: () = {
    use ::torchop::__private0 as __torchop;
    use __torchop::{NoMethod as _, NotMade as _, NotRead as _, Silent as _};
    fn __torchop_call_new(
        arguments: __torchop::Arguments<'_>,
        results: __torchop::Results<'_>,
    ) -> __torchop::Result<()> {
        let (this, arguments) = __torchop::Quiet::<Scale>::split(arguments)?;
        let (argument0,) = __torchop::Read::<(f64,)>::read(arguments)?;
        __torchop::Made::<Scale, Scale>::put(this, results, <Scale>::new(argument0))
    }
    const _: () = {
        impl __torchop::Init for Scale {}
        const _: () = {
            let _ = <Scale as __torchop::Constructed<Scale>>::constructed;
        };
        const _: () = __torchop::method_type(<f64 as __torchop::Argument<'_>>::TYPE);
    };
    fn __torchop_call_forward(
        arguments: __torchop::Arguments<'_>,
        results: __torchop::Results<'_>,
    ) -> __torchop::Result<()> {
        let (this, argument0) = __torchop::Read::<(&Scale, &Tensor)>::read(arguments)?;
        __torchop::Quiet::<
            Result<Tensor>,
        >::give(results, <Scale>::forward(this, argument0))
    }
    const _: () = {
        impl __torchop::Method<2190319719396888442u64> for Scale {
            const SLOTS: &'static [__torchop::Slot] = &[
                __torchop::Slot {
                    kind: __torchop::SlotKind::Argument,
                    index: 0u16,
                    ty: <&Tensor as __torchop::Argument<'_>>::TYPE,
                    wants: "`forward` has `x: &Tensor` here",
                    fake_wants: "`forward` has `x: &Tensor` here\na fake takes the same, with `&FakeTensor` for `&Tensor`",
                    unwritten: "",
                },
            ];
            const RETURNS: &'static [__torchop::SchemaType] = <Result<
                Tensor,
            > as __torchop::Returned>::TYPES;
            const CHANGES: bool = false;
        }
        const _: () = __torchop::method_type(<&Tensor as __torchop::Argument<'_>>::TYPE);
        const _: () = __torchop::method_types(
            <Result<Tensor> as __torchop::Returned>::TYPES,
        );
    };
    fn __torchop_call_forward_fake(
        arguments: __torchop::Arguments<'_>,
        results: __torchop::Results<'_>,
    ) -> __torchop::Result<()> {
        let (this, arguments) = __torchop::Quiet::<Scale>::restored(arguments)?;
        let (argument0,) = __torchop::Read::<(&FakeTensor,)>::read(arguments)?;
        __torchop::Quiet::<
            Result<FakeTensor>,
        >::give(results, <Scale>::forward_fake(&this, argument0))
    }
    const _: () = {
        const __TORCHOP_SLOTS: ::core::option::Option<&[__torchop::Slot]> = __torchop::MethodOf::<
            Scale,
            2190319719396888442u64,
        >::SLOTS;
        const __TORCHOP_RETURNS: &[__torchop::SchemaType] = __torchop::MethodOf::<
            Scale,
            2190319719396888442u64,
        >::RETURNS;
        const _: () = {
            let _ = <Scale>::forward;
            __torchop::is_method(__TORCHOP_SLOTS)
        };
        const _: () = {
            let _ = <Scale as __torchop::State>::FIELDS;
        };
        const _: () = __torchop::method_fake_takes(__TORCHOP_SLOTS, 1usize);
        const _: () = __torchop::method_fake_argument(
            <&FakeTensor as __torchop::Argument<'_>>::TYPE,
            __TORCHOP_SLOTS,
            0usize,
        );
        const _: () = __torchop::method_fake_returns(
            <Result<FakeTensor> as __torchop::Returned>::TYPES,
            __TORCHOP_SLOTS,
            __TORCHOP_RETURNS,
        );
    };
    #[__torchop::linkme::distributed_slice(__torchop::REGISTRATIONS)]
    #[linkme(crate = ::torchop::__private0::linkme)]
    static __TORCHOP_ENTRY: __torchop::Registration = __torchop::Registration::Methods {
        class: <Scale as __torchop::Class>::DEF,
        methods: &[
            __torchop::MethodDef {
                name: "new",
                kind: __torchop::MethodKind::Init,
                changes: false,
                arguments: &[
                    __torchop::ArgumentDef {
                        name: "factor",
                        ty: <f64 as __torchop::Argument<'_>>::TYPE,
                        default: ::core::option::Option::None,
                    },
                ],
                returns: &[],
                call: __torchop_call_new,
                doc: "",
                location: __torchop::Location {
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
                fake: __torchop::MethodFake::Unsaid,
            },
            __torchop::MethodDef {
                name: "forward",
                kind: __torchop::MethodKind::Method,
                changes: false,
                arguments: &[
                    __torchop::ArgumentDef {
                        name: "x",
                        ty: <&Tensor as __torchop::Argument<'_>>::TYPE,
                        default: ::core::option::Option::None,
                    },
                ],
                returns: <Result<Tensor> as __torchop::Returned>::TYPES,
                call: __torchop_call_forward,
                doc: "",
                location: __torchop::Location {
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
                fake: __torchop::MethodFake::Unsaid,
            },
        ],
        fakes: &[
            __torchop::FakeDef {
                method: "forward",
                changes: false,
                call: __torchop_call_forward_fake,
                location: __torchop::Location {
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
            },
        ],
        states: &[],
    };
};

