//! PyTorch's operator schema language: parser, model, printer.
//!
//! ```
//! let schema = torchop_schema::parse("my_ops::scale(Tensor x, float factor=1) -> Tensor")?;
//! assert_eq!(schema.arguments[1].name, "factor");
//! assert_eq!(schema.to_string(), "my_ops::scale(Tensor x, float factor=1.) -> Tensor");
//! # Ok::<(), torchop_schema::SchemaError>(())
//! ```
//!
//! [`parse`] is for the authors of operators, [`parse_as_torch`] for what torch itself has registered. What both take
//! and how it prints is compared with `torch._C.parse_schema` of torch 2.11 and 2.15 by
//! `tests/test_against_torch.py`.
//!
//! # Where this is not torch
//! Both functions:
//!
//! | text | torch | here | because |
//! |---|---|---|---|
//! | `__torch__.torch.classes.ns.Name` | must be registered | taken | a schema is read before the class is registered |
//! | `Dimname` | 2.11 takes it, 2.15 does not | refused | named tensors are gone |
//! | `int a=0x10`, `int[0x2] a` | read as 0 | refused | not what is meant |
//! | `int[65536] a` and above | taken; wraps at 2³² | refused | torch makes that many values of a default |
//! | `'\200'` and above | one byte | refused | not text |
//! | `Device a='cuda:128'` and above | wraps to -128 | refused | not what is meant |
//! | types nested more than 64 deep | taken until the stack ends | refused | no text may overflow the stack |
//! | `(a\|b)` | prints in the order of a hash set | prints as written | torch's order changes from run to run |
//!
//! [`parse`] only; [`parse_as_torch`] does as torch does:
//!
//! | text | torch | here | because |
//! |---|---|---|---|
//! | `f(int a=1.5)`, `f(str a=None)`, `f(float? a=1)`, `f(Device? a='cpu')` | taken | refused | the value is stored as it is, and is not of the type |
//! | `f(complex a=1.5)` | read as `1j` | refused | not what is meant |
//! | `f(int a=1E5)`, `f(int[1.5] a)` | read as 1 | refused | not what is meant |
//! | `f(int a, int a)` | taken | refused | the second can not be given by name |
//! | `f(foo a)` | a type variable in `torch._C.parse_schema`; refused by `Library.define` outside `aten` and `prim` | as `Library.define` | schemas are registered through the latter |
//!
//! What torch prints, torch can not always read: `Tensor! x` prints as `Tensor($0! -> ) x`, and a device as a default
//! prints without quotes. Hand torch the text that was written.

#![forbid(unsafe_code)]

mod cursor;
mod error;
mod lexer;
mod model;
mod names;
mod numbers;
mod parse_default;
mod parse_type;
mod parser;
mod print;
mod private;
mod rules;
mod schema_default;
mod schema_type;
mod schema_type_print;
mod spelling;
mod strings;
mod suggest;
mod types;
mod union;

pub use error::SchemaError;
pub use model::{Alias, Argument, DefaultValue, OperatorName, Return, Schema};
pub use parser::{parse, parse_all, parse_as_torch, parse_name};
pub use private::is_private;
pub use schema_default::SchemaDefault;
pub use schema_type::SchemaType;
pub use types::Type;
