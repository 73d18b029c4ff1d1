// On what terms machines are had.
#pragma once

#include <cstdint>

namespace reeve::policy {

/// on_demand: until given back.  reserved: paid for around the clock, used or not.  spot: cheaper,
/// and the platform may take them away (AWS: Spot).
enum class Market : std::uint8_t { on_demand, reserved, spot };

}  // namespace reeve::policy
