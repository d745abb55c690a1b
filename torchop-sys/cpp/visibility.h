// Keeps symbols that Rust exports from a shared library for no reader inside it: cxx's helpers and linkme's table borders.
//
// Two libraries opened with RTLD_GLOBAL would otherwise bind to each other's. A symbol gets the narrowest visibility that any
// object file asks for, so asking here is enough. `tests/python/test_isolation.py` fails when a name is missing.
#pragma once

#if defined(__linux__)

// The reference stands in a section that is not loaded: it keeps nothing alive and needs no relocation at run time.
#define TORCHOP_HIDE(name)                              \
  __asm__(".weak \"" name "\"\n\t.hidden \"" name "\"\n\t" \
          ".pushsection .torchop.hidden,\"\",@progbits\n\t.quad \"" name "\"\n\t.popsection")

#define TORCHOP_HIDE_VEC(type)                          \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$capacity"); \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$data_const"); \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$data_mut"); \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$drop");    \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$len");     \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$new");     \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$reserve_total"); \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$set_len"); \
  TORCHOP_HIDE("cxxbridge1$rust_vec$" type "$truncate")

TORCHOP_HIDE_VEC("bool");
TORCHOP_HIDE_VEC("char");
TORCHOP_HIDE_VEC("f32");
TORCHOP_HIDE_VEC("f64");
TORCHOP_HIDE_VEC("i16");
TORCHOP_HIDE_VEC("i32");
TORCHOP_HIDE_VEC("i64");
TORCHOP_HIDE_VEC("i8");
TORCHOP_HIDE_VEC("isize");
TORCHOP_HIDE_VEC("str");
TORCHOP_HIDE_VEC("string");
TORCHOP_HIDE_VEC("u16");
TORCHOP_HIDE_VEC("u32");
TORCHOP_HIDE_VEC("u64");
TORCHOP_HIDE_VEC("u8");
TORCHOP_HIDE_VEC("usize");

TORCHOP_HIDE("cxxbridge1$exception");
TORCHOP_HIDE("cxxbridge1$slice$len");
TORCHOP_HIDE("cxxbridge1$slice$new");
TORCHOP_HIDE("cxxbridge1$slice$ptr");
TORCHOP_HIDE("cxxbridge1$str$from");
TORCHOP_HIDE("cxxbridge1$str$len");
TORCHOP_HIDE("cxxbridge1$str$new");
TORCHOP_HIDE("cxxbridge1$str$ptr");
TORCHOP_HIDE("cxxbridge1$str$ref");
TORCHOP_HIDE("cxxbridge1$string$capacity");
TORCHOP_HIDE("cxxbridge1$string$clone");
TORCHOP_HIDE("cxxbridge1$string$drop");
TORCHOP_HIDE("cxxbridge1$string$from_utf16");
TORCHOP_HIDE("cxxbridge1$string$from_utf16_lossy");
TORCHOP_HIDE("cxxbridge1$string$from_utf8");
TORCHOP_HIDE("cxxbridge1$string$from_utf8_lossy");
TORCHOP_HIDE("cxxbridge1$string$len");
TORCHOP_HIDE("cxxbridge1$string$new");
TORCHOP_HIDE("cxxbridge1$string$ptr_const");
TORCHOP_HIDE("cxxbridge1$string$ptr_mut");
TORCHOP_HIDE("cxxbridge1$string$reserve_additional");
TORCHOP_HIDE("cxxbridge1$string$reserve_total");

// linkme, for the tables `REGISTRATIONS` and `CUDA_KERNELS`.
TORCHOP_HIDE("__start_linkme_REGISTRATIONS");
TORCHOP_HIDE("__stop_linkme_REGISTRATIONS");
TORCHOP_HIDE("__start_linkm2_REGISTRATIONS");
TORCHOP_HIDE("__stop_linkm2_REGISTRATIONS");
TORCHOP_HIDE("__start_linkme_CUDA_KERNELS");
TORCHOP_HIDE("__stop_linkme_CUDA_KERNELS");
TORCHOP_HIDE("__start_linkm2_CUDA_KERNELS");
TORCHOP_HIDE("__stop_linkm2_CUDA_KERNELS");

#undef TORCHOP_HIDE_VEC
#undef TORCHOP_HIDE

#endif // __linux__
