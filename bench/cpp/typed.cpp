// The same operators and class in C++, typed functions, as torch's tutorial writes them. Nothing on the autograd keys.
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/empty_like.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <mutex>

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

// As a careful author writes one that writes to `x`: torch leaves the check to the kernel.
void written(Tensor& x, const Tensor& y) {
  at::assert_no_internal_overlap(x);
  at::assert_no_overlap(x, y);
}

// The same rounds as in Rust.
int64_t rounds_of_work(int64_t seed, int64_t rounds) {
  int64_t state = seed | 1;
  for (int64_t i = 0; i < rounds; i++) {
    state ^= static_cast<int64_t>(static_cast<uint64_t>(state) << 13);
    state ^= state >> 7;
    state ^= static_cast<int64_t>(static_cast<uint64_t>(state) << 17);
  }
  return state;
}

struct Counter : torch::CustomClassHolder {
  explicit Counter(int64_t start) : start(start) {}
  int64_t count(const Tensor& x) { return start; }
  int64_t work(int64_t rounds) { return rounds_of_work(start, rounds); }
  int64_t start;
};

// One that changes, from any thread, as its author would write it: methods run without Python's lock.
struct Tally : torch::CustomClassHolder {
  explicit Tally(int64_t count) : count_(count) {}
  int64_t add(const Tensor& x) {
    std::lock_guard<std::mutex> lock(mutex_);
    return ++count_;
  }
  int64_t work(int64_t rounds) { return rounds_of_work(count(), rounds); }
  int64_t count() {
    std::lock_guard<std::mutex> lock(mutex_);
    return count_;
  }
  void set_count(int64_t count) {
    std::lock_guard<std::mutex> lock(mutex_);
    count_ = count;
  }

 private:
  std::mutex mutex_;
  int64_t count_;
};

// The same without its lock: right in one thread alone.
struct Unlocked : torch::CustomClassHolder {
  explicit Unlocked(int64_t count) : count_(count) {}
  int64_t add(const Tensor& x) { return ++count_; }
  int64_t work(int64_t rounds) { return rounds_of_work(count_, rounds); }
  int64_t count() { return count_; }
  void set_count(int64_t count) { count_ = count; }
  int64_t count_;
};

template <class T>
void changing(torch::Library& m, const char* name) {
  m.class_<T>(name)
      .def(torch::init<int64_t>())
      .def("add", &T::add)
      .def("work", &T::work)
      .def_property("count", &T::count, &T::set_count)
      .def_pickle([](const c10::intrusive_ptr<T>& self) { return self->count(); },
                  [](int64_t count) { return c10::make_intrusive<T>(count); });
}

} // namespace

TORCH_LIBRARY(bench_typed, m) {
  m.def("one(Tensor x) -> int");
  m.def("five(Tensor x, Tensor y, float a, int n, bool b) -> int");
  m.def("fourteen(Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f, Tensor g, Tensor h, Tensor i, Tensor j, "
        "Tensor k, Tensor l, Tensor m, Tensor n) -> int");
  m.def("fresh(Tensor x) -> Tensor");
  m.def("written(Tensor(a!) x, Tensor y) -> ()");
  // The same methods and state as in Rust: torch looks through a class's methods by name, one after the other.
  m.class_<Counter>("Counter")
      .def(torch::init<int64_t>())
      .def("count", &Counter::count)
      .def("work", &Counter::work)
      .def_property("start", [](const c10::intrusive_ptr<Counter>& self) { return self->start; })
      .def_pickle([](const c10::intrusive_ptr<Counter>& self) { return self->start; },
                  [](int64_t start) { return c10::make_intrusive<Counter>(start); });
  changing<Tally>(m, "Tally");
  changing<Unlocked>(m, "Unlocked");
}

TORCH_LIBRARY_IMPL(bench_typed, CPU, m) {
  m.impl("one", one);
  m.impl("five", five);
  m.impl("fourteen", fourteen);
  m.impl("fresh", fresh);
  m.impl("written", written);
}
