// The fleet in which a job of a trace runs: that of its instance type and market.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "scenarios/load/resolved/loading.hpp"
#include "scenarios/records/trace.hpp"

namespace reeve::scenarios {

/// Chooses among the fleets of a scenario.  If there is one fleet, or a row says neither its type
/// nor its market, the fleet is the usual one: that of `workload`.
class TraceFleets {
 public:
  TraceFleets(const Resolved& resolved, policy::PoolId usual)
      : resolved_{resolved}, usual_{usual} {}

  /// The fleet of the row: the usual one if it fits, else the first that fits, else the first of
  /// its type in another market.  E0383 if no fleet has the type.
  std::variant<policy::PoolId, Diagnostic> of(const TraceReader& reader, const TraceRow& row);

  /// Warns of jobs that run in another market than in their log (W0612).
  void report(Loading& loading, std::uint64_t jobs) const;

 private:
  using Wish = std::pair<std::string, std::optional<policy::Market>>;  ///< type and market

  std::optional<policy::PoolId> find(std::string_view type,
                                     std::optional<policy::Market> market) const;
  Diagnostic no_fleet(const TraceReader& reader, const TraceRow& row) const;

  const Resolved& resolved_;
  policy::PoolId usual_;
  std::map<Wish, policy::PoolId> known_ = {};
  std::uint64_t elsewhere_ = 0;  ///< jobs in another market
  std::uint64_t first_ = 0;      ///< the line of the first of them
};

}  // namespace reeve::scenarios
