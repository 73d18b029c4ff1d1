// What the answer of AWS, or of a webhook, to an action means for it.
#pragma once

#include <string_view>

#include "host/ports.hpp"
#include "live/aws/client.hpp"

namespace reeve::live {

/// Of one call of `operation`, as AWS names it.  `unknown`: the account must be asked.
host::ReplyKind reply_kind(std::string_view operation, const CallResult& result);

/// Of the answer of a webhook that gets the key of the message with each try.
host::ReplyKind reply_kind_of_status(int status);

}  // namespace reeve::live
