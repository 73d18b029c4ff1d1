#include "experiments/finish_time.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "models/ledger.hpp"

namespace reeve::experiments {
namespace {

using models::Charge;
using models::JobRow;
using models::JobSpec;
using policy::Duration;
using policy::Instant;

/// A job comes or goes.
struct Edge {
  Instant at;
  std::uint32_t job = 0;
  bool comes = false;
};

/// Since when it is no more in the way of others.
Instant gone_at(const JobRow& row, const models::Record& record) {
  return policy::is_terminal(row.status) ? std::min(row.end, record.end) : record.end;
}

double independent_s(const JobSpec& spec, double jobs, std::uint32_t capacity) {
  constexpr Duration bound = std::chrono::seconds{10};
  const double work = static_cast<double>(std::max(spec.work, bound).count()) / 1e9;
  return work * std::max(1.0, jobs * spec.instances / std::max(1U, capacity));
}

}  // namespace

std::vector<double> finish_time_fairness(const models::World& world, const models::Record& record) {
  std::vector<std::vector<Edge>> edges(world.pools.size());
  for (std::uint32_t job = 0; job < record.job_rows.size(); ++job) {
    const JobSpec& spec = record.jobs.specs[job];
    const Instant gone = gone_at(record.job_rows[job], record);
    if (gone < spec.submit) continue;  // the run ended before it came
    auto& of_pool = edges[world.profiles[spec.profile].pool.index];
    of_pool.push_back({spec.submit, job, true});
    of_pool.push_back({gone, job, false});
  }
  std::vector<double> fairness(record.job_rows.size(), 0);
  std::vector<Charge> before(record.job_rows.size(), 0);  // job-nanoseconds when it came
  for (auto& of_pool : edges) {
    std::stable_sort(of_pool.begin(), of_pool.end(),
                     [](const Edge& a, const Edge& b) { return a.at < b.at; });
    Charge area = 0;
    std::int64_t jobs = 0;
    Instant last = of_pool.empty() ? Instant{} : of_pool.front().at;
    for (const Edge& edge : of_pool) {
      area += Charge{jobs} * (edge.at - last).count();
      last = edge.at;
      jobs += edge.comes ? 1 : -1;
      if (edge.comes) {
        before[edge.job] = area;
        continue;
      }
      const JobRow& row = record.job_rows[edge.job];
      if (row.status != policy::Primary::completed) continue;
      const JobSpec& spec = record.jobs.specs[edge.job];
      const auto shared = static_cast<double>((edge.at - spec.submit).count());
      const double others = shared > 0 ? static_cast<double>(area - before[edge.job]) / shared : 1;
      const std::uint32_t capacity = world.pools[world.profiles[spec.profile].pool.index].capacity;
      fairness[edge.job] = shared / 1e9 / independent_s(spec, others, capacity);
    }
  }
  return fairness;
}

}  // namespace reeve::experiments
