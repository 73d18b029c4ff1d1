// A thousand jobs of eight hosts, each with two weeks of samples a minute: what reading them costs,
// and what is kept of them.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "models/utilization.hpp"
#include "scenarios/load.hpp"
#include "scenarios/records/utilization_trace.hpp"
#include "sim/draws.hpp"

namespace {

using namespace reeve;
using scenarios::UtilFile;

constexpr std::uint32_t job_count = 1'000;
constexpr std::uint32_t hosts = 8;
constexpr std::uint32_t minutes = 14 * 24 * 60;

double uniform(std::uint32_t entity, std::uint32_t nth) {
  return sim::uniform({1, 0, sim::Cause::scenario_fuzz, entity, nth});
}

/// The CSV of one job: a level of each host for half an hour on average.
std::string csv_of(std::uint32_t job) {
  std::string text = "t_s,host,gpu_util_pct\n";
  text.reserve(std::size_t{minutes} * hosts * 14);
  std::vector<std::uint32_t> level(hosts), until(hosts);
  std::uint32_t nth = 0;
  for (std::uint32_t minute = 0; minute < minutes; ++minute) {
    for (std::uint32_t host = 0; host < hosts; ++host) {
      if (minute >= until[host]) {
        const double u = uniform(job, nth++);
        level[host] = static_cast<std::uint32_t>(101 * uniform(job, nth++)) % 101;
        until[host] = minute + 1 + static_cast<std::uint32_t>(-30 * std::log(u));
      }
      fmt::format_to(std::back_inserter(text), "{},{},{}\n", 60 * minute, host + 1, level[host]);
    }
  }
  return text;
}

UtilFile read(const std::string& text) {
  return scenarios::read_utilization("util.csv", std::make_unique<std::istringstream>(text), {});
}

double resident_bytes() {
  std::ifstream status{"/proc/self/statm"};
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  status >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double cpu_s() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Alarms on a host of every job, over the traces of a few.
scenarios::Scenario watched_jobs(const std::vector<UtilFile>& files) {
  const auto text = scenarios::SourceFile::from_text(
      "util.jsonc", fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "horizon": "14d" }},
  "prices": {{ "instances": {{ "gpu.8": {{ "usd_per_hour": 30, "gpus": 8 }} }} }},
  "fleet": [ {{ "instance_type": "gpu.8", "capacity": {0} }} ],
  "platform": {{ "model": "sagemaker-training" }},
  "jobs": [ {{ "name": "job", "count": {1}, "instances": {2}, "work": "13d",
    "max_runtime": "14d" }} ],
  "policies": {{ "watch": [ {{ "rule": "stalled_gpu", "action": {{ "stop": false }} }} ] }}
}})jsonc",
                                job_count * hosts, job_count, hosts));
  scenarios::Scenario scenario = scenarios::load(text, ".").scenario;
  const models::JobProfile profile = scenario.world.profiles.at(0);
  scenario.world.profiles.clear();
  for (std::uint32_t job = 0; job < job_count; ++job) {
    models::Utilization utilization;
    utilization.trace = files[job].jobs.front().trace;
    models::JobProfile own = profile;
    own.utilization = std::make_shared<const models::Utilization>(std::move(utilization));
    scenario.world.profiles.push_back(std::move(own));
    scenario.world.jobs.specs[job].profile = job;
  }
  return scenario;
}

/// Alarms on all hosts, each of which reads something else every minute.
scenarios::Scenario watched_hosts() {
  const auto text = scenarios::SourceFile::from_text("hosts.jsonc", R"jsonc({
  "reeve": 1,
  "clock": { "horizon": "15d" },
  "prices": { "instances": { "gpu.8": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "instance_type": "gpu.8", "capacity": 480 } ],
  "platform": { "model": "sagemaker-training" },
  "jobs": [ { "name": "job", "count": 60, "instances": 8, "work": "14d", "max_runtime": "15d",
    "gpu_util": { "cdf": [[0, 10], [100, 90]], "changes_every": "1m" } } ],
  "policies": { "watch": [ { "rule": "stalled_gpu", "threshold": 50, "hosts": ["all"],
    "action": { "stop": false } } ] }
})jsonc");
  return scenarios::load(text, ".").scenario;
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  {
    const scenarios::Scenario scenario = watched_hosts();
    const double before = resident_bytes();
    const auto record = experiments::run(scenario, scenario.policies.front(), 0).record;
    if (record.alarms.size() < 480) throw std::runtime_error("not all hosts were watched");
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const double peak = 1024.0 * static_cast<double>(used.ru_maxrss);
    figures.add("util/alarms_mb", (peak - before) / 1e6);
  }
  std::vector<UtilFile> files;
  files.reserve(job_count);
  const double before = resident_bytes();
  double bytes = 0;
  double spent = 0;
  std::uint64_t changes = 0;
  std::uint64_t samples = 0;
  for (std::uint32_t job = 0; job < job_count; ++job) {
    const std::string text = csv_of(job);
    const double begin = cpu_s();
    files.push_back(read(text));
    spent += cpu_s() - begin;
    bytes += static_cast<double>(text.size());
    changes += files.back().changes;
    samples += files.back().samples;
  }
  if (samples != std::uint64_t{job_count} * hosts * minutes) {
    throw std::runtime_error("not all samples were read");
  }
  figures.add("util/csv_mb_per_s", bytes / 1e6 / spent);
  figures.add("util/csv_mb", bytes / 1e6);
  figures.add("util/samples_per_change",
              static_cast<double>(samples) / static_cast<double>(changes));
  figures.add("util/bytes_per_change", (resident_bytes() - before) / static_cast<double>(changes));
  const scenarios::Scenario scenario = watched_jobs(files);
  const bench::Cost run = bench::least_cost_of(3, [&] {
    const auto record = experiments::run(scenario, scenario.policies.front(), 0).record;
    if (record.alarms.size() < job_count) throw std::runtime_error("not all jobs were watched");
  });
  figures.add("util/run_cpu_s", run.cpu_s);
  return figures.finish(count, arguments);
}
