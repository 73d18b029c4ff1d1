// Signatures of AWS requests, version 4: how they are computed and how they are checked.
// Source: the AWS guide "Create a signed AWS API request".  The signer reads no clock.
#pragma once

#include <functional>
#include <optional>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/aws/request.hpp"
#include "live/aws/secret.hpp"

namespace reeve::live {

/// What a request is signed with.  Temporary keys have a session token.
struct AccessKey {
  std::string id;
  Secret secret;
  Secret session_token;
};

/// Where and when a signature is valid.
struct SigningScope {
  std::string region;
  std::string service;  ///< the signing name, for example `sagemaker`
  policy::Instant at;
};

/// SHA-256 of the bytes in lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

/// The names of the headers that a signer covers, sorted, in lower case: all but those that proxies
/// and HTTP libraries change.
std::vector<std::string> signed_header_names(const Request& request);

/// The form that both sides hash.  Services other than S3 encode the path twice and normalize it.
std::string canonical_request(const Request& request, std::string_view service,
                              std::span<const std::string> signed_headers);

std::string string_to_sign(std::string_view canonical_request, const SigningScope& scope);

/// Adds x-amz-date, the session token and the Authorization header.  Earlier ones are replaced, so
/// a request can be signed again for its next try.
void sign(Request& request, const AccessKey& key, const SigningScope& scope);

/// Why a received request is refused.
enum class SignatureFault : std::uint8_t {
  missing,          ///< no Authorization header
  incomplete,       ///< it, or x-amz-date, cannot be parsed
  unknown_key,      ///< no such access key
  wrong_token,      ///< not the session token of that key
  wrong_scope,      ///< another region, service or day
  wrong_time,       ///< more than five minutes from now
  unsigned_header,  ///< the signature does not cover Host or a header of AWS
  wrong_body,       ///< not the body that x-amz-content-sha256 states
  mismatch          ///< another signature
};

using FindKey = std::function<std::optional<AccessKey>(std::string_view id)>;

/// Computes the signature of a received request again.  `expected.at` is the time of receipt.
std::optional<SignatureFault> verify(const Request& received, const FindKey& find_key,
                                     const SigningScope& expected);

}  // namespace reeve::live
