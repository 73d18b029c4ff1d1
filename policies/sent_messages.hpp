// The messages of a rule that nobody knows to have got out: what they said, to be sent again.
#pragma once

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

/// While its attempt is the newest a rule itself decides whether what it said is still true.  Once
/// another has followed it never is again, yet people are to be told: the message is sent as it
/// was.
class SentMessages {
 public:
  /// Those that the rule has proposed since there were `before` decisions.
  void note(const policy::Decisions& out, std::size_t before) {
    for (const policy::Decision& decision : out.proposed().subspan(before)) {
      const auto* sent = std::get_if<policy::Notify>(&decision.verb);
      if (sent == nullptr) continue;
      Messages& of = sent_[{sent->job, sent->attempt}];
      of.all.insert_or_assign(sent->incident, SentMessage{sent->attempt, sent->incident,
                                                          decision.reason, decision.basis});
      ++of.under_way;
    }
  }

  /// A settlement does not say which of the attempt's messages it is about: none is forgotten
  /// before all are over.
  void settle(const policy::ActionSettled& settled) {
    if (sent_.empty() || settled.verb != policy::VerbKind::notify) return;
    const auto known = sent_.find({settled.job, settled.attempt});
    if (known == sent_.end()) return;
    Messages& of = known->second;
    if (of.under_way > 0) --of.under_way;
    of.failed |= again(settled) != Again::never || was_rejected(settled);
    if (of.under_way == 0 && !of.failed) sent_.erase(known);
  }

  /// What the attempt's messages said, by incident; they are to be proposed again, as another has
  /// followed.  What got out, or is on its way, is not sent twice by the host.
  std::vector<SentMessage> take_failed(const HeldBack::Target& of) {
    const auto known = sent_.find(of);
    if (known == sent_.end() || !std::exchange(known->second.failed, false)) return {};
    std::vector<SentMessage> all;
    for (const auto& [incident, message] : known->second.all) all.push_back(message);
    return all;
  }

 private:
  /// Of one attempt.
  struct Messages {
    std::map<std::uint16_t, SentMessage> all = {};  ///< by incident
    std::uint16_t under_way = 0;                    ///< so many are not settled
    bool failed = false;                            ///< one of them
  };

  std::map<HeldBack::Target, Messages> sent_;
};

}  // namespace reeve::policies
