// A mock account's time, so that rules see hours pass in seconds.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "live/aws/clock.hpp"
#include "live/aws/transport.hpp"
#include "live/aws/uri.hpp"

namespace reeve::app {

/// The variable with the URL of the clock of `reeve mock-aws`.
inline constexpr const char* clock_variable = "REEVE_CLOCK_URL";

/// Passes requests on and keeps the time that each reply states.
class Rehearsal final : public live::Transport, public live::Clock {
 public:
  /// Throws CloudError if there is no such clock.
  Rehearsal(live::Transport& transport, const std::string& clock_url);

  std::variant<live::Response, live::TransportFailure> send(const live::Request& request) override;
  policy::Instant now() override { return now_; }
  /// The server decides when it ends: at the latest after `wait` of its own time.
  void sleep(policy::Duration wait) override;
  /// Its sleep ends when a message comes.
  policy::Duration longest_nap() override { return std::chrono::hours{1}; }

 private:
  bool ask(const std::string& method, std::vector<live::Field> query);

  live::Transport& transport_;
  live::Url url_;
  policy::Instant now_;
};

}  // namespace reeve::app
