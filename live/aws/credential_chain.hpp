// Searches all places for credentials, keeps what it found and renews it before it expires.
#pragma once

#include <chrono>
#include <optional>

#include "live/aws/credentials.hpp"
#include "live/aws/surroundings.hpp"

namespace reeve::live {

/// The order: environment, web identity, profile, container, instance.  For one thread.
class CredentialChain : public CredentialSource {
 public:
  static constexpr policy::Duration renewed_before = std::chrono::seconds{300};
  /// If a renewal fails, the old credentials are used and the next renewal waits.
  static constexpr policy::Duration between_renewals = std::chrono::seconds{10};

  explicit CredentialChain(Surroundings around) : around_{std::move(around)} {}

  Result<Credentials> current() override;
  void forget() override { kept_.reset(); }

 private:
  Result<Credentials> search() const;

  Surroundings around_;
  std::optional<Credentials> kept_;
  policy::Instant renewed_at_ = {};  ///< the last search
};

}  // namespace reeve::live
