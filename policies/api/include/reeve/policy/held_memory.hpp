// The heap memory that a rule holds, counted while it decides.  A rule that allocates without end
// is stopped before the machine runs out of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

// From the C library.  The header that declares it is not part of the standard library.
extern "C" std::size_t malloc_usable_size(void*) noexcept;

namespace reeve::policy {

/// Bytes that one rule allocated under metering, less those that it freed under metering.
struct HeldMemory {
  std::int64_t bytes = 0;
  std::int64_t at_most = std::int64_t{4} << 30;  ///< 4 GiB
};

/// What `new` throws if a rule would exceed its limit.
struct MemoryExceeded : std::bad_alloc {
  const char* what() const noexcept override { return "takes more memory than a rule may hold"; }
};

/// The account for `new` and `delete` of this thread; null: none.
inline thread_local HeldMemory* metered = nullptr;

/// During its lifetime, `new` and `delete` of this thread count for `of`, or for none if null.
class Metering {
 public:
  explicit Metering(HeldMemory* of) : before_{std::exchange(metered, of)} {}
  Metering(const Metering&) = delete;
  Metering& operator=(const Metering&) = delete;
  ~Metering() { metered = before_; }

 private:
  HeldMemory* before_;
};

/// The implementation of `operator new` in a program or shared object that meters its rules.
inline void* allocate_metered(std::size_t bytes, std::size_t alignment) {
  if (metered != nullptr) {
    const std::int64_t left = std::max<std::int64_t>(metered->at_most - metered->bytes, 0);
    if (bytes > static_cast<std::size_t>(left)) throw MemoryExceeded{};
  }
  void* got = nullptr;
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    got = std::malloc(std::max<std::size_t>(bytes, 1));
  } else if (posix_memalign(&got, alignment, bytes) != 0) {
    got = nullptr;
  }
  if (got == nullptr) throw std::bad_alloc{};
  if (metered != nullptr) metered->bytes += static_cast<std::int64_t>(malloc_usable_size(got));
  return got;
}

/// The implementation of `operator delete` there.
inline void release_metered(void* got) noexcept {
  if (metered != nullptr) metered->bytes -= static_cast<std::int64_t>(malloc_usable_size(got));
  std::free(got);
}

}  // namespace reeve::policy

/// Place it once in each program and each shared object, at global scope.  The other operators call
/// these.  Under the address sanitizer, its own operators remain and nothing is metered.
#if defined(__SANITIZE_ADDRESS__)
#define REEVE_POLICY_IS_METERED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REEVE_POLICY_IS_METERED 0
#endif
#endif
#ifndef REEVE_POLICY_IS_METERED
#define REEVE_POLICY_IS_METERED 1
#endif

#if REEVE_POLICY_IS_METERED
// NOLINTNEXTLINE(bugprone-macro-parentheses): these are definitions
#define REEVE_POLICY_METERED_NEW                                                          \
  void* operator new(std::size_t bytes) {                                                 \
    return ::reeve::policy::allocate_metered(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);    \
  }                                                                                       \
  void* operator new(std::size_t bytes, std::align_val_t alignment) {                     \
    return ::reeve::policy::allocate_metered(bytes, static_cast<std::size_t>(alignment)); \
  }                                                                                       \
  void operator delete(void* got) noexcept {                                              \
    ::reeve::policy::release_metered(got);                                                \
  }                                                                                       \
  void operator delete(void* got, std::align_val_t) noexcept {                            \
    ::reeve::policy::release_metered(got);                                                \
  }                                                                                       \
  void operator delete(void* got, std::size_t) noexcept {                                 \
    ::reeve::policy::release_metered(got);                                                \
  }                                                                                       \
  void operator delete(void* got, std::size_t, std::align_val_t) noexcept {               \
    ::reeve::policy::release_metered(got);                                                \
  }
#else
#define REEVE_POLICY_METERED_NEW
#endif
