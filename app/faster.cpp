#include "app/faster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

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
  return report::duration(policy::Duration{std::llround(seconds * 1e9)});
}

/// "$3,456.00 less", "$1.00 more", "the same".
std::string change(double before, double after, std::string (*show)(double), std::string_view less,
                   std::string_view more) {
  if (before == after) return "the same";
  return fmt::format("{} {}", show(std::abs(before - after)), after < before ? less : more);
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
    notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace reeve::app
