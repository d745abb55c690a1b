// What torch's operators called from Rust are held against: the same calls in C++, in a loop, inside of operators.
#include <ATen/ATen.h>
#include <torch/library.h>

#define CASE(name, call)                                                                              \
  int64_t name(const at::Tensor& x, const at::Tensor& y, const at::Tensor& rows, int64_t turns) {     \
    int64_t dims = 0;                                                                                 \
    for (int64_t i = 0; i < turns; i++) dims += (call).dim();                                         \
    return dims;                                                                                      \
  }

namespace bench {

CASE(add, (at::add(x, y)))
CASE(mul_number, (at::mul(x, 2.0)))
CASE(relu, (at::relu(x)))
CASE(softmax, (at::softmax(x, -1)))
CASE(matmul, (at::matmul(x, at::t(y))))
CASE(sum_dim, (at::sum(x, {1})))
CASE(layer_norm, (at::layer_norm(x, {4}, {}, {}, 1e-5, false)))
CASE(max_dim, (std::get<0>(at::max(x, 1, false))))
CASE(cat, (at::cat({x, y}, 0)))
CASE(stack, (at::stack({x, y}, 0)))
CASE(transpose, (at::transpose(x, 0, 1)))
CASE(select, (at::select(x, 0, 1)))
CASE(view, (x.view({12})))
CASE(permute, (at::permute(x, {1, 0})))
CASE(slice, (at::slice(x, 0, 1, 3, 1)))
CASE(empty, (at::empty({3, 4})))
CASE(zeros, (at::zeros({3, 4})))
CASE(detach, (at::detach(x)))
CASE(gather, (at::index(x, {rows})))
CASE(std_dim, (at::std(x, at::OptionalIntArrayRef({1}), 1, false)))
CASE(clamp, (at::clamp(x, 0.1, 0.9)))
CASE(chunk, (at::chunk(x, 3, 0)[0]))
CASE(reshape, (at::reshape(x, {12})))
CASE(unsqueeze, (at::unsqueeze(x, 0)))
CASE(index_select, (at::index_select(x, 0, rows)))
CASE(argmax, (at::argmax(x, 1, false)))
CASE(full, (at::full({3, 4}, 2.0)))
CASE(topk, (std::get<0>(at::topk(x, 2, 1, true, true))))
CASE(linear, (at::linear(x, y)))

int64_t choose(const at::Tensor& x, const at::Tensor& y, const at::Tensor& rows, int64_t turns) {
  int64_t dims = 0;
  auto mask = at::gt(x, 0.5);
  for (int64_t i = 0; i < turns; i++) dims += at::where(mask, x, y).dim();
  return dims;
}

int64_t add_in_place(const at::Tensor& x, const at::Tensor& y, const at::Tensor& rows, int64_t turns) {
  int64_t dims = 0;
  auto sum = x.clone();
  for (int64_t i = 0; i < turns; i++) dims += sum.add_(y).dim();
  return dims;
}

int64_t item(const at::Tensor& x, const at::Tensor& y, const at::Tensor& rows, int64_t turns) {
  double sum = 0;
  auto one = x.sum();
  for (int64_t i = 0; i < turns; i++) sum += one.item().toDouble();
  return sum > 0;
}

} // namespace bench

#define REGISTER(name)                                                                    \
  m.def(#name "(Tensor x, Tensor y, Tensor rows, int turns) -> int");                     \
  m.impl(#name, c10::DispatchKey::CPU, bench::name)

TORCH_LIBRARY(bench_aten_cpp, m) {
  REGISTER(add);
  REGISTER(mul_number);
  REGISTER(relu);
  REGISTER(softmax);
  REGISTER(matmul);
  REGISTER(sum_dim);
  REGISTER(layer_norm);
  REGISTER(max_dim);
  REGISTER(cat);
  REGISTER(stack);
  REGISTER(transpose);
  REGISTER(select);
  REGISTER(view);
  REGISTER(permute);
  REGISTER(slice);
  REGISTER(empty);
  REGISTER(zeros);
  REGISTER(detach);
  REGISTER(gather);
  REGISTER(std_dim);
  REGISTER(clamp);
  REGISTER(chunk);
  REGISTER(reshape);
  REGISTER(unsqueeze);
  REGISTER(index_select);
  REGISTER(argmax);
  REGISTER(full);
  REGISTER(topk);
  REGISTER(linear);
  REGISTER(choose);
  REGISTER(add_in_place);
  REGISTER(item);
}
