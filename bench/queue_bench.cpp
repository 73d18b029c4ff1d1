// A standing queue under the schedulers: a million jobs behind quota shares with preemption, and
// what each of them costs with a short queue and with a long one, with few and with many who wait
// for machines that others have to leave, and who go elsewhere at one instant, and in few and in
// many shares.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;

constexpr int tries = 3;
constexpr std::uint32_t group_count = 1'000;  // of jobs that are alike
constexpr std::uint32_t share_count = 20;

/// How many jobs there are, and how many of them stand in line from the first instant on: those
/// that come later come as fast as others end.
struct Size {
  std::uint32_t jobs;
  std::uint32_t queued;
  std::uint32_t instances;
};

/// Of 1, 2, 4 or 8 instances, for 20 to 192 minutes, in 20 shares that lend or lend and borrow.
std::string job_groups(Size size) {
  constexpr std::array instances{1U, 2U, 4U, 8U};
  constexpr std::array minutes{20U, 40U, 90U, 180U};
  constexpr std::array priorities{10, 30, 50, 80};
  const std::uint32_t now = size.queued / group_count;
  const std::uint32_t later = size.jobs / group_count - now;
  double work_s = 0;
  for (std::uint32_t i = 0; i < group_count; ++i) {
    work_s += 60.0 * instances[i % 4] * (minutes[i / 4 % 4] + i * 7 % 13);
  }
  const double every_s = work_s / size.instances;
  std::string jobs;
  for (std::uint32_t i = 0; i < group_count; ++i) {
    const std::string alike = fmt::format(
        R"("instances": {}, "work": "{}m", "priority": {}, "share": "share-{}",
      "checkpoint": {{ "every": "10m" }})",
        instances[i % 4], minutes[i / 4 % 4] + i * 7 % 13, priorities[i / 16 % 4],
        i * 7 % share_count);
    jobs += fmt::format(R"({}{{ "name": "early-{}", "count": {}, {} }},
    {{ "name": "late-{}", "count": {}, "submit": "{:.3f}s", "submit_every": "{:.3f}s", {} }})",
                        i == 0 ? "" : ",\n    ", i, now, alike, i, later,
                        1 + i * every_s / group_count, every_s, alike);
  }
  return jobs;
}

std::string shares(std::uint32_t instances) {
  std::string text;
  for (std::uint32_t i = 0; i < share_count; ++i) {
    text += fmt::format(R"({}{{ "name": "share-{}", "quota": {{ "pool": {} }}, "sharing": "{}",
      "in_share_preemption": {} }})",
                        i == 0 ? "" : ",\n    ", i, instances / share_count,
                        i % 4 == 0 ? "lend" : "lend_and_borrow", i % 3 == 0);
  }
  return text;
}

std::string names_of_shares() {
  std::string names;
  for (std::uint32_t i = 0; i < share_count; ++i) {
    names += fmt::format(R"({}"share-{}")", i == 0 ? "" : ", ", i);
  }
  return names;
}

scenarios::Scenario queue(Size size, const std::string& algorithm,
                          const std::string& backfill = "none") {
  const auto text = scenarios::SourceFile::from_text(
      "queue.jsonc", fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "start": "2026-03-02T00:00:00Z", "horizon": "until_done" }},
  "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 30, "gpus": 8 }} }} }},
  "fleet": [ {{ "name": "pool", "instance_type": "gpu", "capacity": {} }} ],
  "platform": {{ "model": "ideal" }},
  "shares": [ {} ],
  "queues": [ {{ "name": "main", "fleet": "pool", "shares": [ {} ] }} ],
  "job_defaults": {{ "queue": "main" }},
  "jobs": [ {} ],
  "policies": {{ "one": [ {{ "rule": "schedule", "algorithm": "{}", "backfill": "{}" }} ] }}
}})jsonc",
                                 size.instances, shares(size.instances), names_of_shares(),
                                 job_groups(size), algorithm, backfill));
  return scenarios::load(text, ".").scenario;
}

/// `jobs` jobs that have borrowed one instance each, and as many that arrive at intervals of 5 ms
/// and reclaim their own quota.  None of the first jobs leaves in the first two minutes.
scenarios::Scenario claims(std::uint32_t jobs, const std::string& algorithm) {
  const auto text = scenarios::SourceFile::from_text("claims.jsonc", fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "start": "2026-03-02T00:00:00Z", "horizon": "60h" }},
  "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 30, "gpus": 8 }} }} }},
  "fleet": [ {{ "name": "pool", "instance_type": "gpu", "capacity": {0} }} ],
  "platform": {{ "startup": "0s", "first_startup": "0s", "stop_grace": "2m" }},
  "shares": [ {{ "name": "owner", "quota": {{ "pool": {0} }}, "sharing": "lend_and_borrow" }},
              {{ "name": "guest", "sharing": "lend_and_borrow" }} ],
  "queues": [ {{ "name": "main", "fleet": "pool", "shares": ["owner", "guest"] }} ],
  "job_defaults": {{ "queue": "main", "count": {0} }},
  "jobs": [ {{ "name": "guest", "share": "guest", "work": "10h" }},
            {{ "name": "owner", "share": "owner", "work": "5h", "submit": "1h",
               "submit_every": "5ms" }} ],
  "policies": {{ "one": [ {{ "rule": "schedule", "algorithm": "{1}" }} ] }}
}})jsonc",
                                                                                 jobs, algorithm));
  return scenarios::load(text, ".").scenario;
}

/// So many jobs behind ten machines; after an hour a fleet that costs a little more has one for
/// half of them, and each that leaves changes what those behind it wait for.
scenarios::Scenario movers(std::uint32_t jobs) {
  const auto text = scenarios::SourceFile::from_text("movers.jsonc", fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "start": "2026-03-02T00:00:00Z", "horizon": "30d" }},
  "prices": {{ "instances": {{ "slow": {{ "usd_per_hour": 30, "gpus": 8 }},
                              "fast": {{ "usd_per_hour": 31, "gpus": 8 }} }} }},
  "fleet": [ {{ "name": "own", "instance_type": "slow", "capacity": 10 }},
             {{ "name": "other", "instance_type": "fast", "capacity": {} }} ],
  "platform": {{ "model": "ideal" }},
  "jobs": [ {{ "name": "job", "fleet": "own", "count": {}, "work": "10h" }} ],
  "policies": {{ "one": [ {{ "rule": "schedule" }},
    {{ "rule": "alternatives", "fleets": ["other"], "after": "1h", "usd_per_hour_gained": 50 }} ] }}
}})jsonc",
                                                                                 jobs / 2, jobs));
  return scenarios::load(text, ".").scenario;
}

/// 20,000 jobs of so many shares, of ten hours, for which a hundred machines need eleven weeks.
scenarios::Scenario many_shares(std::uint32_t count, const std::string& algorithm) {
  constexpr std::array instances{1, 2, 4, 8};
  std::string jobs;
  for (std::uint32_t i = 0; i < group_count; ++i) {
    jobs += fmt::format(
        R"({}{{ "name": "job-{}", "share": "team-{}", "count": 20, "instances": {},
      "work": "{}m", "submit": "{}s", "submit_every": "30m" }})",
        i == 0 ? "" : ",\n    ", i, i % count, instances[i * 7 / 3 % 4], 10 + i * 37 % 290,
        i * 53 % 1800);
  }
  const auto text = scenarios::SourceFile::from_text("shares.jsonc", fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "start": "2026-03-02T00:00:00Z", "horizon": "until_done" }},
  "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 30, "gpus": 8 }} }} }},
  "fleet": [ {{ "name": "pool", "instance_type": "gpu", "capacity": 100 }} ],
  "platform": {{ "model": "ideal" }},
  "shares": [ {{ "name": "team*" }} ],
  "queues": [ {{ "name": "main", "fleet": "pool", "shares": ["team*"] }} ],
  "job_defaults": {{ "queue": "main" }},
  "jobs": [ {} ],
  "policies": {{ "one": [ {{ "rule": "schedule", "algorithm": "{}", "backfill": "any_fit" }} ] }}
}})jsonc",
                                                                                 jobs, algorithm));
  return scenarios::load(text, ".").scenario;
}

double cpu_s(const scenarios::Scenario& scenario) {
  return bench::least_cost_of(tries,
                              [&] {
                                const models::Record record =
                                    experiments::run(scenario, scenario.policies.front(), 0).record;
                                if (record.ledger.residual() != 0)
                                  throw std::runtime_error("money was lost");
                              })
      .cpu_s;
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  figures.add("queue/quota_1000000_cpu_s", cpu_s(queue({1'000'000, 100'000, 10'000}, "quota")));
  figures.add("queue/fifo_1000000_cpu_s", cpu_s(queue({1'000'000, 100'000, 10'000}, "fifo")));
  const double few_move = cpu_s(movers(2'000));
  figures.add("queue/movers_20000_over_2000", cpu_s(movers(20'000)) / few_move / 10);
  // The same 200,000 jobs behind ever longer queues: from 1,000 to 100,000 in line.
  struct Line {
    const char* name;
    const char* algorithm;
    const char* backfill;
  };
  constexpr std::array lines{
      Line{"quota", "quota", "none"},
      Line{"fair_share", "fair_share", "none"},
      Line{"sjf", "sjf", "none"},
      Line{"kueue", "kueue", "none"},
      Line{"kueue_fair", "kueue_fair", "none"},
      Line{"kai", "kai", "none"},
      Line{"capacity", "capacity", "none"},
      Line{"multifactor_easy", "multifactor", "easy"},
      Line{"priority_easy", "priority", "easy"},
      Line{"priority_conservative", "priority", "conservative"},
  };
  for (const Line& line : lines) {
    const auto cost = [&](std::uint32_t queued) {
      return cpu_s(queue({200'000, queued, 1'000}, line.algorithm, line.backfill));
    };
    const double briefly = cost(1'000);
    figures.add(fmt::format("queue/{}_10000_over_1000", line.name), cost(10'000) / briefly);
    figures.add(fmt::format("queue/{}_100000_over_1000", line.name), cost(100'000) / briefly);
  }
  // Ten times as many who wait for others to leave: by job.
  for (const char* const algorithm : {"quota", "kai", "capacity"}) {
    const double few = cpu_s(claims(2'000, algorithm));
    const double many = cpu_s(claims(20'000, algorithm));
    figures.add(fmt::format("queue/{}_claims_20000_over_2000", algorithm), many / few / 10);
  }
  // Where few fit most shares are passed each time.
  for (const char* const algorithm : {"fair_share", "max_min", "drf"}) {
    const double few = cpu_s(many_shares(20, algorithm));
    figures.add(fmt::format("queue/{}_any_fit_500_over_20_shares", algorithm),
                cpu_s(many_shares(500, algorithm)) / few);
  }
  return figures.finish(count, arguments);
}
