// What a mock account asks of the parameters of a call, before it looks at its jobs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "live/mock/mock_account.hpp"

namespace reeve::live {

/// An unknown operation, an unknown, missing or wrong parameter.
/// Source: the service models that botocore ships.
std::optional<MockError> wrong_parameters(std::string_view service, std::string_view operation,
                                          const nlohmann::json& asked);

/// The operation that a path names in lower case, as that of AWS Batch do; empty: there is none.
std::string_view operation_of_path(std::string_view service, std::string_view path);

/// MD5 in hexadecimal digits, as SQS states it of a body.
std::string md5_hex(std::string_view text);

}  // namespace reeve::live
