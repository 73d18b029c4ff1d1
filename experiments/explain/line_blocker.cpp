#include "experiments/explain/line_blocker.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <reeve/policy/known_options.hpp>
#include <string>
#include <tuple>

#include "models/quotas.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::experiments {
namespace {

using policy::ShareId;

/// Whether the first job of a share blocks the others of the share.
bool first_blocks_share(const scenarios::SeatSpec& seat) {
  constexpr std::array<std::string_view, 5> always{"quota", "capacity", "fair_share", "max_min",
                                                   "drf"};
  constexpr std::array<std::string_view, 2> if_strict{"kueue", "kueue_fair"};
  const auto is_run = [&](std::string_view algorithm) { return scenarios::runs(seat, algorithm); };
  return std::ranges::any_of(always, is_run) ||
         (std::ranges::any_of(if_strict, is_run) &&
          seat.options.text(policy::known::queueing_strategy) == "strict_fifo");
}

bool first_blocks_borrowers(const scenarios::SeatSpec& seat) {
  return scenarios::runs(seat, "quota") &&
         seat.options.text(policy::known::blocked_borrower) == "blocks_others";
}

class LineAhead {
 public:
  LineAhead(const models::World& world, const models::Record& record, const QueueSnapshot& snapshot,
            const Waiter& waiter)
      : world_{world}, record_{record}, snapshot_{snapshot} {
    const models::Line line = models::line_of(world.directory, terms_of(waiter));
    for (const Waiter& other : snapshot.waiters()) {
      if (other.pool != waiter.pool || is_passed(other)) continue;
      if (models::line_of(world.directory, terms_of(other)) != line) continue;
      const Waiter*& first = firsts_[terms_of(other).share];
      if (first == nullptr || goes_before(other, *first)) first = &other;
    }
  }

  /// Of its share, or of those in none; null: the waiter itself.
  const Waiter* first_of_its_own(const Waiter& waiter) const {
    const auto found = firsts_.find(terms_of(waiter).share);
    const bool is_other = found != firsts_.end() && goes_before(*found->second, waiter);
    return is_other ? found->second : nullptr;
  }
  /// Likewise; null as well: the waiter does not borrow.
  const Waiter* first_borrower(const Waiter& waiter, const scenarios::Lending& lending) const {
    if (!borrows(waiter, lending)) return nullptr;
    const Waiter* first = &waiter;
    for (const auto& [share, front] : firsts_) {
      if (!borrows(*front, lending)) continue;
      if (by_submission(*front) < by_submission(*first)) first = front;
    }
    return first == &waiter ? nullptr : first;
  }

 private:
  const policy::JobTerms& terms_of(const Waiter& waiter) const {
    return world_.directory.terms[world_.profiles[spec_of(waiter).profile].terms];
  }
  const models::JobSpec& spec_of(const Waiter& waiter) const {
    return record_.jobs.specs[waiter.job.index];
  }
  std::pair<policy::Instant, policy::JobId> by_submission(const Waiter& waiter) const {
    return {spec_of(waiter).submit, waiter.job};
  }
  bool goes_before(const Waiter& a, const Waiter& b) const {
    return std::tuple{b.priority, by_submission(a)} < std::tuple{a.priority, by_submission(b)};
  }
  /// It is set aside, or its user has as much as one may.
  bool is_passed(const Waiter& waiter) const {
    if (snapshot_.is_too_large(waiter)) return true;
    const auto limit = snapshot_.limit_of(waiter);
    return limit && !limit->allows(waiter.instances);
  }
  bool borrows(const Waiter& waiter, const scenarios::Lending& lending) const {
    const auto share = snapshot_.share_of(waiter.job, waiter.pool);
    if (!share || share->used + waiter.instances <= share->quota) return false;
    const policy::Sharing sharing = lending.of(world_.directory.shares[share->share.index]);
    return sharing == policy::Sharing::lend_and_borrow;
  }

  const models::World& world_;
  const models::Record& record_;
  const QueueSnapshot& snapshot_;
  /// Of each share of its line, of those who wait in the pool.
  std::map<std::optional<ShareId>, const Waiter*> firsts_;
};

}  // namespace

LineBlocker line_blocker(const models::World& world, const scenarios::PolicySpec& policy,
                         const models::Record& record, const QueueSnapshot& snapshot,
                         const Waiter& waiter) {
  for (const scenarios::SeatSpec& seat : policy.seats) {
    if (!first_blocks_share(seat)) continue;
    const LineAhead line{world, record, snapshot, waiter};
    if (const Waiter* const first = line.first_of_its_own(waiter)) return {.who = first};
    const auto lending = scenarios::lending_of(seat);
    if (!first_blocks_borrowers(seat) || !lending) return {};
    const Waiter* const borrower = line.first_borrower(waiter, *lending);
    return {.who = borrower, .borrows = borrower != nullptr};
  }
  return {};
}

}  // namespace reeve::experiments
