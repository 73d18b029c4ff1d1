// The kill switch of an account: a file, a parameter of SSM or a tag of the queue.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/failed_call.hpp"

namespace reeve::live {

/// Each is empty if there is none.
struct KillPlaces {
  std::string file;       ///< engaged while it exists
  std::string parameter;  ///< name: engaged while its value is not `run`
  std::string tag;        ///< key: engaged while the queue has it
  std::string queue;      ///< URL
};

/// What cannot be read counts as engaged.  A call looks at AWS at most once per ten seconds.
class KillSwitch {
 public:
  /// `on_trouble`: a place cannot be read; called once, until it can be read again.
  KillSwitch(KillPlaces places, Client& client, Clock& clock,
             std::function<void(const FailedCall&)> on_trouble);

  bool is_engaged();
  /// What `is_engaged` found; empty: it was not engaged.
  const std::string& why() const { return why_; }

 private:
  /// A place in AWS.
  struct Look {
    std::optional<policy::Instant> at;
    std::string found;  ///< why it is engaged
    bool is_unread = false;
  };

  std::string look_at_file() const;
  const std::string& look_at(Look& look, const Call& call, const char* action,
                             const std::function<std::string(const nlohmann::json&)>& read);

  KillPlaces places_;
  Client& client_;
  Clock& clock_;
  std::function<void(const FailedCall&)> on_trouble_;
  Look parameter_;
  Look tag_;
  std::string why_;
};

}  // namespace reeve::live
