//! Methods that take and return each type.

use std::collections::BTreeMap;
use torchop::prelude::*;

/// Gives back what it is given.
#[torch_class(name = "test_ops::Echo")]
struct Echo {}

#[torch_class]
impl Echo {
    #[init]
    fn new() -> Self {
        Echo {}
    }

    fn int(&self, v: i64) -> i64 {
        v
    }
    fn float(&self, v: f64) -> f64 {
        v
    }
    fn boolean(&self, v: bool) -> bool {
        v
    }
    fn text(&self, v: &str) -> String {
        v.to_owned()
    }
    fn complex(&self, v: Complex64) -> Complex64 {
        v
    }
    fn scalar(&self, v: Scalar) -> Scalar {
        v
    }
    fn dtype(&self, v: DType) -> DType {
        v
    }
    fn layout(&self, v: Layout) -> Layout {
        v
    }
    fn memory_format(&self, v: MemoryFormat) -> MemoryFormat {
        v
    }
    fn device(&self, v: Device) -> Device {
        v
    }
    fn generator(&self, v: Generator) -> Generator {
        v
    }
    fn stream(&self, v: Stream) -> Stream {
        v
    }
    fn stream_opt(&self, v: Option<Stream>) -> Option<Stream> {
        v
    }
    fn tensor(&self, v: &Tensor) -> Result<Tensor> {
        v.deep_clone()
    }
    fn object(&self, v: TorchRef<Echo>) -> TorchRef<Echo> {
        v
    }

    fn int_opt(&self, v: Option<i64>) -> Option<i64> {
        v
    }
    fn float_opt(&self, v: Option<f64>) -> Option<f64> {
        v
    }
    fn text_opt(&self, v: Option<&str>) -> Option<String> {
        v.map(str::to_owned)
    }
    fn dtype_opt(&self, v: Option<DType>) -> Option<DType> {
        v
    }
    fn device_opt(&self, v: Option<Device>) -> Option<Device> {
        v
    }
    fn tensor_opt(&self, v: Option<&Tensor>) -> Result<Option<Tensor>> {
        v.map(Tensor::deep_clone).transpose()
    }
    fn object_opt(&self, v: Option<TorchRef<Echo>>) -> Option<TorchRef<Echo>> {
        v
    }

    fn ints(&self, v: Vec<i64>) -> Vec<i64> {
        v
    }
    fn floats(&self, v: Vec<f64>) -> Vec<f64> {
        v
    }
    fn booleans(&self, v: Vec<bool>) -> Vec<bool> {
        v
    }
    fn texts(&self, v: List<'_, &str>) -> Vec<String> {
        v.iter().map(str::to_owned).collect()
    }
    fn tensors(&self, v: Vec<&Tensor>) -> Result<Vec<Tensor>> {
        v.into_iter().map(Tensor::deep_clone).collect()
    }
    fn objects(&self, v: Vec<TorchRef<Echo>>) -> Vec<TorchRef<Echo>> {
        v
    }
    fn ints_opt(&self, v: Option<Vec<i64>>) -> Option<Vec<i64>> {
        v
    }
    fn opt_floats(&self, v: Vec<Option<f64>>) -> Vec<Option<f64>> {
        v
    }
    fn int_lists(&self, v: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
        v
    }

    fn pair(&self, v: (i64, f64)) -> (i64, f64) {
        v
    }
    fn counts(&self, v: Dict<'_, &str, i64>) -> BTreeMap<String, i64> {
        v.iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
    fn three(&self, a: i64, b: &str, c: Vec<bool>) -> (i64, String, Vec<bool>) {
        (a, b.to_owned(), c)
    }
    fn nothing(&self) {}
}
