// The escalation of a rule against a job: stop it, notify people, or notify and stop it later.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job_events.hpp"
#include "job_rule.hpp"
#include "timer_key.hpp"

namespace reeve::policies {

/// The problem of an attempt that a rule acts on.
struct Grievance {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  std::string_view reason;  ///< static text
  policy::StopCause cause = policy::StopCause::rule_broken;
  std::uint16_t incident = 1;  ///< the first one, if the rule counts incidents itself
  std::string basis = {};      ///< as in a decision
};

/// The steps of the option `action`.  Only `warn_then_stop` keeps state.
class Ladder {
 public:
  explicit Ladder(const policy::Options& options)
      : kind_{kind_named(options.text("action"))}, warn_for_{options.duration("warn_for")} {}

  /// Whether it ever stops a job.
  bool stops() const { return kind_ != Kind::notify; }

  /// Takes the next step.  True: it was the last one.  False: call it again each time the rule
  /// looks at the job, while the problem lasts.
  bool act(const Grievance& wrong, const policy::Step& step, policy::Decisions& out) {
    using policy::Notify;
    if (kind_ == Kind::stop) {
      stop(wrong, wrong.incident, out);
      return true;
    }
    if (kind_ == Kind::notify) {
      out.propose(Notify{wrong.job, wrong.attempt, wrong.incident}, wrong.reason, wrong.basis);
      return true;
    }
    Rung& rung = rungs_[wrong.job];
    if (rung.attempt != wrong.attempt) rung = {.attempt = wrong.attempt};
    if (rung.waits) return false;
    if (!rung.warned) {
      rung.warned = true;
      rung.stop_at = policy::never;
      const std::uint32_t next = rung.incident + (std::exchange(rung.again, false) ? 0U : 1U);
      rung.incident = std::max(static_cast<std::uint16_t>(next), wrong.incident);
      out.propose(Notify{wrong.job, wrong.attempt, rung.incident}, wrong.reason, wrong.basis);
    }
    if (rung.stop_at > step.now) return false;
    stop(wrong, rung.incident, out);
    return true;
  }

  /// Whether the time to fix the problem has expired.
  bool is_due(policy::JobId job, policy::Instant now) const {
    if (rungs_.empty()) return false;
    const auto rung = rungs_.find(job);
    return rung != rungs_.end() && rung->second.warned && rung->second.stop_at <= now;
  }

  /// The problem of the job has ended.  The next one begins with a notification again.
  void stand_down(policy::JobId job) {
    if (rungs_.empty()) return;
    const auto rung = rungs_.find(job);
    if (rung != rungs_.end()) rung->second.stand_down();
  }

  /// The problems of all jobs have ended.
  void stand_down() {
    for (auto& [job, rung] : rungs_) rung.stand_down();
  }

  /// A message that failed, or may have failed, can be sent again as the same message.
  void may_ask_again(policy::JobId job) {
    const auto rung = rungs_.find(job);
    if (rung == rungs_.end() || !std::exchange(rung->second.waits, false)) return;
    rung->second.warned = false;
    rung->second.again = true;
  }

  /// Takes the settlement of a message of the rule.  The time to fix the problem begins at the
  /// delivery.
  void heed(const policy::ActionSettled& settled, const policy::Step& step,
            policy::Decisions& out) {
    if (rungs_.empty() || settled.verb != policy::VerbKind::notify) return;
    const auto known = rungs_.find(settled.job);
    if (known == rungs_.end() || known->second.attempt != settled.attempt) return;
    Rung& rung = known->second;
    if (settled.incident != rung.incident) return;
    if (!rung.warned || rung.stop_at != policy::never) return;
    if (!was_told(settled)) {
      rung.waits = true;
      return;
    }
    rung.stop_at = policy::later(step.now, warn_for_);
    constexpr auto purpose = std::numeric_limits<std::uint16_t>::max() - 1;  // used by no rule
    const TimerKey key{.job = settled.job, .attempt = settled.attempt, .purpose = purpose};
    if (rung.stop_at != policy::never) out.wake_at(key.packed(), rung.stop_at);
  }

 private:
  enum class Kind : std::uint8_t { stop, notify, warn_then_stop };

  /// The state of the escalation for a job.
  struct Rung {
    policy::AttemptNumber attempt = 0;
    std::uint16_t incident = 0;
    bool warned = false;
    bool waits = false;  ///< the newest message failed and must not be sent again yet
    bool again = false;  ///< it failed, and its problem lasts
    policy::Instant stop_at = policy::never;

    void stand_down() { warned = waits = again = false; }
  };

  static Kind kind_named(std::string_view name) {
    if (name == "notify") return Kind::notify;
    return name == "warn_then_stop" ? Kind::warn_then_stop : Kind::stop;
  }

  static void stop(const Grievance& wrong, std::uint16_t incident, policy::Decisions& out) {
    out.propose(policy::StopJob{wrong.job, wrong.attempt, wrong.cause, incident}, wrong.reason,
                wrong.basis);
  }

  Kind kind_;
  policy::Duration warn_for_;
  std::map<policy::JobId, Rung> rungs_;  ///< of jobs with a warning
};

/// A JobRule with a ladder.
template <class Row>
class LadderRule : public JobRule<Row> {
 protected:
  explicit LadderRule(const policy::Options& options) : ladder_{options} {}

  Ladder ladder_;

 private:
  void heed(const policy::ActionSettled& settled, const policy::Step& step,
            policy::Decisions& out) final {
    ladder_.heed(settled, step, out);
  }

  void may_ask_again(policy::JobId job) final { ladder_.may_ask_again(job); }
};

/// What a ladder may propose (PolicyKind::verbs).
inline std::vector<policy::VerbKind> ladder_verbs(const policy::Options& options) {
  using policy::VerbKind;
  const std::string& action = options.text("action");
  if (action == "stop") return {VerbKind::stop_job};
  if (action == "notify") return {VerbKind::notify};
  return {VerbKind::notify, VerbKind::stop_job};
}

/// The rows of the option table.  `help`: the action and its target.
inline policy::OptionSpec action_option(std::string_view help) {
  return {.name = "action",
          .type = policy::OptionType::choice,
          .unit = "",
          .default_json = R"("stop")",
          .choices = {"stop", "notify", "warn_then_stop"},
          .help = help};
}

inline policy::OptionSpec warn_for_option() {
  return {
      .name = "warn_for",
      .type = policy::OptionType::duration,
      .unit = "",
      .default_json = R"("1h")",
      .min = 0,
      .choices = {},
      .help =
          "warn_then_stop: time from the delivered notification to the stop, if the problem lasts",
      .vary = policy::Vary::up,
      .companion = {"action", R"("action": "warn_then_stop")", {"warn_then_stop"}}};
}

}  // namespace reeve::policies
