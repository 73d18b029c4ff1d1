// How far a rule in the host may go.
#pragma once

#include <cstdint>

namespace reeve::host {

/// How far a seat's decisions get.  `off`: not consulted.  `shadow`: journaled, never sent.
/// `warn`: what would change a job is journaled and people are told instead.  `enforce`: sent.
enum class Mode : std::uint8_t { off, shadow, warn, enforce };

}  // namespace reeve::host
