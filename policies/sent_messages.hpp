// The messages of a rule that are not known to be delivered, with their text, to be sent again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "held_back.hpp"
#include "job_events.hpp"

namespace reeve::policies {

/// The content of a message about an incident of an attempt.
struct SentMessage {
  policy::AttemptNumber attempt = 0;
  std::uint16_t incident = 0;
  std::string_view reason;
  std::string basis = {};
};

/// While an attempt runs, the rule itself decides whether a message is still true.  After its end
/// the rule does not repeat the message, so it is sent again unchanged.
class SentMessages {
 public:
  /// Records the messages among the decisions from index `before` on.
  void note(const policy::Decisions& out, std::size_t before) {
    for (const policy::Decision& decision : out.proposed().subspan(before)) {
      const auto* sent = std::get_if<policy::Notify>(&decision.verb);
      if (sent == nullptr) continue;
      Message& of = sent_[{sent->job, sent->attempt}][sent->incident];
      of.sent = {sent->attempt, sent->incident, decision.reason, decision.basis};
      ++of.under_way;
      of.failed = false;
    }
  }

  /// A message that is proposed again while it is in flight is refused as moot.  So a message is
  /// forgotten only when all proposals of it are settled.
  void settle(const policy::ActionSettled& settled) {
    if (sent_.empty() || settled.verb != policy::VerbKind::notify) return;
    const auto known = sent_.find({settled.job, settled.attempt});
    if (known == sent_.end()) return;
    const auto message = known->second.find(settled.incident);
    if (message == known->second.end()) return;
    Message& of = message->second;
    if (of.under_way > 0) --of.under_way;
    of.failed |= may_be_sent_again(settled);
    if (of.under_way == 0 && !of.failed) known->second.erase(message);
    if (known->second.empty()) sent_.erase(known);
  }

  bool has_failed(const HeldBack::Target& of) const {
    if (sent_.empty()) return false;
    const auto known = sent_.find(of);
    return known != sent_.end() && std::ranges::any_of(known->second, [](const auto& message) {
             return message.second.failed;
           });
  }

  /// Returns and forgets the failed messages of the attempt, by incident.
  std::vector<SentMessage> take_failed(const HeldBack::Target& of) {
    std::vector<SentMessage> all;
    const auto known = sent_.find(of);
    if (known == sent_.end()) return all;
    std::erase_if(known->second, [&](auto& message) {
      if (!message.second.failed) return false;
      all.push_back(std::move(message.second.sent));
      return true;
    });
    if (known->second.empty()) sent_.erase(known);
    return all;
  }

 private:
  struct Message {
    SentMessage sent = {};
    std::uint16_t under_way = 0;  ///< proposals that are not settled
    bool failed = false;
  };

  /// By attempt and incident.  Delivered messages are forgotten.
  std::map<HeldBack::Target, std::map<std::uint16_t, Message>> sent_;
};

}  // namespace reeve::policies
