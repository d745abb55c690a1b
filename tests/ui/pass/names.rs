//! Names that a user may give to arguments, functions and items, whatever the generated code calls its own.

#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(unused_macros, non_camel_case_types, non_upper_case_globals, clippy::too_many_arguments, clippy::wrong_self_convention)]

use torchop::{FakeTensor, SymInt, Tensor, TorchEnum, TorchTuple, torch_class, torch_op};

type Outcome<T> = torchop::Result<T>;

// What the prelude and the generated code have, taken.
pub struct Some;
pub struct None;
pub struct Ok;
pub struct Err;
pub struct Vec;
pub struct String;
pub struct Box;
pub struct Result;
pub struct Option;
pub struct Registration;
pub struct OpDef;
pub struct SchemaType;
pub struct Arguments;
pub struct Results;
pub trait Op {}
pub trait Argument {}
pub trait Returned {}
pub trait Class {}
pub mod linkme {}
pub mod __private0 {}
pub mod __torchop {}
pub const Mutable: u8 = 0;
pub static REGISTRATIONS: u8 = 0;
pub fn drop() {}

macro_rules! concat { ($($any:tt)*) => { compile_error!("not this one") } }
macro_rules! file { ($($any:tt)*) => { concat!() } }
macro_rules! line { ($($any:tt)*) => { concat!() } }
macro_rules! module_path { ($($any:tt)*) => { concat!() } }
macro_rules! panic { ($($any:tt)*) => { concat!() } }
macro_rules! assert { ($($any:tt)*) => { concat!() } }

// Keywords of Python and of Rust, and the words of the generated code.
#[torch_op(
    schema = "my_ops::words(Tensor self, int from, int lambda, float args, float kwargs, bool result, bool results, \
              str value, str slot, int arguments, int argument0, int argument1, int call, int kernel, int op, int type, int ref, \
              int none_, int input, int output_, int dyn, int r) -> Tensor",
    cpu
)]
fn words(
    self_: &Tensor,
    from: i64,
    lambda: i64,
    args: f64,
    kwargs: f64,
    result: bool,
    results: bool,
    value: &str,
    slot: &str,
    arguments: i64,
    argument0: i64,
    argument1: i64,
    call: i64,
    kernel: i64,
    op: i64,
    r#type: i64,
    r#ref: i64,
    none_: i64,
    input: i64,
    output_: i64,
    r#dyn: i64,
    r: i64,
) -> Outcome<Tensor> {
    let _ = (from, lambda, args, kwargs, result, results, value, slot, arguments, argument0);
    let _ = (argument1, call, kernel, op, r#type, r#ref, none_, input, output_, (r#dyn, r));
    self_.empty_like()
}

#[torch_op(backward_of = words)]
fn words_backward(
    grad_output: &Tensor,
    self_: &Tensor,
    from: i64,
    lambda: i64,
    result: bool,
    r#type: i64,
    needs_grad_self_: bool,
) -> Outcome<Tensor> {
    let _ = (grad_output, from, lambda, result, r#type, needs_grad_self_);
    self_.empty_like()
}

// Results of such names.
#[torch_op(schema = "my_ops::named(Tensor result) -> (Tensor value, Tensor self, Tensor type)", cpu)]
fn named(result: &Tensor) -> Outcome<(Tensor, Tensor, Tensor)> {
    core::result::Result::Ok((result.empty_like()?, result.empty_like()?, result.empty_like()?))
}

#[torch_op(backward_of = named)]
fn named_backward(grad_value: &Tensor, grad_self_: &Tensor, grad_type: &Tensor, value: &Tensor) -> Outcome<Tensor> {
    let _ = (grad_self_, grad_type, value);
    grad_value.empty_like()
}

// Without a schema, likewise.
#[torch_op(name = "my_ops::inferred", cpu)]
fn inferred(self_: &mut Tensor, from: i64, #[torch(default = 2)] lambda: i64, #[torch(default = 3)] r#ref: i64) -> torchop::Result<()> {
    let _ = (self_, from, lambda, r#ref);
    core::result::Result::Ok(())
}

#[torch_op(fake_of = inferred)]
fn inferred_fake(self_: &FakeTensor, from: SymInt, lambda: SymInt, r#ref: SymInt) -> torchop::Result<()> {
    let _ = (self_, from, lambda, r#ref);
    core::result::Result::Ok(())
}

// Functions called like what stands beside them.
mod functions {
    use super::Outcome;
    use ::torchop::{FakeTensor, Tensor, torch_op};

    macro_rules! called {
        ($($name:ident $schema:literal;)*) => {$(
            mod $name {
                use super::*;

                #[torch_op(schema = $schema, cpu)]
                pub(super) fn $name($name: &Tensor) -> Outcome<Tensor> {
                    $name.empty_like()
                }

                #[torch_op(fake_of = $name)]
                fn fake($name: &FakeTensor) -> Outcome<FakeTensor> {
                    $name.empty_like()
                }
            }
        )*};
    }

    called! {
        kernel "my_ops::kernel(Tensor kernel) -> Tensor";
        call "my_ops::call(Tensor call) -> Tensor";
        result "my_ops::result(Tensor result) -> Tensor";
        __torchop0 "my_ops::__torchop0(Tensor __torchop0) -> Tensor";
        __torchop_call "my_ops::__torchop_call(Tensor __torchop_call) -> Tensor";
        torchop "my_ops::torchop(Tensor torchop) -> Tensor";
        core "my_ops::core(Tensor core) -> Tensor";
        r#match "my_ops::match(Tensor match) -> Tensor";
    }
}

#[derive(Clone, Copy, TorchEnum)]
enum Words {
    None,
    Some,
    #[torch(name = "lambda")]
    Result,
}

#[derive(TorchTuple)]
struct Parts {
    from: i64,
    r#type: f64,
    value: Words,
}

#[torch_op(schema = "my_ops::own(Tensor self, str words, (int, float, str) result) -> str", cpu)]
fn own(self_: &Tensor, words: Words, result: Parts) -> Outcome<Words> {
    let _ = (self_, words, result.from, result.r#type);
    core::result::Result::Ok(match result.value {
        Words::None => Words::Some,
        Words::Some | Words::Result => Words::Result,
    })
}

// In a class made by a macro, in a module of a function.
macro_rules! class {
    ($name:ident, $registered:literal) => {
        #[torch_class(name = $registered, pickle, flatten)]
        pub struct $name {
            value: i64,
            r#type: f64,
            from: bool,
            slot: Tensor,
        }

        #[torch_class]
        impl $name {
            #[init]
            fn new(value: i64, r#type: f64, from: bool, slot: &Tensor) -> Self {
                $name { value, r#type, from, slot: slot.clone() }
            }

            #[getter]
            fn r#type(&self) -> f64 {
                self.r#type
            }

            #[setter]
            fn set_type(&mut self, r#type: f64) {
                self.r#type = r#type;
            }

            #[static_method]
            fn result(value: i64, args: f64) -> i64 {
                let _ = args;
                value
            }

            fn lambda(&self, from: i64, lambda: i64, object: &Tensor, this: bool, state: i64) -> Outcome<Tensor> {
                let _ = (from, lambda, this, state, self.from, self.value);
                object.empty_like()
            }

            #[fake(lambda)]
            fn lambda_fake(
                &self,
                from: i64,
                lambda: i64,
                object: &FakeTensor,
                this: bool,
                state: i64,
            ) -> Outcome<FakeTensor> {
                let _ = (from, lambda, this, state, &self.slot);
                object.empty_like()
            }
        }
    };
}

class!(Made, "my_ops::Made");

fn main() {
    mod inside {
        use super::*;
        class!(Inside, "my_ops::Inside");
    }
    fn nested() {
        class!(Nested, "my_ops::Nested");
        #[torch_op(schema = "my_ops::nested(Tensor self) -> Tensor", cpu)]
        fn operator(self_: &Tensor) -> Outcome<Tensor> {
            self_.empty_like()
        }
    }
    nested();
}
