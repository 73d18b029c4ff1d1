// The measures of a run as a whole, of a job and of a fleet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

inline constexpr double hour_ns = 3.6e12;

/// An optional of one type of quantity as an optional quantity.
template <class T>
std::optional<Quantity> some(const std::optional<T>& value) {
  return value ? std::optional<Quantity>{*value} : std::nullopt;
}

class Measurer {
 public:
  Measurer(const scenarios::Scenario& scenario, const RunResult& result)
      : scenario_{scenario}, result_{result}, record_{result.record} {}

  /// Every metric without parameters, in the order of the help.
  std::vector<Measure> all() {
    money();
    times();
    counts();
    machines();
    advice();
    return std::move(out_);
  }
  /// One number of a job or a fleet; nothing if there is none of that name.
  std::optional<Quantity> of_job(policy::JobId job, std::string_view what) const;
  std::optional<Quantity> of_pool(policy::PoolId pool, std::string_view what) const;

 private:
  void add(std::string name, std::optional<Quantity> value) {
    out_.push_back({std::move(name), value});
  }
  void count(std::string name, std::uint64_t value) {
    add(std::move(name), static_cast<double>(value));
  }
  void uses(const std::string& prefix, const models::UseCharges& charges, models::Charge billed);
  void money();
  void overlays(policy::Usd total);
  std::optional<Quantity> managed_premium() const;
  std::optional<Quantity> cost_per_job() const;
  std::optional<Quantity> used_pct(policy::PoolId pool) const;
  void times();
  std::uint64_t deadlines_missed() const;
  void counts();
  void actions();
  void machines();
  void advice();
  std::optional<policy::Duration> detection(policy::JobId job) const;

  const scenarios::Scenario& scenario_;
  const RunResult& result_;
  const models::Record& record_;
  std::vector<Measure> out_;
};

}  // namespace reeve::experiments
