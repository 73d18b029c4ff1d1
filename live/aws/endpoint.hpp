// Where a service is reached, and in which region.
#pragma once

#include <cstdint>
#include <string>

#include "live/aws/environment.hpp"
#include "live/aws/failure.hpp"
#include "live/aws/service.hpp"

namespace reeve::live {

struct Endpoint {
  bool tls = true;
  std::string host;
  std::uint16_t port = 0;  ///< 0: the default of the scheme
  std::string path;        ///< before the path of a request, without a slash at its end
};

/// AWS_REGION, then AWS_DEFAULT_REGION, then `region` of the profile.
Result<std::string> region_of(const Environment& environment);

/// AWS_ENDPOINT_URL_<SERVICE>, then AWS_ENDPOINT_URL, then the default host of the region.
/// AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true skips the first two.
Result<Endpoint> endpoint_of(const Environment& environment, const Service& service,
                             const std::string& region);

}  // namespace reeve::live
