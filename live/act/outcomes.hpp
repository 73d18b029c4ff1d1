// What the answer of AWS to an action means for it.
#pragma once

#include <string_view>

#include "host/ports.hpp"
#include "live/aws/client.hpp"

namespace reeve::live {

/// Of one call of `operation`, as AWS names it.  `unknown`: the account must be asked.
host::ReplyKind reply_kind(std::string_view operation, const CallResult& result);

}  // namespace reeve::live
