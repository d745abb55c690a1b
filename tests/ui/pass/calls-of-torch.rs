#![forbid(unsafe_code)]

mod torchop_names {
    use ::torchop::{Result, Scalar, SymInt, Tensor, call, no_grad};

    pub fn f(x: &Tensor, n: SymInt) -> Result<Tensor> {
        let _guard = no_grad();
        let (values, _) = call!("aten::max.dim", x, 0 => (Tensor, Tensor))?;
        let y: Tensor = call!("ns::f.overload", &values, 2.0, Some("text"), n, Scalar::Int(1),)?;
        Ok(1.0 - &y * 2 + x)
    }
}

fn main() {
    let _ = torchop_names::f;
}
