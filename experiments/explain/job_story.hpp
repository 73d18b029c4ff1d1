// The story of one job of one run: what happened to it, what was observed and what was decided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "experiments/explain/job_outcome.hpp"
#include "experiments/run.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

// What a moment is about.  Pointers are into the run and the outcome of the story.

struct Submitted {
  const models::AttemptRow* attempt = nullptr;
  const models::AttemptRow* before = nullptr;  ///< the attempt before, if in another pool
};

struct StallBegan {
  const models::StallRow* stall = nullptr;
  /// Of a stall that no rule stopped.  Null or empty: there is none of that kind.
  struct Unnoticed {
    const DecisionRow* stop = nullptr;  ///< of a rule that found it, without effect
    const DecisionRow* told = nullptr;  ///< the notification of a rule that finds stalls
    std::string stopped_by = {};        ///< the rule that stopped the attempt for another reason
  };
  std::optional<Unnoticed> unnoticed = {};
};

struct StatusChanged {
  const models::EventRow* event = nullptr;
  std::string answer = {};                            ///< of EC2, if it had no instances
  std::string_view batch_state = {};                  ///< the state in AWS Batch, if that is new
  std::optional<policy::Instant> pending_until = {};  ///< when max_pending ends the wait
  bool pending_is_over = false;
  std::string cause = {};  ///< of the failure, as the scenario has it
};

/// A call of a rule, by a quota of the account.
struct CallRefused {
  std::string answer;
};

struct QueueBlocked {
  const models::BlockageRow* blockage = nullptr;
};

struct AlarmChanged {
  const models::AlarmRow* alarm = nullptr;
  const models::AlarmChange* change = nullptr;
  policy::AlarmState before = policy::AlarmState::insufficient_data;
  std::uint32_t gpus = 0;  ///< of each instance
  std::size_t judged = 0;  ///< how many of the newest datapoints it rests on
  /// The tag by which the job declares a low-use phase that the rule heeds, and the end of that.
  struct Quiet {
    std::string hints;
    policy::Instant until;
  };
  std::optional<Quiet> quiet = {};
};

struct AlarmUnheard {
  const models::AlarmRow* alarm = nullptr;
  const DecisionRow* refused = nullptr;  ///< the stop that was refused; null: there was none
};

struct AlarmLeft {};

struct Decided {
  const JobDecision* decision = nullptr;
  const DecisionRow* winner = nullptr;            ///< the decision that it lost to, if any
  std::optional<policy::Instant> in_effect = {};  ///< of a stop, if later than the decision
  std::optional<policy::Instant> grace_until = {};
  std::optional<policy::Instant> by_alarm = {};  ///< of a stop, if a period or more before it
};

/// The number of the last attempt is the highest that there is.
struct NoFurtherAttempt {};

/// Orphaned instances of an attempt.
struct LeftRunning {
  std::uint32_t instances = 0;
  std::optional<policy::Instant> until;  ///< none: to the end of the run
  policy::Usd billed;
};

struct Moment {
  policy::Instant at;
  policy::AttemptNumber attempt = 1;
  int rank = 0;  ///< causes precede effects of the same instant and attempt
  std::variant<Submitted, StallBegan, StatusChanged, CallRefused, QueueBlocked, AlarmChanged,
               AlarmUnheard, AlarmLeft, Decided, NoFurtherAttempt, LeftRunning>
      what;
};

/// By time, attempt and rank.  The run must have kept everything but the use of GPUs.
std::vector<Moment> job_story(const scenarios::Scenario& scenario, const RunResult& result,
                              const JobOutcome& outcome);

}  // namespace reeve::experiments
