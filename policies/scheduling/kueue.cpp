#include "kueue.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "desk.hpp"
#include "kueue_cohort.hpp"
#include "shared_pools.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// In cycles, until one starts nobody: each share nominates one job, whose targets are chosen as if
/// it were alone; then the nominated get their machines in turn, unless one before took what they
/// counted on.
class Kueue final : public SharedPools {
 public:
  explicit Kueue(KueueModel model) : model_{std::move(model)} {}

 private:
  /// A job that its share nominated.
  struct Nominated {
    Wish wish;
    Waiting place;
    std::vector<Target> targets = {};
    bool borrows = false;
    bool blocked = false;  ///< it neither fits nor finds anybody to preempt
  };

  void plan(Pool& pool, PoolId id, Desk& desk) override {
    targets_of_pool(id).resize(pool.lines.size());
    learn_terms(pool, id, desk);
    while (cycle(pool, id, desk)) continue;
  }
  void list(JobId job) override {
    auto& targets = targets_of_pool(row(job).pool);
    if (targets.size() <= row(job).share) targets.resize(std::size_t{row(job).share} + 1);
    targets[row(job).share].insert(target(job));
  }
  void unlist(JobId job) override {
    targets_of_pool(row(job).pool)[row(job).share].erase(target(job));
  }

  Targets& targets_of_pool(PoolId id) {
    if (id.index >= targets_.size()) targets_.resize(std::size_t{id.index} + 1);
    return targets_[id.index];
  }
  Target target(JobId job) const {
    const Row& of = row(job);
    return {of.priority, of.since, job, of.share, of.instances, submitted(of.place)};
  }
  static Instant submitted(const Waiting& place) { return Instant{Duration{place.second}}; }

  void learn_terms(const Pool& pool, PoolId id, const Desk& desk);
  Part value_elsewhere(std::size_t share, PoolId here, const Desk& desk) const;

  bool cycle(Pool& pool, PoolId id, Desk& desk);
  std::optional<Nominated> nominated(const Line& line, Cohort& cohort, const Targets& targets);
  Nominated nominate(const Waiting& place, Cohort& cohort, const Targets& targets) const;
  std::vector<Nominated>::iterator next(std::vector<Nominated>& of, const Cohort& cohort) const;
  void reserve(const Nominated& blocked, Cohort& cohort) const;
  bool admit(const Nominated& nominated, Cohort& cohort) const;

  KueueModel model_;
  std::vector<CohortTerms> terms_;  ///< of the pool that is planned
  std::vector<Waiting> heads_;      ///< of the line that is looked at
  std::vector<Targets> targets_;    ///< by pool
};

/// Those who stand in no share have what no quota covers, and neither lend nor borrow.
CohortTerms terms_of(const ShareFacts& facts, std::int64_t quota) {
  CohortTerms terms;
  terms.nominal = quota;
  terms.own = facts.sharing == Sharing::reserve ? quota : 0;
  terms.most = quota;
  terms.weight = facts.weight;
  if (facts.sharing == Sharing::lend_and_borrow) {
    const std::int64_t pct = facts.borrow_limit_pct;
    terms.most = pct < 0 ? CohortTerms::unlimited : quota * (100 + pct) / 100;
  }
  return terms;
}

void Kueue::learn_terms(const Pool& pool, PoolId id, const Desk& desk) {
  const std::vector<ShareFacts>& shares = desk.fleet().directory().shares;
  terms_.clear();
  std::int64_t left_over = desk.capacity(id);
  for (std::uint32_t share = 0; share + 1 < pool.lines.size(); ++share) {
    const std::int64_t quota = desk.fleet().quota({share}, id);
    terms_.push_back(terms_of(shares[share], quota));
    if (model_.fair) terms_.back().elsewhere = value_elsewhere(share, id, desk);
    left_over -= quota;
  }
  terms_.push_back(terms_of({}, std::max<std::int64_t>(left_over, 0)));
}

Part Kueue::value_elsewhere(std::size_t share, PoolId here, const Desk& desk) const {
  const std::vector<ShareFacts>& shares = desk.fleet().directory().shares;
  Part most;
  for (std::uint32_t other = 0; other < pools().size(); ++other) {
    const std::vector<Line>& lines = pools()[other].lines;
    if (other == here.index || lines.empty()) continue;
    std::vector<CohortTerms> terms;
    for (std::uint32_t each = 0; each < shares.size(); ++each) {
      terms.push_back(terms_of(shares[each], desk.fleet().quota({each}, {other})));
    }
    Cohort cohort{terms, 0};
    cohort.count(share, lines[share].used);
    const Part value = cohort.value(share);
    if (most < value) most = value;
  }
  return most;
}

bool Kueue::cycle(Pool& pool, PoolId id, Desk& desk) {
  Cohort cohort{terms_, free(pool, id, desk)};
  for (std::size_t share = 0; share < pool.lines.size(); ++share) {
    cohort.count(share, pool.lines[share].used);
  }
  std::vector<Nominated> all;
  for (const Line& line : pool.lines) {
    auto one = nominated(line, cohort, targets_[id.index]);
    if (one) all.push_back(std::move(*one));
  }
  bool started = false;
  while (!all.empty()) {
    const auto turn = next(all, cohort);
    const Nominated one = std::move(*turn);
    all.erase(turn);
    if (one.blocked) {
      reserve(one, cohort);
    } else if (admit(one, cohort)) {
      std::vector<JobId> victims;
      for (const Target& each : one.targets) victims.push_back(each.job);
      grant(pool, id, one.place.job, victims, desk);
      started = true;
    }
  }
  return started;
}

/// StrictFIFO: the first in line.  BestEffortFIFO: the first that can start; Kueue tries one in
/// each cycle, here that takes no time.  Of each size only the first is looked at: who has a lower
/// priority, or came later, may preempt nobody whom it may not.
std::optional<Kueue::Nominated> Kueue::nominated(const Line& line, Cohort& cohort,
                                                 const Targets& targets) {
  heads_.clear();
  for (const auto& [size, waiting] : line.waiting) heads_.push_back(*waiting.begin());
  std::sort(heads_.begin(), heads_.end());
  for (const Waiting& place : heads_) {
    Nominated one = nominate(place, cohort, targets);
    if (!one.blocked) return one;
    if (!model_.strict) continue;
    if (may_preempt(model_, cohort, one.wish)) return one;
    break;
  }
  return std::nullopt;
}

Kueue::Nominated Kueue::nominate(const Waiting& place, Cohort& cohort,
                                 const Targets& targets) const {
  const Row& of = row(place.job);
  Nominated one{.wish = {of.share, of.instances, of.priority, submitted(place)}, .place = place};
  std::int64_t with = of.instances;
  if (!cohort.fits(of.share, of.instances)) {
    one.targets = targets_of(model_, cohort, one.wish, targets);
    one.blocked = one.targets.empty();
    for (const Target& each : one.targets) {
      if (each.share == of.share) with -= each.instances;
    }
  }
  one.borrows = cohort.borrows(of.share, with);
  return one;
}

/// Classic: who borrows goes last, then the highest priority, then the earliest submission.  Fair
/// sharing: the share that is to have the lowest value with what it nominated.
std::vector<Kueue::Nominated>::iterator Kueue::next(std::vector<Nominated>& of,
                                                    const Cohort& cohort) const {
  return std::min_element(of.begin(), of.end(), [&](const Nominated& a, const Nominated& b) {
    if (model_.fair) {
      const Part value_a = cohort.value(a.wish.share, a.wish.instances);
      const Part value_b = cohort.value(b.wish.share, b.wish.instances);
      if (value_a < value_b) return true;
      if (value_b < value_a) return false;
    } else if (a.borrows != b.borrows) {
      return b.borrows;
    }
    return a.place < b.place;
  });
}

/// Nobody may borrow from under the first in line what it could not take back.
void Kueue::reserve(const Nominated& blocked, Cohort& cohort) const {
  if (model_.reclaim == Reclaim::any) return;
  const CohortTerms& terms = cohort.terms(blocked.wish.share);
  const std::int64_t most = blocked.borrows ? terms.most : terms.nominal;
  const std::int64_t room = most - cohort.used(blocked.wish.share);
  cohort.count(blocked.wish.share, std::clamp<std::int64_t>(room, 0, blocked.wish.instances));
}

/// Whether it still fits, and nobody else has preempted its targets.
bool Kueue::admit(const Nominated& nominated, Cohort& cohort) const {
  Cohort after = cohort;
  for (const Target& each : nominated.targets) {
    if (row(each.job).state != State::has) return false;
    after.give_back(each.share, each.instances);
  }
  if (!after.fits(nominated.wish.share, nominated.wish.instances)) return false;
  after.take(nominated.wish.share, nominated.wish.instances);
  cohort = after;
  return true;
}

}  // namespace

std::unique_ptr<Algorithm> kueue(KueueModel model) {
  return std::make_unique<Kueue>(std::move(model));
}

}  // namespace reeve::policies
