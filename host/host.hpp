// Runs policies: updates the belief from observations, arbitrates, retries, keeps timers, writes
// the journal.
#pragma once

#include <cstdint>
#include <functional>
#include <reeve/policy/held_memory.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/actions.hpp"
#include "host/belief.hpp"
#include "host/guards.hpp"
#include "host/journal.hpp"
#include "host/policy_call.hpp"
#include "host/ports.hpp"
#include "host/seat.hpp"
#include "host/target.hpp"
#include "host/timers.hpp"
#include "host/unjudged_observations.hpp"

namespace reeve::host {

/// How often and how long the host tries an action before it expires.
///
/// After a throttled or failed try, an action waits `backoff_first`, then twice that, up to
/// `backoff_max`.  If other actions wait too, it adds up to 100 % of the wait, by a hash of its id
/// and the try.  So actions that were throttled together do not return together (AWS Architecture
/// Blog, "Exponential Backoff And Jitter"), and a replay waits the same.
struct Retry {
  std::uint32_t attempts_max = 5;                              ///< at least 1
  policy::Duration backoff_first = std::chrono::seconds{1};    ///< doubles each time
  policy::Duration backoff_max = std::chrono::minutes{1};      ///< at least `backoff_first`
  policy::Duration reply_timeout = std::chrono::seconds{30};   ///< from the attempt
  policy::Duration confirm_timeout = std::chrono::minutes{5};  ///< from the reply to the effect
};

/// A seat whose policy threw, proposed the impossible or did not come to an end.  The host no
/// longer calls it, but still settles its actions in flight.
struct Muted {
  policy::SeatId seat;
  policy::Instant at;
  std::uint64_t step = 0;  ///< counted from 1
  std::string why;
};

/// Deterministic in the sequence of (now, intake); its only I/O is the journal.  Each decision gets
/// exactly one ActionSettled.  Every seat receives it, except for calls about alarms: only their
/// own seat and seats that mind alarms receive those.
class Host {
 public:
  /// `journal` must outlive the host.
  Host(std::vector<Seat> seats, Belief belief, Retry retry, Guards guards, Journal& journal);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Runs one step.  `now` never goes backwards.  The result is valid until the next step.
  std::span<const Attempt> step(policy::Instant now, const Intake& intake);

  /// A stop of the attempt by `seat` was sent by an earlier run of this host.  Call it before the
  /// step that observes the job.
  void recall_stop(policy::JobId job, policy::AttemptNumber attempt, policy::SeatId seat) {
    belief_.recall_stop(job, attempt, seat);
  }
  /// When a step is due even if nothing is observed; `never` if none is.
  policy::Instant next_deadline() const { return next_deadline_; }
  /// The time of the last step; Instant::min() before the first.
  policy::Instant now() const { return now_; }
  const Belief& belief() const { return belief_; }
  /// By SeatId.
  std::span<const Seat> seats() const { return seats_; }
  /// In the order of muting.
  std::span<const Muted> muted() const { return muted_; }
  std::uint64_t steps() const { return steps_; }
  std::size_t actions_in_flight() const { return actions_.size(); }

 private:
  void take_in(const Intake& intake);
  void take_replies(const Intake& intake);
  void doubt(Action& action);
  void take_reply(const Reply& reply, Action& action);
  void confirm_effect(policy::JobId job);
  void retry_overdue();
  void consult();
  void sort_observations();
  void ask(policy::SeatId seat, std::span<const policy::Observation> observations);
  std::span<const policy::Observation> tell(policy::SeatId seat);
  std::vector<policy::Observation>& news_for(policy::SeatId seat);
  void hear_in_scope(policy::SeatId seat);
  std::optional<bool> may_hear(policy::SeatId seat, const policy::Observation& seen) const;
  void check_wishes(policy::SeatId seat);
  void drop_wishes(policy::SeatId seat);
  void mute(policy::SeatId seat, std::string_view why);
  void arbitrate(policy::SeatId seat, policy::Decision decision);
  void accept(policy::ActionId id, policy::SeatId seat, const policy::Decision& decision,
              std::uint64_t incident);
  std::optional<Veto> veto_of(const Wish& wish, bool sends);
  void refuse(policy::ActionId id, policy::SeatId seat, const policy::Decision& decision, Why why,
              policy::ActionId winner = {}, const Veto& veto = {});
  bool holds_attempts() const;
  policy::Duration backoff(const Action& action) const;
  bool has_told(policy::SeatId seat, policy::JobId job, std::uint64_t incident) const;
  void note_told(policy::SeatId seat, policy::JobId job, std::uint64_t incident, bool told);
  void answer(policy::ActionId id, policy::SeatId seat, const policy::Verb& verb,
              policy::Outcome outcome, policy::Refusal refusal,
              std::vector<policy::Observation>& to, policy::Instant room_at = policy::never) const;
  void answer_for_mode(policy::ActionId id, policy::SeatId seat, const policy::Verb& verb);
  void answer_soon(policy::ActionId id, policy::SeatId seat, const policy::Verb& verb,
                   policy::Outcome outcome, policy::Refusal refusal);
  void settle(Action& action, policy::Outcome outcome,
              policy::Refusal refusal = policy::Refusal::none);
  void send(Action& action);

  std::vector<Seat> seats_;
  Belief belief_;
  Retry retry_;
  Guards guards_;
  Journal& journal_;
  policy::Instant now_ = policy::Instant::min();
  policy::Instant next_deadline_ = policy::never;
  std::uint64_t steps_ = 0;
  std::uint64_t decisions_ = 0;  ///< ids given out
  Actions actions_;
  Timers timers_;
  std::vector<Attempt> out_;
  std::vector<policy::Observation> shared_;  ///< what every seat receives in this step
  std::vector<policy::Observation> plain_;   ///< `shared_` without alarms, if it has any
  bool has_reports_ = false;                 ///< `shared_` has reports, which only some seats read
  std::vector<policy::SeatId> alarms_of_;    ///< seats with alarms or their calls in `shared_`
  std::vector<policy::Observation> deferred_;  ///< answers for the next step
  policy::Instant tell_by_ = policy::never;  ///< when one of them is due without a new observation
  std::vector<policy::Observation> own_;     ///< what one seat receives, with its timers
  std::vector<Timers::Fired> fired_;
  std::vector<policy::Decisions> wishes_;  ///< by seat
  std::vector<Muted> muted_;
  std::vector<bool> is_muted_;                ///< by seat
  std::vector<std::uint32_t> wakes_at_once_;  ///< by seat: consecutive steps at one instant
  std::vector<std::uint64_t> asks_at_once_;   ///< by seat: steps at this instant with decisions
  std::vector<std::uint32_t> told_at_once_;   ///< by seat: answers for its mode at one instant
  /// The incidents that one seat sent messages about: mostly one per job.
  struct Told {
    std::vector<std::uint64_t> newest;                          ///< by job; 0: none
    std::set<std::pair<policy::JobId, std::uint64_t>> earlier;  ///< the ones before
  };
  std::vector<Told> told_;                      ///< by seat
  std::vector<policy::HeldMemory> held_;        ///< by seat
  std::vector<WatchedName> watched_;            ///< by seat
  std::vector<UnjudgedObservations> unjudged_;  ///< by seat
};

/// The only main loop, for simulated, live and replayed runs.  Ends at `until`, when no further
/// event is possible, or when `interrupted` returns true.
void run(Host& host, Feed& feed, Actuator& actuator, policy::Instant until,
         const std::function<bool()>& interrupted = {});

}  // namespace reeve::host
