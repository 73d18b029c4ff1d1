// Jobs that may preempt each other come to rest, whatever their priorities, sizes and quotas are.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace preemptions_end_test {

/// Few jobs on few machines, most of them from the start, under everything that preempts.
class Contested : private DrawnText {
 public:
  explicit Contested(std::uint64_t seed) : DrawnText{seed, 31} {
    const std::uint64_t machines = between(2, 9);
    const std::uint64_t count = between(2, 3);
    std::string shares;
    std::string names;
    for (std::uint64_t share = 0; share < count; ++share) {
      const std::string_view comma = share == 0 ? "" : ", ";
      shares +=
          Written{
              "{}{{ \"name\": \"s{}\", \"quota\": {{ \"f\": {} }}, \"sharing\": \"{}\", "
              "\"weight\": "
              "{}, \"in_share_preemption\": {} }}",
              comma,
              share,
              between(0, machines),
              pick({"lend_and_borrow", "lend_and_borrow", "lend", "reserve"}),
              between(1, 5),
              chance(0.5)}
              .text;
      names += Written{"{}\"s{}\"", comma, share}.text;
    }
    std::string list;
    jobs = between(3, 8);
    for (std::uint64_t job = 0; job < jobs; ++job) {
      list +=
          Written{
              "{}{{ \"name\": \"j{}\", \"share\": \"s{}\", \"instances\": {}, \"priority\": {}, "
              "\"submit\": \"{}m\", \"work\": \"{}m\" }}",
              job == 0 ? "" : ",\n",
              job,
              between(0, count - 1),
              between(1, machines),
              between(0, 4),
              chance(0.7) ? 0 : between(0, 40),
              between(1, 90)}
              .text;
    }
    text =
        Written{
            "{{ \"reeve\": 1, \"name\": \"rest\",\n"
            "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"90d\" }},\n"
            "\"prices\": {{ \"instances\": {{ \"t\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} "
            "}},\n"
            "\"platform\": {{ \"startup\": \"0s\", \"first_startup\": \"0s\", \"stop_grace\": "
            "\"{}s\" "
            "}},\n"
            "\"fleet\": [ {{ \"name\": \"f\", \"instance_type\": \"t\", \"capacity\": {}, "
            "\"market\": "
            "\"reserved\" }} ],\n\"shares\": [ {} ],\n"
            "\"queues\": [ {{ \"name\": \"q\", \"fleet\": \"f\", \"shares\": [ {} ] }} ],\n"
            "\"job_defaults\": {{ \"queue\": \"q\", \"checkpoint\": {{ \"every\": \"2h\" }} }},\n"
            "\"jobs\": [ {} ],\n\"policies\": {{\n"
            "\"kueue\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"kueue\", "
            "\"within_cluster_queue\": \"{}\", \"reclaim_within_cohort\": \"any\", "
            "\"borrow_within_cohort\": \"lower_priority\" }} ],\n"
            "\"fair\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"kueue_fair\", "
            "\"within_cluster_queue\": \"{}\", \"reclaim_within_cohort\": \"any\" }} ],\n"
            "\"kai\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"kai\" }} ],\n"
            "\"quota\": [ {{ \"rule\": \"schedule\", \"algorithm\": \"quota\" }} ] }} }}\n",
            chance(0.8) ? 0 : 90,
            machines,
            shares,
            names,
            list,
            pick({"lower_priority", "lower_or_newer_equal_priority"}),
            pick({"lower_priority", "lower_or_newer_equal_priority"})}
            .text;
  }

  std::string text;
  std::uint64_t jobs = 0;
};

class Rest : public EachSeed {};

/// A job that takes part in a cycle is protected for twice as long each time, so it works longer
/// than its work after 43 times: 2^43 ns are more than two hours.  When one of them ends, that
/// begins anew for the others.
TEST_F(Rest, NoPreemptionsWithoutEnd) {
  std::size_t all = 0;
  each_seed([&](std::uint64_t seed) {
    const Contested world{seed};
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("rest.jsonc", world.text), ".").scenario;
    for (const scenarios::PolicySpec& policy : scenario.policies) {
      const auto result = experiments::run(scenario, policy, 0, {.keep = {.attempts = true}});
      std::map<std::pair<policy::Instant, policy::JobId>, int> at_once;
      for (const models::PreemptionRow& row : result.record.preemptions) {
        const int times = ++at_once[{row.at, row.job}];
        EXPECT_EQ(times, 1) << policy.name << ": twice at one instant";
      }
      all += result.record.preemptions.size();
      EXPECT_LT(result.record.preemptions.size(), 60 * world.jobs * world.jobs) << policy.name;
    }
  });
  EXPECT_GT(all, 0u);
}

}  // namespace preemptions_end_test
}  // namespace reeve::tests
