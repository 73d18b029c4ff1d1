// What jobs are due of the time of each pool, as Gavel's programme divides it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <reeve/policy/units.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "turn.hpp"

namespace reeve::policies {

constexpr std::int64_t whole_ms(policy::Duration of) {
  return of / std::chrono::milliseconds{1};
}

/// Jobs that the programme cannot tell apart.
struct JobKind {
  std::uint32_t instances = 0;
  std::vector<std::pair<policy::PoolId, std::uint32_t>> speeds = {};  ///< of pools it can run in
  friend bool operator<(const JobKind& a, const JobKind& b) {
    return std::tie(a.instances, a.speeds) < std::tie(b.instances, b.speeds);
  }
};

/// The time of pools, divided among kinds of jobs by max-min fairness.
class GavelDemands {
 public:
  /// Of all jobs of a kind, by the places in JobKind::speeds.
  struct Demand {
    std::size_t id = 0;  ///< from 0, in the order in which kinds came
    std::int64_t jobs = 0;
    std::vector<std::int64_t> share = {};  ///< millionths of a job's time
    /// Due to a job that was there from the beginning, by `count_due`: millionths of milliseconds.
    std::vector<std::int64_t> due = {};
  };
  using Demands = std::map<JobKind, Demand>;
  using Entry = Demands::value_type;

  /// Counts one job more of the kind.
  Entry& add(JobKind kind);
  void remove(Entry& of) {
    --of.second.jobs;
    is_stale_ = true;
  }
  /// Pools that a job can run in, ascending.
  const std::vector<policy::PoolId>& pools() const { return pools_; }
  /// Whether a job can run in several pools.
  bool any_may_move() const;

  /// What became due since the last call.
  void count_due(policy::Instant now);
  /// Divides the time of pools anew, if something changed.
  void solve(const Turn& turn);
  /// Jobs or instances came or went since it was solved.
  bool is_stale() const { return is_stale_; }
  void terms_changed() { is_stale_ = true; }

 private:
  std::size_t place_of(policy::PoolId pool) const;
  std::vector<std::size_t> groups_of_pools() const;
  static void solve(const std::vector<Entry*>& kinds, const std::vector<policy::PoolId>& pools,
                    const Turn& turn);

  Demands demands_;
  std::vector<policy::PoolId> pools_;
  policy::Instant counted_ = policy::Instant::min();
  bool is_stale_ = true;
};

}  // namespace reeve::policies
