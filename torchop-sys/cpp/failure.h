// Exceptions as values: caught here, kept whole, carried through Rust, thrown again.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <memory>
#include <string>

namespace torchop {

// The exception classes that torch maps to Python's. Same order as `ErrorKind` in torchop-runtime.
enum class Kind : uint8_t { Runtime, Value, Type, Index, NotImplemented, OutOfMemory };

// A caught exception. Keeps the object itself: torch's tracing recognises some of its own exceptions by identity.
class Failure {
 public:
  Failure(std::exception_ptr exception, Kind kind, std::string message)
      : exception_(std::move(exception)), kind_(kind), message_(std::move(message)) {}

  const std::exception_ptr& exception() const { return exception_; }
  uint8_t kind() const noexcept { return static_cast<uint8_t>(kind_); }
  const std::string& message() const noexcept { return message_; }

 private:
  std::exception_ptr exception_;
  Kind kind_;
  std::string message_;
};

// To be called inside a catch block.
inline std::unique_ptr<Failure> failure_from_current() {
  auto exception = std::current_exception();
  auto make = [&](Kind kind, const char* message) { return std::make_unique<Failure>(exception, kind, message); };
  try {
    throw;
  } catch (const c10::OutOfMemoryError& e) {
    return make(Kind::OutOfMemory, e.what_without_backtrace());
  } catch (const c10::ValueError& e) {
    return make(Kind::Value, e.what_without_backtrace());
  } catch (const c10::TypeError& e) {
    return make(Kind::Type, e.what_without_backtrace());
  } catch (const c10::IndexError& e) {
    return make(Kind::Index, e.what_without_backtrace());
  } catch (const c10::NotImplementedError& e) {
    return make(Kind::NotImplemented, e.what_without_backtrace());
  } catch (const c10::Error& e) {
    return make(Kind::Runtime, e.what_without_backtrace());
  } catch (const std::bad_alloc& e) {
    return make(Kind::OutOfMemory, e.what());
  } catch (const std::exception& e) {
    return make(Kind::Runtime, e.what());
  } catch (...) {
    return make(Kind::Runtime, "a C++ exception that is no std::exception");
  }
}

// The last exception that a bridge function ended with, until Rust takes it.
inline std::unique_ptr<Failure>& last_failure() {
  static thread_local std::unique_ptr<Failure> failure;
  return failure;
}

// Throws what Rust handed back.
[[noreturn, gnu::noinline, gnu::cold]] inline void raise(Failure* failure) {
  auto exception = failure->exception();
  delete failure;
  std::rethrow_exception(std::move(exception));
}

template <class Exception>
std::exception_ptr make_exception(const std::string& message) {
  // The place is for C++ readers of `what()`; Python sees the message alone.
  static const c10::SourceLocation rust{"a Rust function", "torchop", 0};
  return std::make_exception_ptr(Exception(rust, message));
}

inline std::unique_ptr<Failure> make_failure(Kind kind, std::string message) {
  auto exception = [&] {
    switch (kind) {
      case Kind::Value: return make_exception<c10::ValueError>(message);
      case Kind::Type: return make_exception<c10::TypeError>(message);
      case Kind::Index: return make_exception<c10::IndexError>(message);
      case Kind::NotImplemented: return make_exception<c10::NotImplementedError>(message);
      case Kind::OutOfMemory: return make_exception<c10::OutOfMemoryError>(message);
      default: return make_exception<c10::Error>(message);
    }
  }();
  return std::make_unique<Failure>(std::move(exception), kind, std::move(message));
}

} // namespace torchop

// How cxx turns exceptions of bridge functions into `Err`: the whole exception is kept, the text alone crosses.
namespace rust::behavior {
template <class Try, class Fail>
static void trycatch(Try&& attempt, Fail&& fail) noexcept {
  try {
    attempt();
  } catch (...) {
    torchop::last_failure() = torchop::failure_from_current();
    fail("kept in last_failure");
  }
}
} // namespace rust::behavior
