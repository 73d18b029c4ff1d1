// The guard that limits the first actions of a rule to a few jobs.
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

/// The first actions of a seat apply to a few jobs only.  The others wait for the watch time, in
/// which a person or a failure can show that the actions were wrong.  If a person resubmits a job
/// that the seat acted on, or a clone of the seat fails, the seat does nothing more.
class Canary final : public Guard {
 public:
  struct Terms {
    std::uint32_t first = 0;    ///< jobs; 0: by `percent`
    std::uint32_t percent = 0;  ///< of the running jobs when the seat first acts, rounded up
    policy::Duration watch{0};  ///< from the decision
  };
  /// A job that counts among the first of a seat from `at` on, although the seat decides nothing
  /// for it: another action replaces the seat's decision in a counterfactual run.
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
  /// The actions of a seat on a job.
  struct Tried {
    policy::Instant placed_at = policy::never;  ///< never: not, or no longer, one of the first
    policy::AttemptNumber acted_from = 0;       ///< the attempts that it acted on; 0: none
    policy::AttemptNumber acted_to = 0;
    policy::AttemptNumber cloned = 0;  ///< the newest attempt that it submitted; 0: none
    std::uint32_t under_way = 0;       ///< decisions in flight
    bool shows = false;                ///< a decision was done, or counts as done
  };
  struct Trial {
    std::multiset<policy::Instant> placed_at;  ///< of the first jobs
    std::uint32_t first = 0;                   ///< their final number; 0: not known yet
    std::uint32_t under_way = 0;               ///< decisions in flight
    bool is_over = false;
    bool is_shut = false;  ///< an action was wrong
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
