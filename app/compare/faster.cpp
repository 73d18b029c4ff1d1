#include "app/compare/faster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "app/text/quantity_text.hpp"
#include "host/check.hpp"
#include "report/format.hpp"

namespace reeve::app {
namespace {

std::optional<double> value_of(const Study& study, const PolicyNumbers& of,
                               std::string_view measure) {
  const Number number = study.number(of, measure);
  if (!number.value) return std::nullopt;
  return experiments::as_double(*number.value);
}

std::string money(double usd) {
  return report::money(policy::Usd::from_micros(std::llround(usd * 1e6)));
}

std::string length(double seconds) {
  const policy::Duration exact{std::llround(seconds * 1e9)};
  return report::duration(readable_beside(exact, policy::Duration{0}));
}

/// "$3,456.00 less", "$1.00 more", "the same".
std::string change(double before, double after, std::string (*show)(double), std::string_view less,
                   std::string_view more) {
  if (before == after) return "the same";
  return fmt::format("{} {}", show(std::abs(before - after)), after < before ? less : more);
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
std::string verdict_changes(const PolicyNumbers& now, const PolicyNumbers& then) {
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
      note += fmt::format("; stops of {}:{}", now.verdicts[seat].label, changes);
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
      numbers.push_back(
          {now.policy->name, fmt::format("rule.{}.{}", now.verdicts[seat].label, of.metric), before,
           after, after - before, std::min(now.verdicts[seat].runs, then.verdicts[seat].runs)});
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
                         value_of(faster, then, measure), std::nullopt};
      const auto diff = faster.difference(then, study, now, at);
      number.runs = diff.samples;
      if (diff.samples > 0) number.diff = diff.mean;
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
    const auto billed = value_of(study, of, "billed_usd");
    const auto then = value_of(faster, faster.policies[i], "billed_usd");
    if (!billed || !then) continue;
    std::string note = fmt::format("at {:g} times the speed {} bills {}", factor, of.policy->name,
                                   change(*billed, *then, money, "less", "more"));
    const auto result = value_of(study, of, time);
    const auto result_then = value_of(faster, faster.policies[i], time);
    if (result && result_then) {
      note += fmt::format("; results {}", change(*result, *result_then, length, "sooner", "later"));
    }
    note += verdict_changes(of, faster.policies[i]);
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace reeve::app
