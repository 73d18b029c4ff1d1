#include <fmt/format.h>

#include <set>

#include "live/aws/credential_sources.hpp"
#include "live/aws/profiles.hpp"
#include "live/aws/sts.hpp"

namespace reeve::live {

namespace {

/// Follows the source profiles of a role.
class ProfileSearch {
 public:
  explicit ProfileSearch(const Surroundings& around)
      : around_{around}, profiles_{read_profiles(around.environment)} {}

  bool has(const std::string& name) const { return profiles_.contains(name); }

  Found search(const std::string& name) {
    const auto found = profiles_.find(name);
    if (found == profiles_.end()) return wrong(name, "there is no such profile");
    const Profile& profile = found->second;
    if (profile.contains("role_arn") && visited_.insert(name).second) {
      return of_role(name, profile);
    }
    if (profile.contains("aws_access_key_id") || profile.contains("aws_secret_access_key")) {
      return of_keys(name, profile);
    }
    // A role may be assumed with the keys of its own profile, but not with itself.
    if (profile.contains("role_arn")) return wrong(name, "its source profiles form a circle");
    if (profile.contains("credential_process")) return of_command(name, profile);
    if (profile.contains("sso_session") || profile.contains("sso_start_url")) {
      return wrong(name,
                   "reeve cannot sign in with SSO: export credentials with `aws configure "
                   "export-credentials --format env`, or set `credential_process`");
    }
    return std::nullopt;
  }

 private:
  static Failure wrong(std::string_view name, std::string_view why) {
    return Failure{fmt::format("profile `{}`: {}", name, why)};
  }

  static std::string value(const Profile& profile, const std::string& key) {
    const auto found = profile.find(key);
    return found == profile.end() ? "" : found->second;
  }

  static Result<Credentials> of_keys(const std::string& name, const Profile& profile) {
    Credentials found;
    found.source = fmt::format("profile `{}`", name);
    found.key = {value(profile, "aws_access_key_id"),
                 Secret{value(profile, "aws_secret_access_key")},
                 Secret{value(profile, "aws_session_token")}};
    if (found.key.id.empty() || found.key.secret.empty()) {
      return wrong(name, "aws_access_key_id and aws_secret_access_key must both be set");
    }
    return found;
  }

  Result<Credentials> of_command(const std::string& name, const Profile& profile) const {
    const Result<std::string> output =
        around_.environment.output_of(value(profile, "credential_process"));
    if (const Failure* failure = failure_of(output)) {
      return wrong(name, "credential_process: " + failure->message);
    }
    return credentials_in_json(std::get<std::string>(output),
                               fmt::format("credential_process of profile `{}`", name));
  }

  Result<Credentials> of_role(const std::string& name, const Profile& profile) {
    const RoleRequest request{value(profile, "role_arn"), value(profile, "role_session_name"),
                              value(profile, "external_id"), value(profile, "duration_seconds")};
    if (profile.contains("mfa_serial")) return wrong(name, "reeve cannot ask for an MFA code");
    if (profile.contains("web_identity_token_file")) {
      return assume_role_with_web_identity(around_, request,
                                           value(profile, "web_identity_token_file"));
    }
    Found source;
    if (const std::string place = value(profile, "credential_source"); !place.empty()) {
      if (place == "Environment") source = from_environment(around_.environment);
      if (place == "EcsContainer") source = from_container(around_);
      if (place == "Ec2InstanceMetadata") source = from_instance_metadata(around_);
    } else if (profile.contains("source_profile")) {
      source = search(value(profile, "source_profile"));
    } else {
      return wrong(name, "role_arn needs source_profile or credential_source");
    }
    if (!source) return wrong(name, "the source of role_arn has no credentials");
    if (failure_of(*source)) return *source;
    return assume_role(around_, request, std::get<Credentials>(*source));
  }

  const Surroundings& around_;
  std::map<std::string, Profile> profiles_;
  std::set<std::string> visited_;
};

}  // namespace

Found from_profile(const Surroundings& around) {
  const ChosenProfile chosen = chosen_profile(around.environment);
  ProfileSearch search{around};
  if (!chosen.by_user && !search.has(chosen.name)) return std::nullopt;
  return search.search(chosen.name);
}

}  // namespace reeve::live
