#include "experiments/rule_measures.hpp"

#include "experiments/measures.hpp"
#include "experiments/stop_verdicts.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::experiments {
namespace {

constexpr std::string_view rule_family = "rule.NAME.";

/// One number of what a seat's stops came to.
std::optional<Quantity> of_rule(const VerdictSums& sums, std::string_view what) {
  const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
  const auto delay = [](const std::optional<policy::Duration>& length) -> std::optional<Quantity> {
    if (!length) return std::nullopt;
    return *length;
  };
  if (what == "right_stops") return count(sums.right);
  if (what == "late_stops") return count(sums.late);
  if (what == "false_stops") return count(sums.wrong);
  if (what == "missed_stalls") return count(sums.missed);
  if (what == "kept_rule_stops") return count(sums.kept_rule);
  if (what == "mean_delay") return delay(sums.mean_delay);
  if (what == "max_delay") return delay(sums.max_delay);
  if (what == "false_stop_usd") return sums.false_stop;
  if (what == "late_stop_usd") return sums.late_stop;
  if (what == "missed_stall_usd") return sums.missed_stall;
  return std::nullopt;
}

}  // namespace

std::optional<Quantity> of_rule(const scenarios::Scenario& scenario, const RunResult& result,
                                std::string_view label, std::string_view what) {
  for (std::uint32_t seat = 0; seat < result.seats.size(); ++seat) {
    if (result.seats[seat].label != label) continue;
    if (what == "gap_usd") return gap_of(scenario, result, {seat});
    return of_rule(sums_of(judge_stops(scenario, result), {seat}), what);
  }
  return std::nullopt;
}

std::optional<policy::Usd> gap_of(const scenarios::Scenario& scenario, const RunResult& result,
                                  policy::SeatId seat) {
  const SeatedRule& rule = result.seats[seat.index];
  if (!rule.minimum) return std::nullopt;
  const models::Record& record = result.record;
  models::Charge sum = 0;
  for (const auto& [of, gap] : record.gpu_gaps) {
    const auto& [minimum, pool, tags] = of;
    if (minimum != *rule.minimum) continue;
    const host::Whereabouts there{tags, pool};
    if (!rule.scope.holds(there, scenario.world.directory).value_or(false)) continue;
    sum += gap;
  }
  return models::to_usd(sum);
}

std::vector<Measure> measures_of_rules(const scenarios::Scenario& scenario,
                                       const RunResult& result) {
  const std::vector<JudgedStop> stops = judge_stops(scenario, result);
  std::vector<Measure> named;
  for (std::uint32_t seat = 0; seat < result.seats.size(); ++seat) {
    const VerdictSums sums = sums_of(stops, {seat});
    for (const scenarios::MetricSpec& spec : scenarios::metric_names()) {
      if (!spec.name.starts_with(rule_family)) continue;
      const std::string_view what = spec.name.substr(rule_family.size());
      std::string name = "rule." + result.seats[seat].label + '.';
      const bool is_gap = what == "gap_usd";
      named.push_back(
          {name.append(what), is_gap ? gap_of(scenario, result, {seat}) : of_rule(sums, what)});
    }
  }
  return named;
}

}  // namespace reeve::experiments
