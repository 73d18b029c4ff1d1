// The messages of a rule that nobody knows to have got out: what they said, to be sent again.
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
#include "job_news.hpp"

namespace reeve::policies {

/// What an attempt's message of an incident says.
struct SentMessage {
  policy::AttemptNumber attempt = 0;
  std::uint16_t incident = 0;
  std::string_view reason;
  std::string basis = {};
};

/// While its attempt goes on a rule itself decides whether what it said is still true.  Once that
/// is over it never is again, yet people are to be told: the message is sent as it was.
class SentMessages {
 public:
  /// Those that the rule has proposed since there were `before` decisions.
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

  /// One that is proposed again while it is on its way is refused as moot: none is forgotten before
  /// all that was asked for is settled.
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

  /// The attempt's messages that failed, by incident; they are forgotten, or proposed again.
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
    std::uint16_t under_way = 0;  ///< asked for so many times that are not settled
    bool failed = false;
  };

  /// By incident of each attempt; what got out is forgotten.
  std::map<HeldBack::Target, std::map<std::uint16_t, Message>> sent_;
};

}  // namespace reeve::policies
