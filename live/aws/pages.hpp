// Reads all pages of a listing.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "live/aws/client.hpp"

namespace reeve::live {

/// The pages of one listing, one call each: the next call has the token of the last reply
/// (NextToken or nextToken).
class Pages {
 public:
  explicit Pages(Call call, int most_pages = 10'000)
      : call_{std::move(call)}, pages_left_{most_pages} {}

  /// Whether a reply had no token.
  bool at_end() const { return at_end_; }

  /// The next page.  After an error the same page can be read again, unless the listing would never
  /// end: a token comes again, or there are too many pages.
  CallResult read(Client& client) {
    CallResult reply = client.call(call_);
    if (reply.error) return reply;
    std::string token;
    std::string name;
    for (const char* key : {"NextToken", "nextToken"}) {
      const auto found = reply.value.is_object() ? reply.value.find(key) : reply.value.end();
      if (found == reply.value.end() || !found->is_string()) continue;
      token = found->get<std::string>();
      name = key;
    }
    at_end_ = token.empty();
    if (!at_end_ && (!tokens_.insert(token).second || --pages_left_ == 0)) {
      reply.error = CallError{CallErrorKind::rejected,
                              "EndlessPages",
                              "the pages of " + call_.operation + " do not end",
                              {},
                              false};
    }
    if (call_.service.protocol == Protocol::ec2) name = "NextToken";  // replies spell it otherwise
    if (!at_end_) call_.parameters[name] = std::move(token);
    return reply;
  }

 private:
  Call call_;
  int pages_left_;
  std::set<std::string> tokens_;  ///< of all pages so far
  bool at_end_ = false;
};

/// Reads all pages.  `take` gets each one and returns whether it wants more.
inline std::optional<CallError> read_pages(Client& client, Call call,
                                           const std::function<bool(const nlohmann::json&)>& take,
                                           int most_pages = 10'000) {
  Pages pages{std::move(call), most_pages};
  while (!pages.at_end()) {
    const CallResult page = pages.read(client);
    if (page.error) return page.error;
    if (!take(page.value)) break;
  }
  return std::nullopt;
}

}  // namespace reeve::live
