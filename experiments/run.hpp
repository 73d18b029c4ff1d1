// Runs one policy of a scenario once: a world, a host, the loop between them, and the results.
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiments/decision_log.hpp"
#include "experiments/instead.hpp"
#include "host/confirm_first.hpp"
#include "host/host.hpp"
#include "models/fleet/simulation.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// The progress of a run: written by its thread, read for the progress bar.
struct RunProgress {
  std::atomic<std::int64_t> clock_ns{0};  ///< simulated, since the epoch
  std::atomic<std::uint64_t> events{0};
};

/// Exact if possible: dollars and durations are integers, the rest is a double.
using Quantity = std::variant<policy::Usd, policy::Duration, double>;

/// A metric and its name; no value if it does not exist (no job was done, nothing was detected).
struct Measure {
  std::string name;
  std::optional<Quantity> value;
};

/// An action that an earlier run of a live host sent: guards count it.
struct EarlierAction {
  std::string rule;  ///< label of its seat
  policy::VerbKind verb = policy::VerbKind::stop_job;
  policy::Instant at;
};

struct RunOptions {
  models::Keep keep;
  bool measures = false;         ///< fill RunResult::measures: by the thread of the run
  bool decisions = false;        ///< keep DecisionRows
  bool counterfactuals = false;  ///< fill DecisionRow::if_not; needs decisions, attempts, ledger
  policy::ActionId undone = {};  ///< a decision left out in this run (host::Undone); 0: none
  std::optional<Instead> instead = std::nullopt;  ///< replaces a decision
  std::vector<EarlierAction> earlier = {};        ///< in the order of time
  host::ConfirmFirst::Ask confirmed = {};         ///< of a live run; empty: no person is asked
  host::Retry retry = {};
  std::string stops_left_out = {};  ///< label of a seat whose stops are left out; empty: none
  std::ostream* journal = nullptr;  ///< text journal; null: none
  const std::atomic<bool>* interrupted = nullptr;
  void (*ends_early)() = nullptr;   ///< called when a run sees that
  RunProgress* progress = nullptr;  ///< of the last run started, if several threads share it
};

/// A rule that the host muted from then on: it threw or proposed the impossible.
struct MutedRule {
  std::string rule;  ///< label of the seat
  policy::Instant at;
  std::string why;
};

/// A rule in its seat.
struct SeatedRule {
  std::string label;
  const policy::PolicyKind* kind = nullptr;
  host::Mode mode = host::Mode::enforce;
  host::Scope scope = {};
  std::optional<std::uint32_t> minimum = std::nullopt;  ///< of GPU utilization: in Record::gpu_gaps
};

/// One replication of one policy.
struct RunResult {
  std::string policy;
  std::uint32_t replication = 0;
  std::string digest;  ///< of the journal, 32 hex digits
  models::Record record;
  std::vector<DecisionRow> decisions;
  std::vector<MutedRule> muted;
  std::vector<SeatedRule> seats;  ///< by SeatId
  std::vector<Measure> measures;  ///< on request: experiments::measures
};

/// Whether the policy has an active scheduler, for which submitted jobs are queued.
models::Admission admission(const scenarios::PolicySpec& policy);

/// Whether an active or shadowed rule reads reports of training scripts, or its stops are judged by
/// them.
bool needs_reports(const scenarios::PolicySpec& policy);

/// A new host with the policy's seats, the scenario's guards and the guards for left-out decisions.
std::unique_ptr<host::Host> make_host(const scenarios::Scenario& scenario,
                                      const scenarios::PolicySpec& policy, host::Journal& journal,
                                      const RunOptions& options = {});

/// Deterministic in (scenario, policy, replication).  No global state: runs on any thread.
RunResult run(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
              std::uint32_t replication, const RunOptions& options = {});

}  // namespace reeve::experiments
