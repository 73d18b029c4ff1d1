#include "scenarios/history/metrics/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/records/sample_periods.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
using Samples = std::vector<UtilizationSample>;
using Period = UtilizationSeries::Period;

bool is_earlier(const UtilizationSample& a, const UtilizationSample& b) {
  return a.at < b.at;
}

/// By time: answers come newest first, oldest first, or in no order.
void sort_samples(Samples& samples) {
  if (std::is_sorted(samples.begin(), samples.end(), is_earlier)) return;
  std::reverse(samples.begin(), samples.end());
  if (std::is_sorted(samples.begin(), samples.end(), is_earlier)) return;
  std::reverse(samples.begin(), samples.end());
  std::stable_sort(samples.begin(), samples.end(), is_earlier);
}

/// Of several samples at one instant the first stays.  Returns how many differ from it.
std::uint64_t drop_copies(Samples& samples) {
  std::uint64_t differ = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (kept > 0 && samples[kept - 1].at == samples[i].at) {
      if (samples[kept - 1].percent != samples[i].percent) ++differ;
      continue;
    }
    samples[kept++] = samples[i];
  }
  samples.resize(kept);
  return differ;
}

void put_period(std::vector<Period>& periods, Instant from, Duration lasts) {
  if (periods.empty() || periods.back().lasts != lasts) periods.push_back({from, lasts});
}

std::vector<Period> periods_of_samples(const Samples& samples) {
  std::vector<DistanceRun> runs;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const Duration distance = samples[i].at - samples[i - 1].at;
    if (!runs.empty() && runs.back().distance == distance) {
      ++runs.back().count;
    } else {
      runs.push_back({distance});
    }
  }
  const std::vector<Duration> periods = sample_periods(runs, usual_distance(runs));
  std::vector<Period> found;
  std::size_t at = 0;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    put_period(found, samples[at].at, periods[run]);
    at += runs[run].count;
  }
  if (found.empty() && !samples.empty()) found.push_back({samples.front().at, Duration{0}});
  return found;
}

/// A sample and how long it stands.
struct Piece {
  UtilizationSample sample;
  Duration period;
};

void put_pieces(const UtilizationSeries& series, std::vector<Piece>& pieces) {
  const std::vector<Duration> periods = periods_of(series);
  auto period = periods.begin();
  for (const UtilizationSample& sample : series.samples) pieces.push_back({sample, *period++});
}

/// Whether a finer sample begins while this one stands.
bool is_covered(const std::vector<Piece>& pieces, std::size_t i) {
  const Instant end = pieces[i].sample.at + pieces[i].period;
  for (std::size_t next = i + 1; next < pieces.size() && pieces[next].sample.at < end; ++next) {
    if (pieces[next].period < pieces[i].period) return true;
  }
  return i > 0 && pieces[i - 1].sample.at == pieces[i].sample.at &&
         pieces[i - 1].period < pieces[i].period;
}

/// Joins two series that cover the same time in part.  Returns how many samples contradict.
std::uint64_t weave(UtilizationSeries& into, const UtilizationSeries& more) {
  std::vector<Piece> pieces;
  pieces.reserve(into.samples.size() + more.samples.size());
  put_pieces(into, pieces);
  put_pieces(more, pieces);
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return a.sample.at != b.sample.at ? a.sample.at < b.sample.at : a.period < b.period;
  });
  into.samples = {};
  into.periods.clear();
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (is_covered(pieces, i)) continue;
    const auto& sample = pieces[i].sample;
    if (!into.samples.empty() && into.samples.back().at == sample.at) {
      if (into.samples.back().percent != sample.percent) ++differ;
      continue;
    }
    into.samples.push_back(sample);
    put_period(into.periods, sample.at, pieces[i].period);
  }
  return differ;
}

/// Returns how many samples contradict.
std::uint64_t add_series(UtilizationSeries more, History& into) {
  const auto [known, is_new] = into.series_by_name.try_emplace(more, into.series.size());
  if (is_new) {
    into.series.push_back(std::move(more));
    return 0;
  }
  UtilizationSeries& series = into.series[known->second];
  if (more.samples.empty()) return 0;
  if (!series.samples.empty()) {
    const Instant end = series.samples.back().at + periods_of(series).back();
    if (more.samples.front().at < end) return weave(series, more);
  }
  series.samples.append(more.samples);
  for (const Period& period : more.periods) put_period(series.periods, period.from, period.lasts);
  return 0;
}

}  // namespace

std::vector<Duration> periods_of(const UtilizationSeries& series) {
  std::vector<Duration> periods;
  periods.reserve(series.samples.size());
  Duration known = std::chrono::minutes{1};  // the finest that CloudWatch keeps
  for (const Period& period : series.periods) {
    if (period.lasts == Duration{0}) continue;
    known = period.lasts;
    break;
  }
  auto next = series.periods.begin();
  for (const auto& sample : series.samples) {
    for (; next != series.periods.end() && next->from <= sample.at; ++next) {
      if (next->lasts > Duration{0}) known = next->lasts;
    }
    periods.push_back(known);
  }
  return periods;
}

bool measures(const UtilizationSeries& series, std::span<const Stretch> work) {
  return std::any_of(series.samples.begin(), series.samples.end(), [&](const auto& sample) {
    return std::any_of(work.begin(), work.end(), [&](const Stretch& stretch) {
      return sample.at >= stretch.from && (!stretch.until || sample.at < *stretch.until);
    });
  });
}

void SeriesParts::join(HistoryInput& input, History& into) {
  std::uint64_t differ = 0;
  Duration finest = Duration::max(), coarsest{0};
  std::optional<Instant> newest;
  std::vector<Period> coarse;  ///< of all series: the ends of their stretches
  for (auto& [key, part] : parts_) {
    Samples samples = std::exchange(part, {}).unpacked();
    sort_samples(samples);
    differ += drop_copies(samples);
    UtilizationSeries series{key.name, PackedSamples{samples}, periods_of_samples(samples)};
    for (std::size_t i = 0; i < series.periods.size(); ++i) {
      const Duration lasts = series.periods[i].lasts;
      if (lasts == Duration{0}) continue;
      finest = std::min(finest, lasts);
      coarsest = std::max(coarsest, lasts);
      const bool ends = i + 1 < series.periods.size();
      coarse.push_back({ends ? series.periods[i + 1].from : series.samples.back().at, lasts});
    }
    if (!series.samples.empty() && (!newest || series.samples.back().at > *newest)) {
      newest = series.samples.back().at;
    }
    differ += add_series(std::move(series), into);
  }
  parts_.clear();
  if (newest && (!into.newest || *newest > *into.newest)) into.newest = newest;
  if (differ > 0) {
    input.findings.warn("W0654", 0, fmt::format("{} with two values", counted(differ, "instant")),
                        "the first value counts");
  }
  if (finest == Duration::max() || coarsest < 2 * finest) return;
  Instant until{};
  for (const Period& period : coarse) {
    if (period.lasts > finest) until = std::max(until, period.from);
  }
  input.findings.warn("W0653", 0,
                      fmt::format("samples of up to {} instead of {} before {}", show(coarsest),
                                  show(finest), show(until)),
                      "stalls of less than two periods cannot be seen there");
}

}  // namespace reeve::scenarios
