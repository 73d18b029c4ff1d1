// Arrivals: batches by hour of the week, their sizes, and how much weeks differ.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "experiments/fit/fit.hpp"
#include "experiments/fit/random_numbers.hpp"
#include "experiments/statistics.hpp"

namespace reeve::experiments {
namespace {

using policy::Instant;

constexpr std::size_t week_hours = 168;
constexpr policy::Duration batch_window = std::chrono::seconds{60};

struct Batch {
  Instant at{};
  std::size_t jobs = 0;
};

/// Submissions of one user within 60 s of the first are one batch.  Sorted by time.
std::vector<Batch> batches_of(const ObservedHistory& history) {
  std::vector<std::pair<std::string_view, Instant>> submits;
  for (const ObservedJob& job : history.jobs) {
    if (job.submit < history.start || job.submit >= history.end) continue;
    submits.emplace_back(job.user, job.submit);
  }
  std::sort(submits.begin(), submits.end());
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < submits.size(); ++i) {
    const bool new_user = i == 0 || submits[i].first != submits[i - 1].first;
    // Without a user each submission is its own: strangers would be put together.
    if (new_user || submits[i].first.empty() ||
        submits[i].second - batches.back().at > batch_window) {
      batches.push_back({submits[i].second, 0});
    }
    ++batches.back().jobs;
  }
  std::stable_sort(batches.begin(), batches.end(),
                   [](const Batch& a, const Batch& b) { return a.at < b.at; });
  return batches;
}

/// Hour of the week, from 0 on Monday at 00:00 UTC.
std::size_t hour_of_week(Instant at) {
  constexpr std::int64_t thursday = 3 * 24;  // 1970-01-01
  const auto hours = std::chrono::floor<std::chrono::hours>(at).time_since_epoch().count();
  const auto week = static_cast<std::int64_t>(week_hours);
  return static_cast<std::size_t>(((hours + thursday) % week + week) % week);
}

/// Which cell an hour belongs to: itself, or one of 12 blocks of four hours of weekdays and
/// weekends.
std::size_t cell_of(std::size_t hour, bool is_pooled) {
  if (!is_pooled) return hour;
  const bool weekend = hour >= 5 * 24;
  return hour % 24 / 4 + (weekend ? 6 : 0);
}

/// Batches per hour by hour of the week, drawn towards their mean.
std::vector<double> rhythm(std::span<const Batch> batches, const ObservedHistory& history,
                           std::size_t jobs) {
  constexpr std::size_t least_for_hours = 2'000;
  const bool is_pooled = jobs < least_for_hours;
  const auto weeks = static_cast<double>(whole_weeks(history));
  std::vector<RateEvidence> cells(is_pooled ? 12 : week_hours);
  for (std::size_t hour = 0; hour < week_hours; ++hour) {
    cells[cell_of(hour, is_pooled)].exposure += weeks;
  }
  for (const Batch& batch : batches) cells[cell_of(hour_of_week(batch.at), is_pooled)].events += 1;
  const std::vector<RateFit> fits = fit_rates(cells);
  std::vector<double> rates;
  for (std::size_t hour = 0; hour < week_hours; ++hour) {
    rates.push_back(fits[cell_of(hour, is_pooled)].per_hour);
  }
  return rates;
}

/// The share of batches by place within their hour is uniform if they are a Poisson process with a
/// rate that is constant within the hour (Kim and Whitt, MSOM 16, 2014).  Submissions in whole
/// seconds get a random fraction.  The p-value is asymptotic.
std::optional<double> uniformity(std::span<const Batch> batches, std::uint64_t seed) {
  constexpr std::size_t least = 10;
  constexpr policy::Duration hour = std::chrono::hours{1};
  if (batches.size() < least) return std::nullopt;
  RandomNumbers random{seed, sim::Cause::fit_rounding, 0};
  std::vector<double> places;
  for (const Batch& batch : batches) {
    const policy::Duration into = batch.at - std::chrono::floor<std::chrono::hours>(batch.at);
    double seconds = seconds_of(into);
    if (into.count() % std::chrono::nanoseconds{std::chrono::seconds{1}}.count() == 0) {
      seconds += random.next();
    }
    places.push_back(std::min(seconds / seconds_of(hour), 1.0));
  }
  std::sort(places.begin(), places.end());
  const auto count = static_cast<double>(places.size());
  double largest = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto below = static_cast<double>(i);
    largest = std::max({largest, places[i] - below / count, (below + 1) / count - places[i]});
  }
  const double scaled = largest * (std::sqrt(count) + 0.12 + 0.11 / std::sqrt(count));
  double p_value = 0;
  double sign = 1;
  for (int k = 1; k <= 100; ++k, sign = -sign) {
    p_value += 2 * sign * std::exp(-2.0 * k * k * scaled * scaled);
  }
  return std::clamp(p_value, 0.0, 1.0);
}

/// The shape of the Gamma effect of a week, by moments; 0: weeks differ no more than by chance.
double week_shape(std::span<const double> weekly) {
  if (weekly.size() < 2) return 0;
  double mean = 0;
  for (const double count : weekly) mean += count / static_cast<double>(weekly.size());
  double squares = 0;
  for (const double count : weekly) squares += (count - mean) * (count - mean);
  const double excess = squares / static_cast<double>(weekly.size() - 1) - mean;
  return excess > 0 ? mean * mean / excess : 0;
}

void describe_sizes(FittedQuantity& row, std::span<const Batch> batches) {
  std::map<std::size_t, std::size_t> counts;
  std::size_t jobs = 0;
  for (const Batch& batch : batches) {
    ++counts[batch.jobs];
    jobs += batch.jobs;
  }
  std::vector<double> sizes;
  std::vector<double> shares;
  for (const auto& [size, count] : counts) {
    sizes.push_back(static_cast<double>(size));
    shares.push_back(static_cast<double>(count) / static_cast<double>(batches.size()));
  }
  row.parameters.emplace_back("batch_mean",
                              static_cast<double>(jobs) / static_cast<double>(batches.size()));
  row.parameters.emplace_back("batch_max", sizes.back());
  row.lists.emplace_back("batch_sizes", std::move(sizes));
  row.lists.emplace_back("batch_shares", std::move(shares));
}

const std::optional<HoldOut>& weekly_hold_out(const Fit& fit) {
  static const std::optional<HoldOut> none;
  const FittedQuantity* jobs = find(fit, "next_week_jobs");
  return jobs == nullptr ? none : jobs->hold_out;
}

}  // namespace

void fit_arrivals(const ObservedHistory& history, const FitOptions&, Fit& fit) {
  const std::size_t weeks = whole_weeks(history);
  std::vector<Batch> batches = batches_of(history);
  if (weeks > 0) {  // whole weeks only, so that each hour of the week counts as often
    const Instant last = history.start + week_length * static_cast<std::int64_t>(weeks);
    std::erase_if(batches, [&](const Batch& batch) { return batch.at >= last; });
  }
  if (batches.empty()) {
    fit.notes.push_back("no job was submitted within the window: arrivals are not known");
    return;
  }
  FittedQuantity row{.name = "arrivals", .group = "all", .unit = "batches per hour"};
  row.n = static_cast<double>(batches.size());
  row.exposure =
      weeks > 0 ? static_cast<double>(weeks * week_hours) : hours_of(history.end - history.start);
  row.exposure_unit = "hours";
  row.value = row.n / row.exposure;
  row.law = "Poisson by hour of the week, batches";
  row.ks = uniformity(batches, fit.seed);
  describe_sizes(row, batches);
  if (weeks > 0) {
    std::vector<double> weekly(weeks, 0);
    std::size_t jobs = 0;
    for (const Batch& batch : batches) {
      weekly[static_cast<std::size_t>((batch.at - history.start) / week_length)] += 1;
      jobs += batch.jobs;
    }
    row.lists.emplace_back("per_hour_of_week", rhythm(batches, history, jobs));
    row.parameters.emplace_back("week_shape", week_shape(weekly));
    if (weeks > least_training_weeks) {
      const Estimate mean = estimate(weekly, fit_level);
      row.interval90 = Interval{std::max(mean.low, 0.0) / week_hours, mean.high / week_hours};
      row.method = "Student's t on weeks, Hall if skewed";
    }
  }
  if (!row.interval90) row.note = "no interval: fewer than 5 whole weeks";
  row.hold_out = weekly_hold_out(fit);
  grade(row);
  fit.quantities.push_back(std::move(row));
}

}  // namespace reeve::experiments
