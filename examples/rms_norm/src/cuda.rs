//! On CUDA: a warp or more for each row, which is read once and kept in registers.

use crate::{check_gradient, check_sizes, check_weight, epsilon, fused_rms_norm, rms_norm_backward};
use torchop::cuda::{self, Grid, In, Out};
use torchop::prelude::*;

torchop::cuda_kernels! {
    // SAFETY: threads touch `columns` elements of each of `rows` rows in the tensors of the input's size, `columns` of the weight if
    // `weighted` says that it is one, one number a row of `rstd`; in `parts` a row of `columns` a block if `wanted`, of which the last
    // kernel reads `count`. `launch_forward` and `launch_backward` pass such tensors, contiguous, and vectors only if all lie so.
    unsafe extern "CUDA" in source("rms_norm.cu") {
        safe fn forward<
            T: ["float", "__half", "__nv_bfloat16"], WIDE: ["false", "true"], VECTORS: ["false", "true"], HELD: ["2", "4"]
        >(x: In, weight: In, y: Out, rstd: Out<f32>, rows: i64, columns: i32, eps: f32, weighted: i32);
        safe fn backward<
            T: ["float", "__half", "__nv_bfloat16"], WIDE: ["false", "true"], VECTORS: ["false", "true"]
        >(
            g: In, x: In, weight: In, rstd: In<f32>, d: Out, parts: Out<f32>, rows: i64, columns: i32, weighted: i32, wanted: i32
        );
        safe fn sums_of_columns<W: ["float", "__half", "__nv_bfloat16"]>(
            parts: In<f32>, sums: Out, count: i32, columns: i32
        );
    }
}

/// Rows, columns, and how threads share them.
struct Plan {
    rows: i64,
    columns: i32,
    element: &'static str,
    vectors: bool,
    held: &'static str,
    /// Threads along a row, and rows in a block.
    threads: [u32; 2],
}

impl Plan {
    /// With at most so many threads a row, which keep 2 vectors (or elements) each where that takes no more than 128 of them, if
    /// `few` allows it, else 4. The tensors are those that are read and written in vectors, the input first.
    fn new(tensors: &[&Tensor], most_threads: u32, few: bool) -> Result<Plan> {
        let input = tensors[0];
        let (size, item) = (input.size(-1)?, input.item_size()? as i64);
        const MOST: i64 = 1 << 30;
        if size > MOST {
            return Err(Error::value(format!("rms_norm: found {size} columns, the CUDA kernels take at most {MOST}")));
        }
        let aligned = tensors.iter().map(|tensor| tensor.alignment()).collect::<Result<Vec<_>>>()?;
        let vectors = size * item % 16 == 0 && aligned.iter().all(|alignment| *alignment >= 16);
        let vector = if vectors { 16 / item } else { 1 };
        let held = if few && size <= 2 * 128 * vector { 2 } else { 4 };
        let each = held * vector;
        // Whole warps, at most a block; narrow rows share one.
        let along = ((size + each - 1) / each).clamp(1, most_threads.into()) as u32;
        let along = along.next_multiple_of(32);
        Ok(Plan {
            rows: if size == 0 { 0 } else { input.numel()? / size },
            columns: size as i32,
            element: name_of(input.dtype()?)?,
            vectors,
            held: if held == 2 { "2" } else { "4" },
            threads: [along, (128 / along).max(1)],
        })
    }

    /// Blocks for all rows.
    fn blocks(&self) -> Result<u32> {
        let in_block = i64::from(self.threads[1]);
        let blocks = self.rows / in_block + i64::from(self.rows % in_block != 0);
        match u32::try_from(blocks) {
            Ok(blocks) if blocks < 1 << 31 => Ok(blocks),
            _ => Err(Error::value(format!("rms_norm: found {} rows, which are more than a launch takes", self.rows))),
        }
    }

    fn grid(&self, blocks: u32) -> Grid {
        Grid::new([blocks, 1, 1], [self.threads[0], self.threads[1], 1])
    }

    fn values(&self, wide: bool) -> [&'static str; 3] {
        let word = |yes| if yes { "true" } else { "false" };
        [self.element, word(wide), word(self.vectors)]
    }
}

fn name_of(dtype: DType) -> Result<&'static str> {
    match dtype {
        DType::Float32 => Ok("float"),
        DType::Float16 => Ok("__half"),
        DType::BFloat16 => Ok("__nv_bfloat16"),
        other => Err(Error::type_error(format!(
            "rms_norm: not implemented for {other} on CUDA; expected float32, float16 or bfloat16"
        ))),
    }
}

/// The weight as the kernels take it: of the input's dtype, or wide.
fn factors(weight: Option<&Tensor>, dtype: DType) -> Result<Option<Tensor>> {
    weight
        .map(
            |weight| {
                if weight.dtype()? == dtype { weight.contiguous() } else { weight.to(DType::Float32)?.contiguous() }
            },
        )
        .transpose()
}

#[torch_op(kernel_of = fused_rms_norm, cuda)]
fn fused_rms_norm_cuda(input: &Tensor, weight: Option<&Tensor>, eps: Option<f64>) -> Result<(Tensor, Tensor)> {
    let mut sizes = input.sizes()?.to_vec();
    check_sizes(&sizes, weight.map(Tensor::sizes).transpose()?.as_deref())?;
    check_weight(weight.map(Tensor::dtype).transpose()?)?;
    let dtype = input.dtype()?;
    let (input, weight) = (input.contiguous()?, factors(weight, dtype)?);
    let mut output = cuda::scratch(&input, dtype, &sizes)?;
    if let Some(last) = sizes.last_mut() {
        *last = 1;
    }
    let mut rstd = cuda::scratch(&input, DType::Float32, &sizes)?;

    let given = weight.as_ref().unwrap_or(&input);
    let plan = Plan::new(&[&input, given, &output], 512, true)?;
    if plan.columns == 0 {
        // The mean of nothing.
        rstd.fill_(f64::NAN)?;
        return Ok((output, rstd));
    }
    let (wide, weighted) = (given.dtype()? != dtype, i32::from(weight.is_some()));
    let eps = epsilon(eps, dtype) as f32;
    let arguments = (&input, given, &mut output, &mut rstd, plan.rows, plan.columns, eps, weighted);
    let [element, wide, vectors] = plan.values(wide);
    forward.launch([element, wide, vectors, plan.held], plan.grid(plan.blocks()?), arguments)?;
    Ok((output, rstd))
}

#[torch_op(kernel_of = rms_norm_backward, cuda)]
fn rms_norm_backward_cuda(
    grad_output: &Tensor,
    input: &Tensor,
    weight: Option<&Tensor>,
    rstd: &Tensor,
    _eps: Option<f64>,
    needs_grad_weight: bool,
) -> Result<(Tensor, Tensor)> {
    check_gradient(grad_output, input, weight, rstd)?;
    let dtype = input.dtype()?;
    let (input, grad_output, rstd) = (input.contiguous()?, grad_output.contiguous()?, rstd.contiguous()?);
    let factors = factors(weight, dtype)?;
    let mut grad_input = cuda::scratch(&input, dtype, &input.sizes()?)?;
    let wanted = weight.filter(|_| needs_grad_weight);

    let given = factors.as_ref().unwrap_or(&input);
    // As the kernel's bounds say: numbers of 16 bits take more registers, since a vector has more of them.
    let most_threads = if dtype == DType::Float32 { 1024 } else { 512 };
    let plan = Plan::new(&[&input, given, &grad_output, &grad_input], most_threads, false)?;
    // As many as a large card runs at once; more would leave more sums to add.
    const THREADS: u32 = 1 << 17;
    let blocks = plan.blocks()?.min(THREADS / (plan.threads[0] * plan.threads[1]));
    let count = if wanted.is_some() { i64::from(blocks) } else { 0 };
    let mut parts = cuda::scratch(&input, DType::Float32, &[count, i64::from(plan.columns)])?;
    let (wide, weighted) = (given.dtype()? != dtype, i32::from(factors.is_some()));
    let arguments = (
        &grad_output,
        &input,
        given,
        &rstd,
        &mut grad_input,
        &mut parts,
        plan.rows,
        plan.columns,
        weighted,
        i32::from(wanted.is_some()),
    );
    if plan.columns > 0 {
        backward.launch(plan.values(wide), plan.grid(blocks), arguments)?;
    }
    let Some(weight) = wanted else {
        return Ok((grad_input, cuda::scratch(&input, dtype, &[0])?));
    };
    let exact = name_of(weight.dtype()?);
    let kind = if exact.is_ok() { weight.dtype()? } else { DType::Float32 };
    let mut grad_weight = cuda::scratch(&input, kind, &[i64::from(plan.columns)])?;
    let grid = Grid::new([(plan.columns as u32).div_ceil(32), 1, 1], [32, 32, 1]);
    sums_of_columns.launch([name_of(kind)?], grid, (&parts, &mut grad_weight, count as i32, plan.columns))?;
    Ok((grad_input, grad_weight.to(weight.dtype()?)?))
}

#[cfg(test)]
mod tests {
    use torchop::cuda;

    /// Needs no GPU, but NVRTC, which comes with torch for CUDA; `TORCHOP_NO_NVRTC=1` for a torch without.
    #[test]
    fn kernels_compile() {
        if std::env::var_os("TORCHOP_NO_NVRTC").is_none() {
            assert_eq!(cuda::compile_all(&["sm_80", "sm_90", "newest"]).unwrap(), 3 * 39);
        }
    }
}
