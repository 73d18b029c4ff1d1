// What a mock account answers to a call: a value, or an error as AWS states it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

namespace reeve::live {

struct MockError {
  std::string code;
  std::string message;
};

using MockAnswer = std::variant<nlohmann::json, MockError>;

}  // namespace reeve::live
