// Packed samples read back bit for bit, in the order in which they came.
#include "scenarios/history/data/packed_samples.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

std::vector<std::pair<std::int64_t, std::uint64_t>> bits_of(
    const std::vector<UtilizationSample>& samples) {
  std::vector<std::pair<std::int64_t, std::uint64_t>> bits;
  for (const UtilizationSample& sample : samples) {
    bits.emplace_back(sample.at.time_since_epoch().count(),
                      std::bit_cast<std::uint64_t>(sample.percent));
  }
  return bits;
}

/// Equal and random distances forward and back; values of each form, repeated at times.
std::vector<UtilizationSample> random_samples(std::mt19937_64& random) {
  const auto draw = [&](std::int64_t below) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  };
  const double values[] = {0.0,     -0.0, 1,    255,     256,
                           780.125, 99.9, 1e-9, 1e40,    1e300,
                           -1.5,    0.1f, 63,   1.0 / 3, std::numeric_limits<double>::max(),
                           5e-324};
  std::vector<UtilizationSample> samples;
  std::int64_t at = draw(1'000'000'000) * 1'000'000'000, step = 60'000'000'000;
  double value = 0;
  while (draw(300) != 0) {
    if (draw(20) == 0) step = draw(2) == 0 ? draw(4'000'000'000'000) - 2'000'000'000'000 : -step;
    if (draw(10) == 0) value = values[static_cast<std::size_t>(draw(std::ssize(values)))];
    at += step;
    samples.push_back({Instant{Duration{at}}, value});
  }
  return samples;
}

TEST(PackedSamples, ReadBackBitForBit) {
  std::mt19937_64 random{7};
  for (int round = 0; round < 500; ++round) {
    const auto samples = random_samples(random);
    const PackedSamples packed{samples};
    ASSERT_EQ(packed.size(), samples.size());
    ASSERT_EQ(bits_of(packed.unpacked()), bits_of(samples)) << round;
    if (samples.empty()) continue;
    EXPECT_EQ(packed.front().at, samples.front().at);
    EXPECT_EQ(packed.back().at, samples.back().at);
  }
}

TEST(PackedSamples, TwoListsBecomeOne) {
  std::mt19937_64 random{11};
  for (int round = 0; round < 200; ++round) {
    auto all = random_samples(random);
    const auto more = random_samples(random);
    PackedSamples packed{all};
    packed.append(PackedSamples{more});
    all.insert(all.end(), more.begin(), more.end());
    ASSERT_EQ(bits_of(packed.unpacked()), bits_of(all)) << round;
  }
}

TEST(PackedSamples, HoldTheEndsOfTime) {
  const std::vector<UtilizationSample> samples = {
      {Instant::max(), 1}, {Instant::min(), 2}, {Instant{}, 3}, {Instant::min(), 3}};
  EXPECT_EQ(bits_of(PackedSamples{samples}.unpacked()), bits_of(samples));
}

}  // namespace
}  // namespace reeve::scenarios
