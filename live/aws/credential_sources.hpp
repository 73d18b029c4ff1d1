// The places where credentials are looked for, one function each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "live/aws/credentials.hpp"
#include "live/aws/surroundings.hpp"

namespace reeve::live {

/// Nothing if the place is not configured, so that the next one is tried.  A place that is
/// configured and fails ends the search.
using Found = std::optional<Result<Credentials>>;

/// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
Found from_environment(const Environment& environment);

/// AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, by AssumeRoleWithWebIdentity.
Found from_web_identity(const Surroundings& around);

/// The chosen profile: keys, a role, a command.  SSO is an error.
Found from_profile(const Surroundings& around);

/// AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI: ECS and EKS Pod Identity.
Found from_container(const Surroundings& around);

/// The instance metadata service, version 2.  It gives up in less than a second if no instance
/// answers.
Found from_instance_metadata(const Surroundings& around);

/// The documents of containers, instances and commands.  `source` is for messages.
Result<Credentials> credentials_in_json(std::string_view text, std::string_view source);

}  // namespace reeve::live
