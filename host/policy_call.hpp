// The call of a policy that a thread is in: what the policy may hold, and what a watchdog sees.
#pragma once

#include <cstdint>
#include <reeve/policy/held_memory.hpp>
#include <string>
#include <vector>

namespace reeve::host {

/// A seat's name as a watchdog reads it: kept until the program ends, each once, for the host that
/// had the seat may be gone while it is read.
class WatchedName {
 public:
  explicit WatchedName(const std::string& name);
  const std::string* text() const { return text_; }

 private:
  const std::string* text_;
};

/// While it lives, this thread is asking a seat, whose memory is metered.
class PolicyCall {
 public:
  PolicyCall(WatchedName seat, policy::HeldMemory& held);
  PolicyCall(const PolicyCall&) = delete;
  PolicyCall& operator=(const PolicyCall&) = delete;
  ~PolicyCall();

  struct Place;  ///< where a thread says in which call it is

 private:
  policy::Metering metering_;
  Place& seen_;
};

/// A call that some thread is in.
struct CallInProgress {
  const void* thread = nullptr;       ///< tells threads apart, no more
  std::uint64_t nth = 0;              ///< of that thread: the same call as long as it is the same
  const std::string* seat = nullptr;  ///< its name, kept until the program ends
};

/// The calls that the threads of this program are in right now.
std::vector<CallInProgress> calls_in_progress();

}  // namespace reeve::host
