// Temporary credentials of a role, from the Security Token Service.
#pragma once

#include <string>

#include "live/aws/credentials.hpp"
#include "live/aws/surroundings.hpp"

namespace reeve::live {

struct RoleRequest {
  std::string role_arn;
  std::string session_name;  ///< empty: `reeve`
  std::string external_id;
  std::string duration_s;  ///< empty: the default of the role
};

/// AssumeRole, signed with other credentials.
Result<Credentials> assume_role(const Surroundings& around, const RoleRequest& request,
                                const Credentials& with);

/// AssumeRoleWithWebIdentity, with the token in a file.  It is not signed.
Result<Credentials> assume_role_with_web_identity(const Surroundings& around,
                                                  const RoleRequest& request,
                                                  const std::string& token_file);

}  // namespace reeve::live
