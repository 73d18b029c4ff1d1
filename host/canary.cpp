#include "host/canary.hpp"

#include <algorithm>
#include <variant>

#include "host/interventions.hpp"
#include "host/target.hpp"

namespace reeve::host {

using policy::Instant;

Canary::Trial& Canary::trial_of(policy::SeatId seat) {
  if (seat.index >= trials_.size()) trials_.resize(seat.index + 1);
  return trials_[seat.index];
}

std::optional<Veto> Canary::refuses(const Wish& wish) {
  if (!intervenes(wish.verb, wish.belief)) return {};
  keep_place(wish);
  const Trial& trial = trial_of(wish.seat);
  if (trial.is_over) return {};
  if (trial.is_shut) return Veto{.guard = "canary"};
  if (trial.first == 0 || trial.placed_at.size() < trial.first) return {};
  const auto mine = tried_.find({target(wish.verb).job, wish.seat});
  if (mine != tried_.end() && mine->second.placed_at != policy::never) return {};
  const Instant seen = trial.under_way > 0 ? wish.now : *trial.placed_at.rbegin();
  const Instant opens = policy::later(seen, terms_.watch);
  if (opens <= wish.now) return {};
  return Veto{.guard = "canary", .refusal = policy::Refusal::rate_limit, .room_at = opens};
}

bool Canary::counts_what_is_sent() const {
  return true;
}

/// The seat's first wish at that instant or later comes after all that were placed before.
void Canary::keep_place(const Wish& wish) {
  if (!kept_ || kept_->seat != wish.seat_name || wish.now < kept_->at) return;
  const Key of{kept_->job, wish.seat};
  kept_.reset();
  take_place(of, wish);
  const auto kept = tried_.find(of);
  if (kept != tried_.end()) kept->second.shows = true;
}

/// Ends the trial if the job is one too many.
void Canary::take_place(Key of, const Wish& wish) {
  Trial& trial = trial_of(of.second);
  if (trial.is_over || trial.is_shut) return;
  if (trial.first == 0) {
    const std::uint64_t part = (wish.belief.running() * std::uint64_t{terms_.percent} + 99) / 100;
    trial.first = terms_.first > 0 ? terms_.first
                                   : static_cast<std::uint32_t>(std::max<std::uint64_t>(part, 1));
  }
  Tried& tried = tried_[of];
  if (tried.placed_at != policy::never) return;
  if (trial.placed_at.size() >= trial.first) {
    trial = {.placed_at = {}, .first = trial.first, .under_way = 0, .is_over = true};
    std::erase_if(tried_, [&](const auto& entry) { return entry.first.second == of.second; });
  } else {
    tried.placed_at = wish.now;
    trial.placed_at.insert(wish.now);
  }
}

void Canary::passed(const Wish& wish) {
  if (!intervenes(wish.verb, wish.belief)) return;
  keep_place(wish);
  const Target about = target(wish.verb);
  const Key of{about.job, wish.seat};
  // What comes sooner than what it stands for takes the place that is kept for it, and no other.
  const bool has_place = kept_ && kept_->seat == wish.seat_name && kept_->job == about.job;
  if (!has_place) take_place(of, wish);
  if (trial_of(wish.seat).is_over) return;
  Tried& tried = tried_[of];
  if (tried.acted_from == 0) tried.acted_from = about.attempt;
  tried.acted_to = std::max(tried.acted_to, about.attempt);
  if (kind_of(wish.verb) == policy::VerbKind::clone_job) tried.cloned = about.attempt;
  ++tried.under_way;
  ++trial_of(wish.seat).under_way;
  under_way_.emplace(wish.id, of);
}

void Canary::left_out(const Wish& wish) {
  if (!intervenes(wish.verb, wish.belief)) return;
  const Key of{target(wish.verb).job, wish.seat};
  take_place(of, wish);
  const auto kept = tried_.find(of);
  if (kept != tried_.end()) kept->second.shows = true;
}

/// What came to nothing has shown nothing: another job is tried in its place.
void Canary::settled(policy::ActionId decision, const policy::Verb& verb, policy::Outcome outcome) {
  const auto action = under_way_.find(decision);
  if (action == under_way_.end()) return;
  const Key of = action->second;
  under_way_.erase(action);
  const auto found = tried_.find(of);
  if (found == tried_.end()) return;
  Tried& tried = found->second;
  --tried.under_way;
  --trial_of(of.second).under_way;
  const bool refused = outcome == policy::Outcome::refused;
  if (!refused && outcome != policy::Outcome::expired) tried.shows = true;
  if (refused && kind_of(verb) == policy::VerbKind::clone_job) tried.cloned = 0;
  if (tried.shows || tried.under_way > 0) return;
  give_up(of);
  // What expired may have happened all the same, and people may still say that it was wrong.
  if (refused) tried_.erase(found);
}

void Canary::give_up(Key of) {
  Tried& tried = tried_[of];
  if (tried.placed_at == policy::never) return;
  auto& placed_at = trial_of(of.second).placed_at;
  placed_at.erase(placed_at.find(tried.placed_at));
  tried.placed_at = policy::never;
}

template <class Test>
void Canary::shut_where(policy::JobId job, Test is_wrong) {
  for (auto one = tried_.lower_bound({job, {}}); one != tried_.end() && one->first.first == job;
       ++one) {
    if (is_wrong(one->second)) trial_of(one->first.second).is_shut = true;
  }
}

/// In whatever order it is told, and whatever becomes of the job afterwards.
void Canary::learnt(const policy::Observation& seen, const Belief&) {
  if (tried_.empty()) return;
  if (const auto* submitted = std::get_if<policy::JobSubmitted>(&seen.fact)) {
    if (submitted->origin != policy::Origin::person) return;
    shut_where(submitted->job, [&](const Tried& tried) {
      return tried.acted_from != 0 && tried.acted_from < submitted->attempt &&
             submitted->attempt <= tried.acted_to + 1;
    });
  } else if (const auto* changed = std::get_if<policy::JobChanged>(&seen.fact)) {
    if (changed->primary != policy::Primary::failed) return;
    shut_where(changed->job, [&](const Tried& tried) {
      return tried.cloned != 0 && tried.cloned == changed->attempt;
    });
  }
}

}  // namespace reeve::host
