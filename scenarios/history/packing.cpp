#include "scenarios/history/packing.hpp"

#include <array>

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

/// Of times, in nanoseconds: seconds, milliseconds, any.
constexpr std::array<std::int64_t, 3> ticks{1'000'000'000, 1'000'000, 1};

/// Small numbers of either sign as small ones without.
constexpr std::uint64_t zigzag(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ (number < 0 ? ~std::uint64_t{0} : 0);
}
constexpr std::int64_t from_zigzag(std::uint64_t number) {
  return static_cast<std::int64_t>((number >> 1) ^ ((number & 1) == 0 ? 0 : ~std::uint64_t{0}));
}

}  // namespace

PackWriter::PackWriter(std::string& bytes) : bytes_{bytes} {
  bytes_.assign(sizeof mask_, '\0');
}

void PackWriter::size(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
  bytes_ += static_cast<char>(number);
}

void PackWriter::count(std::int64_t number) {
  size(zigzag(number));
}

/// The two lowest bits are the place of the tick.
void PackWriter::time(std::uint64_t nanos) {
  const auto written = static_cast<std::int64_t>(nanos);
  for (std::size_t unit = 0; unit < 2; ++unit) {
    if (written % ticks[unit] == 0) return size(zigzag(written / ticks[unit]) << 2 | unit);
  }
  size(2);
  fixed(nanos);
}

void PackWriter::duration(Duration length) {
  time(static_cast<std::uint64_t>(length.count()));
}

void PackWriter::instant(Instant at) {
  const auto nanos = static_cast<std::uint64_t>(at.time_since_epoch().count());
  time(nanos - std::exchange(before_, nanos));
}

void PackWriter::raw(std::string_view text) {
  size(text.size());
  append(text);
}

void PackWriter::append(std::string_view text) {
  bytes_ += text;
}

void PackWriter::byte(char value) {
  bytes_ += value;
}

void PackWriter::fixed(std::uint64_t bits) {
  const auto bytes = std::bit_cast<std::array<char, sizeof bits>>(bits);
  bytes_.append(bytes.data(), bytes.size());
}

PackReader::PackReader(const char* bytes) : at_{bytes + sizeof mask_} {
  std::memcpy(&mask_, bytes, sizeof mask_);
}

std::uint64_t PackReader::size() {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at_++);
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
}

void PackReader::count(std::int64_t& number) {
  number = from_zigzag(size());
}

void PackReader::count(std::int32_t& number) {
  number = static_cast<std::int32_t>(from_zigzag(size()));
}

std::uint64_t PackReader::time() {
  const std::uint64_t number = size();
  const std::uint64_t unit = number & 3;
  if (unit == 2) return fixed();
  return static_cast<std::uint64_t>(from_zigzag(number >> 2) * ticks[unit]);
}

void PackReader::duration(Duration& length) {
  length = Duration{static_cast<std::int64_t>(time())};
}

void PackReader::instant(Instant& at) {
  before_ += time();
  at = Instant{Duration{static_cast<std::int64_t>(before_)}};
}

std::string_view PackReader::raw(std::uint64_t size) {
  const char* const begin = std::exchange(at_, at_ + size);
  return {begin, size};
}

std::uint64_t PackReader::fixed() {
  std::uint64_t bits = 0;
  std::memcpy(&bits, raw(sizeof bits).data(), sizeof bits);
  return bits;
}

}  // namespace reeve::scenarios
