// Lints for rules that watch jobs and cannot see, of these jobs, what they are there for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "scenarios/lints/lint.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

/// AmazonCloudWatch/latest/monitoring/alarm-limits: a hard limit of alarms on metric math.
constexpr std::uint32_t metrics_of_an_expression = 10;

/// Whether the rule is told of first attempts of such jobs.
bool looks_at(const SeatSpec& seat, const models::JobProfile& profile,
              const policy::Directory& directory) {
  const host::Whereabouts there{profile.tags, profile.pool};
  return seat.scope.holds(there, directory).value_or(false);
}

/// The most instances of a job that the rule looks at.
std::uint32_t largest_watched(const SeatSpec& seat, const models::World& world) {
  std::vector<bool> watched;
  for (const models::JobProfile& profile : world.profiles) {
    watched.push_back(looks_at(seat, profile, world.directory));
  }
  std::uint32_t largest = 0;
  for (const models::JobSpec& job : world.jobs.specs) {
    if (watched[job.profile]) largest = std::max(largest, job.instances);
  }
  if (!world.drawn || !watched[world.drawn->profile]) return largest;
  for (const auto& [instances, weight] : world.drawn->instances) {
    if (weight > 0) largest = std::max(largest, instances);
  }
  return largest;
}

/// One alarm on the lowest of all hosts is an expression over as many metrics.
void check_expression(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                      Findings& findings) {
  const std::string match = of_alarm(seat, known::match);
  if (!has_option(*seat.kind, match) || !acts_on_alarms(seat)) return;
  if (seat.options.text(match) != "min") return;
  const std::uint32_t hosts = largest_watched(seat, resolved.world());
  if (hosts <= metrics_of_an_expression) return;
  findings.warning(
      places.find(match).value_or(places.seat), "W0542",
      fmt::format("a minimum over {} hosts exceeds the limit of CloudWatch", hosts),
      fmt::format("an alarm on an expression has at most {} metrics", metrics_of_an_expression),
      "\"match\": \"any\" creates one alarm per host");
}

/// Whether a report of such a job is the sign of life that the rule listens for.
bool is_heard(const SeatSpec& seat, const models::Reports& reports) {
  const std::string& signal = seat.options.text(known::signal);
  if (signal == "steps") return reports.steps;
  const policy::Sign sign = signal == "log_lines" ? policy::Sign::log_lines
                            : signal == "network" ? policy::Sign::network
                                                  : policy::Sign::power;
  return policy::has_sign(reports.signs, sign);
}

/// A job that works, and is silent for longer than its rule bears.
void check_silence(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                   Findings& findings) {
  if (!has_option(*seat.kind, known::signal) || !has_option(*seat.kind, known::misses)) return;
  const models::World& world = resolved.world();
  const Duration period = seat.options.duration(known::period);
  const std::int64_t misses = seat.options.integer(known::misses);
  if (misses > Duration::max() / period) return;
  for (const models::JobProfile& profile : world.profiles) {
    if (profile.reports == nullptr || !looks_at(seat, profile, world.directory)) continue;
    const models::Reports& reports = *profile.reports;
    const bool in_time =
        policy::later(Instant{reports.every}, reports.delay) <= Instant{misses * period};
    if (in_time || !is_heard(seat, reports)) continue;
    const auto seconds = [](Duration length) {
      return std::chrono::duration<double>(length).count();
    };
    return findings.warning(
        places.find(known::period).value_or(places.seat), "W0543",
        fmt::format("healthy jobs are silent for longer than {} x {}s", misses, seconds(period)),
        fmt::format("they report every {}s, with a delay of {}s", seconds(reports.every),
                    seconds(reports.delay)),
        "use a longer \"period\", more \"misses\", or a shorter \"every\" in \"reports\" of the "
        "jobs");
  }
}

}  // namespace

std::span<const Lint> blind_rule_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0542", "a minimum over more hosts than an alarm allows",
        "With \"match\": \"min\" one alarm watches the lowest of all hosts, an expression over as "
        "many metrics. CloudWatch allows ten at most (a hard limit) and refuses the alarm of a "
        "larger job. reeve creates it anyway.",
        "\"match\": \"min\" and a job of 12 instances", "\"match\": \"any\""},
       check_expression},
      {{"W0543", "a heartbeat shorter than the interval of reports",
        "If the interval and delay of reports exceed `misses` × `period`, the rule stops healthy "
        "jobs for being silent.",
        "\"period\": \"5m\", \"misses\": 1 and \"reports\": { \"every\": \"10m\" }",
        "\"period\": \"15m\""},
       check_silence},
  });
  return rows;
}

}  // namespace reeve::scenarios
