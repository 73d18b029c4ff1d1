#include "kai.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "borrow_limit.hpp"
#include "fair_shares.hpp"
#include "part.hpp"
#include "shared_pools.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

class Kai final : public SharedPools {
 private:
  /// Of one share in one pool.
  struct Terms {
    std::int64_t deserves = 0;  ///< its quota: never reclaimed
    BorrowLimit limit;
    std::uint32_t weight = weight_one;
    std::int64_t fair = 0;            ///< its fair share, as of the plan that is made
    std::set<Waiting> holders = {};   ///< that may be preempted now
    std::set<Waiting> promised = {};  ///< of those, who has no machines yet
  };

  void learn(const Pool& pool, PoolId id, const Turn& turn) override;
  bool counts_all() const override { return true; }
  BorrowLimit limit(PoolId id, std::uint32_t share) const override {
    return terms_[id.index][share].limit;
  }
  /// What a share does not use is for all, until it reclaims that.
  std::int64_t own(PoolId, std::uint32_t) const override { return 0; }
  bool may_help(const Pool& pool, const Row& row) const override;
  void list(JobId job) override {
    Terms& terms = terms_of(row(job));
    terms.holders.insert(row(job).place);
    if (is_promised(job)) terms.promised.insert(row(job).place);
  }
  void unlist(JobId job) override {
    Terms& terms = terms_of(row(job));
    terms.holders.erase(row(job).place);
    if (is_promised(job)) terms.promised.erase(row(job).place);
  }
  void plan(Pool& pool, PoolId id, Turn& turn) override;

  std::vector<Terms>& terms_of_pool(PoolId id) {
    if (id.index >= terms_.size()) terms_.resize(std::size_t{id.index} + 1);
    return terms_[id.index];
  }
  Terms& terms_of(const Row& of) {
    std::vector<Terms>& all = terms_of_pool(of.pool);
    if (of.share >= all.size()) all.resize(std::size_t{of.share} + 1);
    return all[of.share];
  }

  void divide(const Pool& pool, PoolId id, const Turn& turn);
  /// Whether a share that uses so much might give any of it to another one.
  static bool is_above(const Terms& terms, std::int64_t used) {
    return used > terms.fair || used > terms.deserves;
  }
  bool any_gives(const Pool& pool, PoolId id) const;
  bool goes_before(const Pool& pool, JobId a, JobId b) const;
  bool is_before(const Pool& pool, JobId job, std::optional<JobId> other) const;
  bool may_have(const Pool& pool, JobId job) const;
  bool let_one_in(Pool& pool, PoolId id, Turn& turn);
  std::optional<JobId> next_that_fits(const Pool& pool, PoolId id, const Turn& turn) const;
  template <class May>
  std::vector<JobId> in_turn(const Pool& pool, const May& may) const;
  bool may_reclaim(const Pool& pool, JobId job) const;
  bool may_preempt(const Pool& pool, JobId job) const;
  bool reclaim(Pool& pool, PoolId id, std::optional<JobId> before, Turn& turn);
  bool preempt(Pool& pool, PoolId id, std::optional<JobId> before, Turn& turn);
  bool may_give(const Pool& pool, const std::vector<std::int64_t>& used, std::size_t share,
                const Row& to) const;
  using Holders = std::set<Waiting> Terms::*;
  std::vector<JobId> of_others(const Pool& pool, const Row& to, std::int64_t lacks,
                               Holders holders) const;
  std::vector<JobId> of_its_own(const Row& to, std::int64_t lacks, Holders holders) const;
  std::vector<JobId> needed(const std::vector<JobId>& chosen, std::int64_t lacks) const;

  /// What a job may have without taking it from anybody of its own section: nothing that other
  /// sections' shares count on, unless it makes up what its share, and all here together, deserve.
  std::int64_t room_for(const Pool& pool, JobId job, const Turn& turn) const;

  std::vector<std::vector<Terms>> terms_;  ///< by pool, then by share
  std::vector<KeptForOthers> kept_;        ///< by pool: for shares of other sections
};

/// Jobs of no share deserve what no quota covers, and no more.  Quotas may sum to more than the
/// capacity: then the shares that come first have theirs.
void Kai::learn(const Pool& pool, PoolId id, const Turn& turn) {
  const std::vector<ShareFacts>& shares = turn.fleet.directory().shares;
  std::vector<Terms>& all = terms_of_pool(id);
  all.resize(pool.lines.size());
  if (id.index >= kept_.size()) kept_.resize(std::size_t{id.index} + 1);
  kept_[id.index] = turn.kept_for_others(id);
  for (std::uint32_t share = 0; share + 1 < pool.lines.size(); ++share) {
    Terms& terms = all[share];
    terms.deserves = turn.quota({share}, id);
    terms.limit = BorrowLimit{terms.deserves, shares[share].sharing, shares[share]};
    terms.weight = shares[share].weight;
  }
  all.back().deserves = turn.uncovered(id);
  all.back().limit = BorrowLimit{all.back().deserves};
}

/// Admits one job after the other, until none can be admitted.
void Kai::plan(Pool& pool, PoolId id, Turn& turn) {
  divide(pool, id, turn);
  while (let_one_in(pool, id, turn)) continue;
}

/// Tries a job that reclaims instances of other shares, then one that preempts lower priorities of
/// its share, then one that fits.  Jobs ahead of the next one that fits try first: else they would
/// preempt it a moment after its start.
bool Kai::let_one_in(Pool& pool, PoolId id, Turn& turn) {
  const std::optional<JobId> next = next_that_fits(pool, id, turn);
  if (reclaim(pool, id, next, turn) || preempt(pool, id, next, turn)) return true;
  if (next) grant(pool, id, *next, {}, turn);
  return next.has_value();
}

/// Starts do not change it: a share wants what it holds and what is pending.
void Kai::divide(const Pool& pool, PoolId id, const Turn& turn) {
  std::vector<Terms>& all = terms_of_pool(id);
  std::vector<Claim> claims;
  std::int64_t deserved = 0;
  for (std::size_t share = 0; share < all.size(); ++share) {
    const Line& line = pool.lines[share];
    std::int64_t wants = line.used;
    for (const auto& [kind, waiting] : line.waiting) {
      wants += static_cast<std::int64_t>(waiting.size()) * kind.instances;
    }
    claims.push_back(
        {all[share].deserves, std::min(wants, all[share].limit.most()), all[share].weight});
    deserved += std::min(wants, all[share].deserves);
  }
  const std::int64_t own = std::min(turn.own_and_free(id), deserved);
  const auto fair = fair_shares(claims, std::max(turn.own_and_free(id, kept_[id.index]), own));
  for (std::size_t share = 0; share < all.size(); ++share) all[share].fair = fair[share];
}

/// To another share it is one to take machines from, or to one of its own that goes before it.
bool Kai::may_help(const Pool& pool, const Row& row) const {
  const std::vector<Terms>& all = terms_[row.pool.index];
  const Line& own = pool.lines[row.share];
  if (is_above(all[row.share], own.used)) {
    return std::any_of(pool.lines.begin(), pool.lines.end(),
                       [](const Line& line) { return !line.waiting.empty(); });
  }
  return std::any_of(own.waiting.begin(), own.waiting.end(),
                     [&](const auto& kind) { return -kind.second.begin()->first > row.priority; });
}

/// By its share: those not above their fair share first, then those that with it have no more than
/// they deserve, then that which with it has the least part of what it may count on.
bool Kai::goes_before(const Pool& pool, JobId a, JobId b) const {
  const auto place = [&](JobId job) {
    const Row& of = row(job);
    const Terms& terms = terms_[of.pool.index][of.share];
    const std::int64_t used = pool.lines[of.share].used;
    const std::int64_t counts_on = std::max(terms.deserves, terms.fair);
    const std::int64_t whole = std::max<std::int64_t>(counts_on, 1);
    return std::tuple{used > terms.fair, used + of.instances > terms.deserves,
                      counts_on == 0,    Part{used + of.instances, whole},
                      Part{used, whole}, counts_on,
                      of.share};
  };
  return place(a) < place(b);
}

/// Whether it is ahead of the other job; every job is ahead of none.
bool Kai::is_before(const Pool& pool, JobId job, std::optional<JobId> other) const {
  if (!other) return true;
  if (row(job).share == row(*other).share) return row(job).place < row(*other).place;
  return goes_before(pool, job, *other);
}

/// Within its limit; and jobs that are not preemptible within what the share deserves.
bool Kai::may_have(const Pool& pool, JobId job) const {
  const Row& of = row(job);
  const Line& line = pool.lines[of.share];
  const Terms& terms = terms_[of.pool.index][of.share];
  if (!terms.limit.allows(line.used + of.instances)) return false;
  return of.may_stop || line.kept + of.instances <= terms.deserves;
}

std::int64_t Kai::room_for(const Pool& pool, JobId job, const Turn& turn) const {
  const Row& of = row(job);
  const std::vector<Terms>& all = terms_[of.pool.index];
  const std::int64_t room = free_but(kept_[of.pool.index], pool, of.pool, turn);
  if (pool.lines[of.share].used + of.instances > all[of.share].deserves) return room;
  std::int64_t own = 0;
  for (std::size_t share = 0; share < all.size(); ++share) {
    own += all[share].deserves - pool.lines[share].used;
  }
  return std::max(room, std::min(free(pool, of.pool, turn), own));
}

/// The first of the share whose turn it is that fits.
std::optional<JobId> Kai::next_that_fits(const Pool& pool, PoolId id, const Turn& turn) const {
  const std::int64_t room = free(pool, id, turn);
  std::optional<JobId> best;
  for (const Line& line : pool.lines) {
    const Waiting* first = nullptr;
    for (const auto& [kind, waiting] : line.waiting) {
      if (kind.instances > room) break;
      const Waiting& place = *waiting.begin();
      if (first != nullptr && *first < place) continue;
      if (!may_have(pool, place.job)) continue;
      if (kind.instances <= room_for(pool, place.job, turn)) first = &place;
    }
    if (first == nullptr) continue;
    if (!best || goes_before(pool, first->job, *best)) best = first->job;
  }
  return best;
}

/// Those that `may` of the first of each kind of each share, in turn by the first of the share.
template <class May>
std::vector<JobId> Kai::in_turn(const Pool& pool, const May& may) const {
  struct ShareJobs {
    JobId first;
    std::vector<Waiting> jobs = {};
  };
  std::vector<ShareJobs> shares;
  for (const Line& line : pool.lines) {
    std::vector<Waiting> jobs;
    const Waiting* first = nullptr;
    for (const auto& [kind, waiting] : line.waiting) {
      const Waiting& place = *waiting.begin();
      if (first == nullptr || place < *first) first = &place;
      if (may(place.job)) jobs.push_back(place);
    }
    if (jobs.empty()) continue;
    std::sort(jobs.begin(), jobs.end());
    shares.push_back({first->job, std::move(jobs)});
  }
  std::sort(shares.begin(), shares.end(), [&](const ShareJobs& a, const ShareJobs& b) {
    return goes_before(pool, a.first, b.first);
  });
  std::vector<JobId> all;
  for (const ShareJobs& share : shares) {
    for (const Waiting& place : share.jobs) all.push_back(place.job);
  }
  return all;
}

bool Kai::any_gives(const Pool& pool, PoolId id) const {
  const std::vector<Terms>& all = terms_[id.index];
  for (std::size_t share = 0; share < all.size(); ++share) {
    if (!all[share].holders.empty() && is_above(all[share], pool.lines[share].used)) return true;
  }
  return false;
}

bool Kai::may_reclaim(const Pool& pool, JobId job) const {
  const Row& of = row(job);
  const std::int64_t with = pool.lines[of.share].used + of.instances;
  return with <= terms_[of.pool.index][of.share].fair && may_have(pool, job);
}

bool Kai::reclaim(Pool& pool, PoolId id, std::optional<JobId> before, Turn& turn) {
  if (!any_gives(pool, id)) return false;
  const auto may = [&](JobId job) {
    return is_before(pool, job, before) && may_reclaim(pool, job);
  };
  for (const JobId job : in_turn(pool, may)) {
    const Row& of = row(job);
    const std::int64_t lacks = of.instances - room_for(pool, job, turn);
    // Nothing is lost with what is only promised.
    auto victims = of_others(pool, of, lacks, &Terms::promised);
    if (victims.empty()) victims = of_others(pool, of, lacks, &Terms::holders);
    if (victims.empty()) continue;
    grant(pool, id, job, victims, turn);
    return true;
  }
  return false;
}

/// Whether anybody of its share has a lower priority.
bool Kai::may_preempt(const Pool& pool, JobId job) const {
  const Row& of = row(job);
  const Terms& terms = terms_[of.pool.index][of.share];
  if (terms.holders.empty()) return false;
  if (row(terms.holders.rbegin()->job).priority >= of.priority) return false;
  return of.may_stop || pool.lines[of.share].kept + of.instances <= terms.deserves;
}

bool Kai::preempt(Pool& pool, PoolId id, std::optional<JobId> before, Turn& turn) {
  const auto may = [&](JobId job) {
    return is_before(pool, job, before) && may_preempt(pool, job);
  };
  for (const JobId job : in_turn(pool, may)) {
    const Row& of = row(job);
    const std::int64_t above = limit(id, of.share).excess(pool.lines[of.share].used + of.instances);
    const std::int64_t lacks = std::max(of.instances - room_for(pool, job, turn), above);
    auto victims = of_its_own(of, lacks, &Terms::promised);
    if (victims.empty()) victims = of_its_own(of, lacks, &Terms::holders);
    if (victims.empty()) continue;
    grant(pool, id, job, victims, turn);
    return true;
  }
  return false;
}

/// Whether a share that would use so much gives machines to that one: it is above its fair share;
/// or above what it deserves, where the other has less than that, and more saturated than that
/// would be with them.
bool Kai::may_give(const Pool& pool, const std::vector<std::int64_t>& used, std::size_t share,
                   const Row& to) const {
  const std::vector<Terms>& all = terms_[to.pool.index];
  if (share == to.share || all[share].holders.empty()) return false;
  if (used[share] > all[share].fair) return true;
  const std::int64_t with = pool.lines[to.share].used + to.instances;
  if (with > all[to.share].deserves || used[share] <= all[share].deserves) return false;
  const Part after{with, std::max<std::int64_t>(all[to.share].fair, 1)};
  return after < Part{used[share], std::max<std::int64_t>(all[share].fair, 1)};
}

/// In each step the last of the share that uses most of its fair share.
std::vector<JobId> Kai::of_others(const Pool& pool, const Row& to, std::int64_t lacks,
                                  Holders holders) const {
  const std::vector<Terms>& all = terms_[to.pool.index];
  std::vector<std::int64_t> used;
  std::vector<std::set<Waiting>::const_reverse_iterator> next;
  for (std::size_t share = 0; share < all.size(); ++share) {
    used.push_back(pool.lines[share].used);
    next.push_back((all[share].*holders).rbegin());
  }
  std::vector<JobId> chosen;
  for (std::int64_t still = lacks; still > 0;) {
    std::optional<std::size_t> from;
    for (std::size_t share = 0; share < all.size(); ++share) {
      if (!may_give(pool, used, share, to) || next[share] == (all[share].*holders).rend()) continue;
      const auto saturation = [&](std::size_t of) {
        return Part{used[of], std::max<std::int64_t>(all[of].fair, 1)};
      };
      if (!from || saturation(*from) < saturation(share)) from = share;
    }
    if (!from) return {};
    const JobId victim = next[*from]->job;
    ++next[*from];
    used[*from] -= row(victim).instances;
    still -= row(victim).instances;
    chosen.push_back(victim);
  }
  return needed(chosen, lacks);
}

/// The lowest priority first, then the latest submission.
std::vector<JobId> Kai::of_its_own(const Row& to, std::int64_t lacks, Holders of) const {
  const std::set<Waiting>& holders = terms_[to.pool.index][to.share].*of;
  std::vector<JobId> chosen;
  std::int64_t still = lacks;
  for (auto holder = holders.rbegin(); holder != holders.rend() && still > 0; ++holder) {
    if (row(holder->job).priority >= to.priority) return {};
    still -= row(holder->job).instances;
    chosen.push_back(holder->job);
  }
  return still > 0 ? std::vector<JobId>{} : needed(chosen, lacks);
}

/// Without those that turn out superfluous, the last chosen spared first.
std::vector<JobId> Kai::needed(const std::vector<JobId>& chosen, std::int64_t lacks) const {
  std::int64_t more = -lacks;
  for (const JobId job : chosen) more += row(job).instances;
  std::vector<JobId> victims;
  for (auto job = chosen.rbegin(); job != chosen.rend(); ++job) {
    if (row(*job).instances <= more) {
      more -= row(*job).instances;
    } else {
      victims.push_back(*job);
    }
  }
  std::reverse(victims.begin(), victims.end());
  return victims;
}

}  // namespace

std::unique_ptr<Algorithm> kai() {
  return std::make_unique<Kai>();
}

}  // namespace reeve::policies
