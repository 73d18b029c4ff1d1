// Where shares lend and take back, and who gives machines back has time to save: owners wait for
// no longer than that, and nobody gets machines only to lose them to whom they were due.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"
#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace owners_test {

using policy::Instant;

enum Algorithm : std::size_t { quota, kueue, kai };
constexpr std::string_view policies = R"(
  "quota": [ { "rule": "schedule", "algorithm": "quota" } ],
  "kueue": [ { "rule": "schedule", "algorithm": "kueue", "reclaim_within_cohort": "any",
               "within_cluster_queue": "lower_priority" } ],
  "kai": [ { "rule": "schedule", "algorithm": "kai" } ])";

/// Shares that have all machines of one fleet between them, and lend and borrow.
class RandomOwners : private DrawnText {
 public:
  explicit RandomOwners(std::uint64_t seed) : DrawnText{seed, 31} {
    std::uint64_t machines = 0;
    std::string shares;
    std::string names;
    for (std::uint64_t left = between(2, 4); left > 0; --left) {
      quotas.push_back(between(1, 6));
      machines += quotas.back();
      const std::string comma = shares.empty() ? "" : ", ";
      shares +=
          Written{
              "{}{{ \"name\": \"s{}\", \"quota\": {{ \"p\": {} }}, \"sharing\": "
              "\"lend_and_borrow\", "
              "\"in_share_preemption\": {} }}",
              comma, quotas.size() - 1, quotas.back(), chance(0.5)}
              .text;
      names += Written{"{}\"s{}\"", comma, quotas.size() - 1}.text;
    }
    grace = std::chrono::seconds{between(30, 1200)};
    const std::string list = jobs();
    text =
        Written{
            "{{ \"reeve\": 1, \"name\": \"owners-{}\",\n"
            "\"clock\": {{ \"start\": \"2026-01-05T00:00:00Z\", \"horizon\": \"until_done\" }},\n"
            "\"prices\": {{ \"instances\": {{ \"t\": {{ \"usd_per_hour\": 30, \"gpus\": 8 }} }} "
            "}},\n"
            "\"platform\": {{ \"startup\": \"0s\", \"first_startup\": \"0s\", \"stop_grace\": "
            "\"{}s\" }},\n"
            "\"fleet\": [ {{ \"name\": \"p\", \"instance_type\": \"t\", \"capacity\": {}, "
            "\"market\": "
            "\"reserved\" }} ],\n"
            "\"shares\": [ {} ],\n\"queues\": [ {{ \"name\": \"q\", \"fleet\": \"p\", \"shares\": "
            "[ {} "
            "] }} ],\n\"job_defaults\": {{ \"queue\": \"q\", \"checkpoint\": {{ \"every\": \"1m\", "
            "\"cost\": \"0s\" }} }},\n\"jobs\": [ {} ],\n"
            "\"policies\": {{ {} }} }}\n",
            seed_,
            grace.count(),
            machines,
            shares,
            names,
            list,
            policies}
            .text;
  }

  std::vector<std::uint64_t> quotas;  ///< of the shares
  std::vector<std::size_t> share_of;  ///< the jobs
  std::chrono::seconds grace{0};
  std::string text;

  /// What a gang gives back beyond what was wanted is promised to others, who may have it before
  /// those whose machines come one after the other.
  std::chrono::seconds longest_wait() const { return gangs_ ? 2 * grace : grace; }

 private:
  std::string jobs() {
    std::string list;
    const std::uint64_t count = between(2, 40);
    for (std::uint64_t number = 0; number < count; ++number) {
      const std::size_t share = between(0, quotas.size() - 1);
      share_of.push_back(share);
      list +=
          Written{
              "{}{{ \"name\": \"j{}\", \"share\": \"s{}\", \"instances\": {}, \"priority\": {}, "
              "\"submit\": \"{}s\", \"work\": \"{}s\" }}",
              number == 0 ? "" : ",\n",
              number,
              share,
              gangs_ ? between(1, chance(0.5) ? 1 : quotas[share]) : 1,
              between(0, 3),
              between(0, 20'000),
              between(60, 10'000)}
              .text;
    }
    return list;
  }

  bool gangs_ = chance(0.5);
};

/// What was seen of a run: who waits, who has machines, and who is to give them back.
class Seen {
 public:
  Seen(const models::Record& record, const RandomOwners& world) : record_{record}, world_{world} {
    for (const models::PreemptionRow& row : record.preemptions) {
      leaves_[{row.job.index, row.attempt}] = row.at;
      instants_.insert(row.at);
    }
    for (const models::AttemptRow& row : record.attempts) {
      instants_.insert({row.requested, row.end});
      if (row.had_machines()) instants_.insert(row.billed_from);
    }
  }

  const std::set<Instant>& instants() const { return instants_; }
  Instant waits_until(const models::AttemptRow& row) const {
    return row.had_machines() ? row.billed_from : row.end;
  }
  /// Its attempt of that instant.
  const models::AttemptRow& attempt(policy::JobId job, Instant at) const {
    return *std::find_if(record_.attempts.begin(), record_.attempts.end(), [&](const auto& row) {
      return row.job == job && row.requested <= at && at <= row.end;
    });
  }
  /// Whether one that waits is within its share's quota, with all of it that have machines or stand
  /// before it.
  bool is_within(const models::AttemptRow& of, Instant at) const {
    std::uint64_t sum = 0;
    for (const models::AttemptRow& row : record_.attempts) {
      if (share(row.job) != share(of.job) || row.requested > at || row.end <= at) continue;
      const bool waits = at < waits_until(row);
      const auto leaves = leaves_.find({row.job.index, row.number});
      if (!waits && leaves != leaves_.end() && leaves->second <= at) continue;
      if (!waits || place(row.job) <= place(of.job)) sum += spec(row.job).instances;
    }
    return sum <= world_.quotas[share(of.job)];
  }
  /// Whether somebody of its share comes who stands before it.
  bool others_come_before(const models::AttemptRow& of, Instant at) const {
    return std::any_of(record_.attempts.begin(), record_.attempts.end(), [&](const auto& row) {
      return row.requested == at && share(row.job) == share(of.job) &&
             place(row.job) < place(of.job);
    });
  }

 private:
  const models::JobSpec& spec(policy::JobId job) const { return record_.jobs.specs[job.index]; }
  std::size_t share(policy::JobId job) const {
    return world_.share_of[std::stoul(record_.jobs.name(job).substr(1))];
  }
  std::tuple<std::int64_t, Instant, policy::JobId> place(policy::JobId job) const {
    return {-std::int64_t{spec(job).priority}, spec(job).submit, job};
  }

  const models::Record& record_;
  const RandomOwners& world_;
  std::map<std::pair<std::uint32_t, policy::AttemptNumber>, Instant> leaves_;
  std::set<Instant> instants_;
};

models::Record run(const RandomOwners& world, Algorithm algorithm) {
  const auto scenario =
      scenarios::load(scenarios::SourceFile::from_text("o.jsonc", world.text), ".").scenario;
  experiments::RunOptions options;
  options.keep = {.attempts = true};
  return experiments::run(scenario, scenario.policies.at(algorithm), 0, options).record;
}

class Owners : public EachSeed {};

TEST_F(Owners, WaitNoLongerThanOthersNeedToLeave) {
  std::size_t waited = 0;
  each_seed([&](std::uint64_t seed) {
    const RandomOwners world{seed};
    const models::Record record = run(world, quota);
    const Seen seen{record, world};
    for (const models::AttemptRow& row : record.attempts) {
      Instant since = row.requested;
      const Instant until = seen.waits_until(row);
      for (auto at = seen.instants().lower_bound(since); at != seen.instants().end(); ++at) {
        if (*at >= until) break;
        // What was promised to it is taken for them; it may have to be found anew.
        if (seen.others_come_before(row, *at)) since = *at;
        if (!seen.is_within(row, *at)) since = *std::next(at);
      }
      if (until > since) ++waited;
      EXPECT_LE(until - since, world.longest_wait()) << record.jobs.name(row.job);
    }
  });
  EXPECT_GT(waited, 0u);
}

/// Preemptions of one that had just started, for whom its machines were due to before that.
struct Preempted {
  std::size_t all = 0;
  std::size_t at_once = 0;

  void count(const RandomOwners& world, Algorithm algorithm) {
    const models::Record record = run(world, algorithm);
    const Seen seen{record, world};
    for (const models::PreemptionRow& row : record.preemptions) {
      ++all;
      const Instant start = seen.attempt(row.job, row.at).billed_from;
      const Instant before = *std::prev(seen.instants().lower_bound(start));
      const models::AttemptRow& to = seen.attempt(row.to, row.at);
      if (to.requested > before || !seen.is_within(to, before)) continue;
      if (row.at - start < std::chrono::seconds{1}) ++at_once;
    }
  }
};

TEST_F(Owners, TakeNothingFromWhoHasJustGotIt) {
  Preempted preempted;
  each_seed([&](std::uint64_t seed) {
    preempted.count(RandomOwners{seed}, quota);
    EXPECT_EQ(preempted.at_once, 0u);
  });
  EXPECT_GT(preempted.all, 0u);
}

/// Where others than owners come first, machines may be due to one after the other.
TEST_F(Owners, TakeHardlyAnythingFromWhoHasJustGotItWhereOthersGoFirst) {
  for (const Algorithm algorithm : {kueue, kai}) {
    Preempted preempted;
    each_seed([&](std::uint64_t seed) { preempted.count(RandomOwners{seed}, algorithm); });
    EXPECT_LE(preempted.at_once, preempted.all / 200 + 1) << algorithm;
  }
}

}  // namespace owners_test
}  // namespace reeve::tests
