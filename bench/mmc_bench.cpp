// A million jobs of an M/M/100 queue at 90 % load: through world, host, rule and ledger, and beside
// it the least that could be done for them, in turn, so that their ratio outlives the machine.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "bench/mmc_scenario.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace {

constexpr std::uint32_t job_count = reeve::bench::mmc::jobs;
constexpr int tries = 7;

void through_reeve() {
  using namespace reeve;
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("mmc.jsonc", bench::mmc::scenario_text), ".")
          .scenario;
  const experiments::RunResult result = experiments::run(scenario, scenario.policies.front(), 0);
  const auto& rows = result.record.job_rows;
  const bool all_done = std::all_of(rows.begin(), rows.end(), [](const models::JobRow& row) {
    return row.status == policy::Primary::completed;
  });
  if (rows.size() != job_count || !all_done || result.record.ledger.residual() != 0) {
    throw std::runtime_error("the queue was not simulated");
  }
}

/// Arrivals sorted, a binary heap of departures, four times kept per job: no events, no host, no
/// rule, no ledger, no journal.
class PlainQueue {
 public:
  PlainQueue() : jobs_(job_count) {
    double clock = 0;
    for (Job& job : jobs_) {
      clock -= std::log(uniform());
      job.submit = clock;
      job.work = -reeve::bench::mmc::work_s * std::log(uniform());
    }
  }

  double mean_wait() {
    constexpr std::size_t machines = reeve::bench::mmc::machines;
    const auto later = [](const Departure& a, const Departure& b) { return a.at > b.at; };
    std::vector<Departure> busy;
    double waited = 0;
    for (std::uint32_t index = 0; index < job_count; ++index) {
      Job& job = jobs_[index];
      job.start = job.submit;
      while (!busy.empty() && (busy.front().at <= job.start || busy.size() == machines)) {
        job.start = std::max(job.start, busy.front().at);
        jobs_[busy.front().job].end = busy.front().at;
        std::pop_heap(busy.begin(), busy.end(), later);
        busy.pop_back();
      }
      busy.push_back({job.start + job.work, index});
      std::push_heap(busy.begin(), busy.end(), later);
      waited += job.start - job.submit;
    }
    return waited / job_count;
  }

 private:
  struct Job {
    double submit = 0, work = 0, start = 0, end = 0;
  };
  struct Departure {
    double at;
    std::uint32_t job;
  };
  double uniform() {  // splitmix64, in (0, 1]
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ z >> 31) >> 11) + 1) * 0x1p-53;
  }

  std::uint64_t state_ = 1;
  std::vector<Job> jobs_;
};

void plainly() {
  const double wait = PlainQueue{}.mean_wait();
  if (!(wait > 0 && wait < 10)) throw std::runtime_error("the plain queue is wrong");
}

}  // namespace

int main(int count, char** arguments) {
  using reeve::bench::Cost;
  constexpr double inf = std::numeric_limits<double>::infinity();
  Cost reeve{inf, inf, inf};
  Cost plain{inf, inf, inf};
  std::vector<double> ratios;
  for (int i = 0; i < tries; ++i) {  // in turn: what slows one down slows down its neighbour
    const Cost limit = reeve::bench::cost_of(plainly);
    const Cost whole = reeve::bench::cost_of(through_reeve);
    reeve = reeve::bench::least(reeve, whole);
    plain = reeve::bench::least(plain, limit);
    ratios.push_back(whole.cpu_s / limit.cpu_s);
  }
  std::sort(ratios.begin(), ratios.end());
  reeve::bench::Figures figures;
  figures.add("mmc/wall_s", reeve.wall_s);
  figures.add("mmc/cpu_s", reeve.cpu_s);
  figures.add("mmc/jobs_per_cpu_s", job_count / reeve.cpu_s);
  figures.add("mmc/peak_bytes_per_job", reeve.peak_bytes / job_count);
  figures.add("mmc/plain_cpu_s", plain.cpu_s);
  figures.add("mmc/cpu_over_plain", ratios[ratios.size() / 2]);
  return figures.finish(count, arguments);
}
