// The SQS queue of a mock account: messages, their visibility, and lost and repeated ones.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "live/events/fleet_event.hpp"
#include "live/mock/fault_draws.hpp"
#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// Shares in 0..1.
struct MockFaults {
  double lost = 0;        ///< events that the queue never gets
  double duplicated = 0;  ///< events that the queue gets twice
};

/// One queue, named `reeve`, with a dead-letter queue that nothing reads.
class MockQueue {
 public:
  MockQueue(std::string account, std::string region, MockFaults faults, std::uint64_t seed);

  /// ReceiveMessage, DeleteMessage, DeleteMessageBatch, GetQueueUrl, GetQueueAttributes, and those
  /// of tags.  The parameters have been checked by wrong_parameters().
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked, policy::Instant now);
  /// At `event.received`.
  void send(const FleetEvent& event);

  /// Messages that were sent, lost ones not among them.
  std::uint64_t sent() const { return sent_; }
  /// When the first message that is hidden at `now` becomes visible again.
  std::optional<policy::Instant> next_visible(policy::Instant now) const;
  std::string path() const { return '/' + account_ + "/reeve"; }
  std::string arn() const;

 private:
  struct Message {
    std::string id;
    FleetEvent event;  ///< its text is longer, and written when it is received
    policy::Instant visible;
    int received = 0;
  };

  MockAnswer receive(const nlohmann::json& asked, policy::Instant now);
  MockAnswer remove_batch(const nlohmann::json& asked);
  MockAnswer remove_one(const nlohmann::json& asked);
  bool remove(const std::string& receipt);
  MockAnswer url(const nlohmann::json& asked) const;
  MockAnswer answer_for_tags(std::string_view operation, const nlohmann::json& asked);
  MockAnswer attributes(const nlohmann::json& asked, policy::Instant now) const;
  nlohmann::json all_attributes(policy::Instant now) const;

  std::string account_;
  std::string region_;
  MockFaults faults_;
  FaultDraws draws_;
  std::uint64_t sent_ = 0;
  std::map<std::string, std::string> tags_;
  std::deque<Message> messages_;  ///< in the order of sending; without dead letters
};

}  // namespace reeve::live
