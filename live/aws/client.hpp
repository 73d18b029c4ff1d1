// Calls operations of AWS services: encoding, signature, retries and the error as data.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "live/aws/credentials.hpp"
#include "live/aws/request.hpp"
#include "live/aws/retry.hpp"
#include "live/aws/service.hpp"
#include "live/aws/surroundings.hpp"

namespace reeve::live {

/// One operation.  A call with an effect carries a client token or a name, because a retry sends
/// the same parameters again.
struct Call {
  Service service;
  std::string operation;  ///< for example `StopTrainingJob`
  nlohmann::json parameters = nlohmann::json::object();
  std::string method = "POST";
  std::string path = {};  ///< of REST, encoded; empty: `/v1/` and the operation in lower case
  std::vector<Field> query = {};
  policy::Duration timeout = std::chrono::seconds{15};  ///< of each try
  bool is_signed = true;
  int max_attempts = 0;  ///< tries; 0: those of the client
};

/// What the caller has to assume.  `unknown`: one of the tries may have had its effect.
enum class CallErrorKind : std::uint8_t { rejected, throttled, not_sent, unknown };

/// CallError::code: the host could not be verified, and nothing was sent.
inline constexpr const char* untrusted_certificate = "UntrustedCertificate";

struct CallError {
  CallErrorKind kind = CallErrorKind::unknown;
  std::string code;  ///< of the last try
  std::string message;
  std::string request_id;
  bool retryable = false;  ///< a later call may succeed
};

struct CallResult {
  nlohmann::json value = nlohmann::json::object();  ///< replies in XML have texts only
  std::string request_id;
  int tries = 0;
  std::optional<CallError> error;
};

struct ClientSettings {
  std::string region;
  int max_attempts = 3;  ///< tries of a call
};

/// The region and AWS_MAX_ATTEMPTS.
Result<ClientSettings> client_settings(const Environment& environment);

/// For one thread.  The tokens of retries and the correction of the clock are kept between calls.
class Client {
 public:
  Client(Surroundings around, CredentialSource& credentials, ClientSettings settings);

  /// Expired credentials are fetched again once, and a wrong clock is corrected once.  Both do not
  /// count as attempts.
  CallResult call(const Call& call);

  const ClientSettings& settings() const { return settings_; }
  /// The clock of AWS minus ours, as far as a service has complained.
  policy::Duration clock_correction() const { return correction_; }
  /// The clock of AWS minus ours, by the last response; AWS states whole seconds.
  std::optional<policy::Duration> clock_difference() const { return difference_; }

 private:
  struct Try;
  Try try_once(const Call& call, Request request);
  bool repair(const Try& failed, bool& reloaded, bool& corrected);

  Surroundings around_;
  CredentialSource& credentials_;
  ClientSettings settings_;
  RetryTokens tokens_;
  policy::Duration correction_{0};
  std::optional<policy::Duration> difference_;
};

}  // namespace reeve::live
