// Reads all pages of a listing.
#pragma once

#include <functional>
#include <string>

#include "live/aws/client.hpp"

namespace reeve::live {

/// Repeats the call with the token of the last reply (NextToken or nextToken) until a reply has
/// none.  `take` gets each page and returns whether it wants more.  A token that repeats itself, or
/// more than `most_pages`, is an error, because the listing would never end.
inline std::optional<CallError> read_pages(Client& client, Call call,
                                           const std::function<bool(const nlohmann::json&)>& take,
                                           int most_pages = 10'000) {
  std::string last;
  for (int page = 0; page < most_pages; ++page) {
    const CallResult reply = client.call(call);
    if (reply.error) return reply.error;
    if (!take(reply.value)) return std::nullopt;
    std::string token;
    std::string name;
    for (const char* key : {"NextToken", "nextToken"}) {
      const auto found = reply.value.is_object() ? reply.value.find(key) : reply.value.end();
      if (found == reply.value.end() || !found->is_string()) continue;
      token = found->get<std::string>();
      name = key;
    }
    if (token.empty()) return std::nullopt;
    if (token == last) break;
    if (call.service.protocol == Protocol::ec2) name = "NextToken";  // replies spell it otherwise
    call.parameters[name] = token;
    last = std::move(token);
  }
  return CallError{CallErrorKind::rejected,
                   "EndlessPages",
                   "the pages of " + call.operation + " do not end",
                   {},
                   false};
}

}  // namespace reeve::live
