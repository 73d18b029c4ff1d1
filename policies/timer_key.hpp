// The purpose of a rule's timer, packed into the 64 bits that a timer carries.
#pragma once

#include <cstdint>
#include <reeve/policy/ids.hpp>

namespace reeve::policies {

/// A job, one of its attempts, and which of the rule's timers for it.  A fired timer is only a
/// reason to look: rules compare their own due time with the clock, so a stray key is harmless.
struct TimerKey {
  policy::JobId job;
  policy::AttemptNumber attempt = 0;
  std::uint16_t purpose = 0;

  constexpr std::uint64_t packed() const {
    return std::uint64_t{job.index} << 32U | std::uint64_t{attempt} << 16U | purpose;
  }
  static constexpr TimerKey unpacked(std::uint64_t key) {
    return {.job = {static_cast<std::uint32_t>(key >> 32U)},
            .attempt = static_cast<policy::AttemptNumber>(key >> 16U & 0xffffU),
            .purpose = static_cast<std::uint16_t>(key & 0xffffU)};
  }
};

}  // namespace reeve::policies
