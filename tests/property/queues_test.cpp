// The rule `schedule` against the oracle that looks at everything in each step: every job starts
// and ends at the same instant, to the nanosecond.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/backfill.hpp"
#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests {
namespace queues_test {

/// Two fleets and their jobs, on a coarse grid of instants, so that much happens at once.
class RandomQueues : private DrawnText {
 public:
  explicit RandomQueues(std::uint64_t seed) : DrawnText{seed, 12} {}

  std::string text() {
    from_the_start();
    const std::uint64_t grid_s = between(1, 300);
    estimates_are_kept_ = chance(0.6);
    const std::uint64_t machines = between(1, 24);
    const std::uint64_t others = between(1, 4);
    const std::string list = jobs(grid_s, machines, others);
    return Written{
        "{{ \"reeve\": 1, \"name\": \"queues-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"until_done\" }},\n"
        "\"prices\": {{ \"instances\": {{ \"t\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} }},\n"
        "\"fleet\": [ {{ \"name\": \"a\", \"instance_type\": \"t\", \"capacity\": {}, \"market\": "
        "\"reserved\" }}, {{ \"name\": \"b\", \"instance_type\": \"t\", \"capacity\": {}, "
        "\"market\": \"reserved\" }} ],\n\"platform\": {{ \"model\": \"ideal\" }},\n{},\n"
        "\"policies\": {{ {} }} }}\n",
        seed_,
        machines,
        others,
        list,
        policies()}
        .text;
  }

 private:
  /// Backfilling where estimates are kept: the literature's schedulers kill who runs longer.
  std::string policies() const {
    std::string list;
    for (const char* const algorithm : {"fifo", "sjf", "priority"}) {
      for (const char* const passing : {"none", "any_fit", "easy", "conservative"}) {
        const bool forecasts = passing == std::string{"easy"} || passing[0] == 'c';
        if (forecasts && !estimates_are_kept_) continue;
        list +=
            Written{
                "{}\"{}_{}\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"{}\", \"backfill\": "
                "\"{}\" }} ]",
                list.empty() ? "" : ",\n",
                algorithm,
                passing,
                algorithm,
                passing}
                .text;
      }
    }
    return list;
  }

  std::string jobs(std::uint64_t grid_s, std::uint64_t machines, std::uint64_t others) {
    std::string list;
    const std::uint64_t count = between(2, 60);
    const std::uint64_t longest = between(1, 40);
    const std::uint64_t spread = between(0, count * longest);
    for (std::uint64_t number = 0; number < count; ++number) {
      const bool other = chance(0.2);
      const std::uint64_t largest = other ? others : machines;
      const std::uint64_t work = between(1, longest) * grid_s * (chance(0.9) ? 1 : 7);
      list +=
          Written{
              "{}\n  {{ \"name\": \"job-{}\", \"fleet\": \"{}\", \"submit\": \"{}s\", \"work\": "
              "\"{}s\", \"instances\": {}, \"priority\": {}{} }}",
              number == 0 ? "" : ",",
              number,
              other ? "b" : "a",
              between(0, spread) * grid_s,
              work,
              chance(0.6) ? between(1, (largest + 3) / 4) : between(1, largest),
              between(0, 3),
              estimate(work, longest * grid_s)}
              .text;
    }
    return Written{"\"jobs\": [{} ]", list}.text;
  }

  std::string estimate(std::uint64_t work_s, std::uint64_t longest_s) {
    if (chance(0.6)) return "";
    const std::uint64_t says =
        estimates_are_kept_ ? work_s + between(0, work_s) : between(1, longest_s);
    return Written{", \"expected_work\": \"{}s\"", says}.text;
  }

  bool estimates_are_kept_ = false;
};

/// The plain scheduler that a policy's name stands for: ORDER_PASSING.
std::unique_ptr<oracle::Order> plain(const std::string& policy) {
  const std::size_t split = policy.find('_');
  const std::map<std::string, oracle::Rank> ranks{{"fifo", oracle::by_submission()},
                                                  {"sjf", oracle::by_estimate()},
                                                  {"priority", oracle::by_priority()}};
  const oracle::Rank& rank = ranks.at(policy.substr(0, split));
  const std::string passing = policy.substr(split + 1);
  if (passing == "easy") {
    return std::make_unique<oracle::Backfill>(oracle::Promised::first, rank);
  }
  if (passing == "conservative") {
    return std::make_unique<oracle::Backfill>(oracle::Promised::all, rank);
  }
  const auto behind = passing == "none" ? oracle::Behind::waits : oracle::Behind::may_pass;
  return std::make_unique<oracle::InOrder>(rank, behind);
}

class Queues : public EachSeed {
 protected:
  /// Compares the jobs of a fleet; says how many of them waited.
  static std::size_t compare(const scenarios::Scenario& scenario, const std::string& policy,
                             const models::Record& record, std::uint32_t pool) {
    std::vector<oracle::Job> jobs;
    std::vector<std::size_t> numbers;
    for (std::size_t number = 0; number < record.jobs.specs.size(); ++number) {
      const models::JobSpec& spec = record.jobs.specs[number];
      if (scenario.world.profiles[spec.profile].pool.index != pool) continue;
      oracle::Job job;
      job.submit = (spec.submit - scenario.world.start).count();
      job.work = spec.work.count();
      job.needs = {spec.instances};
      job.estimate = spec.expected.count();
      job.priority = spec.priority;
      jobs.push_back(job);
      numbers.push_back(number);
    }
    const oracle::Amounts capacity{scenario.world.pools[pool].capacity};
    const auto courses = oracle::schedule(jobs, capacity, *plain(policy));
    std::size_t waited = 0;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      const models::JobRow& row = record.job_rows[numbers[job]];
      EXPECT_EQ((row.first_start - scenario.world.start).count(), courses[job].first_start())
          << policy << ": job " << numbers[job];
      EXPECT_EQ((row.end - scenario.world.start).count(), courses[job].done)
          << policy << ": job " << numbers[job];
      if (courses[job].first_start() > jobs[job].submit) ++waited;
    }
    return waited;
  }
};

TEST_F(Queues, StartWhenTheNaiveSchedulerStartsThem) {
  std::size_t waited = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("q.jsonc", RandomQueues{seed}.text()), ".")
            .scenario;
    for (const scenarios::PolicySpec& policy : scenario.policies) {
      const auto result = experiments::run(scenario, policy, 0);
      for (std::uint32_t pool = 0; pool < scenario.world.pools.size(); ++pool) {
        waited += compare(scenario, policy.name, result.record, pool);
      }
    }
  });
  EXPECT_GT(waited, 0u) << "where nobody waits every order is the same";
}

}  // namespace queues_test
}  // namespace reeve::tests
