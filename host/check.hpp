// REEVE_CHECK: invariants of the program. Always on; a failure aborts with the step and the seed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <type_traits>

namespace reeve::host {

/// The position of this thread in its run. A failed check prints it, so that the run can be
/// repeated.
struct CheckPlace {
  std::uint64_t step = 0;  ///< host steps begun
  std::uint64_t seed = 0;
  std::uint32_t replication = 0;
};

inline CheckPlace& check_place() {
  thread_local CheckPlace place;
  return place;
}

template <class T>
std::string check_text(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else {
    return std::string{std::string_view{value}};
  }
}

template <class... Values>
[[noreturn]] [[gnu::cold]] [[gnu::noinline]] void check_failed(const char* condition,
                                                               const char* file, int line,
                                                               const Values&... values) {
  std::string message;
  ((message += ' ', message += check_text(values)), ...);
  const CheckPlace& place = check_place();
  std::fprintf(stderr, "reeve: check failed: %s:%s (%s:%d, step %llu, seed %llu, replication %u)\n",
               condition, message.c_str(), file, line, static_cast<unsigned long long>(place.step),
               static_cast<unsigned long long>(place.seed), place.replication);
  std::abort();
}

}  // namespace reeve::host

/// REEVE_CHECK(condition, message and values...): for bugs of reeve, never for bad input.
#define REEVE_CHECK(condition, ...)                                                           \
  do {                                                                                        \
    if (!(condition)) [[unlikely]]                                                            \
      ::reeve::host::check_failed(#condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
