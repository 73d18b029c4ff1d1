// The mode of a seat: how far its decisions get.
#pragma once

#include <cstdint>

namespace reeve::host {

/// `off`: not called.  `shadow`: decisions are journaled, never sent; its alarms are local. `warn`:
/// decisions that change a job are journaled, and a message is sent instead.  `enforce`: decisions
/// are sent.
enum class Mode : std::uint8_t { off, shadow, warn, enforce };

}  // namespace reeve::host
