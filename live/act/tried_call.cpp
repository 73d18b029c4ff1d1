#include "live/act/tried_call.hpp"

#include <chrono>

#include "live/act/outcomes.hpp"
#include "live/feed/failed_call.hpp"

namespace reeve::live {

using host::ReplyKind;
using policy::Outcome;

ActionEnd carry_out(Client& client, Clock& clock, Pace& pace, const TriedCall& tried) {
  constexpr std::uint32_t most_tries = 5;
  ActionEnd end;
  std::chrono::seconds wait{1};
  while (end.tries < most_tries) {
    if (end.tries > 0) {
      clock.sleep(wait);
      wait *= 2;
      if (tried.is_held_back()) {
        end.is_held_back = true;
        return end;
      }
    }
    pace.wait();
    tried.on_try(++end.tries);
    const CallResult result = client.call(tried.call);
    end.code = result.error ? result.error->code : std::string{};
    end.detail = result.error ? result.error->message : std::string{};
    switch (reply_kind(tried.call.operation, result)) {
      case ReplyKind::done:
      case ReplyKind::partly_done:
        end.outcome = Outcome::done;
        if (result.error) end.detail = "it had ended before";
        return end;
      case ReplyKind::rejected:
      case ReplyKind::no_room:
        end.outcome = Outcome::refused;
        end.concerns_all = concerns_all(*result.error);
        return end;
      case ReplyKind::throttled:
        break;
      case ReplyKind::unknown:
        if (!tried.has_worked()) break;
        end.outcome = Outcome::done;
        end.detail = "the reply was lost; the account shows the effect";
        return end;
    }
  }
  return end;
}

}  // namespace reeve::live
