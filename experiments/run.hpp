// Runs one policy of a scenario once: a world, a host, the loop between them, and what they left.
#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/decision_log.hpp"
#include "experiments/instead.hpp"
#include "host/host.hpp"
#include "models/fleet/simulation.hpp"
#include "scenarios/load/scenario.hpp"

namespace reeve::experiments {

/// How far a run is; written by its thread as it goes, read by whoever draws a progress bar.
struct RunProgress {
  std::atomic<std::int64_t> clock_ns{0};  ///< simulated, since the epoch
  std::atomic<std::uint64_t> events{0};
};

struct RunOptions {
  models::Keep keep;
  bool decisions = false;        ///< keep DecisionRows
  bool counterfactuals = false;  ///< fill DecisionRow::if_not; needs decisions, attempts, ledger
  policy::ActionId undone = {};  ///< a decision left out in this run (host::Undone); 0: none
  std::optional<Instead> instead = std::nullopt;  ///< done in place of a decision
  std::string stops_left_out = {};  ///< label of a seat whose stops are left out; empty: of none
  std::ostream* journal = nullptr;  ///< text journal, if wanted
  const std::atomic<bool>* interrupted = nullptr;
  RunProgress* progress = nullptr;  ///< of the run begun last, if several threads share it
};

/// A rule that was not asked any more from then on: it threw, or wanted what cannot be.
struct MutedRule {
  std::string rule;  ///< label of the seat
  policy::Instant at;
  std::string why;
};

/// A rule as the host seated it.
struct SeatedRule {
  std::string label;
  const policy::PolicyKind* kind = nullptr;
  host::Mode mode = host::Mode::enforce;
  host::Scope scope = {};
  std::optional<std::uint32_t> minimum = std::nullopt;  ///< of GPU use: in Record::gpu_gaps
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
};

/// Whether the policy has a scheduler in force, for which submitted work waits.
models::Admission admission(const scenarios::PolicySpec& policy);

/// Whether a rule of it, in force or in shadow, is told what training scripts report, or its stops
/// are judged by that.
bool needs_reports(const scenarios::PolicySpec& policy);

/// A fresh host with the policy's seats, the scenario's guards and what the options leave out.
std::unique_ptr<host::Host> make_host(const scenarios::Scenario& scenario,
                                      const scenarios::PolicySpec& policy, host::Journal& journal,
                                      const RunOptions& options = {});

/// Deterministic in (scenario, policy, replication).  Free of globals: runs on any thread.
RunResult run(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy,
              std::uint32_t replication, const RunOptions& options = {});

}  // namespace reeve::experiments
