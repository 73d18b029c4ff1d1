// The quotas of one pool as Kueue counts them, with all shares in one cohort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <reeve/policy/queue.hpp>
#include <vector>

#include "borrow_limit.hpp"
#include "part.hpp"

namespace reeve::policies {

/// What a share may have of a pool (Kueue, "Cluster Queue": nominalQuota, borrowingLimit; the
/// API's lendingLimit).
struct CohortTerms {
  std::int64_t nominal = 0;
  std::int64_t own = 0;  ///< of that, what it does not lend
  BorrowLimit limit;
  std::int64_t weight = policy::weight_one;
  Part elsewhere = {};  ///< its share value in the pool where that is largest
};

/// Who uses how much.  A copy is a plan.
class Cohort {
 public:
  Cohort(const std::vector<CohortTerms>& terms, std::int64_t free)
      : terms_{&terms}, used_(terms.size()), free_{free} {
    for (const CohortTerms& share : terms) lendable_ += share.nominal - share.own;
    left_ = lendable_;
  }

  std::size_t shares() const { return used_.size(); }
  const CohortTerms& terms(std::size_t share) const { return (*terms_)[share]; }
  std::int64_t used(std::size_t share) const { return used_[share]; }

  /// Counts instances that are not free anyway.
  void count(std::size_t share, std::int64_t instances) {
    const bool borrowed = borrows(share);
    left_ += of_cohort(share);
    used_[share] += instances;
    left_ -= of_cohort(share);
    if (borrows(share) == borrowed) return;
    const auto place = std::lower_bound(borrowers_.begin(), borrowers_.end(), share);
    borrowed ? borrowers_.erase(place) : borrowers_.insert(place, share);
  }
  void take(std::size_t share, std::int64_t instances) {
    count(share, instances);
    free_ -= instances;
  }
  void give_back(std::size_t share, std::int64_t instances) { take(share, -instances); }

  bool borrows(std::size_t share, std::int64_t with = 0) const {
    return used_[share] + with > terms(share).nominal;
  }
  /// The shares that do, in their order: few, where most have work enough.
  const std::vector<std::size_t>& borrowers() const { return borrowers_; }
  /// By its quota: below 0 where a quota was lowered.
  std::int64_t available(std::size_t share) const {
    const CohortTerms& of = terms(share);
    const std::int64_t own_left = std::max<std::int64_t>(of.own - used_[share], 0);
    return own_left + std::min(left_, of.limit.most() - of.own - of_cohort(share));
  }
  /// By its quota, if no job held anything.
  std::int64_t potential(std::size_t share) const {
    return std::min(terms(share).own + lendable_, terms(share).limit.most());
  }
  std::int64_t room(std::size_t share) const { return std::min(available(share), free_); }
  bool fits(std::size_t share, std::int64_t instances) const { return instances <= room(share); }
  bool fits_within_nominal(std::size_t share, std::int64_t instances) const {
    return fits(share, instances) && !borrows(share, instances);
  }

  /// Its share value: what it borrows, of what all lend, times its weight (a lower one gets more;
  /// Kueue divides by its own); in the pool where that is largest (KEP-1714, "Share value function
  /// and weights").
  Part value(std::size_t share, std::int64_t with = 0) const {
    const Part here = value_here(share, with);
    return here < terms(share).elsewhere ? terms(share).elsewhere : here;
  }
  /// In this pool alone.
  Part value_here(std::size_t share, std::int64_t with = 0) const {
    const std::int64_t borrowed = used_[share] + with - terms(share).nominal;
    if (borrowed <= 0 || lendable_ <= 0) return {};
    return {borrowed * terms(share).weight, lendable_};
  }

 private:
  /// What it uses of what it shares with others.
  std::int64_t of_cohort(std::size_t share) const {
    return std::max<std::int64_t>(used_[share] - terms(share).own, 0);
  }

  const std::vector<CohortTerms>* terms_;
  std::vector<std::int64_t> used_;
  std::vector<std::size_t> borrowers_ = {};
  std::int64_t lendable_ = 0;
  std::int64_t left_ = 0;  ///< of what is lendable; below 0 where a quota was lowered
  std::int64_t free_;      ///< below 0 where capacity was lost
};

}  // namespace reeve::policies
