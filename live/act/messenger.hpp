// Sends messages about training jobs to an SNS topic, a webhook and Slack, each of them once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <reeve/policy/units.hpp>
#include <string>

#include "host/ports.hpp"
#include "live/aws/client.hpp"
#include "live/aws/environment.hpp"
#include "live/aws/failure.hpp"
#include "live/aws/transport.hpp"

namespace reeve::live {

/// Where messages go; each is empty if there is none.  The URLs are secrets.
struct Addresses {
  std::string sns;  ///< ARN of the topic
  std::string webhook;
  std::string slack;
};

/// The addresses of a configuration with `env:NAME` replaced by the value of the variable.  Fails
/// if a variable is missing, or if a URL is not one of https, or of http on this machine.
Result<Addresses> read_addresses(Addresses written, const Environment& environment);

/// For people: the topic, and the hosts of the URLs.  Empty: there is no address.
std::string places_of(const Addresses& addresses);

struct Message {
  std::string rule;
  std::string job;  ///< name of the training job; empty: about none
  std::uint32_t attempt = 0;
  std::uint32_t incident = 0;
  std::string reason;
  std::string basis;
  std::string owner;  ///< value of the tag `owner`; may be empty
  std::string key;    ///< the same for each try of the message
  policy::Instant at{};
};

/// For one thread.  No result contains the URL of a webhook.
class Messenger {
 public:
  /// How a try went.  With several failures, the one to wait for decides: `unknown`, then
  /// `throttled`.  Without those, `partly_done` if some address got the message.
  struct Sent {
    host::ReplyKind kind = host::ReplyKind::done;
    std::string code;    ///< of the failure that decides; empty: none
    std::string detail;  ///< for people; empty: nothing to add
    std::string call;    ///< what this try called: `sns:Publish, webhook, slack`
  };

  /// The addresses are those of `read_addresses`.
  Messenger(Client& client, Transport& transport, Addresses addresses);

  /// Sends to each address that has not confirmed the key.  A lost reply leaves open whether the
  /// message arrived: that address gets it again, with the same key, by the next try.
  Sent send(const Message& message);

 private:
  enum Place : std::uint8_t { sns, webhook, slack };
  static constexpr std::size_t places = 3;
  using Confirmed = std::array<bool, places>;

  const std::string& address_of(Place place) const;
  Confirmed& confirmed(const std::string& key);
  Sent send_to(Place place, const Message& message);
  Sent publish(const Message& message);

  Client& client_;
  Transport& transport_;
  Addresses addresses_;
  std::map<std::string, Confirmed> confirmed_;  ///< by key
  std::deque<std::string> keys_;                ///< of `confirmed_`, oldest first
};

}  // namespace reeve::live
