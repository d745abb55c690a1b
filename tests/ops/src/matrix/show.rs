//! What a kernel received, as text, and the text as a tensor: a value that changed on its way is seen in any host.
//!
//! The text is Python's `repr` of the value, but for floats, which are `f` and their 64 bits in hexadecimal.

use super::Part;
use torchop::prelude::*;

pub(super) trait Show {
    fn show(&self) -> Result<String>;
}

macro_rules! show {
    ($($type:ty, $value:ident => $text:expr;)*) => {$(
        impl Show for $type {
            fn show(&self) -> Result<String> {
                let $value = self;
                Ok($text)
            }
        }
    )*};
}

show! {
    i64, v => v.to_string();
    f64, v => format!("f{:016x}", v.to_bits());
    bool, v => (if *v { "True" } else { "False" }).to_owned();
    &str, v => format!("'{v}'");
    Complex64, v => format!("complex({}, {})", v.re.show()?, v.im.show()?);
    DType, v => format!("torch.{v}");
    Layout, v => Layout::ALL.iter().find(|(layout, _)| layout == v).map_or_else(|| format!("{v:?}"), |(_, name)| format!("torch.{name}"));
    MemoryFormat, v => MemoryFormat::ALL.iter().find(|(format, _)| format == v).map_or_else(|| format!("{v:?}"), |(_, name)| format!("torch.{name}"));
    Device, v => format!("device('{v}')");
    Generator, v => format!("generator({})", v.seed()?);
    Stream, v => format!("stream({}, '{}')", v.id, v.device);
    &Part, v => format!("Part({})", v.weight.show()?);
}

impl Show for Scalar {
    fn show(&self) -> Result<String> {
        match self {
            Scalar::Int(v) => v.show(),
            Scalar::UInt(v) => Ok(v.to_string()),
            Scalar::Float(v) => v.show(),
            Scalar::Bool(v) => v.show(),
            Scalar::Complex(v) => v.show(),
        }
    }
}

static SUM: TorchOp = TorchOp::new("aten::sum", "");
static ITEM: TorchOp = TorchOp::new("aten::item", "");

impl Show for &Tensor {
    fn show(&self) -> Result<String> {
        let sum = SUM.call::<Tensor>((*self, None::<DType>))?;
        let sum = ITEM.call::<Scalar>((&sum,))?.show()?;
        Ok(format!("tensor({}, {:?}, sum {sum})", self.dtype()?, &*self.sizes()?))
    }
}

impl Show for &mut Tensor {
    fn show(&self) -> Result<String> {
        (&**self).show()
    }
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> Result<String> {
        self.as_ref().map_or_else(|| Ok("None".to_owned()), Show::show)
    }
}

impl<T: Show> Show for Vec<T> {
    fn show(&self) -> Result<String> {
        let parts: Vec<String> = self.iter().map(Show::show).collect::<Result<_>>()?;
        Ok(format!("[{}]", parts.join(", ")))
    }
}

impl<T: Show, const N: usize> Show for [T; N] {
    fn show(&self) -> Result<String> {
        let parts: Vec<String> = self.iter().map(Show::show).collect::<Result<_>>()?;
        Ok(format!("[{}]", parts.join(", ")))
    }
}

impl<A: Show, B: Show> Show for (A, B) {
    fn show(&self) -> Result<String> {
        Ok(format!("({}, {})", self.0.show()?, self.1.show()?))
    }
}

impl<T: Show + for<'s> torchop::__private0::Argument<'s>> Show for Dict<'_, &str, T> {
    fn show(&self) -> Result<String> {
        let parts: Vec<String> =
            self.iter().map(|(key, value)| Ok(format!("{}: {}", key.show()?, value.show()?))).collect::<Result<_>>()?;
        Ok(format!("{{{}}}", parts.join(", ")))
    }
}

static SCALAR_TENSOR: TorchOp = TorchOp::new("aten::scalar_tensor", "");
static STACK: TorchOp = TorchOp::new("aten::stack", "");

/// How many numbers a text takes.
pub(super) const WORDS: usize = 32;

/// The bytes of the text, eight to a number, and zeros.
pub(super) fn to_tensor(text: &str) -> Result<Tensor> {
    let mut bytes = [0; WORDS * 8];
    bytes
        .get_mut(..text.len())
        .ok_or_else(|| Error::value(format!("a text of {} bytes does not fit", text.len())))?
        .copy_from_slice(text.as_bytes());
    let words: Vec<Tensor> = bytes
        .chunks_exact(8)
        .map(|chunk| {
            let number = chunk.iter().rev().fold(0, |number, byte| number << 8 | i64::from(*byte));
            SCALAR_TENSOR.call::<Tensor>((
                Scalar::Int(number),
                Some(DType::Int64),
                None::<Layout>,
                None::<Device>,
                None::<bool>,
            ))
        })
        .collect::<Result<_>>()?;
    STACK.call::<Tensor>((words, 0_i64))
}
