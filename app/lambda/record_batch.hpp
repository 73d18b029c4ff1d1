// The messages of an SQS queue in the payload of an invocation.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/events/fleet_event.hpp"

namespace reeve::app {

/// An event and the message that it came in.
struct RecordedEvent {
  std::string id;  ///< of the message
  live::FleetEvent event;
};

/// The name of the training job that the event is about; empty: about none.
std::string job_of(const live::FleetEvent& event);

class RecordBatch {
 public:
  /// Throws std::runtime_error if the payload is no JSON, or has records that are none of SQS.
  explicit RecordBatch(std::string_view payload);

  /// Whether the payload has records: else it is a schedule, or a person who tries the function.
  bool has_records() const { return has_records_; }
  std::size_t size() const { return ids_.size(); }
  const std::vector<RecordedEvent>& events() const { return events_; }
  /// The messages that are no event, and why.
  const std::vector<std::pair<std::string, std::string>>& unreadable() const { return unreadable_; }

  /// SQS delivers these messages again: all of them, those about a job, or those without an event.
  void fail_all() { failed_.insert(ids_.begin(), ids_.end()); }
  void fail_job(const std::string& job);
  /// The answer to the invocation.
  std::string answer() const;

 private:
  bool has_records_ = false;
  std::vector<std::string> ids_;
  std::vector<RecordedEvent> events_;
  std::vector<std::pair<std::string, std::string>> unreadable_;
  std::set<std::string> failed_;
};

}  // namespace reeve::app
