#include "live/aws/sts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "live/aws/client.hpp"
#include "live/aws/endpoint.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {

namespace {

using nlohmann::json;

json role_parameters(const RoleRequest& request) {
  json parameters{
      {"RoleArn", request.role_arn},
      {"RoleSessionName", request.session_name.empty() ? "reeve" : request.session_name}};
  if (!request.external_id.empty()) parameters["ExternalId"] = request.external_id;
  if (!request.duration_s.empty()) parameters["DurationSeconds"] = request.duration_s;
  return parameters;
}

std::string text_in(const json& object, const char* key) {
  return object.is_object() ? object.value(key, json{}).is_string()
                                  ? object.value(key, std::string{})
                                  : std::string{}
                            : std::string{};
}

Result<Credentials> credentials_in(const CallResult& reply, const std::string& operation) {
  if (reply.error) {
    return Failure{
        fmt::format("{} failed: {}: {}", operation, reply.error->code, reply.error->message)};
  }
  const json found = reply.value.value("Credentials", json::object());
  Credentials credentials;
  credentials.source = operation;
  credentials.key = {text_in(found, "AccessKeyId"), Secret{text_in(found, "SecretAccessKey")},
                     Secret{text_in(found, "SessionToken")}};
  const std::optional<policy::Instant> expires = parse_iso_date(text_in(found, "Expiration"));
  if (credentials.key.id.empty() || credentials.key.secret.empty() || !expires) {
    return Failure{fmt::format("the reply to {} has no credentials", operation)};
  }
  credentials.expires = *expires;
  return credentials;
}

Result<Credentials> call_sts(const Surroundings& around, const Credentials& with, Call call) {
  const Result<std::string> region = region_of(around.environment);
  const Result<int> attempts = max_attempts(around.environment);
  if (const Failure* failure = failure_of(attempts)) return *failure;
  // Without a region, the role can still be assumed.
  const ClientSettings settings{failure_of(region) ? "us-east-1" : std::get<std::string>(region),
                                std::get<int>(attempts)};
  FixedCredentials source{with};
  Client client{around, source, settings};
  return credentials_in(client.call(call), call.operation);
}

}  // namespace

Result<Credentials> assume_role(const Surroundings& around, const RoleRequest& request,
                                const Credentials& with) {
  Call call{services::sts, "AssumeRole", role_parameters(request)};
  return call_sts(around, with, std::move(call));
}

Result<Credentials> assume_role_with_web_identity(const Surroundings& around,
                                                  const RoleRequest& request,
                                                  const std::string& token_file) {
  const std::optional<std::string> token = around.environment.read_file(token_file);
  if (!token || token->empty()) {
    return Failure{fmt::format("the web identity token cannot be read from {}", token_file)};
  }
  Call call{services::sts, "AssumeRoleWithWebIdentity", role_parameters(request)};
  call.parameters["WebIdentityToken"] = token->substr(0, token->find_last_not_of(" \r\n") + 1);
  call.is_signed = false;
  return call_sts(around, {}, std::move(call));
}

}  // namespace reeve::live
