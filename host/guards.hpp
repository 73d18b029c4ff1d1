// Guards: the last check of every decision of every seat, simulated or live.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <reeve/policy/weekly_hours.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/belief.hpp"
#include "host/tag_pattern.hpp"

namespace reeve::host {

/// A guard's refusal of one decision.
struct Veto {
  std::string_view guard;  ///< its name, for the journal; the text outlives the guard's host
  policy::Refusal refusal = policy::Refusal::guard;
  policy::Instant room_at = policy::never;  ///< as in ActionSettled; later than now
  bool leaves_out = false;  ///< refused only in this counterfactual run; the original run sent it
};

/// It is not known yet whether the guard covers the job: its submission was not observed.
Veto not_yet(std::string_view guard);

/// A decision that passed arbitration.
struct Wish {
  policy::ActionId id;
  policy::SeatId seat;
  std::string_view seat_name;
  const policy::Verb& verb;
  const Belief& belief;
  policy::Instant now;
};

/// Not a policy: it sees what passed arbitration and can only refuse it.  A pure state machine.
class Guard {
 public:
  virtual ~Guard() = default;
  /// Whether it refuses.  It may record the refusal.
  virtual std::optional<Veto> refuses(const Wish& wish) = 0;
  /// True if it limits the number of sent decisions.  Decisions in shadow or warn mode are not sent
  /// and not checked by it.
  virtual bool counts_what_is_sent() const;
  /// A decision passed every guard and is being sent.  Retries do not call it again.
  virtual void passed(const Wish& wish);
  /// An action that an earlier run of this host sent at `at`, before the first step of this run.
  /// No seat: its rule has none any more.
  virtual void recall(std::optional<policy::SeatId> seat, policy::VerbKind verb,
                      policy::Instant at);
  /// A decision that passed has settled.
  virtual void settled(policy::ActionId decision, const policy::Verb& verb,
                       policy::Outcome outcome);
  /// A decision that passed the earlier guards is left out of this counterfactual run.
  virtual void left_out(const Wish& wish);
  /// The host updated the belief with an observation.
  virtual void learnt(const policy::Observation& seen, const Belief& belief);
  /// While true, an action in flight expires at its due time without another try.
  virtual bool holds_attempts() const;
};

using Guards = std::vector<std::unique_ptr<Guard>>;

/// Blast radius: at most `limit` decisions of a kind within any period of length `within`.  A
/// refusal names the time at which the oldest of them leaves the period; a limit of 0 refuses for
/// good.
class RateLimit final : public Guard {
 public:
  struct Rate {
    std::string_view guard;  ///< its name
    bool (*counts)(const Wish&) = nullptr;
    bool (*counts_verb)(policy::VerbKind) = nullptr;  ///< of an earlier run
    std::uint32_t limit = 0;
    policy::Duration within{0};
    bool each_seat = false;  ///< each seat has its own limit
  };
  explicit RateLimit(const Rate& rate);
  std::optional<Veto> refuses(const Wish& wish) override;
  bool counts_what_is_sent() const override;
  void passed(const Wish& wish) override;
  void recall(std::optional<policy::SeatId> seat, policy::VerbKind verb,
              policy::Instant at) override;

 private:
  struct Ring {
    std::vector<policy::Instant> accepted;  ///< the newest `limit`, from index `oldest`
    std::size_t oldest = 0;
  };
  Ring& ring_of(policy::SeatId seat);
  void count(policy::SeatId seat, policy::Instant at);

  Rate rate_;
  std::vector<Ring> rings_;  ///< one, or one per seat
};

/// At most `limit` stops of all seats within any hour.  A run-time limit that the attempt has
/// already reached counts as a stop.
std::unique_ptr<Guard> stops_per_hour(std::uint32_t limit);
/// At most `limit` interventions of all seats within any hour.
std::unique_ptr<Guard> actions_per_hour(std::uint32_t limit);
/// At most `limit` interventions of one seat within any 24 hours.
std::unique_ptr<Guard> actions_per_rule_per_day(std::uint32_t limit);

/// Of the running jobs and those stopped within the last hour, at most `percent` are stopped within
/// any hour.  Rounded up, as Kubernetes rounds maxUnavailable of a PodDisruptionBudget.
class StopsPctPerHour final : public Guard {
 public:
  explicit StopsPctPerHour(std::uint32_t percent);
  std::optional<Veto> refuses(const Wish& wish) override;
  bool counts_what_is_sent() const override;
  void passed(const Wish& wish) override;
  void recall(std::optional<policy::SeatId> seat, policy::VerbKind verb,
              policy::Instant at) override;
  void learnt(const policy::Observation& seen, const Belief& belief) override;

 private:
  struct Stop {
    policy::Instant at;
    policy::JobId job;
  };
  /// A job with stops in the last hour.
  struct Job {
    std::uint64_t stops = 0;
    bool runs = false;  ///< by the belief: if true, `running` counts the job already
  };
  void forget_until(policy::Instant now);

  std::deque<Stop> stops_;  ///< of the last hour, oldest first
  std::map<policy::JobId, Job> jobs_;
  std::uint64_t not_running_ = 0;  ///< stops of jobs that do not run
  std::uint32_t percent_;
};

/// Refuses every verb that changes a job with one of these tags, except its start.
class ProtectedTags final : public Guard {
 public:
  explicit ProtectedTags(const std::vector<std::string>& tags);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  std::vector<TagPattern> patterns_;
};

/// Until an exemption ends, its seats must not act on jobs with its tag.
class Exemptions final : public Guard {
 public:
  struct Exemption {
    TagPattern tag;
    std::vector<std::string> seats;  ///< names; empty: all seats
    policy::Instant until;
  };
  explicit Exemptions(std::vector<Exemption> exemptions);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  std::vector<Exemption> exemptions_;
};

/// Allows interventions only in office hours.
class OfficeHours final : public Guard {
 public:
  explicit OfficeHours(const policy::WeeklyHours& hours);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  policy::WeeklyHours hours_;
};

/// Refuses interventions before `until`: time to read in the journal what would have been done.
class DryStart final : public Guard {
 public:
  explicit DryStart(policy::Instant until);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  policy::Instant until_;
};

/// Leaves out one decision of a run, to find its effect.  Its seat cannot compensate: it does not
/// stop that attempt later, and does not clone the job from then on.
class Undone final : public Guard {
 public:
  explicit Undone(policy::ActionId decision) : decision_{decision} {}
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  bool makes_up_for_it(const Wish& wish) const;

  policy::ActionId decision_;
  std::optional<policy::Verb> left_out_;
  policy::SeatId seat_;
};

/// Leaves out all stops of one seat, to find their effect.  The seat's other decisions are
/// unaffected.
class StopsLeftOut final : public Guard {
 public:
  explicit StopsLeftOut(std::string seat) : seat_{std::move(seat)} {}
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  std::string seat_;
};

/// While the switch is engaged, nothing leaves the host: no decision passes, and an action in
/// flight expires at its due time.  Its rule decides again after the release.
class KillSwitch final : public Guard {
 public:
  std::optional<Veto> refuses(const Wish& wish) override;
  void learnt(const policy::Observation& seen, const Belief& belief) override;
  bool holds_attempts() const override;

 private:
  bool engaged_ = false;
};

}  // namespace reeve::host
