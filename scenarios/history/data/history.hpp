// What a team's exports say: jobs, events, utilization, bills, prices and runs, before they are
// joined.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <reeve/policy/units.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/data/findings.hpp"
#include "scenarios/history/data/kubernetes_object.hpp"
#include "scenarios/history/data/packed_jobs.hpp"
#include "scenarios/history/data/packed_samples.hpp"
#include "scenarios/history/data/slurm_records.hpp"

namespace reeve::scenarios {

/// Something that happened to a job or a machine at one instant.
struct HistoryEvent {
  enum class Kind : std::uint8_t {
    created,
    stop_requested,
    stop_refused,
    interrupted,  ///< the platform took the machine
    restarted,
    rebalance,  ///< AWS recommends to move; nothing was taken
    evicted,    ///< a Spot request ended
  };
  Kind kind = Kind::created;
  policy::Instant at;
  std::string job;       ///< empty: not told
  std::string instance;  ///< an id of EC2; empty: not told
  std::string instance_type;
  std::string zone;
  std::string region, account;  ///< where the job is; empty: not told
  std::string by;               ///< a user, or a session of a role
  bool by_function = false;     ///< `by` is a program: a rule acted
  bool with_notice = true;      ///< an interruption that was announced two minutes before
  std::string id;               ///< to tell copies; of an event without one, its content
};
std::string_view name_of(HistoryEvent::Kind kind);

/// What metrics are of.
struct SeriesName {
  std::string job;      ///< empty: an idle GPU, or not known
  std::string host;     ///< "algo-1" or a node; empty: not known
  std::string gpu;      ///< of the host; empty: all of them
  bool is_sum = false;  ///< the values are sums over the GPUs of the host
  friend auto operator<=>(const SeriesName&, const SeriesName&) = default;
};

/// One GPU or host as metrics show it.
struct UtilizationSeries : SeriesName {
  PackedSamples samples;  ///< by time; a missing sample is left out
  struct Period {
    policy::Instant from;
    policy::Duration lasts;  ///< a sample from then on stands for at most that long; 0: not known
  };
  std::vector<Period> periods;  ///< by time; metrics get coarser with age
};

/// Dollars as exact billionths, since bills have up to ten decimals.
struct NanoUsd {
  std::int64_t nanos = 0;
  NanoUsd& operator+=(NanoUsd other) { return nanos += other.nanos, *this; }
  friend bool operator==(NanoUsd, NanoUsd) = default;
};

/// To the nearest micro-dollar, halves away from 0.
constexpr policy::Usd rounded(NanoUsd money) {
  return policy::Usd::from_micros((money.nanos + (money.nanos >= 0 ? 500 : -500)) / 1000);
}

/// What a bill has for one resource, instance type and market, summed over its rows.
struct BilledUse {
  std::string job;  ///< the training job; empty: `resource` is something else
  std::string resource;
  std::string instance_type;
  std::string market;  ///< on_demand, spot, reserved, savings_plan
  std::string region;
  std::string use;  ///< "train", "storage", "warm_pool", "instance", "other"
  double instance_hours = 0;
  NanoUsd cost;                                ///< what it cost: amortized, discounts included
  NanoUsd list;                                ///< at list price
  std::optional<policy::Instant> first, last;  ///< the hours of its rows
  std::map<std::string, std::string> tags;
};

class BillLedger;

/// A bill, or what several add up to.
struct Bill {
  std::vector<BilledUse> uses;           ///< in the order of their first rows
  std::map<std::string, NanoUsd> apart;  ///< of no resource: "Credit", "Refund", "Tax"
  NanoUsd unused_commitment;             ///< paid, and covered nothing
  NanoUsd ignored;                       ///< services that train nothing
  /// Rows that are in no use, by operation: some would count twice, and the dollars of others
  /// (volumes, traffic of EC2) are in `ignored`.
  std::map<std::string, std::uint64_t> left_out;
  std::optional<policy::Instant> from, until;  ///< the hours it covers
  std::shared_ptr<BillLedger> ledger;          ///< what the next file of the bill is added to
};

/// A Spot price in force from an instant on.
struct SpotPrice {
  std::string instance_type;
  std::string zone;
  std::string product;
  policy::Instant at;
  policy::UsdPerHour price;
};

/// A run in a tracker of experiments.
struct TrackedRun {
  std::string id;
  std::string job;    ///< the job that its configuration names; empty: none
  std::string state;  ///< running, finished, failed, crashed, killed
  std::optional<policy::Instant> started, ended, last_heartbeat;
};

/// All that was read so far.
struct History {
  PackedJobs jobs;
  std::vector<KubernetesObject> objects;  ///< of clusters, until sum_up_work makes jobs of them
  SlurmRecords slurm;                     ///< the same
  /// Those that metrics name, with or without their namespace; empty: of several jobs.
  std::map<std::string, std::string, std::less<>> jobs_of_pods;
  std::vector<HistoryEvent> events;
  std::set<std::string, std::less<>> event_ids;  ///< seen, to tell copies
  std::vector<UtilizationSeries> series;
  std::map<SeriesName, std::size_t> series_by_name;  ///< places in `series`
  Bill bill;
  std::vector<SpotPrice> spot_prices;
  std::vector<TrackedRun> runs;
  std::optional<policy::Instant> newest;  ///< the latest time in the files: when they were exported
  std::optional<policy::Instant> newest_of_file;  ///< the same of the file that is being read
  std::vector<FileReport> files;

  void see(policy::Instant time) {
    for (auto* latest : {&newest, &newest_of_file}) {
      if (!*latest || time > **latest) *latest = time;
    }
  }
};

}  // namespace reeve::scenarios
