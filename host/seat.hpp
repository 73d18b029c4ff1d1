// A seat: one rule's place in the host, with its priority and how far it may go.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/policy.hpp>
#include <string>

namespace reeve::host {

/// How far a seat's decisions get.  `off`: not consulted.  `shadow`: journaled, never sent.
/// `warn`: what would change a job is journaled and people are told instead.  `enforce`: sent.
enum class Mode : std::uint8_t { off, shadow, warn, enforce };

/// One rule in the host.  Seats are ordered by priority, higher first; ties keep their order.
struct Seat {
  std::string name;  ///< unique among the seats
  std::string rule;  ///< the kind, `stalled_gpu`
  std::int32_t priority = 0;
  Mode mode = Mode::enforce;
  std::unique_ptr<policy::Policy> policy;
};

}  // namespace reeve::host
