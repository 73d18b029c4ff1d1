#include "app/lambda/runtime.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

namespace reeve::app {
namespace {

constexpr const char* version_path = "/2018-06-01/runtime/";

/// Texts of AWS and of files may not be UTF-8.
std::string written(const InvocationError& error) {
  return nlohmann::ordered_json{{"errorType", error.type}, {"errorMessage", error.message}}.dump(
      -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

LambdaRuntime::LambdaRuntime(live::Transport& transport, const std::string& place)
    : transport_{transport} {
  const auto url = live::parse_url("http://" + place);
  if (!url || !url->path.empty() || !url->query.empty()) {
    throw RuntimeFailure{"AWS_LAMBDA_RUNTIME_API is no host with a port"};
  }
  url_ = *url;
}

live::Response LambdaRuntime::sent(const std::string& method, const std::string& path,
                                   std::string body, const std::string& error_type) {
  live::Request request;
  request.method = method;
  request.tls = false;
  request.host = url_.host;
  request.port = url_.port;
  request.path = version_path + path;
  request.body = std::move(body);
  request.timeout = std::chrono::hours{24 * 365};  // a sandbox sleeps until something happens
  request.use_proxy = false;
  if (!request.body.empty()) request.headers.push_back({"Content-Type", "application/json"});
  if (!error_type.empty()) {
    request.headers.push_back({"Lambda-Runtime-Function-Error-Type", error_type});
  }
  auto reply = transport_.send(request);
  if (const auto* failure = std::get_if<live::TransportFailure>(&reply)) {
    throw RuntimeFailure{path + ": " + failure->message};
  }
  return std::get<live::Response>(std::move(reply));
}

Invocation LambdaRuntime::next() {
  live::Response reply = sent("GET", "invocation/next", {});
  const std::string* id = live::find_header(reply.headers, "lambda-runtime-aws-request-id");
  if (reply.status != 200 || id == nullptr) {
    throw RuntimeFailure{"invocation/next: status " + std::to_string(reply.status)};
  }
  return {*id, std::move(reply.body)};
}

void LambdaRuntime::post(const std::string& path, std::string body, const std::string& error_type) {
  const live::Response reply = sent("POST", path, std::move(body), error_type);
  if (reply.status >= 200 && reply.status < 300) return;
  throw RuntimeFailure{path + ": status " + std::to_string(reply.status)};
}

void LambdaRuntime::answer(const std::string& id, const std::string& payload) {
  post("invocation/" + id + "/response", payload);
}

void LambdaRuntime::fail(const std::string& id, const InvocationError& error) {
  post("invocation/" + id + "/error", written(error), error.type);
}

void LambdaRuntime::fail_to_start(const InvocationError& error) {
  post("init/error", written(error), error.type);
}

}  // namespace reeve::app
