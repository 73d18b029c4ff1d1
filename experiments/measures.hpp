// The named metrics of a run, for `expect` lines, tables and exports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/run.hpp"

namespace reeve::experiments {

/// Every metric without parameters, in the order of the help.
std::vector<Measure> measures(const scenarios::Scenario& scenario, const RunResult& result);

/// `pool.NAME.*` of every fleet, `rule.NAME.*` of every seat, `tag.KEY.VALUE.*` of every key and
/// value on a job, `tag.KEY.jain_index`, `owner.NAME.*` of every owner of a job, `job.NAME.ticks`
/// in the tick model: the metrics with a parameter, except those in `jobs.csv`.
std::vector<Measure> named_measures(const scenarios::Scenario& scenario, const RunResult& result);

/// `share.NAME.*` of every share, and those of the whole run.
std::vector<Measure> measures_of_shares(const scenarios::Scenario& scenario,
                                        const RunResult& result);

/// `rule.NAME.*` of every seat.  The run must have kept its decisions.
std::vector<Measure> measures_of_rules(const scenarios::Scenario& scenario,
                                       const RunResult& result);

/// The value of one name, with parameters too (`job.NAME.wait`, `tag.KEY.VALUE.billed_usd`).  None
/// if it does not exist; the loader has validated the name.
std::optional<Quantity> measure(const scenarios::Scenario& scenario, const RunResult& result,
                                std::string_view name);

/// The value of a metric at an instant (`pool.NAME.allocated`), after all events of that instant.
/// The run must have kept its utilization.
std::optional<Quantity> measure_at(const scenarios::Scenario& scenario, const RunResult& result,
                                   std::string_view name, policy::Instant at);

/// In dollars, in seconds, or unchanged.
double as_double(const Quantity& quantity);
/// The length in seconds, as exported.
double seconds(policy::Duration duration);

/// The cost of GPU utilization below the minimum of a rule, over its jobs; none: the rule has no
/// minimum.
std::optional<policy::Usd> gap_of(const scenarios::Scenario& scenario, const RunResult& result,
                                  policy::SeatId seat);

}  // namespace reeve::experiments
