// Why a step of a connection failed.
#pragma once

#include <string>

#include "live/aws/transport.hpp"

namespace reeve::live {

struct ConnectionFailure {
  TransportFault fault = TransportFault::lost;
  std::string message;  ///< without the host
};

}  // namespace reeve::live
