// Events from an SQS queue, and what the account itself says when an event is lost, as a feed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/ports.hpp"
#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/roster.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

struct QueueSettings {
  std::string url;
  policy::Duration reconcile_every{0};  ///< 0: never
};

/// What a feed tells the person who runs it.
struct QueueWatch {
  std::function<bool()> interrupted;
  /// A call failed and is tried again later.
  std::function<void(const FailedCall&)> on_trouble;
  /// A message that is no event: its id and why.
  std::function<void(const std::string&, const std::string&)> on_unreadable;
  /// Nothing is left to do: a poll or a pause of a second or more follows.
  std::function<void()> on_wait = [] {};
};

struct QueueCounts {
  std::uint64_t messages = 0;    ///< received, each delivery
  std::uint64_t unreadable = 0;  ///< messages that are no event, each id once
  std::uint64_t removed = 0;     ///< deleted from the queue after the decision
  std::uint64_t looked_up = 0;   ///< jobs that were described: unknown, changed or without tags
  std::uint64_t failed_calls = 0;
};

/// A message is deleted once the host has decided about it, so none is lost if the program ends.
/// One that is no event stays in the queue, whose dead-letter queue takes it.  Each
/// `reconcile_every` the jobs that changed are listed; only those that the roster does not know as
/// they are get described.  Between these calls the queue is read: the listing of a large account
/// takes minutes.
class QueueFeed final : public host::Feed {
 public:
  /// The references must outlive the feed.
  QueueFeed(Client& client, Clock& clock, Roster& roster, QueueSettings settings, QueueWatch watch);

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;
  /// Also looks up the jobs that changed last in that time: before a crash their messages were
  /// deleted, and what was decided about them may not have been sent.  Call it first.
  void look_again(policy::Instant from, policy::Instant until) { again_ = {from, until}; }
  /// Looks up that job, if jobs are looked up at all.
  void look_up(const std::string& job) { to_look_up_.insert(job); }
  /// Deletes the last messages; after the host has stepped.
  void finish() { remove_decided(); }

  /// By the clock of AWS.
  policy::Instant time();
  /// Why the feed ended before anything was received: no call can succeed until a person helps.
  const std::optional<FailedCall>& failure() const { return failure_; }
  bool has_received() const { return has_received_; }
  /// Since when no message could be received; nothing: the last try succeeded.
  std::optional<policy::Instant> cut_off_since() const { return cut_off_since_; }
  /// Since when no job could be listed or described; nothing: the last try succeeded.
  std::optional<policy::Instant> blind_since() const {
    return unlisted_since_ ? unlisted_since_ : undescribed_since_;
  }
  const QueueCounts& counts() const { return counts_; }

 private:
  policy::Duration until_next_call() const;
  void give(const FleetEvent& event, host::Intake& out);
  void poll(policy::Duration wait);
  bool receive(policy::Duration wait);
  void take_message(const nlohmann::json& message);
  void remove_decided();
  bool make_due_calls(policy::Instant now);
  void start_listing(policy::Instant now);
  void read_listed_page();
  void look_up_one();
  void wait_out(FailedCall failed, policy::Instant deadline);
  bool ended() const { return failure_ || watch_.interrupted(); }

  Client& client_;
  Clock& clock_;
  Roster& roster_;
  QueueSettings settings_;
  QueueWatch watch_;
  TrainingJobReader reader_;
  std::vector<FleetEvent> pending_;    ///< not yet delivered to the host
  std::vector<std::string> receipts_;  ///< of `pending_`
  std::vector<std::string> decided_;   ///< receipts of what the host has got
  std::set<std::string> to_look_up_;
  policy::Instant look_up_after_{};   ///< after lookups that failed
  policy::Duration look_up_wait_{0};  ///< the last one's
  std::set<std::string> unreadable_;  ///< ids of messages
  std::optional<FailedCall> trouble_;
  policy::Duration back_off_{0};
  std::optional<policy::Instant> cut_off_since_;
  std::optional<policy::Instant> unlisted_since_;
  std::optional<policy::Instant> undescribed_since_;
  std::vector<Listing> listings_;  ///< under way: the last one is read
  std::optional<std::pair<policy::Instant, policy::Instant>> again_;
  policy::Instant listing_began_;          ///< the start of `listings_`
  std::optional<policy::Instant> listed_;  ///< the start of the last complete listing
  policy::Instant now_ = policy::Instant::min();
  std::optional<FailedCall> failure_;
  bool has_received_ = false;
  QueueCounts counts_;
};

}  // namespace reeve::live
