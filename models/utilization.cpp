#include "models/utilization.hpp"

#include <algorithm>
#include <cmath>

#include "sim/draws.hpp"

namespace reeve::models {

using policy::Duration;

namespace {

std::optional<double> present(double percent) {
  return std::isnan(percent) ? std::nullopt : std::optional{percent};
}

UtilReading replayed(const Utilization& of, std::uint32_t host, Duration at) {
  const UtilTrace& trace = *of.trace;
  const std::size_t index = of.one_for_all ? 0 : host - std::size_t{1};
  if (index >= trace.hosts.size() || trace.hosts[index].empty()) return {};
  const std::vector<UtilStep>& steps = trace.hosts[index];
  const bool over = at >= trace.length;
  const bool repeats = of.beyond_end == BeyondEnd::repeat && trace.length > Duration{0};
  if (over && of.beyond_end == BeyondEnd::missing) return {};
  if (over && !repeats) return {present(steps.back().percent), Duration::max()};
  if (over) at %= trace.length;
  const auto next =
      std::upper_bound(steps.begin(), steps.end(), at,
                       [](Duration left, const UtilStep& right) { return left < right.at; });
  const double percent = next == steps.begin() ? std::nan("") : std::prev(next)->percent;
  if (next != steps.end()) return {present(percent), next->at - at};
  const bool holds = of.beyond_end != BeyondEnd::missing && !repeats;
  return {present(percent), holds ? Duration::max() : trace.length - at};
}

/// The draws of a host seed those of its periods, so that both may have any number.
UtilReading drawn(const UtilLaw& law, const UtilDraws& draws, std::uint32_t host, Duration at) {
  constexpr auto cause = sim::Cause::utilization;
  const std::uint64_t own =
      sim::random_bits({draws.seed, draws.replication, cause, draws.job.index, host});
  const auto period = static_cast<std::uint32_t>(at / law.every);
  const double u = sim::uniform({own, draws.replication, cause, draws.job.index, period});
  return {quantile(law, u), law.every - at % law.every};
}

/// Whether the phase is on, and how long it stays so.
std::pair<bool, Duration> phase_at(const UtilPhase& phase, Duration at) {
  if (at < phase.at) return {false, phase.at - at};
  Duration into = at - phase.at;
  if (phase.every > Duration{0}) into %= phase.every;
  if (into < phase.lasts) return {true, phase.lasts - into};
  return {false, phase.every > Duration{0} ? phase.every - into : Duration::max()};
}

}  // namespace

double quantile(const UtilLaw& law, double u) {
  const auto above = std::upper_bound(
      law.points.begin(), law.points.end(), u,
      [](double share, const std::pair<double, double>& point) { return share < point.first; });
  if (above == law.points.begin()) return above->second;
  const auto& below = *std::prev(above);
  if (above == law.points.end()) return below.second;
  const double share = (u - below.first) / (above->first - below.first);
  return std::clamp(below.second + share * (above->second - below.second), below.second,
                    above->second);
}

UtilReading read(const Utilization& of, const UtilDraws& draws, std::uint32_t host,
                 const UtilClock& clock, double otherwise) {
  UtilReading reading{otherwise, Duration::max()};
  if (of.trace) {
    reading = replayed(of, host, clock.trained);
  } else if (of.draws()) {
    reading = drawn(of.law, draws, host, clock.trained);
  }
  for (const UtilPhase& phase : of.phases) {
    const auto [on, lasts] = phase_at(phase, clock.since_start);
    reading.lasts = std::min(lasts, reading.lasts);
    if (!on) continue;
    reading.percent = phase.percent;
    break;
  }
  return reading;
}

}  // namespace reeve::models
