//! What operators do to memory that somebody looks at, and to tensors whose resizing fails.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

torchop::if_torch! {
    mod memory {
        use torchop::prelude::*;
        use torchop::{aten, call};

        fn of(values: &[f32]) -> Tensor {
            Tensor::from_slice(values, &[values.len() as i64]).unwrap()
        }

        fn message<T>(result: Result<T>) -> String {
            result.err().expect("an error").message().to_owned()
        }

        #[track_caller]
        fn refused<T>(result: Result<T>) {
            let text = message(result);
            assert!(text.contains("is borrowed for"), "{text}");
        }

        fn sum(x: &Tensor) -> f64 {
            x.sum().unwrap().item().unwrap()
        }

        /// A sparse tensor has no elements of its own: what it is made of may be looked at.
        #[test]
        fn parts_of_a_sparse_tensor_are_not_written_to() {
            let dense = of(&[1.0, 0.0, 3.0, 4.0]).reshape(&[2, 2]).unwrap();
            let coo = aten::to_sparse(&dense, Some(Layout::Sparse), None, None).unwrap();
            let csr = aten::to_sparse_csr(&dense, None).unwrap();
            let csc = aten::to_sparse_csc(&dense, None).unwrap();
            for sparse in [coo, csr, csc] {
                let mut same = sparse.clone();
                let values = aten::values(&sparse).unwrap();
                let view = values.as_slice::<f32>().unwrap();
                refused(aten::mul__scalar(&mut same, 2.0));
                refused(aten::zero_(&mut same));
                refused(aten::mul_out(&sparse, &sparse, &mut same));
                assert_eq!(sum(&aten::to_dense(&sparse, None, None).unwrap()), 8.0);
                assert_eq!(view.iter().sum::<f32>(), 8.0);
                drop(view);
                let mut values = values;
                let writing = values.as_slice_mut::<f32>().unwrap();
                refused(aten::to_dense(&sparse, None, None));
                drop(writing);
                aten::mul__scalar(&mut same, 2.0).unwrap();
                assert_eq!(sum(&aten::to_dense(&same, None, None).unwrap()), 16.0);
            }
        }

        #[test]
        fn nor_are_those_of_a_nested_one() {
            // SAFETY: a list of tensors is all that it takes.
            static NESTED: TorchOp = unsafe { TorchOp::private("aten::_nested_tensor_from_tensor_list", "") };
            let (first, second) = (of(&[1.0, 2.0]), of(&[3.0]));
            let mut nested = NESTED.call::<Tensor>((&[first, second][..],)).unwrap();
            let parts = aten::unbind(&nested, 0).unwrap();
            let view = parts[1].as_slice::<f32>().unwrap();
            refused(aten::mul__scalar(&mut nested, 2.0));
            assert_eq!(view[0], 3.0);
            drop(view);
            aten::mul__scalar(&mut nested, 2.0).unwrap();
            assert_eq!(parts[1].as_slice::<f32>().unwrap()[0], 6.0);
        }

        /// Their schemas do not say so.
        #[test]
        fn running_statistics_are_written_to() {
            let x = Tensor::ones(&[4, 3], DType::Float32).unwrap();
            let (mean, variance) = (of(&[0.0; 3]), of(&[1.0; 3]));
            let normalised = || aten::batch_norm(&x, None, None, Some(&mean), Some(&variance), true, 0.5, 1e-5, false);
            let view = mean.as_slice::<f32>().unwrap();
            refused(normalised());
            refused(aten::native_batch_norm(&x, None, None, Some(&mean), None, true, 0.5, 1e-5));
            // SAFETY: as many statistics as there are columns.
            refused(unsafe { aten::batch_norm_update_stats(&x, Some(&mean), Some(&variance), 0.5) });
            refused(aten::instance_norm(&x, None, None, Some(&mean), Some(&variance), false, 0.5, 1e-5, false));
            assert_eq!(view[..], [0.0; 3]);
            drop(view);
            normalised().unwrap();
            assert_eq!(mean.as_slice::<f32>().unwrap()[..], [0.5; 3]);
        }

        /// They are, whoever looks on: a view for reading stands in the way of nobody who reads.
        #[test]
        fn running_statistics_are_read_in_evaluation() {
            let x = Tensor::ones(&[4, 3], DType::Float32).unwrap();
            let (mean, variance) = (of(&[0.0, 1.0, 3.0]), of(&[1.0, 1.0, 4.0]));
            let view = mean.as_slice::<f32>().unwrap();
            let y = aten::batch_norm(&x, None, None, Some(&mean), Some(&variance), false, 0.5, 0.0, false).unwrap();
            let (z, _, _) = aten::native_batch_norm(&x, None, None, Some(&mean), Some(&variance), false, 0.5, 0.0).unwrap();
            for normalised in [y, z] {
                assert_eq!(normalised.as_slice::<f32>().unwrap()[..3], [1.0, 0.0, -1.0]);
            }
            assert_eq!(view[..], [0.0, 1.0, 3.0]);
            drop(view);
            let mut mean = mean;
            let same = mean.clone();
            let _view = mean.as_slice_mut::<f32>().unwrap();
            refused(aten::batch_norm(&x, None, None, Some(&same), Some(&variance), false, 0.5, 0.0, false));
        }

        #[test]
        fn what_is_written_to_is_not_printed() {
            let mut x = of(&[1.0, 2.0]);
            let same = x.clone();
            assert!(same.to_string().contains("CPUFloatType{2}"));
            let mut view = x.as_slice_mut::<f32>().unwrap();
            let text = same.to_string();
            assert!(text.starts_with("Tensor[2] float32 cpu (borrowed for writing at ") && text.contains(file!()), "{text}");
            view[0] = 3.0;
            drop(view);
            let _view = same.as_slice::<f32>().unwrap();
            assert!(same.to_string().contains(" 3\n 2\n"));
        }

        /// Memory of Rust does not grow. Torch gives the tensor its sizes before it finds that out.
        #[test]
        fn a_tensor_does_not_outgrow_its_memory() {
            const MANY: i64 = 1 << 32;
            let values = [1.0, 2.0, 3.0];
            let large = Tensor::ones(&[1 << 16], DType::Float32).unwrap();
            let mut out = of(&values);
            let mut strided = aten::slice(&of(&[1.0, 7.0, 2.0, 7.0, 3.0]), 0, None, None, 2).unwrap();
            for out in [&mut out, &mut strided] {
                let failures: [Result<()>; 5] = [
                    aten::resize_(out, &[MANY], None),
                    aten::resize_as_(out, &large, None),
                    aten::add_out(&large, &large, 1, out),
                    aten::cat_out(&[&large, &large], 0, out),
                    call!("aten::resize_", &mut *out, &[MANY][..] => Tensor).map(drop),
                ];
                for (index, failure) in failures.into_iter().enumerate() {
                    let text = message(failure);
                    assert!(text.contains("not resizable"), "{index}: {text}");
                }
            }
            assert_eq!((sum(&out), sum(&strided)), (6.0, 6.0));
            // Here the memory is another by then.
            assert!(aten::set__source_tensor_storage_offset(&mut out, &of(&values[..1]), 0, &[MANY], &[1]).is_err());
            assert_eq!((out.numel().unwrap(), sum(&out)), (0, 0.0));
            // And where there is no such memory to have.
            let mut own = Tensor::ones(&[3], DType::Float32).unwrap();
            assert!(aten::resize_(&mut own, &[1 << 48], None).is_err());
            assert_eq!((own.sizes().unwrap()[0], sum(&own)), (3, 3.0));
            // What is left of a list is as it was.
            let mut two = [of(&values), of(&values)];
            assert!(aten::split_copy_tensor_out(&large, 1 << 15, 0, &mut two).is_err());
            assert!(two.iter().all(|one| sum(one) == 6.0));
        }

        /// Dtypes and the like are numbers in schemas.
        #[test]
        fn numbers_that_stand_for_nothing_are_errors() {
            const NONE: Option<i64> = None;
            let x = of(&[1.0]);
            for (dtype, layout, format) in [(Some(99), NONE, NONE), (Some(-1), NONE, NONE), (NONE, Some(77), NONE), (NONE, NONE, Some(4))] {
                let text = message(call!("aten::ones_like", &x, dtype, layout, NONE, NONE, format => Tensor));
                assert!(text.starts_with("aten::ones_like: argument '") && text.contains("there is no "), "{text}");
            }
            let y = call!("aten::ones_like", &x, Some(7_i64), Some(0_i64), NONE, NONE, Some(0_i64) => Tensor).unwrap();
            assert_eq!(y.dtype().unwrap(), DType::Float64);
        }

        #[test]
        fn results_that_are_not_asked_for_are_none() {
            let (x, weight) = (Tensor::ones(&[1, 1, 4, 4], DType::Float32).unwrap(), Tensor::ones(&[1, 1, 2, 2], DType::Float32).unwrap());
            let gradient = Tensor::ones(&[1, 1, 3, 3], DType::Float32).unwrap();
            // SAFETY: the sizes are those of such a convolution.
            let (of_x, of_weight, of_bias) = unsafe {
                aten::convolution_backward(
                    &gradient, &x, &weight, None, &[1, 1], &[0, 0], &[1, 1], false, &[0, 0], 1, [false, true, false],
                )
            }
            .unwrap();
            assert!(of_x.is_none() && of_bias.is_none());
            assert_eq!(sum(&of_weight.unwrap()), 36.0);
        }

        #[test]
        fn an_operator_that_is_not_there_is_missed_where_it_is_called() {
            let error = call!("aten::no_such_operator" => Tensor).expect_err("no operator");
            assert_eq!((error.location().file(), error.location().line()), (file!(), line!() - 1));
        }
    }
}
