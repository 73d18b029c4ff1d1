#include "host/guards.hpp"

#include <algorithm>
#include <variant>

#include "host/target.hpp"

namespace reeve::host {

using policy::FleetView;
using policy::Instant;
using policy::Verb;

bool Guard::counts_what_is_sent() const {
  return false;
}
void Guard::passed(const Verb&, Instant) {}
void Guard::switched(bool) {}
bool Guard::holds_attempts() const {
  return false;
}

StopsPerHour::StopsPerHour(std::uint32_t limit) : limit_{limit} {}

std::optional<Veto> StopsPerHour::refuses(const Verb& verb, const FleetView&, Instant now) {
  if (!std::holds_alternative<policy::StopJob>(verb) || accepted_.size() < limit_) return {};
  if (limit_ == 0) return Veto{.guard = "stops_per_hour"};
  const Instant room_at = policy::later(accepted_[oldest_], std::chrono::hours{1});
  if (room_at <= now) return {};
  return Veto{"stops_per_hour", policy::Refusal::rate_limit, room_at};
}

bool StopsPerHour::counts_what_is_sent() const {
  return true;
}

void StopsPerHour::passed(const Verb& verb, Instant now) {
  if (!std::holds_alternative<policy::StopJob>(verb)) return;
  if (accepted_.size() < limit_) {
    accepted_.push_back(now);
  } else if (limit_ > 0) {
    accepted_[oldest_] = now;
    oldest_ = (oldest_ + 1) % limit_;
  }
}

ProtectedTags::ProtectedTags(const std::vector<std::string>& tags) {
  for (const std::string& tag : tags) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string::npos) {
      patterns_.push_back({tag, std::nullopt});
    } else {
      patterns_.push_back({tag.substr(0, equals), tag.substr(equals + 1)});
    }
  }
}

std::optional<Veto> ProtectedTags::refuses(const Verb& verb, const FleetView& fleet, Instant) {
  // A start is not what a job is protected from: a scheduler must be able to run it.
  const policy::VerbKind kind = kind_of(verb);
  if (kind == policy::VerbKind::start_job || kind == policy::VerbKind::place_job) return {};
  if (!changes_job(verb)) return {};
  const policy::JobId job = target(verb).job;
  const bool is_protected =
      std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
        const auto value = fleet.tag(job, pattern.key);
        return value && (!pattern.value || *value == *pattern.value);
      });
  return is_protected ? std::optional{Veto{.guard = "protected_tags"}} : std::nullopt;
}

std::optional<Veto> KillSwitch::refuses(const Verb&, const FleetView&, Instant) {
  return engaged_ ? std::optional{Veto{"kill_switch", policy::Refusal::kill_switch}} : std::nullopt;
}

void KillSwitch::switched(bool engaged) {
  engaged_ = engaged;
}
bool KillSwitch::holds_attempts() const {
  return engaged_;
}

}  // namespace reeve::host
