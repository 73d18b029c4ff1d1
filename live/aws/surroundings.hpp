// All that the AWS client needs of the world outside, in one place.
#pragma once

#include <functional>

#include "live/aws/clock.hpp"
#include "live/aws/environment.hpp"
#include "live/aws/transport.hpp"

namespace reeve::live {

/// Refers to objects that outlive the client.
struct Surroundings {
  const Environment& environment;
  Transport& transport;
  Clock& clock;
  std::function<double()> random;  ///< uniform in [0, 1), for waits before retries
};

}  // namespace reeve::live
