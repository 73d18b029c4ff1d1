#include "live/mock/mock_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"
#include "live/aws/uri.hpp"
#include "live/aws/xml.hpp"
#include "live/mock/parameters.hpp"
#include "live/mock/query_reply.hpp"

namespace reeve::live {

/// A request, decoded.
struct MockService::Decoded {
  std::string service;
  std::string operation;
  nlohmann::json asked = nlohmann::json::object();
  bool is_query = false;
};

namespace {

using nlohmann::json;
using policy::Duration;
using policy::Instant;

struct Target {
  std::string_view prefix;  ///< of X-Amz-Target
  std::string_view service;
};
constexpr std::array targets = {
    Target{"SageMaker.", "sagemaker"},
    Target{"AmazonSQS.", "sqs"},
    Target{"AWSEvents.", "events"},
    Target{"com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.", "cloudtrail"},
    Target{"AmazonSSM.", "ssm"},
    Target{"DynamoDB_20120810.", "dynamodb"},
    Target{"GraniteServiceVersion20100801.", "monitoring"}};

/// EC2 has other elements around an error and a result than the other services with forms.
Response ec2_reply(std::string_view operation, const MockAnswer& answer, int status) {
  Response reply{status, {{"Content-Type", "text/xml;charset=UTF-8"}}, {}};
  if (const auto* error = std::get_if<MockError>(&answer)) {
    reply.body = fmt::format(
        "<Response><Errors><Error><Code>{}</Code><Message>{}</Message></Error></Errors>"
        "<RequestID>mock</RequestID></Response>",
        xml_escaped(error->code), xml_escaped(error->message));
  } else {
    reply.body = fmt::format("<{0}Response><requestId>mock</requestId>{1}</{0}Response>", operation,
                             xml_of(std::get<json>(answer), Protocol::ec2));
  }
  return reply;
}

Response query_reply(std::string_view operation, const MockAnswer& answer, int status) {
  Response reply{status, {{"Content-Type", "text/xml"}}, {}};
  if (const auto* error = std::get_if<MockError>(&answer)) {
    reply.body = fmt::format(
        "<ErrorResponse><Error><Type>Sender</Type><Code>{}</Code><Message>{}</Message></Error>"
        "<RequestId>mock</RequestId></ErrorResponse>",
        xml_escaped(error->code), xml_escaped(error->message));
  } else {
    reply.body = fmt::format(
        "<{0}Response><{0}Result>{1}</{0}Result><ResponseMetadata><RequestId>mock</RequestId>"
        "</ResponseMetadata></{0}Response>",
        operation, xml_of(std::get<json>(answer), Protocol::query));
  }
  return reply;
}

Response json_reply(const MockAnswer& answer, int status) {
  Response reply{status, {{"Content-Type", "application/x-amz-json-1.1"}}, {}};
  const auto* error = std::get_if<MockError>(&answer);
  reply.body = error == nullptr ? std::get<json>(answer).dump()
                                : json{{"__type", error->code}, {"message", error->message}}.dump();
  return reply;
}

int status_of(const MockAnswer& answer) {
  const auto* error = std::get_if<MockError>(&answer);
  if (error == nullptr) return 200;
  if (error->code == "InternalFailure") return 500;
  const bool is_forbidden = error->code == "InvalidSignatureException" ||
                            error->code == "MissingAuthenticationTokenException" ||
                            error->code == "UnrecognizedClientException" ||
                            error->code == "UnauthorizedOperation";
  return is_forbidden ? 403 : 400;
}

std::string_view service_of_version(std::string_view version) {
  if (version == "2011-06-15") return "sts";
  if (version == "2010-03-31") return "sns";
  if (version == "2016-11-15") return "ec2";
  return version == "2010-08-01" ? "monitoring" : "query";
}

/// Services sign with one name and have permissions under another.
std::string iam_name(const std::string& service) {
  return service == "monitoring" ? "cloudwatch" : service;
}

std::string nanoseconds(Instant at) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count());
}

MockError for_fault(SignatureFault fault) {
  switch (fault) {
    case SignatureFault::missing:
      return {"MissingAuthenticationTokenException", "the request is not signed"};
    case SignatureFault::unknown_key:
    case SignatureFault::wrong_token:
      return {"UnrecognizedClientException", "the access key is not that of the mock account"};
    case SignatureFault::wrong_time:
      return {"RequestTimeTooSkewed", "the request was signed at another time"};
    default:
      return {"InvalidSignatureException", "the signature does not match the request"};
  }
}

}  // namespace

MockService::MockService(MockAccount account, MockClock clock, CallFaults faults,
                         std::uint64_t seed, OnCall on_call)
    : account_{std::move(account)},
      clock_{clock},
      faults_{std::move(faults)},
      draws_{seed},
      on_call_{std::move(on_call)} {}

Instant MockService::now() {
  const std::lock_guard lock{mutex_};
  return clock_.now();
}

std::variant<MockService::Decoded, MockError> MockService::decode_form(const Request& request) {
  Decoded call;
  call.is_query = true;
  std::vector<Field> parameters;
  std::string form = request.body;
  std::replace(form.begin(), form.end(), '+', ' ');  // which a query of a URL does not mean
  for (const Field& field : parse_query(form)) {
    if (field.name == "Action")
      call.operation = field.value;
    else if (field.name == "Version")
      call.service = service_of_version(field.value);
    else
      parameters.push_back(field);
  }
  if (call.operation.empty()) return MockError{"MissingAction", "the request names no operation"};
  auto asked = form_value(parameters, call.service == "ec2" ? Protocol::ec2 : Protocol::query);
  if (!asked) return MockError{"MalformedQueryString", "the parameters contradict each other"};
  call.asked = *std::move(asked);
  return call;
}

std::variant<MockService::Decoded, MockError> MockService::decode(const Request& request) const {
  Decoded call;
  const std::string* target = find_header(request.headers, "x-amz-target");
  if (target == nullptr && !request.path.starts_with("/v1/")) return decode_form(request);
  for (const Target& known : targets) {
    if (target == nullptr || !target->starts_with(known.prefix)) continue;
    call.service = known.service;
    call.operation = target->substr(known.prefix.size());
  }
  if (target == nullptr) call.operation = batch_operation(request.path);
  if (target == nullptr && !call.operation.empty()) call.service = "batch";
  if (call.service.empty()) {
    return MockError{"UnknownOperationException",
                     "the mock account has no " + (target == nullptr ? request.path : *target)};
  }
  call.asked = json::parse(request.body, nullptr, false);
  if (call.asked.is_discarded()) return MockError{"SerializationException", "the body is not JSON"};
  return call;
}

std::optional<MockError> MockService::wrong_signature(const Request& request,
                                                      const Decoded& call) const {
  const FindKey key = [](std::string_view id) -> std::optional<AccessKey> {
    if (id != mock_key_id) return std::nullopt;
    return AccessKey{std::string{mock_key_id}, Secret{std::string{mock_secret}}, {}};
  };
  const auto fault = verify(request, key, {account_.region(), call.service, clock_.now()});
  return fault ? std::optional{for_fault(*fault)} : std::nullopt;
}

bool MockService::is_denied(const Decoded& call) const {
  const std::string action = iam_name(call.service) + ':' + call.operation;
  std::string job;
  if (call.asked.is_object()) {
    const std::string arn = call.asked.value("ResourceArn", "");
    job = call.asked.value("TrainingJobName", arn.substr(arn.find('/') + 1));
  }
  return std::any_of(faults_.denied.begin(), faults_.denied.end(), [&](const std::string& denied) {
    return denied == action || denied == action + '/' + job;
  });
}

std::optional<Response> MockService::respond(const Request& request) {
  std::unique_lock lock{mutex_};
  if (request.path == clock_path) return clock_reply(request, lock);
  auto decoded = decode(request);
  auto* call = std::get_if<Decoded>(&decoded);
  MockAnswer reply = json::object();
  const bool is_ec2 = call != nullptr && call->service == "ec2";  // it has codes of its own
  if (call == nullptr) {
    reply = std::get<MockError>(decoded);
  } else if (auto wrong = wrong_signature(request, *call)) {
    reply = *std::move(wrong);
  } else if (is_denied(*call)) {
    reply =
        MockError{is_ec2 ? "UnauthorizedOperation" : "AccessDeniedException",
                  "no policy allows the action " + iam_name(call->service) + ':' + call->operation};
  } else if (draws_.happens(faults_.throttled)) {
    reply = MockError{is_ec2 ? "RequestLimitExceeded" : "ThrottlingException", "Rate exceeded"};
  } else if (draws_.happens(faults_.failed)) {
    reply = MockError{"InternalFailure", "the mock account fails as it was asked to"};
  } else {
    reply = answer(*call, lock);
    while (clock_.now() < account_.time() && !stopped_) wait_until(account_.time(), lock);
  }
  const auto* error = std::get_if<MockError>(&reply);
  if (on_call_ && call != nullptr) {
    const bool is_lost = std::holds_alternative<LostReply>(reply);
    on_call_({clock_.now(), iam_name(call->service), call->operation,
              error != nullptr ? error->code
              : is_lost        ? "(lost)"
                               : std::string{},
              call->asked});
  }
  if (call != nullptr && draws_.happens(faults_.cut)) return std::nullopt;
  if (std::holds_alternative<LostReply>(reply)) return std::nullopt;
  const bool is_query = call != nullptr && call->is_query;
  const int status = status_of(reply);
  Response response = is_ec2     ? ec2_reply(call->operation, reply, status)
                      : is_query ? query_reply(call->operation, reply, status)
                                 : json_reply(reply, status);
  response.headers.push_back({"x-amzn-RequestId", fmt::format("mock-{}", ++calls_)});
  response.headers.push_back({"Date", http_date(clock_.now())});
  response.headers.push_back({std::string{clock_header}, nanoseconds(clock_.now())});
  return response;
}

MockAnswer MockService::answer(const Decoded& call, std::unique_lock<std::mutex>& lock) {
  try {
    const auto wait = call.operation == "ReceiveMessage" && call.asked.is_object()
                          ? call.asked.value("WaitTimeSeconds", std::int64_t{0})
                          : std::int64_t{0};
    constexpr std::int64_t longest = 20;
    if (wait > 0 && wait <= longest) return long_poll(call, std::chrono::seconds{wait}, lock);
    return account_.answer(call.service, call.operation, call.asked, clock_.now());
  } catch (const json::exception&) {
    return MockError{"SerializationException", "a parameter has the wrong type"};
  }
}

MockAnswer MockService::long_poll(const Decoded& call, Duration wait,
                                  std::unique_lock<std::mutex>& lock) {
  const Instant until = clock_.now() + wait;
  for (;;) {
    const Instant now = clock_.now();
    MockAnswer reply = account_.answer(call.service, call.operation, call.asked, now);
    const auto* received = std::get_if<json>(&reply);
    if (received == nullptr || received->contains("Messages") || now >= until || stopped_) {
      return reply;
    }
    await_message(until, lock);
  }
}

/// A clock that jumps goes to the first message, another one only a little on its way.
void MockService::await_message(Instant until, std::unique_lock<std::mutex>& lock) {
  wait_until(clock_.jumps() ? account_.await_message(clock_.now(), until) : until, lock);
}

/// Or for a short real time, so that a message or a stop is seen.
void MockService::wait_until(Instant until, std::unique_lock<std::mutex>& lock) {
  if (clock_.jumps()) {
    clock_.jump_to(until);
    return;
  }
  // A second of the account, at any speed.
  constexpr std::chrono::milliseconds shortest{1};
  constexpr std::chrono::milliseconds longest{100};
  const Duration look_each =
      std::clamp<Duration>(clock_.real(std::chrono::seconds{1}), shortest, longest);
  const Duration left = clock_.real(until - clock_.now());
  lock.unlock();
  std::this_thread::sleep_for(std::clamp<Duration>(left, Duration{0}, look_each));
  lock.lock();
}

Response MockService::clock_reply(const Request& request, std::unique_lock<std::mutex>& lock) {
  for (const Field& field : request.query) {
    std::int64_t length = 0;
    const char* const end = field.value.data() + field.value.size();
    const bool is_number = std::from_chars(field.value.data(), end, length).ec == std::errc{};
    if (field.name != "sleep" || !is_number || length <= 0) continue;
    const Instant until = clock_.now() + Duration{length};
    const std::uint64_t sent = account_.sent();
    bool has_jumped = false;
    while (clock_.now() < until && account_.sent() == sent && !has_jumped && !stopped_) {
      has_jumped = clock_.jumps();
      await_message(until, lock);
      account_.advance(clock_.now());
    }
  }
  return {200, {{std::string{clock_header}, nanoseconds(clock_.now())}}, nanoseconds(clock_.now())};
}

std::variant<Response, TransportFailure> MockService::send(const Request& request) {
  if (auto response = respond(request)) return *std::move(response);
  return TransportFailure{TransportFault::lost, "the mock account gave no reply"};
}

}  // namespace reeve::live
