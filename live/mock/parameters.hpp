// What a mock account asks of the parameters of a call, before it looks at its jobs.
#pragma once

#include <cstdint>
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

/// The operation of AWS Batch that a path names in lower case; empty: there is none.
std::string_view batch_operation(std::string_view path);

/// A whole number, which is a text in a form; `otherwise` if it is absent, -1 if it is none.
std::int64_t count_in(const nlohmann::json& asked, const char* key, std::int64_t otherwise);

/// MD5 in hexadecimal digits, as SQS states it of a body.
std::string md5_hex(std::string_view text);

}  // namespace reeve::live
