// A week of 10,000 jobs under all rules at once; the cost of a step without events for each rule;
// and what the tenth rule adds to nine.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;
using policy::Instant;

constexpr std::uint32_t job_count = 10'000;
constexpr int tries = 5;

/// A job a minute, two hours of work each, on machines of one's own: Spot that is taken, scripts
/// that fail, stall, and do not shut their machines down, and report on themselves.
constexpr const char* world_text = R"jsonc(
  "reeve": 1, "name": "week",
  "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "10d" },
  "random": { "seed": 7 },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
  "fleet": [ { "name": "od", "instance_type": "gpu", "capacity": 140 },
    { "name": "spot", "instance_type": "gpu", "capacity": 200, "market": "spot",
      "availability": { "up": { "exponential": "5h" }, "down": { "exponential": "20m" } } } ],
  "platform": { "model": "ec2", "startup": "5m", "on_insufficient": "wait",
    "self_destruct_fails": 0.0005 },
  "workload": { "jobs": 10000, "arrivals": { "process": "poisson", "gap": "1m" }, "fleet": "od",
    "work": { "exponential": "2h", "max": "1d" },
    "checkpoint": { "every": "30m", "on_request": { "save": "90s" } },
    "owner": "ann", "tags": { "username": "ann", "project": "search" },
    "reports": { "every": "10m", "loss": { "start": 8, "floor": 1, "half_life": "1h" } },
    "drawn_faults": [ { "kind": "stall", "probability": 0.03, "after": { "exponential": "1h" } },
      { "kind": "failure", "probability": 0.05, "after": { "exponential": "1h" },
        "classes": { "infrastructure": 1, "code": 1 } } ] },
)jsonc";

/// Rules that most fleets want; each of them is the tenth beside the nine others.  One makes the
/// world do more: it has an alarm of each attempt put, evaluated and deleted.
const std::vector<std::string> ten{
    R"({ "rule": "required_tags", "keys": ["username"] })",
    R"({ "rule": "early_stop" })",
    R"({ "rule": "max_instances", "limit": 8 })",
    R"({ "rule": "max_runtime", "limit": "24h", "enforce_by": "clock" })",
    R"({ "rule": "uptime_cap", "limit": "48h" })",
    R"({ "rule": "startup_limit", "limit": "15m" })",
    R"({ "rule": "resume", "when": ["failed:infrastructure", "stopped_by:heartbeat"] })",
    R"({ "rule": "heartbeat", "period": "10m", "misses": 3 })",
    R"({ "rule": "stalled_gpu" })",
    R"({ "rule": "orphan_sweep" })"};

/// All other rules, except those of the tick world, which need their own.  Out of hours
/// `office_hours` only notifies and stops no job, so that nights have as much work as days.
const std::vector<std::string> others{
    R"({ "rule": "schedule" })",
    R"({ "rule": "budget", "limit_usd": 2000000 })",
    R"({ "rule": "allowed_types", "allow": ["gpu*"] })",
    R"({ "rule": "min_gpu" })",
    R"({ "rule": "office_hours", "action": "notify" })",
    R"({ "rule": "notify", "remind_every": "1h" })",
    R"({ "rule": "long_wait", "after": "30m" })",
    R"({ "rule": "failure_rate" })",
    R"({ "rule": "idle_capacity" })",
    R"({ "rule": "save_on_notice" })",
    R"({ "rule": "market", "use": "on_demand" })",
    R"({ "rule": "spot_fallback" })",
    R"({ "rule": "relaunch" })",
    R"({ "rule": "alternatives", "fleets": ["spot"], "after": "1h" })",
    R"({ "rule": "rule", "do": "notify",
         "when": { "field": "training_time", "op": ">=", "value": "6h" } })"};

scenarios::Scenario week_under(const std::vector<std::string>& rules) {
  std::string text = "{" + std::string{world_text} + "\"policies\": { \"all\": [";
  for (const std::string& rule : rules) text += (&rule == &rules.front() ? "\n  " : ",\n  ") + rule;
  return scenarios::load(scenarios::SourceFile::from_text("week.jsonc", text + " ] } }"), ".")
      .scenario;
}

void run(const scenarios::Scenario& scenario) {
  const experiments::RunResult result = experiments::run(scenario, scenario.policies.front(), 0);
  if (result.record.job_rows.size() != job_count) throw std::runtime_error("jobs are missing");
  if (!result.muted.empty()) throw std::runtime_error("a rule was muted");
  if (result.record.ledger.residual() != 0) throw std::runtime_error("money was lost");
}

/// Seconds of CPU for `steps` steps without events, in a host that knows `jobs` running jobs.
double idle_steps(const scenarios::Scenario& scenario, std::uint32_t jobs, int steps) {
  host::Journal journal;
  const auto host = experiments::make_host(scenario, scenario.policies.front(), journal);
  host::Intake intake;
  const Instant start = scenario.world.start;
  for (std::uint32_t job = 0; job < jobs; ++job) {
    policy::JobSubmitted submitted;
    submitted.job = {job};
    submitted.description.submitted_at = start;
    submitted.description.instances = 1;
    submitted.description.max_runtime = policy::Duration::max();
    intake.observations.push_back({start, submitted});
    intake.observations.push_back(
        {start, policy::JobChanged{
                    {job}, 1, 1, policy::Primary::in_progress, policy::Secondary::training}});
  }
  for (const host::Attempt& call : host->step(start, intake)) {
    intake.replies.push_back({call.action, call.number, host::ReplyKind::done});
  }
  intake.observations.clear();
  host->step(start, intake);
  intake.clear();
  const auto begin = std::clock();
  for (int i = 1; i <= steps; ++i) host->step(start + policy::Duration{i}, intake);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  std::vector<std::string> every = others;
  every.insert(every.end(), ten.begin(), ten.end());
  const scenarios::Scenario all = week_under(every);
  const bench::Cost week = bench::least_cost_of(tries, [&] { run(all); });
  figures.add("rules/week_wall_s", week.wall_s);
  figures.add("rules/week_cpu_s", week.cpu_s);

  const scenarios::Scenario whole = week_under(ten);
  for (std::size_t left_out = 0; left_out < ten.size(); ++left_out) {
    std::vector<std::string> rules = ten;
    rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(left_out));
    const scenarios::Scenario nine = week_under(rules);
    std::vector<double> ratios;
    for (int i = 0; i < 2 * tries - 1; ++i) {  // in turn: what slows one down slows its neighbour
      const double of_nine = bench::cost_of([&] { run(nine); }).cpu_s;
      ratios.push_back(bench::cost_of([&] { run(whole); }).cpu_s / of_nine);
    }
    const std::string& rule = ten[left_out];
    const std::size_t from = rule.find(": \"") + 3;
    const std::string name = rule.substr(from, rule.find('"', from) - from);
    const bool busies_world = name == "stalled_gpu";
    figures.add(
        (busies_world ? "rules/ten_over_nine_with_its_world/" : "rules/ten_over_nine/") + name,
        median(ratios));
  }

  constexpr int steps = 200'000;
  std::vector<double> growth;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2 * tries + 1; ++i) {
    const double few = idle_steps(all, 100, steps);
    const double many = idle_steps(all, job_count, steps);
    growth.push_back(many / few);
    least = std::min(least, many);
  }
  figures.add("rules/idle_step_ns_per_seat",
              1e9 * least / steps / static_cast<double>(every.size()));
  figures.add("rules/idle_step_10000_over_100_jobs", median(growth));
  return figures.finish(count, arguments);
}
