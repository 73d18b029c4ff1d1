// The profiles of ~/.aws/config and ~/.aws/credentials.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "live/aws/environment.hpp"

namespace reeve::live {

/// The settings of one profile by name.
using Profile = std::map<std::string, std::string>;

struct ChosenProfile {
  std::string name;
  bool by_user = false;  ///< by AWS_PROFILE; else it is `default`
};

ChosenProfile chosen_profile(const Environment& environment);

/// Both files, or those that AWS_CONFIG_FILE and AWS_SHARED_CREDENTIALS_FILE name.  The settings of
/// the credentials file win.  A file that is missing has no profiles.
std::map<std::string, Profile> read_profiles(const Environment& environment);

enum class ProfileFile { config, credentials };

/// Adds the profiles of a text.  Lines that cannot be parsed and nested settings are ignored.
void add_profiles(std::string_view text, ProfileFile file, std::map<std::string, Profile>& out);

}  // namespace reeve::live
