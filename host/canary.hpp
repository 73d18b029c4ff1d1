// The guard that tries on few jobs what a rule does, before the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/guards.hpp"

namespace reeve::host {

/// What a seat does first is tried on few jobs.  The others wait until so long has passed that
/// people would have said so if it was wrong: if they submitted again what the seat has acted on,
/// or if a clone of its failed, the seat does nothing more.
class Canary final : public Guard {
 public:
  struct Terms {
    std::uint32_t first = 0;    ///< jobs; 0: by `percent`
    std::uint32_t percent = 0;  ///< of the jobs that run when the seat first acts, rounded up
    policy::Duration watch{0};  ///< from the decision on
  };
  /// A job that is among the first of a seat from then on, although the seat decides nothing
  /// there: something else is done in place of a decision of the run that this one is held against.
  struct Place {
    std::string seat;  ///< name
    policy::JobId job;
    policy::Instant at;
  };
  explicit Canary(const Terms& terms, std::optional<Place> kept = std::nullopt)
      : terms_{terms}, kept_{std::move(kept)} {}
  std::optional<Veto> refuses(const Wish& wish) override;
  bool counts_what_is_sent() const override;
  void passed(const Wish& wish) override;
  void settled(policy::ActionId decision, const policy::Verb& verb,
               policy::Outcome outcome) override;
  void left_out(const Wish& wish) override;
  void learnt(const policy::Observation& seen, const Belief& belief) override;

 private:
  /// What a seat has done to a job.
  struct Tried {
    policy::Instant placed_at = policy::never;  ///< never: it is none of the first, or no more
    policy::AttemptNumber acted_from = 0;       ///< the attempts that it acted on; 0: none
    policy::AttemptNumber acted_to = 0;
    policy::AttemptNumber cloned = 0;  ///< the newest that it made; 0: none
    std::uint32_t under_way = 0;       ///< decisions
    bool shows = false;                ///< some decision was done, or stands for one that was
  };
  struct Trial {
    std::multiset<policy::Instant> placed_at;  ///< of the jobs that are among the first
    std::uint32_t first = 0;                   ///< how many there are to be; 0: not known yet
    std::uint32_t under_way = 0;               ///< decisions
    bool is_over = false;
    bool is_shut = false;  ///< it was wrong
  };
  using Key = std::pair<policy::JobId, policy::SeatId>;

  Trial& trial_of(policy::SeatId seat);
  void keep_place(const Wish& wish);
  void take_place(Key of, const Wish& wish);
  void give_up(Key of);
  template <class Test>
  void shut_where(policy::JobId job, Test is_wrong);

  Terms terms_;
  std::optional<Place> kept_;
  std::vector<Trial> trials_;  ///< by seat
  std::map<Key, Tried> tried_;
  std::map<policy::ActionId, Key> under_way_;
};

}  // namespace reeve::host
