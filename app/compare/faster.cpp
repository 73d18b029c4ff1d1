#include "app/compare/faster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "app/text/quantity_text.hpp"
#include "host/check.hpp"
#include "report/format.hpp"
#include "report/sentences.hpp"

namespace reeve::app {
namespace {

std::optional<double> value_of(const Study& study, const PolicyNumbers& of,
                               std::string_view measure) {
  const Number number = study.number(of, measure);
  if (!number.value) return std::nullopt;
  return experiments::as_double(*number.value);
}

/// "$3,456.00 less", "14h24m00s ± 2m03s sooner over 20 paired runs", "the same": what the other
/// speed changes in the runs that have both values.  Nothing if there is no such run.
std::optional<std::string> change(const Study& study, const PolicyNumbers& now, const Study& faster,
                                  const PolicyNumbers& then, std::string_view measure,
                                  std::string_view less, std::string_view more) {
  const std::size_t at = study.index(measure);
  if (at == study.measures.size()) return std::nullopt;
  const auto diff = faster.difference(then, study, now, at);
  if (diff.samples == 0) return std::nullopt;
  const bool several = study.draws() > 1;
  const report::Reach<double> reach = several ? reach_of(diff) : 0.0;
  if (diff.mean == 0 && reach.is_exact()) return "the same";
  const double size = std::abs(diff.mean);
  const auto text = [&](double value) {
    return text_beside(measure, now.zero[at], value, diff.half_width());
  };
  std::string out = text(size) + report::reach_text(size, reach, text);
  out += fmt::format(" {}", diff.mean < 0 ? less : more);
  if (!reach.excludes_zero(size)) out += report::not_significant;
  if (several) {
    out += fmt::format(" over {} paired run{}", report::count(diff.samples),
                       diff.samples == 1 ? "" : "s");
  }
  return out;
}

/// How stops are judged, as the measures of rules are called.
struct VerdictCount {
  std::string_view metric;
  std::string_view word;
  std::uint64_t SeatVerdicts::*count;
};
constexpr std::array<VerdictCount, 5> verdict_counts{{
    {"right_stops", "right", &SeatVerdicts::right},
    {"late_stops", "late", &SeatVerdicts::late},
    {"false_stops", "false", &SeatVerdicts::wrong},
    {"missed_stalls", "missed", &SeatVerdicts::missed},
    {"kept_rule_stops", "policy violation", &SeatVerdicts::kept_rule},
}};

double mean_per_run(const SeatVerdicts& seat, const VerdictCount& of) {
  return static_cast<double>(seat.*of.count) / std::max<std::uint32_t>(seat.runs, 1);
}

/// "; stops of watch: right 0 instead of 1, false 1 instead of 0"; empty: they are judged alike.
/// Of several runs the numbers are means, and the note says that they have no interval.
std::string verdict_changes(const Study& study, const PolicyNumbers& now,
                            const PolicyNumbers& then) {
  const bool several = study.draws() > 1;
  std::string note;
  for (std::size_t seat = 0; seat < std::min(now.verdicts.size(), then.verdicts.size()); ++seat) {
    std::string changes;
    for (const VerdictCount& of : verdict_counts) {
      const double before = mean_per_run(now.verdicts[seat], of);
      const double after = mean_per_run(then.verdicts[seat], of);
      if (before == after) continue;
      changes += fmt::format("{} {} {:.6g} instead of {:.6g}", changes.empty() ? "" : ",", of.word,
                             after, before);
    }
    if (!changes.empty()) {
      note += fmt::format("; {}stops of {}{}:{}", several ? "mean " : "", now.verdicts[seat].label,
                          several ? " (point estimates)" : "", changes);
    }
  }
  return note;
}

void add_verdict_counts(const PolicyNumbers& now, const PolicyNumbers& then,
                        std::vector<SpeedNumber>& numbers) {
  for (std::size_t seat = 0; seat < std::min(now.verdicts.size(), then.verdicts.size()); ++seat) {
    for (const VerdictCount& of : verdict_counts) {
      const double before = mean_per_run(now.verdicts[seat], of);
      const double after = mean_per_run(then.verdicts[seat], of);
      numbers.push_back({.policy = now.policy->name,
                         .metric = fmt::format("rule.{}.{}", now.verdicts[seat].label, of.metric),
                         .now = before,
                         .then = after,
                         .diff = after - before,
                         .runs = std::min(now.verdicts[seat].runs, then.verdicts[seat].runs)});
    }
  }
}

}  // namespace

scenarios::Scenario at_speed(const scenarios::Scenario& scenario, double factor) {
  scenarios::Scenario faster = scenario;
  const std::size_t types = faster.world.directory.types.size();
  for (models::JobProfile& profile : faster.world.profiles) {
    models::Throughput speeds = profile.throughput ? *profile.throughput : models::Throughput{};
    speeds.of_types.resize(types, models::full_speed);
    for (std::uint32_t& ppm : speeds.of_types) {
      const auto scaled = static_cast<std::uint32_t>(std::llround(ppm * factor));
      ppm = std::max<std::uint32_t>(scaled, 1);
    }
    profile.throughput = std::make_shared<const models::Throughput>(std::move(speeds));
  }
  return faster;
}

OtherSpeed compare_speeds(const Study& study, const Study& faster, double factor) {
  OtherSpeed other{.factor = factor};
  REEVE_CHECK(study.measures == faster.measures, "measures at", factor);
  for (std::size_t i = 0; i < study.policies.size(); ++i) {
    const PolicyNumbers& now = study.policies[i];
    const PolicyNumbers& then = faster.policies[i];
    for (std::size_t at = 0; at < study.measures.size(); ++at) {
      const std::string& measure = study.measures[at];
      SpeedNumber number{now.policy->name, measure, value_of(study, now, measure),
                         value_of(faster, then, measure)};
      const auto diff = faster.difference(then, study, now, at);
      number.runs = diff.samples;
      if (diff.samples > 0) number.diff = diff.mean;
      if (diff.samples > 0 && study.has_interval(diff.samples)) {
        number.low = diff.low;
        number.high = diff.high;
      }
      other.numbers.push_back(std::move(number));
    }
    add_verdict_counts(now, then, other.numbers);
  }
  return other;
}

std::vector<std::string> faster_notes(const Study& study, const Study& faster, double factor) {
  std::vector<std::string> notes;
  const auto jobs = study.scenario->world.jobs.specs.size();
  const bool one = jobs == 1 && !study.scenario->world.drawn;
  const std::string_view time = one ? "time_to_result" : "mean_time_to_result_s";
  for (std::size_t i = 0; i < study.policies.size(); ++i) {
    const PolicyNumbers& of = study.policies[i];
    const PolicyNumbers& then = faster.policies[i];
    const auto bills = change(study, of, faster, then, "billed_usd", "less", "more");
    if (!bills) continue;
    std::string note =
        fmt::format("at {:g} times the speed {} bills {}", factor, of.policy->name, *bills);
    if (const auto results = change(study, of, faster, then, time, "sooner", "later")) {
      note += "; results " + *results;
    }
    note += verdict_changes(study, of, then);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace reeve::app
