// The connection to the AWS account of a live configuration.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/live/interruptible_clock.hpp"
#include "app/live/rehearsal.hpp"
#include "live/aws/client.hpp"
#include "live/aws/credential_chain.hpp"
#include "live/aws/system_surroundings.hpp"
#include "live/aws/transport.hpp"
#include "live/feed/failed_call.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// Throws CloudError with what helps.
[[noreturn]] void give_up(const live::FailedCall& failed);
/// What helps against the failure; empty: unknown.
std::string hint_for(const live::FailedCall& failed);

/// A client with the credentials of the environment.  Requests and waits end when the user
/// interrupts.
class Account {
 public:
  /// Throws CloudError: no region, no credentials, or those of another account.
  explicit Account(const scenarios::LiveSpec& settings);

  live::Client& client() { return *client_; }
  live::Clock& clock() { return rehearsal_ ? static_cast<live::Clock&>(*rehearsal_) : clock_; }
  /// Its number.
  const std::string& id() const { return id_; }
  const std::string& region() const { return client_->settings().region; }
  /// From here on an interruption ends no request and no wait.
  void outlive_interruption() {
    transport_->cancel_when({});
    clock_.outlive_interruption();
  }
  /// By the clock of AWS, in its milliseconds.
  policy::Instant now();

 private:
  live::ClientSettings client_settings(const scenarios::LiveSpec& settings) const;

  live::SystemEnvironment environment_;
  InterruptibleClock clock_;
  std::unique_ptr<live::Transport> transport_;
  std::optional<Rehearsal> rehearsal_;
  std::optional<live::CredentialChain> credentials_;
  std::optional<live::Client> client_;
  std::string id_;
};

}  // namespace reeve::app
