// When a failed call is tried again: the standard retry mode of the AWS SDKs.
// Source: the AWS SDKs and Tools Reference Guide, "Retry behavior".
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>
#include <string_view>

#include "live/aws/environment.hpp"
#include "live/aws/failure.hpp"
#include "live/aws/transport.hpp"

namespace reeve::live {

/// Why a try failed.
enum class Trouble : std::uint8_t {
  rejected,   ///< the service said no
  throttled,  ///< too many calls; this one had no effect
  server,     ///< an error inside the service
  not_sent,   ///< no connection
  timed_out,  ///< no response in time
  lost,       ///< the connection ended before the response
  expired,    ///< the credentials
  skewed      ///< the clock
};

/// Of a response that is not a success.  `skew` is the time of the service minus ours, zero if the
/// service did not state its time.
Trouble trouble_of(int status, std::string_view code, policy::Duration skew);

Trouble trouble_of(TransportFault fault);

/// Whether the standard mode tries again.  The client repairs `expired` and `skewed` itself.
bool is_retried(Trouble trouble);

/// Whether the call may have had its effect.
bool may_have_happened(Trouble trouble);

/// The wait before the retry after try `number` (from 1).  `random` is in [0, 1).
policy::Duration wait_before_retry(int number, double random);

/// AWS_MAX_ATTEMPTS, else three.
Result<int> max_attempts(const Environment& environment);

/// Bounds the retries of all calls of a client.  It begins with 500 tokens.
class RetryTokens {
 public:
  /// Takes 5 tokens, or 10 after a timeout.  False if there are too few.
  bool take(Trouble trouble);
  /// After a success: what its last retry took, or one token if there was none.
  void give(int taken);
  int left() const { return left_; }
  static int price(Trouble trouble);

 private:
  int left_ = 500;
};

}  // namespace reeve::live
