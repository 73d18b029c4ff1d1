// The interface that sends one request: over a network, or a script in tests.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "live/aws/request.hpp"

namespace reeve::live {

enum class TransportFault : std::uint8_t {
  not_sent,   ///< the request had no effect
  untrusted,  ///< nor here: the host could not be verified, which another try does not change
  timed_out,  ///< here and below, the request may have had one
  lost,
  too_large,
  cancelled
};

inline bool had_no_effect(TransportFault fault) {
  return fault == TransportFault::not_sent || fault == TransportFault::untrusted;
}

struct TransportFailure {
  TransportFault fault = TransportFault::lost;
  std::string message;  ///< names the host, never a header, a query or a body
};

class Transport {
 public:
  virtual ~Transport() = default;
  /// Blocks until the response is complete or a limit of the request is reached.  It does not
  /// follow redirects.
  virtual std::variant<Response, TransportFailure> send(const Request& request) = 0;
  /// Asked once a second at least while a request is under way: true ends it as
  /// `cancelled`.  A transport without a network never asks.
  virtual void cancel_when(std::function<bool()> /*is_cancelled*/) {}
};

}  // namespace reeve::live
