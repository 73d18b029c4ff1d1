// What a mock account answers to a call: a value, an error as AWS states it, or nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

namespace reeve::live {

struct MockError {
  std::string code;
  std::string message;
};

/// The call had its effect, and the connection ends without a reply.
struct LostReply {};

using MockAnswer = std::variant<nlohmann::json, MockError, LostReply>;

}  // namespace reeve::live
