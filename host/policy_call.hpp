// The current call of a policy on a thread: meters its memory and shows it to a watchdog.
#pragma once

#include <cstdint>
#include <reeve/policy/held_memory.hpp>
#include <string>
#include <vector>

namespace reeve::host {

/// A seat's name for a watchdog. Stored once and kept until the program ends, because the host of
/// the seat may be destroyed while the watchdog reads it.
class WatchedName {
 public:
  explicit WatchedName(const std::string& name);
  const std::string* text() const { return text_; }

 private:
  const std::string* text_;
};

/// During its lifetime this thread calls a seat, and the memory of the seat is metered.
class PolicyCall {
 public:
  PolicyCall(WatchedName seat, policy::HeldMemory& held);
  PolicyCall(const PolicyCall&) = delete;
  PolicyCall& operator=(const PolicyCall&) = delete;
  ~PolicyCall();

  struct Place;  ///< where a thread publishes its current call

 private:
  policy::Metering metering_;
  Place& seen_;
};

/// A call in progress on some thread.
struct CallInProgress {
  const void* thread = nullptr;       ///< only identifies the thread
  std::uint64_t nth = 0;              ///< of that thread: equal for the same call
  const std::string* seat = nullptr;  ///< its name, kept until the program ends
};

/// The current calls of all threads of this program.
std::vector<CallInProgress> calls_in_progress();

}  // namespace reeve::host
