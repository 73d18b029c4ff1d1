// A fleet of shares under the rule `schedule`: what is submitted, what starts, who is preempted.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {

inline constexpr PoolId kPool{0};
using Jobs = std::vector<std::uint32_t>;

/// A fleet that does at once what the rule asks for, and tells in the next step.
class ShareStory {
 public:
  ShareStory(std::uint32_t machines, const std::string& options) : bench{"schedule", options} {
    bench.directory.queues.push_back({.name = "queue"});
    later.push_back(CapacityChanged{kPool, machines});
  }

  ShareId share(std::uint32_t quota, Sharing sharing = Sharing::lend_and_borrow,
                bool in_share = false, std::int32_t borrow_pct = borrow_without_limit) {
    const ShareId id{static_cast<std::uint32_t>(bench.directory.shares.size())};
    ShareFacts facts;
    facts.name = "share";
    facts.sharing = sharing;
    facts.borrow_limit_pct = borrow_pct;
    facts.in_share_preemption = in_share;
    bench.directory.shares.push_back(facts);
    later.push_back(QuotaChanged{id, kPool, quota});
    return id;
  }

  /// Submitted with the next step.
  JobId job(ShareId of, std::int32_t priority, std::uint32_t instances, Duration submit = 0s,
            bool keeps = false, PoolId pool = kPool) {
    const JobId id{static_cast<std::uint32_t>(jobs.size())};
    JobDescription description;
    description.instances = instances;
    description.pool = pool;
    description.priority = priority;
    description.submitted_at = kStart + submit;
    JobTerms terms;
    terms.queue = QueueId{0};
    terms.share = of;
    terms.keeps_machines = keeps;
    description.terms = bench.directory.intern(terms).value_or(0);
    jobs.push_back({description});
    later.push_back(submitted(id, 1, description));
    return id;
  }

  void ends(JobId id) {
    Known& known = jobs[id.index];
    running.erase(id.index);
    later.push_back(changed(id, 9, Secondary::completed, known.attempt));
  }

  /// Until nothing more happens at that instant.
  void at(Duration now, std::vector<Fact> facts = {}) {
    facts.insert(facts.begin(), later.begin(), later.end());
    later.clear();
    for (int turn = 0; turn == 0 || !facts.empty(); ++turn) {
      ASSERT_LT(turn, 20) << "it never comes to rest";
      const Wishes wishes = bench.at(now, std::exchange(facts, {}));
      for (const PreemptJob& verb : wishes.all<PreemptJob>()) preempt(verb, facts);
      for (const StartJob& verb : wishes.all<StartJob>()) start(verb, facts);
    }
  }

  std::uint32_t used(ShareId of) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t id : running) {
      const JobDescription& description = jobs[id].description;
      if (bench.directory.terms[description.terms].share == of) sum += description.instances;
    }
    return sum;
  }
  bool runs(JobId id) const { return running.count(id.index) == 1; }

  struct Known {
    JobDescription description;
    AttemptNumber attempt = 1;
  };
  RuleBench bench;
  std::vector<Known> jobs;
  std::vector<Fact> later;
  std::set<std::uint32_t> running;
  std::vector<PreemptJob> preempted;
  bool refuses = false;  ///< to preempt
  bool drains = false;   ///< who is preempted keeps its machines until `gone`
  bool requeues = true;

  void gone(JobId id, std::vector<Fact>& facts) {
    Known& known = jobs[id.index];
    running.erase(id.index);
    facts.push_back(changed(id, 9, Secondary::stopped, known.attempt));
    if (!requeues) return;
    ++known.attempt;
    facts.push_back(submitted(id, known.attempt, known.description, Origin::queue));
  }

 private:
  void preempt(const PreemptJob& verb, std::vector<Fact>& facts) {
    EXPECT_EQ(running.count(verb.job.index), 1U);
    EXPECT_EQ(verb.attempt, jobs[verb.job.index].attempt);
    preempted.push_back(verb);
    const Outcome outcome = refuses ? Outcome::refused : Outcome::done;
    facts.push_back(settled(verb.job, VerbKind::preempt_job, outcome, kOwnSeat, verb.attempt));
    if (!refuses && !drains) gone(verb.job, facts);
  }
  void start(const StartJob& verb, std::vector<Fact>& facts) {
    EXPECT_TRUE(running.insert(verb.job.index).second) << verb.job.index;
    const PoolId pool = jobs[verb.job.index].description.pool;
    std::uint32_t all = 0;
    for (const std::uint32_t id : running) {
      if (jobs[id].description.pool == pool) all += jobs[id].description.instances;
    }
    EXPECT_LE(all, bench.fleet.capacity(pool));
    facts.push_back(changed(verb.job, 1, Secondary::training, verb.attempt));
  }
};

/// Whom it preempted, each as often.
inline Jobs victims(const ShareStory& story) {
  Jobs jobs;
  for (const PreemptJob& verb : story.preempted) jobs.push_back(verb.job.index);
  std::sort(jobs.begin(), jobs.end());
  return jobs;
}

}  // namespace reeve::policies
