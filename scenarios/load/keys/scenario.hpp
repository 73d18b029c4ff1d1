// A scenario as decoded from its file: a world, the policies to put side by side, what to expect.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <reeve/policy/options.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/canary.hpp"
#include "host/seat.hpp"
#include "models/world.hpp"
#include "scenarios/load/keys/call_prices.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

class PriceBook;

/// One rule in one policy.  `label` names it in reports: the rule's kind unless the file says more.
struct SeatSpec {
  std::string label;
  const policy::PolicyKind* kind = nullptr;
  policy::Options options;
  std::int32_t priority = 0;
  host::Mode mode = host::Mode::enforce;
  host::Scope scope = {};
};

/// A named set of rules: one column of a comparison.
struct PolicySpec {
  std::string name;
  std::vector<SeatSpec> seats;
};

/// Limits that see every decision last (host/guards.hpp).
struct GuardSpec {
  std::optional<std::uint32_t> stops_per_hour;
  std::optional<std::uint32_t> stops_pct_per_hour;
  std::optional<std::uint32_t> actions_per_hour;
  std::optional<std::uint32_t> actions_per_rule_per_day;
  std::vector<std::string> protected_tags;  ///< "key" or "key=value"
  std::vector<host::Exemptions::Exemption> exemptions;
  std::optional<policy::WeeklyHours> office_hours;
  policy::Duration dry_start{0};
  std::optional<host::Canary::Terms> canary;
};

/// One `expect` line.
struct Expect {
  std::string policy;  ///< a policy's name, or "*" for each
  std::string text;    ///< as written
  MetricComparison that;
  Position position;                   ///< of the line in the file, for reports
  std::optional<policy::Duration> at;  ///< after the start; none: of the run as a whole

  /// "pool.p4.allocated == 75 at 4h15m"
  std::string line() const;
};

/// A share whose name ends in `*`: each share that begins so and that a job names is one of its
/// own, with this weight (AWS Batch: a prefix among the share identifiers).
struct SharePrefix {
  std::string name;  ///< with the `*`
  std::uint32_t weight = policy::weight_one;
  std::optional<policy::QueueId> queue = {};  ///< none: only after an error
  std::size_t place = 0;                      ///< among what its queue lists
  std::vector<policy::ShareId> shares = {};   ///< of the directory, as jobs name them
};

/// The priority of the jobs of a queue that have one of the tags: `key` or `key=value`.  The first
/// that fits applies.
struct QueuePriority {
  policy::QueueId queue;
  std::vector<std::string> tags;
  std::int32_t priority = 0;
};

/// Where messages about jobs go; each is empty if there is none.
struct NotifySpec {
  std::string sns;      ///< ARN of the topic
  std::string webhook;  ///< URL, or `env:` and the variable that has it: a secret
  std::string slack;    ///< likewise
};

/// What a live configuration observes.
struct LiveSpec {
  std::string account;                  ///< 12 digits; empty: any
  std::string region;                   ///< empty: any
  std::string queue;                    ///< URL; empty: none
  policy::Duration reconcile_every{0};  ///< 0: never
  NotifySpec notify = {};
  std::string kill_file = {};       ///< while it exists, nothing is sent
  std::string kill_parameter = {};  ///< of SSM: while its value is not `run`, nothing is sent
  std::string kill_tag = {};        ///< key: while the queue has it, nothing is sent
  std::uint32_t confirm_first = 0;  ///< actions that a person confirms
  std::shared_ptr<const PriceBook> book = nullptr;  ///< null: only the prices of the file
  std::chrono::sys_days book_day = {};
};

/// How far to trust a recorded history.
struct HistoryFacts {
  std::optional<double> matched_pct;  ///< of what instances cost on the bill, the part that jobs
                                      ///< explain; none: it has no bill
  double covered_pct = 100;           ///< of the instance-hours of jobs, the part on the bill
  bool at_list = false;               ///< the prices of the scenario are list prices
};

/// Complete and consistent: every reference resolves, every job fits its pool.
struct Scenario {
  std::filesystem::path file;
  std::string name;
  std::string title;
  std::string source;
  std::string timezone = "UTC";
  std::set<std::string> files = {};   ///< traces and price books that it reads, as written
  std::string price_book = "inline";  ///< with its date, as exports name it
  /// By fleet: EC2's price, on the same terms, of a machine that is paid for as a managed one.
  /// None: unknown, or nothing is managed.
  std::vector<std::optional<policy::UsdPerHour>> ec2_prices;
  /// By fleet: the list price of an instance.  None: not known.
  std::vector<std::optional<policy::UsdPerHour>> list_prices = {};
  /// By fleet: the part of its bill that commitments cover.  None: nothing is covered.
  std::vector<std::optional<double>> committed_pct = {};
  std::optional<HistoryFacts> history = {};  ///< the workload is a recorded history
  CallPrices calls;
  policy::Usd ops_per_month;  ///< per 30 days; an overlay, in no sum of the ledger
  models::World world;
  std::vector<SharePrefix> share_prefixes = {};  ///< in the order of the file
  std::vector<QueuePriority> queue_priorities = {};
  std::uint32_t runs = 1;
  bool random = false;  ///< something in it is drawn, so one run is one sample
  std::vector<PolicySpec> policies;
  GuardSpec guards;
  std::vector<Expect> expects;
  std::optional<LiveSpec> live = {};  ///< a live configuration: it has no jobs and no clock
};

}  // namespace reeve::scenarios
