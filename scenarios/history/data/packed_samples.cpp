#include "scenarios/history/data/packed_samples.hpp"

#include <bit>
#include <cstring>

namespace reeve::scenarios {
namespace {

// A control byte: whether the distance is another, the form of the value, and how many samples more
// have this distance and value.
constexpr unsigned another_step = 1;
enum Form : unsigned { as_before, byte, single, whole };
constexpr unsigned form_shift = 1, form_mask = 3, repeat_shift = 3, most_repeats = 31;

Form form_of(double value, double before) {
  if (std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(before)) return as_before;
  const auto same_bits = [&](double other) {
    return std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(other);
  };
  if (value >= 0 && value <= 255 && same_bits(static_cast<std::uint8_t>(value))) return byte;
  const bool fits = value >= -1e30 && value <= 1e30;
  return fits && same_bits(static_cast<float>(value)) ? single : whole;
}

template <typename Value>
void put(std::string& bytes, Value value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

template <typename Value>
Value take(const char*& next) {
  Value value;
  std::memcpy(&value, next, sizeof value);
  next += sizeof value;
  return value;
}

/// Seven bits to a byte, the sign in the lowest.
void put_step(std::string& bytes, std::int64_t step) {
  auto rest = (static_cast<std::uint64_t>(step) << 1) ^ static_cast<std::uint64_t>(step >> 63);
  for (; rest >= 0x80; rest >>= 7) bytes.push_back(static_cast<char>(rest | 0x80));
  bytes.push_back(static_cast<char>(rest));
}

std::int64_t take_step(const char*& next) {
  std::uint64_t rest = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto bits = static_cast<std::uint8_t>(*next++);
    rest |= std::uint64_t{bits & 0x7fU} << shift;
    if (bits < 0x80) break;
  }
  return static_cast<std::int64_t>((rest >> 1) ^ (~(rest & 1) + 1));
}

/// Nanoseconds from `before` to `at`, as if clocks went round at the end of time.
std::int64_t distance(policy::Instant before, policy::Instant at) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(at.time_since_epoch().count()) -
                                   static_cast<std::uint64_t>(before.time_since_epoch().count()));
}

policy::Instant later(policy::Instant before, std::int64_t step) {
  return policy::Instant{policy::Duration{
      static_cast<std::int64_t>(static_cast<std::uint64_t>(before.time_since_epoch().count()) +
                                static_cast<std::uint64_t>(step))}};
}

}  // namespace

PackedSamples::PackedSamples(const std::vector<UtilizationSample>& samples) {
  for (const UtilizationSample& sample : samples) push_back(sample);
  bytes_.shrink_to_fit();
}

void PackedSamples::push_back(const UtilizationSample& sample) {
  const std::int64_t step = distance(last_.at, sample.at);
  const Form form = form_of(sample.percent, last_.percent);
  const bool steps_alike = step == step_ && size_ > 0;
  last_ = sample;
  ++size_;
  if (steps_alike && form == as_before) {
    const auto control = static_cast<std::uint8_t>(bytes_[control_]);
    if (control >> repeat_shift < most_repeats) {
      bytes_[control_] = static_cast<char>(control + (1U << repeat_shift));
      return;
    }
  }
  step_ = step;
  control_ = bytes_.size();
  bytes_.push_back(static_cast<char>((steps_alike ? 0U : another_step) | form << form_shift));
  if (!steps_alike) put_step(bytes_, step);
  if (form == byte) put(bytes_, static_cast<std::uint8_t>(sample.percent));
  if (form == single) put(bytes_, static_cast<float>(sample.percent));
  if (form == whole) put(bytes_, sample.percent);
}

void PackedSamples::append(const PackedSamples& more) {
  for (const UtilizationSample& sample : more) push_back(sample);
}

std::vector<UtilizationSample> PackedSamples::unpacked() const {
  std::vector<UtilizationSample> samples;
  samples.reserve(size_);
  samples.insert(samples.end(), begin(), end());
  return samples;
}

void PackedSamples::Iterator::advance() {
  if (repeats_ > 0) {
    --repeats_;
  } else {
    const auto control = static_cast<std::uint8_t>(*next_++);
    if ((control & another_step) != 0) step_ = take_step(next_);
    const unsigned form = control >> form_shift & form_mask;
    if (form == byte) sample_.percent = take<std::uint8_t>(next_);
    if (form == single) sample_.percent = static_cast<double>(take<float>(next_));
    if (form == whole) sample_.percent = take<double>(next_);
    repeats_ = control >> repeat_shift;
  }
  sample_.at = later(sample_.at, step_);
}

}  // namespace reeve::scenarios
