#include "live/aws/retry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace reeve::live {

namespace {

constexpr int most_tokens = 500;

template <std::size_t Count>
bool is_among(const std::array<std::string_view, Count>& codes, std::string_view code) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

constexpr std::array<std::string_view, 14> throttle_codes{"BandwidthLimitExceeded",
                                                          "EC2ThrottledException",
                                                          "LimitExceededException",
                                                          "PriorRequestNotComplete",
                                                          "ProvisionedThroughputExceededException",
                                                          "RequestLimitExceeded",
                                                          "RequestThrottled",
                                                          "RequestThrottledException",
                                                          "SlowDown",
                                                          "ThrottledException",
                                                          "Throttling",
                                                          "ThrottlingException",
                                                          "TooManyRequestsException",
                                                          "TransactionInProgressException"};

constexpr std::array<std::string_view, 7> server_codes{
    "InternalError",           "InternalFailure",    "InternalServerError",        "RequestTimeout",
    "RequestTimeoutException", "ServiceUnavailable", "ServiceUnavailableException"};

constexpr std::array<std::string_view, 3> expired_codes{"ExpiredToken", "ExpiredTokenException",
                                                        "TokenRefreshRequired"};

/// Of a wrong clock for certain.
constexpr std::array<std::string_view, 4> skew_codes{"RequestExpired", "RequestInTheFuture",
                                                     "RequestTimeTooSkewed",
                                                     "RequestTimeTooSkewedException"};

/// Of a wrong clock, or of a wrong key.
constexpr std::array<std::string_view, 4> signature_codes{
    "AuthFailure", "InvalidSignatureException", "SignatureDoesNotMatch",
    "IncompleteSignatureException"};

}  // namespace

Trouble trouble_of(int status, std::string_view code, policy::Duration skew) {
  const policy::Duration apart = std::chrono::abs(skew);
  if (is_among(skew_codes, code) && apart > policy::Duration::zero()) return Trouble::skewed;
  // AWS accepts five minutes.
  if (is_among(signature_codes, code) && apart >= std::chrono::minutes{4}) return Trouble::skewed;
  if (is_among(expired_codes, code)) return Trouble::expired;
  if (is_among(throttle_codes, code) || status == 429) return Trouble::throttled;
  if (is_among(server_codes, code) || status >= 500) return Trouble::server;
  return Trouble::rejected;
}

Trouble trouble_of(TransportFault fault) {
  switch (fault) {
    case TransportFault::not_sent:
    case TransportFault::untrusted:
      return Trouble::not_sent;
    case TransportFault::timed_out:
      return Trouble::timed_out;
    case TransportFault::lost:
    case TransportFault::too_large:
    case TransportFault::cancelled:
      return Trouble::lost;
  }
  __builtin_unreachable();
}

bool is_retried(Trouble trouble) {
  return trouble == Trouble::throttled || trouble == Trouble::server ||
         trouble == Trouble::not_sent || trouble == Trouble::timed_out || trouble == Trouble::lost;
}

bool may_have_happened(Trouble trouble) {
  return trouble == Trouble::server || trouble == Trouble::timed_out || trouble == Trouble::lost;
}

policy::Duration wait_before_retry(int number, double random) {
  constexpr int doublings = 5;  // 32 s, above the limit
  const std::int64_t most_s = std::int64_t{1} << std::min(std::max(number - 1, 0), doublings);
  const policy::Duration most = std::chrono::seconds{std::min<std::int64_t>(most_s, 20)};
  const double part = std::clamp(random, 0.0, 1.0);
  return policy::Duration{static_cast<std::int64_t>(static_cast<double>(most.count()) * part)};
}

Result<int> max_attempts(const Environment& environment) {
  const std::optional<std::string> text = environment.get("AWS_MAX_ATTEMPTS");
  if (!text) return 3;
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool whole = error == std::errc{} && end == text->data() + text->size();
  if (!whole || number < 1 || number > 100) {
    return Failure{"AWS_MAX_ATTEMPTS is no number from 1 to 100"};
  }
  return number;
}

int RetryTokens::price(Trouble trouble) {
  return trouble == Trouble::timed_out ? 10 : 5;
}

bool RetryTokens::take(Trouble trouble) {
  if (left_ < price(trouble)) return false;
  left_ -= price(trouble);
  return true;
}

void RetryTokens::give(int taken) {
  left_ = std::min(most_tokens, left_ + std::max(taken, 1));
}

}  // namespace reeve::live
