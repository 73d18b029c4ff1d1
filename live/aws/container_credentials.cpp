#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "live/aws/credential_sources.hpp"
#include "live/aws/retry.hpp"
#include "live/aws/uri.hpp"

namespace reeve::live {

namespace {

constexpr std::string_view container_host = "169.254.170.2";
constexpr int container_tries = 3;

/// Hosts that may be called without TLS: the container's own, and those of ECS and EKS.
bool is_trusted_without_tls(std::string_view host) {
  static constexpr std::array<std::string_view, 5> known{"localhost", "[::1]", container_host,
                                                         "169.254.170.23", "[fd00:ec2::23]"};
  const bool loopback =
      host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos;
  return loopback || std::find(known.begin(), known.end(), host) != known.end();
}

std::optional<Request> container_request(const std::string& url_text) {
  const std::optional<Url> url = parse_url(url_text);
  if (!url) return std::nullopt;
  Request request;
  request.method = "GET";
  request.tls = url->tls;
  request.host = url->host;
  request.port = url->port;
  request.path = url->path.empty() ? "/" : url->path;
  request.query = parse_query(url->query);
  request.use_proxy = url->tls;
  request.connect_timeout = std::chrono::seconds{1};
  request.timeout = std::chrono::seconds{2};
  return request;
}

/// Empty without a token.
Result<std::string> container_token(const Environment& environment) {
  std::string token = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or("");
  if (const auto file = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")) {
    const std::optional<std::string> text = environment.read_file(*file);
    if (!text) return Failure{fmt::format("the token of the container cannot be read: {}", *file)};
    token = text->substr(0, text->find_last_not_of(" \t\r\n") + 1);
  }
  if (token.find_first_of("\r\n") != token.npos) {
    return Failure{"the token of the container has more than one line"};
  }
  return token;
}

Result<Credentials> fetch_from_container(const Surroundings& around, const Request& request) {
  std::string why;
  for (int number = 1; number <= container_tries; ++number) {
    if (number > 1) around.clock.sleep(wait_before_retry(number - 1, around.random()));
    const auto outcome = around.transport.send(request);
    const auto* response = std::get_if<Response>(&outcome);
    if (response == nullptr) {
      why = std::get<TransportFailure>(outcome).message;
      continue;
    }
    if (response->status == 200) return credentials_in_json(response->body, "the container");
    why = fmt::format("the service answers with status {}", response->status);
    if (response->status < 500 && response->status != 429) break;
  }
  return Failure{"no credentials from the container: " + why};
}

}  // namespace

Found from_container(const Surroundings& around) {
  const Environment& environment = around.environment;
  const auto relative = environment.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  const auto full = environment.get("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!relative && !full) return std::nullopt;
  std::optional<Request> request;
  if (!relative) {
    request = container_request(*full);
  } else if (relative->starts_with('/')) {
    request = container_request(fmt::format("http://{}{}", container_host, *relative));
  }
  if (!request) {
    return Failure{fmt::format("AWS_CONTAINER_CREDENTIALS_{}_URI is no valid address",
                               relative ? "RELATIVE" : "FULL")};
  }
  if (!request->tls && !is_trusted_without_tls(request->host)) {
    return Failure{fmt::format("AWS_CONTAINER_CREDENTIALS_FULL_URI: {} must be called with https",
                               request->host)};
  }
  const Result<std::string> token = container_token(environment);
  if (const Failure* failure = failure_of(token)) return *failure;
  if (const std::string& text = std::get<std::string>(token); !text.empty()) {
    request->headers.push_back({"Authorization", text});
  }
  return fetch_from_container(around, *request);
}

}  // namespace reeve::live
