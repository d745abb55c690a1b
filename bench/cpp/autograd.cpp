// Typed functions with a kernel on the autograd key: one that only goes on below, since a number has no gradient, and a
// torch::autograd::Function where a tensor comes out.
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace {

using at::Tensor;

int64_t one(const Tensor& x) { return 0; }

int64_t five(const Tensor& x, const Tensor& y, double a, int64_t n, bool b) { return n; }

int64_t fourteen(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Tensor& e, const Tensor& f,
                 const Tensor& g, const Tensor& h, const Tensor& i, const Tensor& j, const Tensor& k, const Tensor& l,
                 const Tensor& m, const Tensor& n) {
  return 0;
}

Tensor fresh(const Tensor& x) { return at::empty_like(x); }

template <class Function>
auto find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Function>();
}

int64_t one_autograd(const Tensor& x) {
  static auto op = find<decltype(one)>("bench_autograd::one");
  at::AutoDispatchBelowADInplaceOrView guard;
  return op.call(x);
}

int64_t five_autograd(const Tensor& x, const Tensor& y, double a, int64_t n, bool b) {
  static auto op = find<decltype(five)>("bench_autograd::five");
  at::AutoDispatchBelowADInplaceOrView guard;
  return op.call(x, y, a, n, b);
}

int64_t fourteen_autograd(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Tensor& e,
                          const Tensor& f, const Tensor& g, const Tensor& h, const Tensor& i, const Tensor& j,
                          const Tensor& k, const Tensor& l, const Tensor& m, const Tensor& n) {
  static auto op = find<decltype(fourteen)>("bench_autograd::fourteen");
  at::AutoDispatchBelowADInplaceOrView guard;
  return op.call(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}

struct Fresh : torch::autograd::Function<Fresh> {
  static Tensor forward(torch::autograd::AutogradContext*, const Tensor& x) {
    static auto op = find<decltype(fresh)>("bench_autograd::fresh");
    at::AutoDispatchBelowADInplaceOrView guard;
    return op.call(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*, torch::autograd::variable_list grads) {
    return grads;
  }
};

Tensor fresh_autograd(const Tensor& x) { return Fresh::apply(x); }

} // namespace

TORCH_LIBRARY(bench_autograd, m) {
  m.def("one(Tensor x) -> int");
  m.def("five(Tensor x, Tensor y, float a, int n, bool b) -> int");
  m.def("fourteen(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h, Tensor i, Tensor j, "
        "Tensor k, Tensor l, Tensor m, Tensor n) -> int");
  m.def("fresh(Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(bench_autograd, CPU, m) {
  m.impl("one", one);
  m.impl("five", five);
  m.impl("fourteen", fourteen);
  m.impl("fresh", fresh);
}

TORCH_LIBRARY_IMPL(bench_autograd, Autograd, m) {
  m.impl("one", one_autograd);
  m.impl("five", five_autograd);
  m.impl("fourteen", fourteen_autograd);
  m.impl("fresh", fresh_autograd);
}
