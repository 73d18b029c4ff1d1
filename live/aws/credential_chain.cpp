#include "live/aws/credential_chain.hpp"

#include <fmt/format.h>

#include "live/aws/credential_sources.hpp"
#include "live/aws/profiles.hpp"

namespace reeve::live {

Result<Credentials> CredentialChain::current() {
  const policy::Instant now = around_.clock.now();
  const bool usable = kept_ && now < kept_->expires;
  const bool is_due =
      !kept_ || kept_->expires == policy::never ? !kept_ : now >= kept_->expires - renewed_before;
  if (usable && (!is_due || now < renewed_at_ + between_renewals)) return *kept_;
  Result<Credentials> found = search();
  renewed_at_ = around_.clock.now();
  if (failure_of(found)) {
    if (usable) return *kept_;
    return found;
  }
  kept_ = std::get<Credentials>(found);
  return found;
}

Result<Credentials> CredentialChain::search() const {
  if (Found found = from_environment(around_.environment)) return *found;
  if (Found found = from_web_identity(around_)) return *found;
  if (Found found = from_profile(around_)) return *found;
  if (Found found = from_container(around_)) return *found;
  std::string instance = "AWS_EC2_METADATA_DISABLED is set";
  if (Found found = from_instance_metadata(around_)) {
    const Failure* failure = failure_of(*found);
    if (failure == nullptr) return *found;
    instance = failure->message;
  }
  return Failure{fmt::format(
      "no AWS credentials were found: not in the environment, no web identity, not in profile "
      "`{}`, not in a container; {}",
      chosen_profile(around_.environment).name, instance)};
}

}  // namespace reeve::live
