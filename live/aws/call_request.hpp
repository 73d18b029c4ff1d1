// The HTTP request of a call, before it is signed, and the value in its response.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "live/aws/client.hpp"
#include "live/aws/endpoint.hpp"

namespace reeve::live {

/// Fails if a text of the parameters is not UTF-8.
Result<Request> request_of(const Call& call, const Endpoint& endpoint);

/// Fails if the body cannot be parsed.
Result<nlohmann::json> value_in(const Response& response, const Call& call);

}  // namespace reeve::live
