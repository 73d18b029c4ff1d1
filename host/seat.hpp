// A seat: one rule's place in the host, with its priority and how far it may go.
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

/// What scopes, and guards that look at tags, go by: of one attempt.
struct Whereabouts {
  policy::TagSetId tags;
  policy::PoolId pool;
  bool awaits_placement = false;  ///< a rule may still choose another pool
};

/// Which jobs a seat is told of and may act on: all, or those of some tags and fleets.
class Scope {
 public:
  Scope() = default;
  /// A job is in it that has one of the tags and waits for, or runs on, one of the fleets; of what
  /// is empty there is no need.
  Scope(std::vector<TagPattern> tags, std::vector<policy::PoolId> fleets)
      : tags_{std::move(tags)}, fleets_{std::move(fleets)} {}
  bool is_all() const { return tags_.empty() && fleets_.empty(); }
  /// Whether an attempt is in it; nothing where that cannot be said yet, as its submission has not
  /// been told of, or as it is not in one of the fleets but may be placed there.
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
  bool reads_reports = true;  ///< is told what training scripts report
  bool minds_alarms = true;   ///< is told of others' alarms, and what becomes of calls about them
};

}  // namespace reeve::host
