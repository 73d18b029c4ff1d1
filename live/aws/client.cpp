#include "live/aws/client.hpp"

#include <utility>

#include "live/aws/call_request.hpp"
#include "live/aws/endpoint.hpp"
#include "live/aws/reply_error.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {

/// The outcome of one try.
struct Client::Try {
  CallResult result;
  Trouble trouble = Trouble::rejected;  ///< with an error
  bool may_repeat = true;               ///< false: another try cannot help
  bool is_cancelled = false;
  policy::Duration skew{0};
};

namespace {

CallErrorKind kind_of(Trouble trouble, bool may_have_happened) {
  if (may_have_happened) return CallErrorKind::unknown;
  if (trouble == Trouble::throttled) return CallErrorKind::throttled;
  return trouble == Trouble::not_sent ? CallErrorKind::not_sent : CallErrorKind::rejected;
}

CallError not_sent(std::string code, std::string message) {
  return {CallErrorKind::not_sent, std::move(code), std::move(message), {}, false};
}

const char* code_of(TransportFault fault) {
  switch (fault) {
    case TransportFault::not_sent:
      return "NotSent";
    case TransportFault::untrusted:
      return untrusted_certificate;
    case TransportFault::timed_out:
      return "TimedOut";
    case TransportFault::lost:
      return "ReplyLost";
    case TransportFault::too_large:
      return "ReplyTooLarge";
    case TransportFault::cancelled:
      return "Interrupted";
  }
  __builtin_unreachable();
}

}  // namespace

Result<ClientSettings> client_settings(const Environment& environment) {
  const Result<std::string> region = region_of(environment);
  if (const Failure* failure = failure_of(region)) return *failure;
  const Result<int> attempts = max_attempts(environment);
  if (const Failure* failure = failure_of(attempts)) return *failure;
  return ClientSettings{std::get<std::string>(region), std::get<int>(attempts)};
}

Client::Client(Surroundings around, CredentialSource& credentials, ClientSettings settings)
    : around_{std::move(around)}, credentials_{credentials}, settings_{std::move(settings)} {}

Client::Try Client::try_once(const Call& call, Request request) {
  Try made;
  if (call.is_signed) {
    const Result<Credentials> credentials = credentials_.current();
    if (const Failure* failure = failure_of(credentials)) {
      made.trouble = Trouble::not_sent;
      made.may_repeat = false;
      made.result.error = not_sent("NoCredentials", failure->message);
      return made;
    }
    sign(request, std::get<Credentials>(credentials).key,
         {settings_.region, std::string{call.service.signing_name},
          around_.clock.now() + correction_});
  }
  const auto outcome = around_.transport.send(request);
  if (const auto* failure = std::get_if<TransportFailure>(&outcome)) {
    made.trouble = trouble_of(failure->fault);
    made.may_repeat =
        failure->fault != TransportFault::too_large && failure->fault != TransportFault::untrusted;
    made.is_cancelled = failure->fault == TransportFault::cancelled;
    made.result.error = CallError{{}, code_of(failure->fault), failure->message, {}, false};
    return made;
  }
  const Response& response = std::get<Response>(outcome);
  const std::string* date = find_header(response.headers, "date");
  if (const auto theirs = date ? parse_http_date(*date) : std::nullopt) {
    difference_ = *theirs - around_.clock.now();
    made.skew = *difference_ - correction_;
  }
  const Protocol protocol = call.service.protocol;
  made.result.request_id = request_id_in(response, protocol);
  if (response.status >= 200 && response.status < 300) {
    Result<nlohmann::json> value = value_in(response, call);
    if (const Failure* failure = failure_of(value)) {
      made.trouble = Trouble::lost;
      made.may_repeat = false;
      made.result.error =
          CallError{{}, "ReplyUnreadable", failure->message, made.result.request_id, false};
    } else {
      made.result.value = std::move(std::get<nlohmann::json>(value));
    }
    return made;
  }
  ReplyError error = error_in(response, protocol);
  made.trouble = trouble_of(response.status, error.code, made.skew);
  made.result.error =
      CallError{{}, std::move(error.code), std::move(error.message), made.result.request_id, false};
  return made;
}

bool Client::repair(const Try& failed, bool& reloaded, bool& corrected) {
  if (failed.trouble == Trouble::expired && !reloaded) {
    credentials_.forget();
    return reloaded = true;
  }
  if (failed.trouble == Trouble::skewed && !corrected) {
    correction_ += failed.skew;
    return corrected = true;
  }
  return false;
}

CallResult Client::call(const Call& call) {
  CallResult refused;
  const Result<Endpoint> endpoint =
      endpoint_of(around_.environment, call.service, settings_.region);
  if (const Failure* failure = failure_of(endpoint)) {
    refused.error = not_sent("NoEndpoint", failure->message);
    return refused;
  }
  const Result<Request> request = request_of(call, std::get<Endpoint>(endpoint));
  if (const Failure* failure = failure_of(request)) {
    refused.error = not_sent("InvalidParameters", failure->message);
    return refused;
  }
  bool reloaded = !call.is_signed;
  bool corrected = !call.is_signed;
  bool happened = false;  // perhaps
  int taken = 0;
  int attempts = 1;
  const int most = call.max_attempts > 0 ? call.max_attempts : settings_.max_attempts;
  for (int tries = 1;; ++tries) {
    Try made = try_once(call, std::get<Request>(request));
    made.result.tries = tries;
    if (!made.result.error) {
      tokens_.give(taken);
      return std::move(made.result);
    }
    happened = happened || may_have_happened(made.trouble);
    if (repair(made, reloaded, corrected)) continue;
    const bool again = made.may_repeat && is_retried(made.trouble);
    const bool is_last = attempts >= most || made.is_cancelled;
    if (!again || is_last || !tokens_.take(made.trouble)) {
      made.result.error->kind = kind_of(made.trouble, happened);
      made.result.error->retryable = again;
      return std::move(made.result);
    }
    taken = RetryTokens::price(made.trouble);
    around_.clock.sleep(wait_before_retry(attempts, around_.random()));
    ++attempts;
  }
}

}  // namespace reeve::live
