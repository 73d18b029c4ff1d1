// Rules beside the SQS queue of an account: the feed, its trouble, and what was observed.
#pragma once

#include <optional>
#include <string>

#include "app/console.hpp"
#include "app/live/account.hpp"
#include "app/live/kept_run.hpp"
#include "app/live/rule_run.hpp"
#include "live/feed/queue_feed.hpp"

namespace reeve::app {

class QueueRun {
 public:
  /// `command`: of the messages, such as `live shadow`.  Throws UsageError without a queue or for a
  /// length that is none, and CloudError.  `rules` must outlive it.
  QueueRun(const std::string& command, RuleRun& rules, const std::optional<std::string>& length,
           const Console& console);

  Account& account() { return account_; }
  live::QueueFeed& feed() { return feed_; }
  /// Runs for the length, or until the user interrupts; call it once.  `feed`: this feed, or one
  /// that adds to it.
  void observe(KeptRun& kept, host::Feed& feed, Acting acting);
  /// Throws CloudError if nothing could be received.
  void check_received() const;
  /// What was taken, for people.
  std::string intake() const;
  std::uint64_t messages() const { return feed_.counts().messages; }
  /// What was not observed at the end; empty: all was.  A call that failed once is no gap.
  std::string unobserved();
  void note_trouble(const live::FailedCall& failed);

 private:
  RuleRun& rules_;
  const Console& console_;
  std::optional<policy::Duration> length_;
  Account account_;
  live::QueueWatch said_;
  KeptRun* kept_ = nullptr;  ///< during `observe`
  live::QueueFeed feed_;
  std::uint64_t unread_metrics_ = 0;
};

}  // namespace reeve::app
