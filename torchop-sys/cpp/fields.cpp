// Whether a tensor's fields lie where Rust was built to read them. A translation unit of its own.
#include "fields.h"

namespace torchop {

// A symbol may have the same name in another library: it is hidden.
extern "C" __attribute__((visibility("hidden"))) bool torchop_fields_hold(const Fields* fields) noexcept {
  try {
    Probe probe;
    if (!probe.holds(*fields) || !resizable_holds(fields->resizable)) return false;
    const auto found = probe.fields();
    return std::memcmp(&found, fields, sizeof(Fields)) == 0;
  } catch (...) {
    return false;
  }
}

} // namespace torchop
