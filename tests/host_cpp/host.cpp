// host LIBRARY CHECK: one check of the test ops in a process without Python. Exit code 0 if it holds.
#include <dlfcn.h>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>
#include <torch/custom_class.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

using c10::IValue;
using torch::jit::Stack;

static void* library = nullptr;

static void check(bool good, const std::string& what) {
  if (good) return;
  std::cerr << "not so: " << what << std::endl;
  std::exit(1);
}

static bool mapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(name) != std::string::npos) return true;
  return false;
}

static c10::OperatorHandle op(const char* name) { return c10::Dispatcher::singleton().findSchemaOrThrow(name, ""); }

static Stack call(const char* name, Stack stack) {
  op(name).callBoxed(stack);
  return stack;
}

// The text of the exception, which must be of exactly this class.
template <class Exception>
static std::string fails(const std::function<void()>& body) {
  try {
    body();
  } catch (const c10::Error& error) {
    check(typeid(error) == typeid(Exception), std::string("class of: ") + error.what_without_backtrace());
    return error.what_without_backtrace();
  }
  check(false, "no exception");
  return "";
}

static IValue make(const char* name, Stack arguments) {
  auto type = torch::getCustomClass(std::string("__torch__.torch.classes.test_ops.") + name);
  check(type != nullptr, std::string("class ") + name);
  IValue object = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
  arguments.insert(arguments.begin(), object);
  type->getMethod("__init__")(std::move(arguments));
  return object;
}

static IValue method(const IValue& object, const char* name, Stack arguments) {
  arguments.insert(arguments.begin(), object);
  return object.toObjectRef().type()->getMethod(name)(std::move(arguments));
}

static const std::map<std::string, std::function<void()>> checks{
    {"op", [] {
       auto x = at::rand({2, 3}), y = at::rand({2, 3});
       auto product = op("test_ops::product").typed<at::Tensor(const at::Tensor&, const at::Tensor&)>();
       check(at::equal(product.call(x, y), x * y), "typed call");
       check(at::equal(call("test_ops::product", {x, y}).at(0).toTensor(), x * y), "boxed call");
       Stack stack{IValue("below"), x, y};
       op("test_ops::product").callBoxed(stack);
       check(stack.size() == 2 && stack[0].toStringRef() == "below", "the stack below the arguments is left alone");
     }},
    {"gradient", [] {
       auto x = at::rand({3}).requires_grad_(), y = at::rand({3});
       call("test_ops::product", {x, y}).at(0).toTensor().sum().backward();
       check(at::equal(x.grad(), y), "gradient");
     }},
    {"class", [] {
       auto x = at::rand({3});
       auto scale = make("Scale", {2.0});
       check(at::equal(method(scale, "forward", {x}).toTensor(), x * 2), "method");
       check(scale.toObjectRef().type()->getProperty("factor")->getter->operator()({scale}).toDouble() == 2.0, "property");
     }},
    {"errors", [] {
       auto x = at::ones({2});
       auto fail = [&](const char* kind) { return [=] { call("test_ops::fail_at", {x, "kernel", kind, "the text"}); }; };
       check(fails<c10::Error>(fail("RuntimeError")) == "the text", "RuntimeError");
       check(fails<c10::ValueError>(fail("ValueError")) == "the text", "ValueError");
       check(fails<c10::TypeError>(fail("TypeError")) == "the text", "TypeError");
       check(fails<c10::IndexError>(fail("IndexError")) == "the text", "IndexError");
       check(fails<c10::NotImplementedError>(fail("NotImplementedError")) == "the text", "NotImplementedError");
       check(fails<c10::OutOfMemoryError>(fail("OutOfMemoryError")) == "the text", "OutOfMemoryError");
       fails<c10::ValueError>([] { make("Scale", {0.0}); });
       check(fails<c10::Error>([&] { call("test_ops::reshape_to", {x, std::vector<int64_t>{7}}); }) ==
                 fails<c10::Error>([&] { x.reshape({7}); }), "torch's own error, passed on");
     }},
    {"panics", [] {
       auto x = at::ones({2}).requires_grad_();
       auto says = [](const std::string& text, const char* what) { check(text.find(what) != text.npos, text); };
       says(fails<c10::Error>([&] { call("test_ops::panic_at", {x, "kernel"}); }), "test_ops::panic_at panicked at tests/ops/src/panics.rs:");
       auto y = call("test_ops::panic_at", {x, "backward"}).at(0).toTensor();
       says(fails<c10::Error>([&] { y.sum().backward(); }), "no backward today");
       says(fails<c10::Error>([&] { make("Panicking", {"constructor"}); }), "test_ops::Panicking.new panicked");
       says(fails<c10::Error>([&] { method(make("Panicking", {"method"}), "method", {x}); }), "no method today");
       make("Panicking", {"drop"});
       check(at::equal(call("test_ops::panic_at", {x, ""}).at(0).toTensor(), x * 2), "the next call works");
     }},
    {"no-python", [] {
       call("test_ops::product", {at::ones({1}), at::ones({1})});
       check(!mapped("libpython") && !mapped("libtorch_python"), "no Python");
     }},
    {"wrong-stacks", [] {
       auto x = at::ones({2});
       auto says = [](const std::string& text) { check(text.find("test_ops::") != text.npos, text); };
       says(fails<c10::TypeError>([&] { call("test_ops::affine", {x, IValue(), "no number", 1}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::affine", {x, 3, 2.0, 1}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::product", {x, IValue()}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::product", {x, at::Tensor()}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::sum_list", {x, x}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::sum_list", {std::vector<at::Tensor>{x, x}, std::vector<int64_t>{1}}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::echo_int", {1.5}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::echo_int", {}); }));
       says(fails<c10::TypeError>([&] { call("test_ops::echo_strs", {std::vector<double>{1}}); }));
       check(call("test_ops::echo_ints", {std::vector<int64_t>{}}).at(0).toListRef().empty(), "an empty list");
       check(at::equal(call("test_ops::product", {x, x}).at(0).toTensor(), x), "the next call works");
     }},
    {"strings", [] {
       check(call("test_ops::echo_str", {std::string("a\0b", 3)}).at(0).toStringRef() == std::string("a\0b", 3), "a NUL");
       auto text = fails<c10::ValueError>([] { call("test_ops::echo_str", {std::string("\xff\xfe")}); });
       check(text.find("UTF-8") != text.npos && text.find("argument 'v'") != text.npos, text);
       fails<c10::ValueError>([] { call("test_ops::echo_strs", {std::vector<std::string>{"a", "\xc3"}}); });
     }},
    {"none-for-an-empty-list", [] {
       // As AOTInductor packages pass an empty list.
       auto x = at::ones({2});
       for (auto name : {"echo_ints", "echo_sym_ints", "echo_floats", "echo_strs", "echo_int_lists"})
         check(call((std::string("test_ops::") + name).c_str(), {IValue()}).at(0).toListRef().empty(), name);
       check(call("test_types::slices", {IValue(), IValue(), IValue(), std::vector<at::Tensor>{x}, IValue()}).at(0).toStringRef() == "[] [] [] [1] None", "slices");
       check(at::equal(call("test_matrix::takes_tensors", {x, IValue()}).at(0).toTensor(),
                       call("test_matrix::takes_tensors", {x, std::vector<at::Tensor>{}}).at(0).toTensor()), "tensors");
       check(call("test_ops::echo_ints_opt", {IValue()}).at(0).isNone(), "an optional list stays None");
       fails<c10::ValueError>([] { call("test_types::fixed", {IValue()}); });
       fails<c10::TypeError>([&] { call("test_ops::echo_ints", {x}); });
       fails<c10::TypeError>([] { call("test_ops::echo_ints", {at::Tensor()}); });
       fails<c10::TypeError>([] { call("test_types::pair", {IValue()}); });
     }},
    {"undefined", [] {
       auto x = at::ones({2});
       auto y = call("test_ops::affine", {x, at::Tensor(), 2.0, 1}).at(0).toTensor();
       check(at::equal(y, x * 2), "undefined for an optional is none");
       check(call("test_ops::echo_tensor_opt", {at::Tensor()}).at(0).isNone(), "and comes back as None");
     }},
    {"objects", [] {
       auto x = at::ones({2});
       auto type = torch::getCustomClass("__torch__.torch.classes.test_ops.Scale");
       IValue empty = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
       auto text = fails<c10::Error>([&] { type->getMethod("forward")({empty, x}); });
       check(text.find("never initialised") != text.npos, text);
       auto holder = make("Holder", {x}), scale = make("Scale", {2.0});
       Stack wrong{holder, x};
       fails<c10::TypeError>([&] { type->getMethod("forward").run(wrong); });
       Stack nothing{};
       fails<c10::TypeError>([&] { type->getMethod("forward").run(nothing); });
       Stack number{3, x};
       fails<c10::TypeError>([&] { type->getMethod("forward").run(number); });
       fails<c10::Error>([&] { type->getMethod("__init__")({scale, 3.0}); });
       check(at::equal(method(scale, "forward", {x}).toTensor(), x * 2), "the object is as it was");
       // What stands in an object of the class, but was made for another: by this library, by the example, or by C++ alone.
       struct Foreign : torch::CustomClassHolder {
         double factor = 2.0;
       };
       IValue foreign = IValue::make_capsule(c10::make_intrusive<Foreign>());
       const char* example = std::getenv("TORCHOP_LIB_EXAMPLE");
       check(example && dlopen(example, RTLD_NOW | RTLD_LOCAL), "TORCHOP_LIB_EXAMPLE");
       auto conv_type = torch::getCustomClass("__torch__.torch.classes.my_ops.IdentityConvClass");
       IValue conv = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, conv_type), 1);
       conv_type->getMethod("__init__")({conv, 3});
       for (const IValue& capsule : {holder.toObjectRef().getSlot(0), conv.toObjectRef().getSlot(0), foreign}) {
         IValue wolf = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
         wolf.toObject()->setSlot(0, capsule);
         for (const auto& body : std::vector<std::function<void()>>{
                  [&] { method(wolf, "forward", {x}); }, [&] { method(scale, "same", {wolf}); }, [&] { type->getProperty("factor")->getter->operator()({wolf}); },
                  [&] { call("test_ops::apply_scale", {wolf, x}); }, [&] { method(wolf, "__getstate__", {}); }, [&] { method(wolf, "__obj_flatten__", {}); }}) {
           auto text = fails<c10::TypeError>(body);
           check(text.find("expected an object of class `test_ops::Scale` made by this library") != text.npos, text);
         }
       }
       auto tally_type = torch::getCustomClass("__torch__.torch.classes.test_ops.Tally");
       IValue wolf = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, tally_type), 1), tally = make("Tally", {0, 1, std::string("x")});
       wolf.toObject()->setSlot(0, scale.toObjectRef().getSlot(0));
       for (const auto& body : std::vector<std::function<void()>>{
                [&] { call("test_ops::tallied", {tally, wolf}); }, [&] { call("test_ops::tallied", {wolf, IValue()}); }, [&] { method(wolf, "add", {1}); },
                [&] { method(tally, "take_from", {wolf}); }}) {
         auto text = fails<c10::TypeError>(body);
         check(text.find("expected an object of class `test_ops::Tally` made by this library") != text.npos, text);
       }
       auto before = call("test_ops::alive", {}).at(0).toInt();
       { auto counted = make("Counted", {""}); check(call("test_ops::alive", {}).at(0).toInt() == before + 1, "one lives"); }
       check(call("test_ops::alive", {}).at(0).toInt() == before, "none lives");
     }},
    {"threads", [] {
       std::vector<std::thread> threads;
       auto scale = make("Scale", {2.0});
       for (int i = 0; i < 8; i++) threads.emplace_back([scale] {
         auto x = at::rand({16}).requires_grad_();
         for (int k = 0; k < 300; k++) {
           auto y = call("test_ops::exponential", {x}).at(0).toTensor();
           y.sum().backward();
           check(at::allclose(x.grad(), x.exp()), "gradient");
           x.mutable_grad() = at::Tensor();
           check(at::equal(method(scale, "forward", {x}).toTensor(), x * 2), "method");
           fails<c10::ValueError>([&] { call("test_ops::fail_at", {x, "kernel", "ValueError", "text"}); });
         }
       });
       for (auto& thread : threads) thread.join();
     }},
    {"changing", [] {
       auto tally = make("Tally", {0, 1, std::string("tally")});
       std::vector<std::thread> threads;
       for (int i = 0; i < 8; i++) threads.emplace_back([tally] {
         for (int k = 0; k < 1000; k++) method(tally, "add", {1});
       });
       for (auto& thread : threads) thread.join();
       auto count = [&] { return tally.toObjectRef().type()->getProperty("count")->getter->operator()({tally}).toInt(); };
       check(count() == 8000, "no call is lost");
       tally.toObjectRef().type()->getProperty("count")->setter->operator()({tally, 5});
       check(count() == 5, "a setter");
       auto text = fails<c10::Error>([&] { method(tally, "take_from", {tally}); });
       check(text.find("being changed by a method further up") != text.npos, text);
       fails<c10::Error>([&] { method(tally, "add_and_panic", {}); });
       text = fails<c10::Error>([&] { method(tally, "add", {1}); });
       check(text.find("panicked while it changed it") != text.npos, text);
     }},
    {"alive-at-exit", [] {
       // Destroyed after main, when the library's own statics may be gone.
       static std::vector<IValue> kept{make("Scale", {2.0}), make("Tally", {0, 1, std::string("x")}), make("Queue", {}), make("BadDrop", {})};
       method(kept[2], "push", {at::ones({2})});
       static auto* leaked = new IValue(make("Counted", {""}));
       check(leaked->isObject(), "an object");
     }},
    {"dlclose", [] {
       auto scale = make("Scale", {2.0});
       check(dlclose(library) == 0, "dlclose");
       auto x = at::rand({3}).requires_grad_();
       call("test_ops::exponential", {x}).at(0).toTensor().sum().backward();
       check(at::allclose(x.grad(), x.exp()), "a call after dlclose");
       check(at::equal(method(scale, "forward", {x}).toTensor(), x * 2), "a method after dlclose");
       fails<c10::Error>([&] { call("test_ops::panic_at", {x, "kernel"}); });
     }},
};

int main(int argc, char** argv) try {
  if (argc == 2 && std::string(argv[1]) == "--list") {
    for (const auto& [name, body] : checks) std::cout << name << "\n";
    return 0;
  }
  if (argc != 3) return std::cerr << "usage: host LIBRARY CHECK | host --list\n", 2;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::cerr << dlerror() << "\n", 2;
  checks.at(argv[2])();
} catch (const std::exception& error) {
  return std::cerr << error.what() << "\n", 3;
}
