// The alarms that a rule has on the hosts of each attempt: put, deleted, and what they say.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <utility>

#include "alarm_options.hpp"
#include "held_back.hpp"
#include "job_table.hpp"

namespace reeve::policies {

/// Each attempt has alarms of its own.  What was kept back or failed is requested again.
class JobAlarms {
 public:
  explicit JobAlarms(AlarmSettings settings) : set_{std::move(settings)} {}

  /// What an observation says of the alarms of a job's newest attempt.
  struct Change {
    policy::JobId job;
    bool fires = false;   ///< enough of them are in ALARM, and the attempt runs
    bool begins = false;  ///< an incident that was not: until none of them is in ALARM
  };

  /// At the beginning of a step: how the rule's calls went, and what may be requested again.
  void begin(const policy::Step& step, policy::Decisions& out);

  /// Each observation in its turn; nothing if it changes none of them.
  std::optional<Change> hear(const policy::Observation& seen, const policy::Step& step,
                             policy::Decisions& out);

  /// Enough of the attempt's hosts are in ALARM.
  bool stand(policy::JobId job, policy::AttemptNumber attempt) const;

  /// The state of all of them as one; nothing if the attempt has none.
  std::optional<policy::AlarmState> state(policy::JobId job, policy::AttemptNumber attempt) const;

  /// Of the attempt so far.
  std::uint16_t incidents(policy::JobId job, policy::AttemptNumber attempt) const;

  /// One of them lasts.
  bool in_incident(policy::JobId job, policy::AttemptNumber attempt) const;

 private:
  /// An alarm that was requested, until its deletion has ended.
  struct HostAlarm {
    enum class Call : std::uint8_t { none, put, remove };

    policy::Instant changed_at = policy::Instant::min();  ///< orders the events of the alarm
    policy::AlarmState state = policy::AlarmState::insufficient_data;
    Call on_its_way = Call::none;
    bool up_to_date = false;  ///< the newest put worked
    bool may_exist = false;   ///< a put worked, or its outcome is unknown
    bool unwanted = false;    ///< to be deleted once nothing is on its way
  };

  using Key = std::pair<policy::AttemptNumber, std::uint32_t>;  ///< the attempt and the host
  using Alarms = std::map<Key, HostAlarm>;

  /// Of the alarms of one attempt.
  struct Tally {
    std::uint32_t alarms = 0;
    std::uint32_t wanted = 0;  ///< with those whose put was refused, and is requested again
    std::uint32_t in_alarm = 0;
    std::uint32_t ok = 0;
  };

  /// What there is of one job.
  struct Watch {
    Alarms alarms;
    std::map<policy::AttemptNumber, Tally> tallies;  ///< of the attempts that have alarms
    policy::Instant put_at = policy::never;          ///< when the alarms are due to be put
    policy::Instant remove_at = policy::never;       ///< when failed deletions are due again
    policy::AttemptNumber incidents_of = 0;          ///< attempt that `incidents` counts for
    std::uint16_t incidents = 0;                     ///< of that attempt so far
    policy::AttemptNumber put_held = 0;              ///< attempt for which it was kept back
    policy::AttemptNumber lacked_for = 0;            ///< attempt that `lacked` counts for
    std::uint8_t lacked = 0;                         ///< unsuccessful requests for alarms
    std::uint8_t kept = 0;  ///< how often deletions were refused, one after the other
    policy::Instant quiet_until = policy::never;  ///< an alarm went off, and said nothing
    bool in_incident = false;  ///< the newest of them lasts: the alarm still stands
    policy::AttemptNumber seen_attempt = 0;
    std::uint32_t seen_revision = 0;
    policy::Secondary seen = policy::Secondary::queued;
  };

  void settle_put(const policy::ActionSettled& settled, const policy::Step& step,
                  policy::Decisions& out);
  void put_ever_later(const policy::ActionSettled& settled, const policy::Step& step,
                      policy::Decisions& out);
  void settle_removal(const policy::ActionSettled& settled, const policy::Step& step,
                      policy::Decisions& out);
  void resume(const HeldBack::Target& held, const policy::Step& step, policy::Decisions& out);
  void note_end(const policy::JobChanged& event, const policy::Step& step, policy::Decisions& out);
  void discard_earlier(policy::JobId job, policy::AttemptNumber newest, policy::Decisions& out);
  void look_at(policy::JobId job, const policy::Step& step, policy::Decisions& out);
  std::optional<Change> note_alarm(const policy::AlarmChanged& event, policy::Instant at,
                                   const policy::Step& step, policy::Decisions& out);
  bool is_quiet(policy::JobId job, const policy::Step& step, policy::Decisions& out);
  std::optional<Change> end_quiet(policy::JobId job, const policy::Step& step,
                                  policy::Decisions& out);
  void arm(policy::JobId job, const policy::Step& step, policy::Decisions& out);
  void put_if_due(policy::JobId job, const policy::Step& step, policy::Decisions& out);
  void put(policy::JobId job, policy::AttemptNumber attempt, std::uint32_t host,
           const policy::AlarmRule& rule, policy::Instant now, policy::Decisions& out);
  void discard(policy::JobId job, policy::AttemptNumber first, policy::AttemptNumber last);
  void remove_unwanted(policy::JobId job, policy::Decisions& out);
  void remove_if_due(policy::JobId job, const policy::Step& step, policy::Decisions& out);
  static void remove(Alarms::value_type& known, policy::JobId job, policy::Decisions& out);
  static void forget(Watch& watch, Alarms::iterator known);
  static bool begin_incident(Watch& watch, policy::AttemptNumber attempt);
  static void end_incident_if_over(Watch& watch, policy::AttemptNumber attempt);
  static void set_state(Watch& watch, Alarms::value_type& known, policy::AlarmState state);
  Tally tally(policy::JobId job, policy::AttemptNumber attempt) const;

  AlarmSettings set_;
  JobTable<Watch> watches_;
  HeldBack held_{1};  ///< not what the rule itself has kept back
};

}  // namespace reeve::policies
