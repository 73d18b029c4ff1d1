// A mock account behind the wire formats of AWS: signatures, protocols, faults and a clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "live/aws/transport.hpp"
#include "live/mock/fault_draws.hpp"
#include "live/mock/mock_account.hpp"
#include "live/mock/mock_clock.hpp"

namespace reeve::live {

/// Shares of calls, in 0..1, and calls without permission.
struct CallFaults {
  double throttled = 0;  ///< refused before they have an effect
  double failed = 0;     ///< 500 before they have an effect
  double cut = 0;        ///< the connection ends after the effect
  /// Actions without permission, as IAM names them; with `/` and its name, on one training job.
  std::vector<std::string> denied = {};
};

/// A call that was answered; `error` is empty for a success.
struct AnsweredCall {
  policy::Instant at;
  std::string service;
  std::string operation;
  std::string error;
  const nlohmann::json& asked;  ///< its parameters
};

/// Its keys, which are no secret.
inline constexpr std::string_view mock_key_id = "AKIDREEVEMOCK";
inline constexpr std::string_view mock_secret = "reeve-mock-secret";
/// The time of the mock account, in nanoseconds since 1970: in each reply.
inline constexpr std::string_view clock_header = "x-reeve-clock";
/// GET tells the time; POST with `?sleep=<nanoseconds>` waits, at most until the next message.
inline constexpr std::string_view clock_path = "/clock";

/// Requests may come from several threads.  As a Transport it serves a client in the same process.
class MockService final : public Transport {
 public:
  using OnCall = std::function<void(const AnsweredCall&)>;

  MockService(MockAccount account, MockClock clock, CallFaults faults = {}, std::uint64_t seed = 1,
              OnCall on_call = {});

  /// Nothing: the connection ends without a reply.  Waits where AWS waits, unless the clock jumps.
  std::optional<Response> respond(const Request& request);
  std::variant<Response, TransportFailure> send(const Request& request) override;
  /// Ends all waiting.
  void stop() { stopped_ = true; }
  policy::Instant now();
  MockAccount& account() { return account_; }

 private:
  struct Decoded;
  static std::variant<Decoded, MockError> decode_form(const Request& request);
  std::variant<Decoded, MockError> decode(const Request& request) const;
  std::optional<MockError> wrong_signature(const Request& request, const Decoded& call) const;
  bool is_denied(const Decoded& call) const;
  MockAnswer answer(const Decoded& call, std::unique_lock<std::mutex>& lock);
  MockAnswer long_poll(const Decoded& call, policy::Duration wait,
                       std::unique_lock<std::mutex>& lock);
  void wait_until(policy::Instant until, std::unique_lock<std::mutex>& lock);
  void await_message(policy::Instant until, std::unique_lock<std::mutex>& lock);
  Response clock_reply(const Request& request, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  MockAccount account_;
  MockClock clock_;
  CallFaults faults_;
  FaultDraws draws_;
  OnCall on_call_;
  std::uint64_t calls_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace reeve::live
