// What a share may have at most it has never more of, not even while those leave whose machines it
// takes; and what a share has that lends nothing, nobody else has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace share_limits_test {

using policy::Instant;

constexpr std::string_view policies = R"(
  "quota": [ { "rule": "schedule", "algorithm": "quota" } ],
  "kueue": [ { "rule": "schedule", "algorithm": "kueue",
               "within_cluster_queue": "lower_priority" } ],
  "kueue_fair": [ { "rule": "schedule", "algorithm": "kueue_fair",
                    "within_cluster_queue": "lower_priority" } ],
  "kai": [ { "rule": "schedule", "algorithm": "kai" } ])";

/// Shares of one fleet of which some lend nothing, some lend, and some borrow up to a limit; who
/// gives machines back has time to save.
class RandomLimits : private DrawnText {
 public:
  explicit RandomLimits(std::uint64_t seed) : DrawnText{seed, 53} {
    std::string shares;
    std::string names;
    for (std::uint64_t left = between(2, 4); left > 0; --left) {
      const std::string comma = shares.empty() ? "" : ", ";
      names += Written{"{}\"s{}\"", comma, limits.size()}.text;
      shares += comma + share();
    }
    const std::string list = jobs();
    text =
        Written{
            "{{ \"reeve\": 1, \"name\": \"limits-{}\",\n"
            "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"30h\" }},\n"
            "\"prices\": {{ \"instances\": {{ \"t\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} "
            "}},\n\"platform\": {{ \"startup\": \"0s\", \"first_startup\": \"0s\", \"stop_grace\": "
            "\"{}s\" }},\n"
            "\"fleet\": [ {{ \"name\": \"p\", \"instance_type\": \"t\", \"capacity\": {}, "
            "\"market\": \"reserved\" }} ],\n"
            "\"shares\": [ {} ],\n\"queues\": [ {{ \"name\": \"q\", \"fleet\": \"p\", \"shares\": "
            "[ {} ] }} ],\n\"job_defaults\": {{ \"queue\": \"q\", \"checkpoint\": {{ \"every\": "
            "\"1m\", \"cost\": \"0s\" }} }},\n\"jobs\": [ {} ],\n\"policies\": {{ {} }} }}\n",
            seed_,
            between(30, 1200),
            machines,
            shares,
            names,
            list,
            policies}
            .text;
  }

  struct Limit {
    std::int64_t quota = 0;
    std::int64_t most = 0;
    bool lends = false;
  };
  std::vector<Limit> limits;          ///< of the shares
  std::vector<std::size_t> share_of;  ///< the jobs
  std::int64_t machines = 0;
  std::string text;

 private:
  std::string share() {
    Limit limit{.quota = static_cast<std::int64_t>(between(1, 6))};
    machines += limit.quota;
    limit.most = limit.quota;
    limit.lends = chance(0.7);
    std::string sharing = limit.lends ? "\"lend\"" : "\"reserve\"";
    if (limit.lends && chance(0.7)) {
      const auto pct = static_cast<std::int64_t>(between(0, 3)) * 50;
      limit.most = limit.quota * (100 + pct) / 100;
      sharing = Written{"\"lend_and_borrow\", \"borrow_limit_pct\": {}", pct}.text;
      if (chance(0.3)) {
        limit.most = std::numeric_limits<std::int64_t>::max();
        sharing = "\"lend_and_borrow\"";
      }
    }
    limits.push_back(limit);
    return Written{
        "{{ \"name\": \"s{}\", \"quota\": {{ \"p\": {} }}, \"sharing\": {}, "
        "\"in_share_preemption\": {} }}",
        limits.size() - 1, limit.quota, sharing, chance(0.8)}
        .text;
  }

  std::string jobs() {
    std::string list;
    const std::uint64_t count = between(5, 40);
    for (std::uint64_t number = 0; number < count; ++number) {
      const std::size_t share = between(0, limits.size() - 1);
      share_of.push_back(share);
      list +=
          Written{
              "{}{{ \"name\": \"j{}\", \"share\": \"s{}\", \"instances\": {}, \"priority\": {}, "
              "\"submit\": \"{}s\", \"work\": \"{}s\" }}",
              number == 0 ? "" : ",\n",
              number,
              share,
              between(1, static_cast<std::uint64_t>(limits[share].quota)),
              between(0, 3),
              between(0, 20'000),
              between(60, 10'000)}
              .text;
    }
    return list;
  }
};

/// Instances that jobs of each share have at the instant, those who leave too.
std::vector<std::int64_t> held_by_shares(const models::Record& record, const RandomLimits& world,
                                         Instant at) {
  std::vector<std::int64_t> held(world.limits.size());
  for (const models::AttemptRow& row : record.attempts) {
    if (!row.had_machines() || row.billed_from > at || row.end <= at) continue;
    const std::size_t job = std::stoul(record.jobs.name(row.job).substr(1));
    held[world.share_of[job]] += record.jobs.specs[row.job.index].instances;
  }
  return held;
}

class ShareLimits : public EachSeed {};

TEST_F(ShareLimits, HoldWhileOthersLeave) {
  std::size_t borrowed = 0;
  std::size_t preempted = 0;
  const auto check = [&](const models::Record& record, const RandomLimits& world,
                         bool keeps_reserves) {
    std::set<Instant> starts;
    for (const models::AttemptRow& row : record.attempts) {
      if (row.had_machines()) starts.insert(row.billed_from);
    }
    for (const Instant at : starts) {
      const auto held = held_by_shares(record, world, at);
      std::int64_t idle = world.machines;
      std::int64_t nobody_elses = 0;
      for (std::size_t share = 0; share < held.size(); ++share) {
        const RandomLimits::Limit& limit = world.limits[share];
        EXPECT_LE(held[share], limit.most) << "share " << share;
        if (held[share] > limit.quota) ++borrowed;
        idle -= held[share];
        if (!limit.lends) nobody_elses += limit.quota - held[share];
      }
      if (keeps_reserves) {
        EXPECT_GE(idle, nobody_elses);
      }
    }
  };
  each_seed([&](std::uint64_t seed) {
    const RandomLimits world{seed};
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("l.jsonc", world.text), ".").scenario;
    for (const scenarios::PolicySpec& policy : scenario.policies) {
      SCOPED_TRACE(policy.name);
      const auto result = experiments::run(scenario, policy, 0, {.keep = {.attempts = true}});
      preempted += result.record.preemptions.size();
      check(result.record, world, policy.name != "kai");  // there all lend
    }
  });
  EXPECT_GT(borrowed, 0u);
  EXPECT_GT(preempted, 0u) << "where nobody leaves limits are easily kept";
}

}  // namespace share_limits_test
}  // namespace reeve::tests
