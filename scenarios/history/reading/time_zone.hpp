// Local times of a zone, by the time zone database of the system.
#pragma once

#include <chrono>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

namespace reeve::scenarios {

/// How far the clocks of a zone are from UTC, 1970 to 2099.
class TimeZone {
 public:
  /// "Europe/Berlin", "+02:00"; empty: UTC.  Throws InputError E0410 if the system has no such
  /// zone.  Not to be called from several threads at once: the C library knows one zone at a time.
  static TimeZone named(const std::string& name);

  /// When the clocks show a time: twice if they are set back over it.  If they skip it, when they
  /// would show it unchanged.
  struct Shown {
    policy::Instant first, second;
  };
  /// `local`: the time on the clocks, as if it were UTC.
  Shown when(policy::Instant local) const;

 private:
  struct Change {
    policy::Instant at;
    std::chrono::seconds offset;  ///< east of UTC, from `at` on
  };
  std::vector<Change> changes_;  ///< by time; the first one begins before all times
};

}  // namespace reeve::scenarios
