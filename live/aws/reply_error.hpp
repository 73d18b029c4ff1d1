// What a service says about a call that failed.
#pragma once

#include <string>

#include "live/aws/request.hpp"
#include "live/aws/service.hpp"

namespace reeve::live {

struct ReplyError {
  std::string code;  ///< without namespace; `Http` and the status if the service states none
  std::string message;
};

ReplyError error_in(const Response& response, Protocol protocol);

/// From a header or the body; empty if there is none.
std::string request_id_in(const Response& response, Protocol protocol);

bool has_xml_replies(Protocol protocol);

}  // namespace reeve::live
