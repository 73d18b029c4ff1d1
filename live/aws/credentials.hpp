// Credentials of AWS, and the interface of what provides them.
#pragma once

#include <reeve/policy/units.hpp>
#include <string>

#include "live/aws/failure.hpp"
#include "live/aws/sigv4.hpp"

namespace reeve::live {

struct Credentials {
  AccessKey key;
  policy::Instant expires = policy::never;
  std::string source;  ///< for messages, for example `environment`
};

class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  virtual Result<Credentials> current() = 0;
  /// The service refused them as expired: the next call fetches new ones.
  virtual void forget() = 0;
};

/// Credentials that never change.
class FixedCredentials : public CredentialSource {
 public:
  explicit FixedCredentials(Credentials credentials) : credentials_{std::move(credentials)} {}
  Result<Credentials> current() override { return credentials_; }
  void forget() override {}

 private:
  Credentials credentials_;
};

}  // namespace reeve::live
