// Nobody loses machines in vain: who left for somebody has them back only when that one has some,
// or others have come in between.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace in_vain_test {

/// A fleet of three shares whose jobs take time to stop.
class SlowLeavers : private DrawnText {
 public:
  explicit SlowLeavers(std::uint64_t seed) : DrawnText{seed, 42} {}

  std::string text() {
    from_the_start();
    const std::uint64_t machines = between(4, 24);
    const std::uint64_t grace_s = chance(0.3) ? 1 : between(30, 600);
    return Written{
        "{{ \"reeve\": 1, \"name\": \"leavers-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"until_done\" }},\n"
        "\"prices\": {{ \"instances\": {{ \"t\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} }},\n"
        "\"fleet\": [ {{ \"name\": \"a\", \"instance_type\": \"t\", \"capacity\": {}, \"market\": "
        "\"reserved\" }} ],\n"
        "\"platform\": {{ \"startup\": \"0s\", \"first_startup\": \"0s\", \"stop_grace\": \"{}s\" "
        "}},\n{},\n\"queues\": [ {{ \"name\": \"q\", \"fleet\": \"a\", \"shares\": [\"s0\", "
        "\"s1\", \"s2\"] }} ],\n"
        "\"job_defaults\": {{ \"queue\": \"q\", \"checkpoint\": {{ \"every\": \"1m\", \"cost\": "
        "\"0s\" }} }},\n{},\n\"policies\": {{ {} }} }}\n",
        seed_,
        machines,
        grace_s,
        shares(machines),
        jobs(machines),
        policies()}
        .text;
  }

 private:
  static std::string policies() {
    std::string list;
    for (const std::string name : {"srtf", "srsf", "las", "gittins", "capacity"}) {
      const char* const lengths = ", \"gittins_lengths\": [600, 7200, 36000]";
      list += Written{"{}\n  \"{}\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"{}\"{} }} ]",
                      list.empty() ? "" : ",", name, name, name == "gittins" ? lengths : ""}
                  .text;
    }
    return list;
  }

  std::string shares(std::uint64_t machines) {
    std::string list;
    std::uint64_t left = machines;
    for (std::uint64_t number = 0; number < 3; ++number) {
      const std::uint64_t quota = number == 2 ? left : between(0, left);
      left -= quota;
      list +=
          Written{
              "{}\n  {{ \"name\": \"s{}\", \"quota\": {{ \"a\": {} }}, \"sharing\": "
              "\"lend_and_borrow\" }}",
              number == 0 ? "" : ",", number, quota}
              .text;
    }
    return Written{"\"shares\": [{} ]", list}.text;
  }

  std::string jobs(std::uint64_t machines) {
    std::string list;
    const std::uint64_t count = between(5, 40);
    for (std::uint64_t number = 0; number < count; ++number) {
      list +=
          Written{
              "{}\n  {{ \"name\": \"job-{}\", \"submit\": \"{}m\", \"work\": \"{}m\", "
              "\"instances\": {}, \"share\": \"s{}\", \"priority\": {} }}",
              number == 0 ? "" : ",",
              number,
              between(0, 180),
              between(1, 90),
              between(1, machines),
              between(0, 2),
              between(0, 3)}
              .text;
    }
    return Written{"\"jobs\": [{} ]", list}.text;
  }
};

/// A fleet of which the account may have only a part: jobs that go first are refused though others
/// left for them.
class NarrowAccounts : private DrawnText {
 public:
  explicit NarrowAccounts(std::uint64_t seed) : DrawnText{seed, 44} {}

  std::string text() {
    from_the_start();
    const std::uint64_t machines = between(5, 12);
    count = between(3, 8);
    std::string jobs;
    for (std::uint64_t number = 0; number < count; ++number) {
      jobs +=
          Written{
              "{}\n  {{ \"name\": \"j{}\", \"instances\": {}, \"work\": \"{}m\", \"submit\": "
              "\"{}m\", \"priority\": {}, \"share\": \"s{}\" }}",
              number == 0 ? "" : ",",
              number,
              between(1, 5),
              between(1, 20) * 60,
              between(0, 180),
              between(0, 3),
              between(0, 1)}
              .text;
    }
    return Written{
        "{{ \"reeve\": 1, \"name\": \"narrow-{}\",\n"
        "\"clock\": {{ \"start\": \"2026-11-02T08:00:00Z\", \"horizon\": \"60h\" }},\n"
        "\"prices\": {{ \"instances\": {{ \"ml.p4d.24xlarge\": {{ \"usd_per_hour\": 30, "
        "\"gpus\": 8 }} }} }},\n"
        "\"fleet\": [ {{ \"name\": \"f\", \"instance_type\": \"ml.p4d.24xlarge\", "
        "\"capacity\": {}, \"market\": \"on_demand\" }} ],\n"
        "\"platform\": {{ \"model\": \"sagemaker-training\", \"startup\": \"1m\", "
        "\"first_startup\": \"1m\", \"stop_grace\": \"{}s\", \"quotas\": {{ "
        "\"ml.p4d.24xlarge\": {{ \"training\": {} }} }} }},\n"
        "\"shares\": [ {{ \"name\": \"s0\", \"quota\": {{ \"f\": {} }}, \"sharing\": "
        "\"lend_and_borrow\", \"in_share_preemption\": true }}, {{ \"name\": \"s1\", "
        "\"quota\": {{ \"f\": 2 }}, \"sharing\": \"lend_and_borrow\", "
        "\"in_share_preemption\": true }} ],\n"
        "\"queues\": [ {{ \"name\": \"q\", \"fleet\": \"f\", \"shares\": [\"s0\", \"s1\"] "
        "}} ],\n"
        "\"job_defaults\": {{ \"queue\": \"q\", \"checkpoint\": {{ \"every\": \"10m\", "
        "\"cost\": \"0s\" }} }},\n\"jobs\": [{} ],\n\"policies\": {{ {} }} }}\n",
        seed_,
        machines,
        chance(0.5) ? 0 : 30,
        between(4, machines - 1),
        machines - 2,
        jobs,
        policies()}
        .text;
  }

  std::uint64_t count = 0;  ///< of the jobs

 private:
  static std::string policies() {
    std::string list;
    for (const std::string name :
         {"srtf", "srsf", "las", "gittins", "capacity", "quota", "kueue", "kueue_fair", "kai"}) {
      const char* const lengths = ", \"gittins_lengths\": [600, 7200, 36000]";
      list += Written{"{}\n  \"{}\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"{}\"{} }} ]",
                      list.empty() ? "" : ",", name, name, name == "gittins" ? lengths : ""}
                  .text;
    }
    return list;
  }
};

/// The attempt's row; all that are asked for were begun.
const models::AttemptRow& row_of(const models::Record& record, policy::JobId job,
                                 policy::AttemptNumber number) {
  return *std::find_if(record.attempts.begin(), record.attempts.end(),
                       [&](const auto& row) { return row.job == job && row.number == number; });
}

/// Between the instants somebody other than those who lost machines with it got some, or others
/// lost theirs for somebody else.
bool others_came(const models::Record& record, const models::PreemptionRow& lost,
                 models::Instant until) {
  const auto is_since = [&](models::Instant at) { return at > lost.at && at <= until; };
  const auto lost_with_it = [&](policy::JobId job) {
    return std::any_of(record.preemptions.begin(), record.preemptions.end(),
                       [&](const auto& row) { return row.at == lost.at && row.job == job; });
  };
  return std::any_of(record.attempts.begin(), record.attempts.end(),
                     [&](const auto& row) {
                       return row.had_machines() && is_since(row.billed_from) &&
                              !lost_with_it(row.job);
                     }) ||
         std::any_of(record.preemptions.begin(), record.preemptions.end(),
                     [&](const auto& row) { return is_since(row.at) && row.to != lost.to; });
}

class InVain : public EachSeed {};

TEST_F(InVain, NobodyLosesMachines) {
  std::size_t looked_at = 0;
  const auto check = [&](const models::Record& record, const models::PreemptionRow& lost) {
    const auto back = static_cast<policy::AttemptNumber>(lost.attempt + 1);
    const models::Instant left = row_of(record, lost.job, lost.attempt).end;
    const bool at_once = row_of(record, lost.job, back).billed_from == left;
    ++looked_at;
    if (!at_once || others_came(record, lost, left)) return;
    EXPECT_TRUE(std::any_of(record.attempts.begin(), record.attempts.end(),
                            [&](const auto& row) {
                              return row.job == lost.to && row.billed_from > lost.at &&
                                     row.billed_from <= left;
                            }))
        << "job " << lost.job.index << " is back at once, and job " << lost.to.index << " waits";
  };
  each_seed([&](std::uint64_t seed) {
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("v.jsonc", SlowLeavers{seed}.text()), ".")
            .scenario;
    for (const scenarios::PolicySpec& policy : scenario.policies) {
      SCOPED_TRACE(policy.name);
      const auto result = experiments::run(scenario, policy, 0, {.keep = {.attempts = true}});
      for (const models::PreemptionRow& lost : result.record.preemptions) {
        check(result.record, lost);
      }
    }
  });
  EXPECT_GT(looked_at, 0u) << "where nobody leaves nobody leaves in vain";
}

/// Twice as long each time: from a minute to 60 hours a dozen times for each pair, and some 40
/// times from the nanosecond for which those are safe who take from each other in turn.
TEST_F(InVain, NobodyLosesMachinesAgainAndAgain) {
  std::size_t refused = 0;
  each_seed([&](std::uint64_t seed) {
    NarrowAccounts world{seed};
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("n.jsonc", world.text()), ".").scenario;
    for (const scenarios::PolicySpec& policy : scenario.policies) {
      SCOPED_TRACE(policy.name);
      const auto result = experiments::run(scenario, policy, 0, {.keep = {.attempts = true}});
      refused += result.record.preemptions.size();
      EXPECT_LE(result.record.preemptions.size(), 50 * world.count);
    }
  });
  EXPECT_GT(refused, 0u);
}

}  // namespace in_vain_test
}  // namespace reeve::tests
