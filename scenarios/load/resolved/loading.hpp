// The state of loading one scenario: what was written, what it means so far, what is wrong.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/utilization.hpp"
#include "scenarios/load/keys/input.hpp"
#include "scenarios/load/resolved/resolved.hpp"
#include "scenarios/records/price_book.hpp"
#include "scenarios/records/utilization_trace.hpp"

namespace reeve::scenarios {

/// A change of the priority of a job in a JobList.
struct ListedPriority {
  std::size_t job = 0;
  Duration at{0};
  std::int32_t priority = 0;
};

/// Jobs as they are collected, in the order written; sorted by submission at the end.
struct JobList {
  std::vector<models::JobSpec> specs;
  std::vector<std::string> names;
  std::vector<ListedPriority> priority_changes = {};
};

/// A row of the book that a fleet pays by, and where that stands.
struct PaidRow {
  const PriceRow* row = nullptr;
  Node node;
  std::uint32_t pool = 0;
};

/// How a pool's market was recorded.
struct RecordTicks {
  Duration tick{0};         ///< 0: by its changes, or not at all
  std::uint64_t ticks = 0;  ///< 0: none
  Duration price_tick{0};   ///< 0: by its changes, or in the record of offers, or not at all
};

/// Where prices come from.
struct UsedPrices {
  std::shared_ptr<const PriceBook> book;  ///< null: inline prices only
  Day day;                                ///< as of which it is read
  std::vector<PaidRow> paid_rows;
};

/// The recorded markets of the pools.
struct RecordedMarkets {
  std::vector<std::string> regions;                         ///< of the pools, where known
  std::vector<std::string> zones;                           ///< likewise
  std::vector<RecordTicks> ticks;                           ///< of the pools
  std::map<std::filesystem::path, Convention> conventions;  ///< of records, as first said
  std::set<std::string> scarce_regions;                     ///< of fleets with that preset
};

/// Traces of GPU utilization.
struct UtilizationTraces {
  std::map<std::string, std::shared_ptr<const UtilFile>> files;  ///< by how they were read
  std::map<const models::UtilTrace*, std::uint32_t> ids;         ///< in the order of use
  std::set<std::size_t> too_short;  ///< reported; by where they are written
  std::set<std::size_t> too_long;   ///< likewise
};

/// What later keys may name.
struct KnownNames {
  /// By name, after sorting; the names are those of World::jobs.
  std::vector<std::pair<std::string_view, policy::JobId>> jobs;
  std::set<std::string, std::less<>> owners;  ///< of any job
  std::optional<policy::JobId> job(std::string_view name) const;
};

/// Equal profiles, and equal sets of tags, are one.
struct Interned {
  std::map<std::string, std::uint32_t> profiles;  ///< by contents
  std::map<std::vector<policy::Tag>, policy::TagSetId> tags;
};

/// What is resolved so far, and what later steps need of earlier ones.  The steps follow in their
/// order.  After a finding each continues with what still makes sense.  A step that only reads
/// takes a Resolved.
struct Loading : Resolved {
  Loading(Document parsed, std::filesystem::path traces_in, const LoadLimits& limited,
          Findings& told);

  std::filesystem::path folder;
  LoadLimits limits;
  Findings& findings;
  UsedPrices prices;
  RecordedMarkets markets;
  JobList jobs;
  UtilizationTraces utilization;
  KnownNames names;
  Interned interned;
  /// Of jobs that a forecast names: their time limits, as far as they have one.
  std::map<std::string, Duration, std::less<>> limits_of_running = {};

  void error(const Node& node, std::string_view code, std::string message, std::string label = {},
             std::string help = {});
  void warning(const Node& node, std::string_view code, std::string message, std::string label = {},
               std::string help = {});

  Resolved take() { return std::move(static_cast<Resolved&>(*this)); }
  policy::TagSetId intern(std::vector<policy::Tag> tags);
};

/// "key" or "key=value", checked; W0520 if no job has it.
host::TagPattern tag_pattern(const Resolved& resolved, const std::string& text, const Node& node,
                             Findings& findings);
/// The fleet of that name, or E0212.
std::optional<policy::PoolId> fleet_named(const Resolved& resolved, const std::string& name,
                                          const Node& node, Findings& findings);

/// Jobs that all come after so long count from 1970, as a rule.
inline constexpr Duration doubtful_start = std::chrono::days{10 * 366};

/// `base` + `step` x `times`, or nothing where that leaves the range of Duration.  None negative.
std::optional<Duration> stepped(Duration base, Duration step, std::uint64_t times);

/// The file of a trace, which is looked for relative to the scenario; nothing after a finding.
std::optional<std::filesystem::path> find_trace(Loading& loading, const std::string& name,
                                                const Node& node);

/// Reports intervals that do not stand in order or overlap; each is well formed already.
void check_order(const std::vector<models::TimeSpan>& intervals, const Node& list,
                 Findings& findings);

/// The number, from 1, of the drawn job of that name; nothing if it is none.
std::optional<std::uint64_t> drawn_number(std::string_view name,
                                          const models::DrawnWorkload& drawn);

}  // namespace reeve::scenarios
