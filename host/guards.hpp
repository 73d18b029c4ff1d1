// Guards: the last word on every decision of every seat, in both worlds.
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

/// A guard's no to one decision.
struct Veto {
  std::string_view guard;  ///< its name, for the journal; the text outlives the guard's host
  policy::Refusal refusal = policy::Refusal::guard;
  policy::Instant room_at = policy::never;  ///< as in ActionSettled; later than now
  bool leaves_out = false;  ///< only here: in the run that this one is held against it was sent
};

/// Whether the job is one of those is not known yet: its submission is news.
Veto not_yet(std::string_view guard);

/// A decision that is left after arbitration.
struct Wish {
  policy::ActionId id;
  policy::SeatId seat;
  std::string_view seat_name;
  const policy::Verb& verb;
  const Belief& belief;
  policy::Instant now;
};

/// Not a policy: it sees what is left after arbitration and may only refuse.  A pure state machine.
class Guard {
 public:
  virtual ~Guard() = default;
  /// Whether it refuses.  It may note what it refused, and whose turn that was.
  virtual std::optional<Veto> refuses(const Wish& wish) = 0;
  /// True if it says no to what would be one too many: what is only warned of, or shadowed, is not
  /// one, and is not put to it.
  virtual bool counts_what_is_sent() const;
  /// A decision passed every guard and is being sent.  Retries of it are not told again.
  virtual void passed(const Wish& wish);
  /// A decision that passed is over.
  virtual void settled(policy::ActionId decision, const policy::Verb& verb,
                       policy::Outcome outcome);
  /// A decision that passed the guards before is left out of this run.
  virtual void left_out(const Wish& wish);
  /// Something was folded into what the host believes.
  virtual void learnt(const policy::Observation& seen, const Belief& belief);
  /// While true no action in flight is tried again: one that falls due is given up.
  virtual bool holds_attempts() const;
};

using Guards = std::vector<std::unique_ptr<Guard>>;

/// Blast radius: at most so many decisions of a kind accepted within any stretch of time.  Who is
/// refused is told when the oldest of them is that old; a limit of none is a refusal for good.
class RateLimit final : public Guard {
 public:
  struct Rate {
    std::string_view guard;  ///< its name
    bool (*counts)(const Wish&) = nullptr;
    std::uint32_t limit = 0;
    policy::Duration within{0};
    bool each_seat = false;  ///< has the limit to itself
  };
  explicit RateLimit(const Rate& rate);
  std::optional<Veto> refuses(const Wish& wish) override;
  bool counts_what_is_sent() const override;
  void passed(const Wish& wish) override;

 private:
  struct Ring {
    std::vector<policy::Instant> accepted;  ///< the newest `limit`, `oldest` first
    std::size_t oldest = 0;
  };
  Ring& ring_of(policy::SeatId seat);

  Rate rate_;
  std::vector<Ring> rings_;  ///< one, or by seat
};

/// At most `limit` stops of all seats within any hour; a limit that is used up already is one.
std::unique_ptr<Guard> stops_per_hour(std::uint32_t limit);
/// At most `limit` interventions of all seats within any hour.
std::unique_ptr<Guard> actions_per_hour(std::uint32_t limit);
/// At most `limit` interventions of one seat within any 24 hours.
std::unique_ptr<Guard> actions_per_rule_per_day(std::uint32_t limit);

/// Of the jobs that run, with those stopped within the last hour, at most so many percent are
/// stopped within any hour; rounded up, as Kubernetes rounds maxUnavailable of a
/// PodDisruptionBudget.
class StopsPctPerHour final : public Guard {
 public:
  explicit StopsPctPerHour(std::uint32_t percent);
  std::optional<Veto> refuses(const Wish& wish) override;
  bool counts_what_is_sent() const override;
  void passed(const Wish& wish) override;
  void learnt(const policy::Observation& seen, const Belief& belief) override;

 private:
  struct Stop {
    policy::Instant at;
    policy::JobId job;
  };
  /// Of whom there are stops in the last hour.
  struct Job {
    std::uint64_t stops = 0;
    bool runs = false;  ///< as is believed now, still or again: counted as running already
  };
  void forget_until(policy::Instant now);

  std::deque<Stop> stops_;  ///< of the last hour, oldest first
  std::map<policy::JobId, Job> jobs_;
  std::uint64_t not_running_ = 0;  ///< stops of those that do not run
  std::uint32_t percent_;
};

/// No verb that changes a job gets through if the job has one of these tags, but its start.
class ProtectedTags final : public Guard {
 public:
  explicit ProtectedTags(const std::vector<std::string>& tags);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  std::vector<TagPattern> patterns_;
};

/// Until somebody's exemption ends, the seats it is from leave a job with its tag alone.
class Exemptions final : public Guard {
 public:
  struct Exemption {
    TagPattern tag;
    std::vector<std::string> seats;  ///< names; none: all of them
    policy::Instant until;
  };
  explicit Exemptions(std::vector<Exemption> exemptions);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  std::vector<Exemption> exemptions_;
};

/// Interventions only while somebody is there to see them.
class OfficeHours final : public Guard {
 public:
  explicit OfficeHours(const policy::WeeklyHours& hours);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  policy::WeeklyHours hours_;
};

/// No intervention before `until`: time to read in the journal what would have been done.
class DryStart final : public Guard {
 public:
  explicit DryStart(policy::Instant until);
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  policy::Instant until_;
};

/// One decision of a run is left out: what would have become of it without?  Its seat may not make
/// up for it either: stop that attempt later, or clone the job from there on.
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

/// All that one seat wants stopped goes on: what would have become of it?  Whatever else the seat
/// does it may do.
class StopsLeftOut final : public Guard {
 public:
  explicit StopsLeftOut(std::string seat) : seat_{std::move(seat)} {}
  std::optional<Veto> refuses(const Wish& wish) override;

 private:
  std::string seat_;
};

/// While the switch is engaged nothing leaves the host: no decision passes, and an action that
/// falls due is given up: its rule decides anew at the release.
class KillSwitch final : public Guard {
 public:
  std::optional<Veto> refuses(const Wish& wish) override;
  void learnt(const policy::Observation& seen, const Belief& belief) override;
  bool holds_attempts() const override;

 private:
  bool engaged_ = false;
};

}  // namespace reeve::host
