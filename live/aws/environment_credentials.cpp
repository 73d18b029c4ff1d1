#include "live/aws/credential_sources.hpp"
#include "live/aws/sts.hpp"

namespace reeve::live {

Found from_environment(const Environment& environment) {
  const std::optional<std::string> id = environment.get("AWS_ACCESS_KEY_ID");
  std::optional<std::string> secret = environment.get("AWS_SECRET_ACCESS_KEY");
  if (!id && !secret) return std::nullopt;
  if (!id || !secret) {
    return Failure{"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must both be set"};
  }
  Credentials found;
  found.source = "environment";
  found.key = {*id, Secret{std::move(*secret)},
               Secret{environment.get("AWS_SESSION_TOKEN").value_or("")}};
  return found;
}

Found from_web_identity(const Surroundings& around) {
  const std::optional<std::string> file = around.environment.get("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (!file) return std::nullopt;
  const std::optional<std::string> role = around.environment.get("AWS_ROLE_ARN");
  if (!role) return Failure{"AWS_WEB_IDENTITY_TOKEN_FILE is set without AWS_ROLE_ARN"};
  RoleRequest request;
  request.role_arn = *role;
  request.session_name = around.environment.get("AWS_ROLE_SESSION_NAME").value_or("");
  return assume_role_with_web_identity(around, request, *file);
}

}  // namespace reeve::live
