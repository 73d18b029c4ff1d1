#include "max_min_lp.hpp"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace reeve::policies {
namespace {

/// Jobs that claim the same: one row of the programme for all of them makes it as small as there
/// are kinds of jobs, and its answer the same for each.
struct PoolGroup {
  double count = 0;
  std::vector<double> serves = {};  ///< how well all of its time on a kind serves one; 0: no place
};

using Claimed = std::pair<std::pair<double, double>, std::vector<double>>;

struct ModelDeleter {
  void operator()(Clp_Simplex* model) const { Clp_deleteModel(model); }
};

/// The programme, column by column: first `least`, then a fraction for each group and kind that go
/// together.  Rows: how well each group is served, its time, and the instances of each kind.
struct Programme {
  std::vector<CoinBigIndex> starts = {};
  std::vector<int> rows = {};
  std::vector<double> factors = {};
  std::vector<double> total = {};  ///< how well a unit of the column serves all together
  std::vector<std::pair<std::size_t, std::size_t>> places = {};  ///< group and kind, by fraction
  std::vector<double> bounds = {};                               ///< above, by row

  void put(std::size_t row, double factor) {
    rows.push_back(static_cast<int>(row));
    factors.push_back(factor);
  }
  void next_column(double serves_all) {
    starts.push_back(static_cast<CoinBigIndex>(rows.size()));
    total.push_back(serves_all);
  }
};

double sum(const std::vector<double>& of) {
  return std::accumulate(of.begin(), of.end(), 0.0);
}

PoolGroup group_of(const TimeClaim& claim, const std::vector<double>& capacity) {
  PoolGroup group;
  double usual = 0;
  for (std::size_t kind = 0; kind < capacity.size(); ++kind) {
    const bool fits = claim.speeds[kind] > 0 && claim.instances <= capacity[kind];
    group.serves.push_back(fits ? claim.speeds[kind] : 0);
    if (fits) usual += claim.speeds[kind] * capacity[kind] / sum(capacity);
  }
  if (usual <= 0) return {};
  for (double& each : group.serves) each *= claim.instances / claim.weight / usual;
  return group;
}

Programme programme_of(const std::vector<PoolGroup>& groups, const std::vector<double>& instances,
                       const std::vector<double>& capacity) {
  Programme all;
  const std::size_t count = groups.size();
  all.next_column(0);
  for (std::size_t group = 0; group < count; ++group) all.put(group, 1);
  for (std::size_t group = 0; group < count; ++group) {
    for (std::size_t kind = 0; kind < capacity.size(); ++kind) {
      const double serves = groups[group].serves[kind];
      if (serves <= 0) continue;
      all.places.emplace_back(group, kind);
      all.next_column(serves * groups[group].count);
      all.put(group, -serves);
      all.put(count + group, 1);
      all.put(2 * count + kind, instances[group] * groups[group].count);
    }
  }
  all.starts.push_back(static_cast<CoinBigIndex>(all.rows.size()));
  all.bounds.assign(count, 0);
  all.bounds.insert(all.bounds.end(), count, 1);
  all.bounds.insert(all.bounds.end(), capacity.begin(), capacity.end());
  return all;
}

/// The values of the columns that make `gain` greatest, where the first is at least `floor`.
std::vector<double> solve(const Programme& of, const std::vector<double>& gain, double floor) {
  const std::size_t columns = gain.size();
  std::vector<double> lower(columns, 0);
  lower[0] = floor;
  const double unbounded = std::numeric_limits<double>::max();
  const std::vector<double> upper(columns, unbounded);
  const std::vector<double> from(of.bounds.size(), -unbounded);
  const std::unique_ptr<Clp_Simplex, ModelDeleter> model{Clp_newModel()};
  Clp_setLogLevel(model.get(), 0);
  Clp_setPerturbation(model.get(), 100);  // none: degenerate or not, what is stated is solved
  Clp_loadProblem(model.get(), static_cast<int>(columns), static_cast<int>(of.bounds.size()),
                  of.starts.data(), of.rows.data(), of.factors.data(), lower.data(), upper.data(),
                  gain.data(), from.data(), of.bounds.data());
  Clp_setOptimizationDirection(model.get(), -1);
  Clp_primal(model.get(), 0);
  if (Clp_status(model.get()) != 0) return {};
  const double* const solution = Clp_primalColumnSolution(model.get());
  return {solution, solution + columns};
}

/// First the best `least`, then the most for all together that leaves it as it is.
std::vector<double> best_of(const Programme& programme) {
  constexpr double kAsGood = 1 - 1e-9;
  std::vector<double> least_only(programme.total.size(), 0);
  least_only[0] = 1;
  const std::vector<double> first = solve(programme, least_only, 0);
  // All fractions 0 satisfy it, and it has bounds: without an answer the solver is broken.
  if (first.empty()) throw std::logic_error{"max-min programme: the solver found no answer"};
  std::vector<double> second = solve(programme, programme.total, first[0] * kAsGood);
  if (second.empty()) return first;
  second[0] = first[0];
  return second;
}

}  // namespace

TimeShares max_min_time(const std::vector<TimeClaim>& claims, const std::vector<double>& capacity) {
  TimeShares answer;
  answer.fractions.assign(claims.size(), std::vector<double>(capacity.size(), 0));
  std::map<Claimed, std::vector<std::size_t>> alike;  // in an order that is not that of the jobs
  for (std::size_t job = 0; job < claims.size(); ++job) {
    const TimeClaim& claim = claims[job];
    alike[{{claim.instances, claim.weight}, claim.speeds}].push_back(job);
  }
  std::vector<PoolGroup> groups;
  std::vector<double> instances;
  std::vector<const std::vector<std::size_t>*> members;
  for (const auto& [claimed, jobs] : alike) {
    PoolGroup group = group_of(claims[jobs.front()], capacity);
    if (group.serves.empty()) continue;
    group.count = 0;
    for (const std::size_t job : jobs) group.count += claims[job].count;
    groups.push_back(std::move(group));
    instances.push_back(claims[jobs.front()].instances);
    members.push_back(&jobs);
  }
  if (groups.empty()) return answer;
  const Programme programme = programme_of(groups, instances, capacity);
  const std::vector<double> values = best_of(programme);
  answer.least = values[0];
  for (std::size_t place = 0; place < programme.places.size(); ++place) {
    const std::size_t kind = programme.places[place].second;
    const double fraction = std::clamp(values[place + 1], 0.0, 1.0);
    for (const std::size_t job : *members[programme.places[place].first]) {
      answer.fractions[job][kind] = fraction;
    }
  }
  return answer;
}

}  // namespace reeve::policies
