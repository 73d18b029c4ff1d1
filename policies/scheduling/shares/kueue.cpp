#include "kueue.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "kueue_cohort.hpp"
#include "shared_pools.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Works in cycles until one starts no job.  Each share nominates one job, whose targets are chosen
/// as if it were alone.  Then the nominated jobs get their instances in turn, unless an earlier one
/// took what they counted on.
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
    Part value = {};       ///< that its share is to have with it, where shares go by that
  };

  /// What is known of one pool.
  struct Terms {
    Targets targets = {};
    Targets promised = {};  ///< of those, who has no machines yet
    std::vector<CohortTerms> shares = {};
  };

  bool compares_pools() const override { return model_.fair; }
  bool orders_across_pools() const override { return model_.strict; }
  void learn(const Pool& pool, PoolId id, const Turn& turn) override;
  void plan(Pool& pool, PoolId id, Turn& turn) override {
    if (model_.fair) learn_values_elsewhere(id, turn);
    while (cycle(pool, id, turn)) continue;
  }
  BorrowLimit limit(PoolId id, std::uint32_t share) const override {
    return terms_[id.index].shares[share].limit;
  }
  std::int64_t own(PoolId id, std::uint32_t share) const override {
    return terms_[id.index].shares[share].own;
  }
  bool may_help(const Pool& pool, const Row& row) const override;
  void list(JobId job) override {
    targets(job, &Terms::targets).insert(target(job));
    if (is_promised(job)) targets(job, &Terms::promised).insert(target(job));
  }
  void unlist(JobId job) override {
    targets(job, &Terms::targets).erase(target(job));
    if (is_promised(job)) targets(job, &Terms::promised).erase(target(job));
  }

  Terms& terms_of_pool(PoolId id) {
    if (id.index >= terms_.size()) terms_.resize(std::size_t{id.index} + 1);
    return terms_[id.index];
  }
  TargetLine& targets(JobId job, Targets Terms::*of) {
    Targets& all = terms_of_pool(row(job).pool).*of;
    if (all.size() <= row(job).share) all.resize(std::size_t{row(job).share} + 1);
    return all[row(job).share];
  }
  Target target(JobId job) const {
    const Row& of = row(job);
    return {of.priority, of.since, job, of.share, of.instances, submitted(of.place)};
  }
  static Instant submitted(const Waiting& place) { return Instant{Duration{place.second}}; }

  void learn_values_elsewhere(PoolId here, const Turn& turn);

  bool cycle(Pool& pool, PoolId id, Turn& turn);
  std::optional<Nominated> nominated(const Line& line, std::size_t share, Cohort& cohort,
                                     const Terms& terms);
  bool is_head(const Waiting& first, std::size_t share) const;
  Nominated nominate(const Waiting& place, Cohort& cohort, const Terms& terms) const;
  using Entry = std::vector<Nominated>::iterator;
  void sort_entries(Entry first, Entry end, const Cohort& cohort) const;
  void reserve(const Nominated& blocked, Cohort& cohort) const;
  bool admit(const Nominated& nominated, Cohort& cohort) const;

  KueueModel model_;
  std::vector<Waiting> heads_;  ///< of the line that is looked at
  std::vector<Terms> terms_;    ///< by pool
};

/// Those who stand in no share have what no quota covers, and neither lend nor borrow.
CohortTerms terms_of(const ShareFacts& facts, std::int64_t quota) {
  CohortTerms terms;
  terms.nominal = quota;
  terms.own = facts.sharing == Sharing::reserve ? quota : 0;
  terms.limit = BorrowLimit{quota, facts.sharing, facts};
  terms.weight = facts.weight;
  return terms;
}

void Kueue::learn(const Pool& pool, PoolId id, const Turn& turn) {
  const std::vector<ShareFacts>& shares = turn.fleet.directory().shares;
  Terms& terms = terms_of_pool(id);
  terms.targets.resize(pool.lines.size());
  terms.promised.resize(pool.lines.size());
  terms.shares.clear();
  for (std::uint32_t share = 0; share + 1 < pool.lines.size(); ++share) {
    const std::int64_t quota = turn.quota({share}, id);
    terms.shares.push_back(terms_of(shares[share], quota));
  }
  terms.shares.push_back(terms_of({}, turn.uncovered(id)));
}

void Kueue::learn_values_elsewhere(PoolId here, const Turn& turn) {
  for (CohortTerms& share : terms_[here.index].shares) share.elsewhere = {};
  for (std::uint32_t other = 0; other < pools().size(); ++other) {
    const Pool& pool = pools()[other];
    if (other == here.index || pool.lines.empty()) continue;
    if (!pool.learned) learn(pool, {other}, turn);
    Cohort cohort{terms_[other].shares, 0};
    for (std::size_t share = 0; share < pool.lines.size(); ++share) {
      cohort.count(share, pool.lines[share].used);
      Part& most = terms_[here.index].shares[share].elsewhere;
      const Part value = cohort.value_here(share);
      if (most < value) most = value;
    }
  }
}

bool Kueue::may_help(const Pool& pool, const Row& row) const {
  const std::vector<CohortTerms>& terms = terms_[row.pool.index].shares;
  const bool borrows =
      row.share >= terms.size() || pool.lines[row.share].used > terms[row.share].nominal;
  if (borrows && model_.reclaim != Reclaim::none) return true;
  if (model_.within == WithinShare::none) return false;
  const auto& waiting = pool.lines[row.share].waiting;
  return std::any_of(waiting.begin(), waiting.end(), [&](const auto& size) {
    const std::int64_t priority = -size.second.begin()->first;
    return priority > row.priority ||
           (priority == row.priority && model_.within == WithinShare::lower_or_newer);
  });
}

bool Kueue::cycle(Pool& pool, PoolId id, Turn& turn) {
  Cohort cohort{terms_[id.index].shares, free(pool, id, turn)};
  for (std::size_t share = 0; share < pool.lines.size(); ++share) {
    cohort.count(share, pool.lines[share].used);
  }
  std::vector<Nominated> all;
  for (std::size_t share = 0; share < pool.lines.size(); ++share) {
    auto one = nominated(pool.lines[share], share, cohort, terms_[id.index]);
    if (one) all.push_back(std::move(*one));
  }
  bool started = false;
  sort_entries(all.begin(), all.end(), cohort);
  for (auto entry = all.begin(); entry != all.end(); ++entry) {
    if (entry->blocked) {
      reserve(*entry, cohort);
    } else if (admit(*entry, cohort)) {
      std::vector<JobId> victims;
      for (const Target& each : entry->targets) victims.push_back(each.job);
      grant(pool, id, entry->place.job, victims, turn);
      started = true;
      // What its own share holds now matters only to that share; lost instances change values.
      if (model_.fair && !victims.empty()) sort_entries(entry + 1, all.end(), cohort);
    }
  }
  return started;
}

/// Whether no job of the share is ahead of this one, in any pool.
bool Kueue::is_head(const Waiting& first, std::size_t share) const {
  return std::none_of(pools().begin(), pools().end(), [&](const Pool& pool) {
    // Jobs of no share are of several queues: they block their own pool alone.
    if (share + 1 >= pool.lines.size()) return false;
    const auto& waiting = pool.lines[share].waiting;
    return std::any_of(waiting.begin(), waiting.end(),
                       [&](const auto& size) { return *size.second.begin() < first; });
  });
}

/// StrictFIFO: the head of the whole queue.  BestEffortFIFO: the first that can start; Kueue tries
/// one in each cycle, here that takes no time.  Of each size only the first job is considered: one
/// with a lower priority or a later submission may preempt no job that the first may not.
std::optional<Kueue::Nominated> Kueue::nominated(const Line& line, std::size_t share,
                                                 Cohort& cohort, const Terms& terms) {
  heads_.clear();
  for (const auto& [size, waiting] : line.waiting) heads_.push_back(*waiting.begin());
  std::sort(heads_.begin(), heads_.end());
  if (model_.strict && !heads_.empty() && !is_head(heads_.front(), share)) return std::nullopt;
  for (const Waiting& place : heads_) {
    Nominated one = nominate(place, cohort, terms);
    if (!one.blocked) return one;
    if (!model_.strict) continue;
    if (may_preempt(model_, cohort, one.wish)) return one;
    break;
  }
  return std::nullopt;
}

Kueue::Nominated Kueue::nominate(const Waiting& place, Cohort& cohort, const Terms& terms) const {
  const Row& of = row(place.job);
  Nominated one{.wish = {of.share, of.instances, of.priority, submitted(place)}, .place = place};
  std::int64_t with = of.instances;
  if (!cohort.fits(of.share, of.instances)) {
    // Nothing is lost with what is only promised.
    one.targets = targets_of(model_, cohort, one.wish, terms.promised);
    if (one.targets.empty()) one.targets = targets_of(model_, cohort, one.wish, terms.targets);
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
void Kueue::sort_entries(Entry first, Entry end, const Cohort& cohort) const {
  for (auto entry = first; model_.fair && entry != end; ++entry) {
    entry->value = cohort.value(entry->wish.share, entry->wish.instances);
  }
  std::sort(first, end, [&](const Nominated& a, const Nominated& b) {
    if (model_.fair) {
      if (a.value < b.value) return true;
      if (b.value < a.value) return false;
    } else if (a.borrows != b.borrows) {
      return b.borrows;
    }
    return a.place < b.place;
  });
}

/// No job may borrow what the head of the queue could not reclaim.
void Kueue::reserve(const Nominated& blocked, Cohort& cohort) const {
  if (model_.reclaim == Reclaim::any) return;
  const CohortTerms& terms = cohort.terms(blocked.wish.share);
  const std::int64_t most = blocked.borrows ? terms.limit.most() : terms.nominal;
  const std::int64_t room = most - cohort.used(blocked.wish.share);
  cohort.count(blocked.wish.share, std::clamp<std::int64_t>(room, 0, blocked.wish.instances));
}

/// Whether it still fits, and no other job has preempted its targets.
bool Kueue::admit(const Nominated& nominated, Cohort& cohort) const {
  const auto is_there = [&](const Target& each) { return row(each.job).listed; };
  if (!std::all_of(nominated.targets.begin(), nominated.targets.end(), is_there)) return false;
  for (const Target& each : nominated.targets) cohort.give_back(each.share, each.instances);
  const bool fits = cohort.fits(nominated.wish.share, nominated.wish.instances);
  if (fits) {
    cohort.take(nominated.wish.share, nominated.wish.instances);
  } else {
    for (const Target& each : nominated.targets) cohort.take(each.share, each.instances);
  }
  return fits;
}

}  // namespace

std::unique_ptr<Algorithm> kueue(KueueModel model) {
  return std::make_unique<Kueue>(std::move(model));
}

}  // namespace reeve::policies
