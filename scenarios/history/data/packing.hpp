// Values as few bytes: what is there as bits, numbers as long as they are, times as differences.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace reeve::scenarios {

/// Small numbers of either sign as small ones without.
constexpr std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ (number < 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::int64_t from_zigzag(std::uint64_t number) {
  return static_cast<std::int64_t>((number >> 1) ^ ((number & 1) == 0 ? 0 : ~std::uint64_t{0}));
}

/// The unit of a packed time: its two lowest bits.
enum class PackedUnit : std::uint8_t { second, millisecond, nanosecond };
inline constexpr std::int64_t nanos_per_second = 1'000'000'000, nanos_per_millisecond = 1'000'000;

/// Writes values behind 8 bytes for at most 64 bits.  PackReader has the same functions, which set
/// what they get: one template can tell the order of the values for both.
class PackWriter {
 public:
  /// Writes over `bytes`, which keeps its memory.
  explicit PackWriter(std::string& bytes) : bytes_{bytes} {
    if (bytes_.size() < usual_room) bytes_.resize(usual_room);
    at_ = bytes_.data() + sizeof mask_;
    end_ = bytes_.data() + bytes_.size();
  }
  /// What was written, until `bytes` changes.
  std::string_view finish() {
    std::memcpy(bytes_.data(), &mask_, sizeof mask_);
    return {bytes_.data(), at_};
  }

  /// The next bit; a reader returns the one that was written.
  bool has(bool yes) {
    mask_ |= std::uint64_t{yes} << bit_++;
    return yes;
  }
  void flag(bool yes) { has(yes); }
  void count(std::int64_t number) { size(zigzag(number)); }
  void count(std::int32_t number) { count(std::int64_t{number}); }
  void size(std::uint64_t number) {
    constexpr std::size_t longest = 10;
    make_room(longest);
    for (; number >= 0x80; number >>= 7) *at_++ = static_cast<char>(number | 0x80);
    *at_++ = static_cast<char>(number);
  }
  void real(double number) { fixed(std::bit_cast<std::uint64_t>(number)); }
  template <class Enum>
  void choice(Enum value) {
    make_room(1);
    *at_++ = static_cast<char>(value);
  }
  void duration(policy::Duration length) { time(static_cast<std::uint64_t>(length.count())); }
  void instant(policy::Instant at) {
    const auto nanos = static_cast<std::uint64_t>(at.time_since_epoch().count());
    time(nanos - std::exchange(before_, nanos));
  }
  void raw(std::string_view text) {
    size(text.size());
    append(text);
  }
  template <class Value, class Put>
  void maybe(const std::optional<Value>& value, const Put& put) {
    if (has(value.has_value())) put(*value);
  }

 protected:
  void append(std::string_view text) {
    make_room(text.size());
    at_ = std::copy(text.begin(), text.end(), at_);
  }

 private:
  static constexpr std::size_t usual_room = 512;

  void make_room(std::size_t size) {
    if (static_cast<std::size_t>(end_ - at_) < size) grow(size);
  }
  void grow(std::size_t size);
  void fixed(std::uint64_t bits) {
    make_room(sizeof bits);
    std::memcpy(at_, &bits, sizeof bits);
    at_ += sizeof bits;
  }
  void time(std::uint64_t nanos) {
    const auto written = static_cast<std::int64_t>(nanos);
    if (written % nanos_per_second == 0) {
      tick(written / nanos_per_second, PackedUnit::second);
    } else if (written % nanos_per_millisecond == 0) {
      tick(written / nanos_per_millisecond, PackedUnit::millisecond);
    } else {
      tick(0, PackedUnit::nanosecond);
      fixed(nanos);
    }
  }
  void tick(std::int64_t number, PackedUnit unit) {
    size(zigzag(number) << 2 | static_cast<std::uint64_t>(unit));
  }

  std::string& bytes_;
  char* at_ = nullptr;
  char* end_ = nullptr;
  std::uint64_t mask_ = 0;
  unsigned bit_ = 0;
  std::uint64_t before_ = 0;  ///< the instant before
};

/// Reads what a PackWriter wrote, in the same order.
class PackReader {
 public:
  explicit PackReader(const char* bytes) : at_{bytes + sizeof mask_} {
    std::memcpy(&mask_, bytes, sizeof mask_);
  }
  const char* end() const { return at_; }

  bool has(bool) { return (mask_ >> bit_++ & 1) != 0; }
  void flag(bool& yes) { yes = has(yes); }
  std::uint64_t size() {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
  }
  void size(std::uint64_t& number) { number = size(); }
  void size(std::uint32_t& number) { number = static_cast<std::uint32_t>(size()); }
  void count(std::int64_t& number) { number = from_zigzag(size()); }
  void count(std::int32_t& number) { number = static_cast<std::int32_t>(from_zigzag(size())); }
  void real(double& number) { number = std::bit_cast<double>(fixed()); }
  template <class Enum>
  void choice(Enum& value) {
    value = static_cast<Enum>(*at_++);
  }
  void duration(policy::Duration& length) {
    length = policy::Duration{static_cast<std::int64_t>(time())};
  }
  void instant(policy::Instant& at) {
    before_ += time();
    at = policy::Instant{policy::Duration{static_cast<std::int64_t>(before_)}};
  }
  std::string_view raw(std::uint64_t size) {
    const char* const begin = std::exchange(at_, at_ + size);
    return {begin, size};
  }
  void raw(std::string& text) { text = raw(size()); }
  template <class Value, class Take>
  void maybe(std::optional<Value>& value, const Take& take) {
    value.reset();
    if (has(false)) take(value.emplace());
  }

 private:
  std::uint64_t fixed() {
    std::uint64_t bits = 0;
    std::memcpy(&bits, raw(sizeof bits).data(), sizeof bits);
    return bits;
  }
  std::uint64_t time() {
    const std::uint64_t number = size();
    const std::int64_t ticks = from_zigzag(number >> 2);
    switch (static_cast<PackedUnit>(number & 3)) {
      case PackedUnit::second:
        return static_cast<std::uint64_t>(ticks * nanos_per_second);
      case PackedUnit::millisecond:
        return static_cast<std::uint64_t>(ticks * nanos_per_millisecond);
      case PackedUnit::nanosecond:
        break;
    }
    return fixed();
  }

  const char* at_;
  std::uint64_t mask_ = 0;
  unsigned bit_ = 0;
  std::uint64_t before_ = 0;
};

}  // namespace reeve::scenarios
