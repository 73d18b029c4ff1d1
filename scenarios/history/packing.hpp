// Values as few bytes: what is there as bits, numbers as long as they are, times as differences.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace reeve::scenarios {

/// Writes values behind 8 bytes for at most 64 bits.  PackReader has the same functions, which set
/// what they get: one template can tell the order of the values for both.
class PackWriter {
 public:
  explicit PackWriter(std::string& bytes);
  /// Ends the bytes.
  void finish() { std::memcpy(bytes_.data(), &mask_, sizeof mask_); }

  /// The next bit; a reader returns the one that was written.
  bool has(bool yes) {
    mask_ |= std::uint64_t{yes} << bit_++;
    return yes;
  }
  void flag(bool yes) { has(yes); }
  void count(std::int64_t number);
  void count(std::int32_t number) { count(std::int64_t{number}); }
  void size(std::uint64_t number);
  void real(double number) { fixed(std::bit_cast<std::uint64_t>(number)); }
  template <class Enum>
  void choice(Enum value) {
    byte(static_cast<char>(value));
  }
  void duration(policy::Duration length);
  void instant(policy::Instant at);
  void raw(std::string_view text);
  template <class Value, class Put>
  void maybe(const std::optional<Value>& value, const Put& put) {
    if (has(value.has_value())) put(*value);
  }

 protected:
  void byte(char value);
  void append(std::string_view text);
  void fixed(std::uint64_t bits);
  void time(std::uint64_t nanos);

 private:
  std::string& bytes_;
  std::uint64_t mask_ = 0;
  unsigned bit_ = 0;
  std::uint64_t before_ = 0;  ///< the instant before
};

/// Reads what a PackWriter wrote, in the same order.
class PackReader {
 public:
  explicit PackReader(const char* bytes);
  const char* end() const { return at_; }

  bool has(bool) { return (mask_ >> bit_++ & 1) != 0; }
  void flag(bool& yes) { yes = has(yes); }
  std::uint64_t size();
  void size(std::uint64_t& number) { number = size(); }
  void size(std::uint32_t& number) { number = static_cast<std::uint32_t>(size()); }
  void count(std::int64_t& number);
  void count(std::int32_t& number);
  void real(double& number) { number = std::bit_cast<double>(fixed()); }
  template <class Enum>
  void choice(Enum& value) {
    value = static_cast<Enum>(*at_++);
  }
  void duration(policy::Duration& length);
  void instant(policy::Instant& at);
  std::string_view raw(std::uint64_t size);
  void raw(std::string& text) { text = raw(size()); }
  template <class Value, class Take>
  void maybe(std::optional<Value>& value, const Take& take) {
    value.reset();
    if (has(false)) take(value.emplace());
  }

 private:
  std::uint64_t fixed();
  std::uint64_t time();

  const char* at_;
  std::uint64_t mask_ = 0;
  unsigned bit_ = 0;
  std::uint64_t before_ = 0;
};

}  // namespace reeve::scenarios
