// The named numbers of a run: what `expect` lines compare, tables print and exports carry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// Exact where it can be: dollars and durations are integers, the rest is a double.
using Quantity = std::variant<policy::Usd, policy::Duration, double>;

/// A number with its name; no value if it never came to be (no job was done, nothing was noticed).
struct Measure {
  std::string name;
  std::optional<Quantity> value;
};

/// Every measure without parameters, in the order in which help lists them.
std::vector<Measure> measures(const scenarios::Scenario& scenario, const RunResult& result);

/// `pool.NAME.*` of every fleet, `rule.NAME.*` of every seat, `tag.KEY.VALUE.*` of every key and
/// value that a job carries, `tag.KEY.jain_index`, `owner.NAME.*` of everybody who has a job,
/// `job.NAME.ticks` in a world of ticks: those with a parameter but what `jobs.csv` has.
std::vector<Measure> named_measures(const scenarios::Scenario& scenario, const RunResult& result);

/// `share.NAME.*` of every share, those of the run as a whole.
std::vector<Measure> measures_of_shares(const scenarios::Scenario& scenario,
                                        const RunResult& result);

/// `rule.NAME.*` of every seat; the run has kept its decisions.
std::vector<Measure> measures_of_rules(const scenarios::Scenario& scenario,
                                       const RunResult& result);

/// The value of one name, parameterised ones (`job.NAME.wait`, `tag.KEY.VALUE.billed_usd`) too.
/// None also if it never came to be; the loader has made sure that the name exists.
std::optional<Quantity> measure(const scenarios::Scenario& scenario, const RunResult& result,
                                std::string_view name);

/// The value of a metric that has one at each instant (`pool.NAME.allocated`), after all that
/// happens then.  The run has kept its utilization.
std::optional<Quantity> measure_at(const scenarios::Scenario& scenario, const RunResult& result,
                                   std::string_view name, policy::Instant at);

/// In dollars, seconds or as it is.
double as_double(const Quantity& quantity);
/// The length in seconds, as exported.
double seconds(policy::Duration duration);

/// By how much the jobs of a rule that asks for a minimum of GPU use fell short of it; none: it
/// asks for none.
std::optional<policy::Usd> gap_of(const scenarios::Scenario& scenario, const RunResult& result,
                                  policy::SeatId seat);

}  // namespace reeve::experiments
