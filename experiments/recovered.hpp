// What a policy gains of reserved capacity: instance-hours or GPU-hours, never dollars.
#pragma once

#include <algorithm>

namespace reeve::experiments {

/// `freed`: time that the baseline wastes and the policy does not.  `worked`: productive time that
/// only the policy has.  Freed time is idle or at work now, and idle time may be at work, so the
/// larger of the two is recovered.  If one is gained and the other lost, productive time decides.
template <class Time>
Time recovered(Time freed, Time worked) {
  if ((freed < 0 && worked > 0) || (freed > 0 && worked < 0)) return worked;
  return freed < 0 || worked < 0 ? std::min(freed, worked) : std::max(freed, worked);
}

}  // namespace reeve::experiments
