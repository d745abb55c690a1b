// The same operators through torch's stable C++ interface, which works across versions of torch.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

namespace {

using torch::stable::Tensor;

int64_t one(const Tensor& x) { return 0; }

int64_t five(const Tensor& x, const Tensor& y, double a, int64_t n, bool b) { return n; }

int64_t fourteen(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d, const Tensor& e, const Tensor& f,
                 const Tensor& g, const Tensor& h, const Tensor& i, const Tensor& j, const Tensor& k, const Tensor& l,
                 const Tensor& m, const Tensor& n) {
  return 0;
}

Tensor fresh(const Tensor& x) { return torch::stable::empty_like(x); }

} // namespace

STABLE_TORCH_LIBRARY(bench_stable, m) {
  m.def("one(Tensor x) -> int");
  m.def("five(Tensor x, Tensor y, float a, int n, bool b) -> int");
  m.def("fourteen(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h, Tensor i, Tensor j, "
        "Tensor k, Tensor l, Tensor m, Tensor n) -> int");
  m.def("fresh(Tensor x) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(bench_stable, CPU, m) {
  m.impl("one", TORCH_BOX(&one));
  m.impl("five", TORCH_BOX(&five));
  m.impl("fourteen", TORCH_BOX(&fourteen));
  m.impl("fresh", TORCH_BOX(&fresh));
}
