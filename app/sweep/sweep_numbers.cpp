#include "app/sweep/sweep_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/study/metric_unit.hpp"
#include "experiments/pareto.hpp"
#include "report/hash_chain.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;

std::vector<double> present(std::vector<double> samples) {
  std::erase_if(samples, [](double sample) { return std::isnan(sample); });
  return samples;
}

Estimate of_present(const std::vector<double>& samples) {
  return experiments::estimate(present(samples));
}

std::vector<double> less(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences;
  for (std::size_t run = 0; run < std::min(a.size(), b.size()); ++run) {
    differences.push_back(a[run] - b[run]);  // NaN if either is
  }
  return differences;
}

}  // namespace

SweepNumbers::SweepNumbers(const SweepPlan& plan, std::vector<CellResult> cells)
    : plan_{plan}, cells_{std::move(cells)} {
  const auto base = std::find(plan.policies.begin(), plan.policies.end(), plan.baseline);
  baseline_ = static_cast<std::size_t>(base - plan.policies.begin());
  front_ = find_front();
  kinds_.assign(plan.metrics.size(), 0.0);
  for (std::size_t metric = 0; metric < kinds_.size(); ++metric) {
    // A cell without a value has no kind of it.
    for (const CellResult& cell : cells_) {
      kinds_[metric] = cell.kinds.at(metric);
      if (!std::holds_alternative<double>(kinds_[metric])) break;
    }
  }
}

std::size_t SweepNumbers::metric_index(std::string_view metric) const {
  return static_cast<std::size_t>(std::find(plan_.metrics.begin(), plan_.metrics.end(), metric) -
                                  plan_.metrics.begin());
}

experiments::Quantity SweepNumbers::kind(std::string_view metric) const {
  if (metric == net_saving) return policy::Usd{};
  return kinds_.at(metric_index(metric));
}

std::vector<double> SweepNumbers::samples(std::size_t cell, std::size_t policy,
                                          std::string_view metric) const {
  if (metric == net_saving) {
    std::vector<double> saved(plan_.runs, 0.0);
    for (const char* part : {"wasted_usd", "guardrail_usd"}) {
      const auto ours = samples(cell, policy, part);
      const auto theirs = samples(cell, baseline_, part);
      for (std::size_t run = 0; run < saved.size(); ++run) saved[run] += theirs[run] - ours[run];
    }
    return saved;
  }
  const std::size_t index = metric_index(metric);
  if (index == plan_.metrics.size()) return {};
  return cells_.at(cell).policies.at(policy).samples.at(index);
}

Estimate SweepNumbers::estimate(std::size_t cell, std::size_t policy,
                                std::string_view metric) const {
  return estimate_of(metric, present(samples(cell, policy, metric)), is_random(),
                     cells_.at(cell).jobs);
}

Estimate SweepNumbers::change(std::size_t cell, std::size_t policy, std::string_view metric) const {
  return of_present(less(samples(cell, policy, metric), samples(0, policy, metric)));
}

bool SweepNumbers::is_unchanged(std::size_t cell, std::size_t policy) const {
  const auto& now = cells_.at(cell).policies.at(policy).samples;
  const auto& before = cells_.front().policies.at(policy).samples;
  const auto is_same = [](double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
  };
  for (std::size_t metric = 0; metric < now.size(); ++metric) {
    if (!std::equal(now[metric].begin(), now[metric].end(), before[metric].begin(), is_same)) {
      return false;
    }
  }
  return true;
}

std::vector<double> SweepNumbers::means(const std::vector<std::size_t>& cells, std::size_t policy,
                                        std::string_view metric) const {
  std::vector<double> sums(plan_.runs, 0.0);
  for (const std::size_t cell : cells) {
    const auto of = samples(cell, policy, metric);
    for (std::size_t run = 0; run < sums.size(); ++run) sums[run] += of[run];
  }
  for (double& sum : sums) sum /= static_cast<double>(cells.size());
  return sums;
}

std::vector<Effect> SweepNumbers::effects(std::size_t policy, std::string_view metric) const {
  std::vector<Effect> all;
  if (plan_.points.empty()) {
    std::vector<std::size_t> others{0};  // of a single key, the file is what is compared with
    if (plan_.factors.size() > 1) {
      others.clear();
      for (std::size_t cell = 1; cell < cells_.size(); ++cell) others.push_back(cell);
    }
    const std::vector<double> base = means(others, policy, metric);
    for (std::size_t factor = 0; factor < plan_.factors.size(); ++factor) {
      std::vector<std::string> values;
      for (std::size_t cell = 1; cell < cells_.size(); ++cell) {
        const std::string& value = plan_.cells[cell][factor];
        if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      }
      for (const std::string& value : values) {
        std::vector<std::size_t> with;
        for (std::size_t cell = 1; cell < cells_.size(); ++cell) {
          if (plan_.cells[cell][factor] == value) with.push_back(cell);
        }
        all.push_back({factor, value, of_present(less(means(with, policy, metric), base))});
      }
    }
    return all;
  }
  // A factor of which all samples have the same value has no effect, and hides none.
  std::vector<std::size_t> varied;
  for (std::size_t factor = 0; factor < plan_.factors.size(); ++factor) {
    const auto differs = [&](const auto& point) {
      return point[factor] != plan_.points[0][factor];
    };
    if (std::any_of(plan_.points.begin(), plan_.points.end(), differs)) varied.push_back(factor);
  }
  std::vector<experiments::DesignPoint> points;
  for (const experiments::DesignPoint& point : plan_.points) {
    auto& places = points.emplace_back();
    for (const std::size_t factor : varied) places.push_back(point[factor]);
  }
  std::vector<std::vector<double>> by_factor(plan_.factors.size());
  for (std::size_t run = 0; run < plan_.runs; ++run) {
    std::vector<double> values;
    for (std::size_t cell = 1; cell < cells_.size(); ++cell) {
      values.push_back(samples(cell, policy, metric)[run]);
    }
    const bool is_whole =
        std::none_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
    const auto found = is_whole ? experiments::slopes(points, values) : std::vector<double>{};
    for (auto& slopes : by_factor) slopes.push_back(no_sample);
    for (std::size_t nth = 0; nth < found.size(); ++nth) {
      by_factor[varied[nth]].back() = found[nth];
    }
  }
  for (std::size_t factor = 0; factor < by_factor.size(); ++factor) {
    all.push_back({factor, "over its range", of_present(by_factor[factor])});
  }
  return all;
}

std::vector<bool> SweepNumbers::find_front() const {
  std::vector<experiments::CostAndTime> choices;
  const auto time = metric_index("time_to_result") < plan_.metrics.size()
                        ? std::string_view{"time_to_result"}
                        : std::string_view{"mean_time_to_result_s"};
  const double done = estimate(0, 0, "jobs_done").mean;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    for (std::size_t policy = 0; policy < plan_.policies.size(); ++policy) {
      const Estimate when = estimate(cell, policy, time);
      if (when.samples == 0 || estimate(cell, policy, "jobs_done").mean != done) return {};
      choices.push_back({estimate(cell, policy, "billed_usd").mean, when.mean});
    }
  }
  return experiments::on_front(choices);
}

std::string SweepNumbers::digest() const {
  report::HashChain chain;
  for (const CellResult& cell : cells_) {
    std::vector<std::string> row{chain.head()};
    for (const PolicyCell& policy : cell.policies) row.push_back(policy.digest);
    chain.append(row);
  }
  return chain.head().substr(0, 32);
}

}  // namespace reeve::app
