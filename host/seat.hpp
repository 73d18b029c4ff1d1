// A seat: a policy instance in the host, with its priority, mode and scope.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/mode.hpp"
#include "host/tag_pattern.hpp"

namespace reeve::host {

/// The properties of an attempt that scopes and tag guards use.
struct Whereabouts {
  policy::TagSetId tags;
  policy::PoolId pool;
  bool awaits_placement = false;  ///< a rule may still choose another pool
};

/// The jobs that a seat observes and may act on: all, or those with some tags and fleets.
class Scope {
 public:
  Scope() = default;
  /// Contains the jobs that have one of the tags and are queued for, or run on, one of the fleets.
  /// An empty list does not restrict.
  Scope(std::vector<TagPattern> tags, std::vector<policy::PoolId> fleets)
      : tags_{std::move(tags)}, fleets_{std::move(fleets)} {}
  bool is_all() const { return tags_.empty() && fleets_.empty(); }
  /// Whether the scope contains an attempt.  Nothing while that is unknown: its submission was not
  /// observed, or it may still be placed on a fleet of the scope.
  std::optional<bool> holds(const std::optional<Whereabouts>& attempt,
                            const policy::Directory& directory) const;

 private:
  std::vector<TagPattern> tags_;
  std::vector<policy::PoolId> fleets_;
};

/// One rule in the host.  Seats are ordered by priority, higher first; ties keep their order.
struct Seat {
  std::string name;  ///< unique among the seats
  std::string rule;  ///< the kind, `stalled_gpu`
  std::int32_t priority = 0;
  Mode mode = Mode::enforce;
  std::unique_ptr<policy::Policy> policy;
  Scope scope = {};
  bool reads_reports = true;  ///< receives the reports of training scripts
  bool minds_alarms = true;   ///< receives alarms of other rules and results of calls about them
};

}  // namespace reeve::host
