// Guards: the last word on every decision of every seat, in both worlds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::host {

/// A guard's no to one decision.
struct Veto {
  std::string_view guard;  ///< its name, for the journal; the text outlives the guard's host
  policy::Refusal refusal = policy::Refusal::guard;
  policy::Instant room_at = policy::never;  ///< as in ActionSettled; later than now
};

/// Not a policy: it sees what is left after arbitration and may only refuse.  A pure state machine.
class Guard {
 public:
  virtual ~Guard() = default;
  /// Whether it refuses `verb`.  Refusing must not change the guard.
  virtual std::optional<Veto> refuses(const policy::Verb& verb, const policy::FleetView& fleet,
                                      policy::Instant now) = 0;
  /// True if it says no to what would be one too many: what is only warned of, or shadowed, is not
  /// one, and is not put to it.
  virtual bool counts_what_is_sent() const;
  /// A decision passed every guard and is being sent.  Retries of it are not told again.
  virtual void passed(const policy::Verb& verb, policy::Instant now);
  /// The kill switch was pulled or released.
  virtual void switched(bool engaged);
  /// While true no action in flight is tried again: one that falls due is given up.
  virtual bool holds_attempts() const;
};

using Guards = std::vector<std::unique_ptr<Guard>>;

/// Blast radius: at most `limit` StopJobs of all seats accepted within any hour.  Who is refused is
/// told when the oldest of them is an hour old; a limit of none is a refusal for good.
class StopsPerHour final : public Guard {
 public:
  explicit StopsPerHour(std::uint32_t limit);
  std::optional<Veto> refuses(const policy::Verb& verb, const policy::FleetView& fleet,
                              policy::Instant now) override;
  bool counts_what_is_sent() const override;
  void passed(const policy::Verb& verb, policy::Instant now) override;

 private:
  std::vector<policy::Instant> accepted_;  ///< ring of the newest `limit`, `oldest_` first
  std::size_t oldest_ = 0;
  std::size_t limit_;
};

/// No verb that changes a job gets through if the job has one of these tags, but its start.
class ProtectedTags final : public Guard {
 public:
  /// Each is `key` (any value) or `key=value`.
  explicit ProtectedTags(const std::vector<std::string>& tags);
  std::optional<Veto> refuses(const policy::Verb& verb, const policy::FleetView& fleet,
                              policy::Instant now) override;

 private:
  struct Pattern {
    std::string key;
    std::optional<std::string> value;
  };
  std::vector<Pattern> patterns_;
};

/// While the switch is engaged nothing leaves the host: no decision passes, and an action that
/// falls due is given up: its rule decides anew at the release.
class KillSwitch final : public Guard {
 public:
  std::optional<Veto> refuses(const policy::Verb& verb, const policy::FleetView& fleet,
                              policy::Instant now) override;
  void switched(bool engaged) override;
  bool holds_attempts() const override;

 private:
  bool engaged_ = false;
};

}  // namespace reeve::host
