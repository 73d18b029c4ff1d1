// The parameters of SSM in a mock account.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

class ParameterStore {
 public:
  /// GetParameter, PutParameter and DeleteParameter.  The parameters of the call have been checked
  /// by wrong_parameters().
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked);

 private:
  std::map<std::string, std::string> values_;  ///< by name
};

}  // namespace reeve::live
