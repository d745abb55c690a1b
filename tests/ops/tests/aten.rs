//! Torch's operators by their functions and by their names, from a Rust program: what is borrowed, modes of threads, errors.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

torchop::if_torch! {
    mod calls {
        use torchop::prelude::*;
        use torchop::{aten, call};

        fn of(values: &[f32]) -> Tensor {
            Tensor::from_slice(values, &[values.len() as i64]).unwrap()
        }

        fn message<T>(result: Result<T>) -> String {
            result.err().expect("an error").message().to_owned()
        }

        fn refused<T>(result: Result<T>) {
            let text = message(result);
            assert!(text.contains("is borrowed for"), "{text}");
        }

        fn values(x: &Tensor) -> Vec<f32> {
            x.view::<f32>().unwrap().iter().copied().collect()
        }

        #[test]
        fn what_is_read_is_not_written_to() {
            let mut x = of(&[1.0, 2.0, 3.0]);
            let (mut same, other) = (x.clone(), of(&[4.0, 5.0, 6.0]));
            let view = x.view::<f32>().unwrap();
            refused(aten::add_(&mut same, &other, 1));
            refused(aten::add_out(&other, &other, 1, &mut same));
            refused(aten::copy_(&mut same, &other, false));
            refused(aten::_foreach_add__scalar(&mut [other.clone(), same.clone()], 1));
            refused(aten::resize_(&mut same, &[100], None));
            refused(aten::set__source_tensor(&mut same, &other));
            refused(aten::_foreach_copy_(&mut [same.clone()], &[&other], false));
            refused(call!("aten::add_.Tensor", &mut same, &other, 1 => Tensor));
            refused(call!("aten::add_.Tensor", &same, &other => Tensor));
            assert_eq!(values(&aten::add(&same, &other, 1).unwrap()), [5.0, 7.0, 9.0]);
            assert_eq!(view.sum(), 6.0);
            drop(view);
            aten::add_(&mut same, &other, 1).unwrap();
            assert_eq!(values(&x), [5.0, 7.0, 9.0]);
            let mut writing = x.view_mut::<f32>().unwrap();
            refused(aten::relu(&same));
            refused(aten::cat(&[&other, &same], 0));
            refused(aten::cat(&[other.clone(), same.clone()], 0));
            refused(aten::index(&other, &[Some(&same)]));
            writing.fill(0.0);
        }

        /// An `out` gets the sizes that the operator needs, before torch finds that the storage cannot grow.
        #[test]
        fn a_result_does_not_outgrow_storage_that_is_read() {
            let x = of(&[1.0; 10]);
            let (head, mut tail) = (aten::narrow(&x, 0, 0, 5).unwrap(), aten::narrow(&x, 0, 5, 5).unwrap());
            let view = head.view::<f32>().unwrap();
            let large = of(&[1.0; 1000]);
            refused(aten::add_out(&large, &large, 1, &mut tail));
            refused(aten::cumsum_out(&large, 0, None, &mut tail));
            // `set_` makes the storage of its source large enough.
            let mut fresh = of(&[]);
            refused(aten::set__source_tensor_storage_offset(&mut fresh, &tail, 0, &[1000], &[1]));
            assert_eq!((tail.sizes().unwrap()[0], fresh.numel().unwrap()), (5, 0));
            assert_eq!(view.sum(), 5.0);
        }

        #[test]
        fn numbers_tensors_and_lists_arrive() {
            let x = of(&[1.0, -2.0, 3.0, 4.0]);
            assert_eq!(values(&aten::view(&x, &[2, 2]).unwrap().reshape(&[-1]).unwrap()), values(&x));
            let sizes = vec![2_i64, 2];
            assert_eq!(&aten::view(&x, &sizes).unwrap().sizes().unwrap()[..], [2, 2]);
            assert_eq!(&aten::expand(&x, &x.sizes().unwrap(), false).unwrap().sizes().unwrap()[..], [4]);
            assert_eq!(&aten::zeros(&[0_i64; 0], ()).unwrap().sizes().unwrap()[..], [0_i64; 0]);
            assert_eq!(values(&aten::cat(&[&x, &x][..1], 0).unwrap()), values(&x));
            assert!(message(aten::cat(&[] as &[Tensor], 0)).contains("non-empty list of Tensors"));
            let many: Vec<Tensor> = (0..300).map(|_| x.clone()).collect();
            assert_eq!(aten::stack(&many, 0).unwrap().numel().unwrap(), 1200);
            assert_eq!(aten::item(&aten::select(&x, 0, -1).unwrap()).unwrap(), Scalar::Float(4.0));
            assert_eq!(values(&aten::clamp(&x, Some(0.0.into()), None).unwrap()), [1.0, 0.0, 3.0, 4.0]);
            let parts = aten::chunk(&x, 2, 0).unwrap();
            assert_eq!(parts.iter().map(values).collect::<Vec<_>>(), [[1.0, -2.0], [3.0, 4.0]]);
            // A handle that is lent is nobody's to replace, and keeps its count.
            let before = x.clone();
            drop((x, parts));
            assert_eq!(values(&before)[3], 4.0);
        }

        #[test]
        fn names_without_an_overload() {
            let x = of(&[0.0, 1.0]);
            assert_eq!(values(&aten::softmax(&x, -1, None).unwrap()), values(&aten::softmax_int(&x, -1, None).unwrap()));
            assert!(aten::eq(&x, &x).unwrap().view::<bool>().unwrap().iter().all(|equal| *equal));
            assert_eq!(values(&aten::pow(&x, &x).unwrap()), [1.0, 1.0]);
            assert_eq!(aten::r#where(&x).unwrap().len(), 1);
        }

        #[test]
        fn operators_of_torchs_own_are_a_promise() {
            let x = of(&[1.0, 2.0, 3.0, 4.0]);
            // SAFETY: two by two elements are there.
            let square = unsafe { aten::_reshape_alias(&x, &[2, 2], &[2, 1]) }.unwrap();
            assert_eq!(square.dim().unwrap(), 2);
        }

        #[test]
        fn the_place_of_an_error_is_the_callers() {
            let x = of(&[1.0, 2.0]);
            let error = aten::view(&x, &[3]).expect_err("of 2 elements");
            assert_eq!((error.location().file(), error.location().line()), (file!(), line!() - 1));
            let error = call!("aten::view", &x, &[3_i64][..] => Tensor).expect_err("of 2 elements");
            assert_eq!((error.location().file(), error.location().line()), (file!(), line!() - 1));
        }

        #[test]
        fn arithmetic_panics_where_torch_raises() {
            let (x, y) = (of(&[1.0, 2.0]), of(&[1.0, 2.0, 3.0]));
            let panic = std::panic::catch_unwind(|| &x + &y).expect_err("of sizes that differ");
            assert!(panic.downcast_ref::<String>().unwrap().contains("must match the size of tensor b (3)"));
            assert_eq!(values(&(&x * 2.0 - &x)), [1.0, 2.0]);
            assert_eq!(values(&(1 - &x / 2)), [0.5, 0.0]);
            assert_eq!(values(&-&x), [-1.0, -2.0]);
        }

        /// Modes are the thread's; a guard that ends first puts nothing back while a later one lives.
        #[test]
        fn guards_end_in_any_order() {
            assert!(torchop::is_grad_enabled());
            let first = torchop::no_grad();
            let second = torchop::enable_grad();
            let third = torchop::inference_mode().unwrap();
            assert!(torchop::is_inference_mode_enabled() && !torchop::is_grad_enabled());
            std::thread::spawn(|| assert!(torchop::is_grad_enabled() && !torchop::is_inference_mode_enabled())).join().unwrap();
            drop(second);
            assert!(torchop::is_inference_mode_enabled());
            drop(third);
            assert!(!torchop::is_inference_mode_enabled() && !torchop::is_grad_enabled());
            drop(first);
            assert!(torchop::is_grad_enabled());
            // Made outside, it may take part in gradients again.
            assert!(!aten::add(&of(&[1.0]), &of(&[1.0]), 1).unwrap().is_inference().unwrap());
        }

        #[test]
        fn many_threads_look_one_operator_up() {
            let x = of(&[3.0, 4.0]);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        for _ in 0..200 {
                            assert_eq!(aten::item(&aten::linalg_norm(&x, None, None, false, None).unwrap()).unwrap(), Scalar::Float(5.0));
                        }
                    });
                }
            });
        }
    }
}
