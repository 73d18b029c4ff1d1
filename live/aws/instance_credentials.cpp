#include <fmt/format.h>

#include <chrono>

#include "live/aws/credential_sources.hpp"
#include "live/aws/uri.hpp"

namespace reeve::live {

namespace {

constexpr std::string_view role_path = "/latest/meta-data/iam/security-credentials/";

Result<Request> metadata_request(const Environment& environment) {
  std::string text = "http://169.254.169.254";
  if (lower_case(environment.get("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE").value_or("")) ==
      "ipv6") {
    text = "http://[fd00:ec2::254]";
  }
  text = environment.get("AWS_EC2_METADATA_SERVICE_ENDPOINT").value_or(text);
  const std::optional<Url> url = parse_url(text);
  if (!url || !url->query.empty() || url->path.find_first_not_of('/') != url->path.npos) {
    return Failure{"AWS_EC2_METADATA_SERVICE_ENDPOINT is no valid address"};
  }
  Request request;
  request.tls = url->tls;
  request.host = url->host;
  request.port = url->port;
  request.use_proxy = false;
  return request;
}

/// The body of a response with status 200.
Result<std::string> body_of(const std::variant<Response, TransportFailure>& outcome) {
  const auto* response = std::get_if<Response>(&outcome);
  if (response == nullptr) return Failure{std::get<TransportFailure>(outcome).message};
  if (response->status == 200) return response->body;
  return Failure{fmt::format("the service answers with status {}", response->status)};
}

Result<Credentials> fetch_of_role(Transport& transport, Request request) {
  request.method = "GET";
  request.path = role_path;
  request.connect_timeout = std::chrono::milliseconds{500};
  request.timeout = std::chrono::seconds{2};
  const Result<std::string> roles = body_of(transport.send(request));
  if (const Failure* failure = failure_of(roles)) {
    return Failure{"the instance has no role: " + failure->message};
  }
  const std::string& text = std::get<std::string>(roles);
  const std::string role = text.substr(0, text.find_first_of("\r\n"));
  if (role.empty()) return Failure{"the instance has no role"};
  request.path = std::string{role_path} + uri_encode(role);
  const Result<std::string> document = body_of(transport.send(request));
  if (const Failure* failure = failure_of(document)) return *failure;
  return credentials_in_json(std::get<std::string>(document), "the instance");
}

}  // namespace

Found from_instance_metadata(const Surroundings& around) {
  const auto disabled = around.environment.get("AWS_EC2_METADATA_DISABLED");
  if (lower_case(disabled.value_or("")) == "true") return std::nullopt;
  const Result<Request> base = metadata_request(around.environment);
  if (const Failure* failure = failure_of(base)) return *failure;
  Request request = std::get<Request>(base);
  request.method = "PUT";
  request.path = "/latest/api/token";
  request.headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}};
  request.connect_timeout = std::chrono::milliseconds{300};
  request.timeout = std::chrono::milliseconds{700};
  const Result<std::string> token = body_of(around.transport.send(request));
  if (const Failure* failure = failure_of(token)) {
    return Failure{"no answer from the instance metadata service: " + failure->message};
  }
  if (std::get<std::string>(token).find_first_of("\r\n") != std::string::npos) {
    return Failure{"the instance metadata service sends no valid token"};
  }
  request.headers = {{"X-aws-ec2-metadata-token", std::get<std::string>(token)}};
  return fetch_of_role(around.transport, std::move(request));
}

}  // namespace reeve::live
