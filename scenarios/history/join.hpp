// Joins what several sources say about one job, and reconciles the jobs with the bill.
#pragma once

#include <map>
#include <optional>
#include <reeve/policy/market.hpp>
#include <string>
#include <vector>

#include "scenarios/history/data/history.hpp"
#include "scenarios/history/unmatched.hpp"

namespace reeve::scenarios {

/// Instances of one type and market, as the jobs held them.
struct HeldMachines {
  std::string instance_type;
  policy::Market market = policy::Market::on_demand;
  std::uint64_t jobs = 0;
  std::int64_t most = 0;      ///< held at once
  std::int64_t gpus = 0;      ///< of one machine
  double instance_hours = 0;  ///< startup, work and loss
  double matched_hours = 0;   ///< of these, what is on the bill
  double billable_hours = 0;  ///< as the platform counts them: of Spot, less than were held
  double billed_hours = 0;    ///< of the bill
  double credited_hours = 0;  ///< of these, of jobs with more credits than costs: in no `cost`
  NanoUsd cost;               ///< of the bill
  NanoUsd committed;          ///< of this, what Savings Plans and reservations cover
  NanoUsd list;
};

/// What a bill has for instances of jobs that the replay does not have.
struct BilledApart {
  double hours = 0;
  NanoUsd cost, list;
};

/// The bill, split by what it paid for.  The parts add up to `bill`.
struct Reconciliation {
  NanoUsd bill;
  NanoUsd jobs;        ///< instances of jobs that are described; a sum of costs, none below 0
  NanoUsd warm_pools;  ///< of these
  NanoUsd storage;     ///< of these
  NanoUsd unused_commitment;
  std::map<std::string, NanoUsd> apart;  ///< of no resource: "Credit", "Tax"
  NanoUsd ignored;                       ///< services that train nothing
  NanoUsd not_matched;                   ///< of resources that no file describes, and credits
  std::uint64_t billed_jobs = 0;
  std::uint64_t unbilled_jobs = 0;                  ///< that ran, and have no cost on a bill
  std::map<Unmatched, NanoUsd> unmatched;           ///< `not_matched`, by reason
  std::vector<const BilledUse*> largest_unmatched;  ///< five at most
  std::vector<std::string> why_unmatched;           ///< the reason of each of these

  /// Of what instances cost, the share that jobs explain, in percent; none without a bill.
  /// Credits that are in no job are no cost.
  std::optional<double> matched_percent() const;
};

/// A history whose sources are joined.
struct JoinedHistory {
  PackedJobs jobs;                     ///< by submission, then by name; each once
  policy::Instant zero;                ///< the first submission; `submit` counts from here
  policy::Instant until;               ///< the time of the export
  std::vector<HeldMachines> machines;  ///< by type and market, once counted
  /// By type, once counted: a job of several types has its first one in the replay.
  std::map<std::string, BilledApart> not_replayed;
  bool by_nodes = true;  ///< instances are nodes of a type; else single GPUs
  Reconciliation reconciliation;
  std::vector<Diagnostic> warnings;
  std::vector<std::string> missing;  ///< what the absent sources would add
};

/// Joins `history`, which must outlive the result and has no jobs afterwards; its events then have
/// the names of the jobs that they are of.  Fields that several sources tell are taken from the
/// first of: describe, bill, tracker for times; bill, describe for dollars; CloudTrail for who
/// stopped a job.  Throws InputError E0403 if there is no job.
JoinedHistory join_history(History& history, std::optional<policy::Instant> as_of);

/// The type of instances whose type no source tells.
inline constexpr std::string_view untyped_node = "node";

/// Counts what was held, and at once, by type and market.
void count_machines(JoinedHistory& joined, const Bill& bill);

/// The instances of a job in the replay: its nodes, or its GPUs.
std::int64_t machines_of(const ImportedJob& job, bool by_nodes);

/// Time with instances, per machine: startup, work and loss.
policy::Duration held_by(const ImportedJob& job);

}  // namespace reeve::scenarios
