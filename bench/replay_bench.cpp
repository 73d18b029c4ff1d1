// A real trace of 12,699 jobs on 304 GPUs under four orders of the queue, with and without reading
// it.  Where the trace is not at hand, a made-up one of its size takes its place and is named so.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;
namespace fs = std::filesystem;

constexpr std::uint32_t job_count = 12'699;
constexpr int tries = 9;

constexpr const char* scenario_text = R"jsonc({{
  "reeve": 1,
  "name": "replay",
  "clock": {{ "start": "2020-01-01T00:00:00Z", "horizon": "until_done" }},
  "random": {{ "seed": 1, "runs": 1 }},
  "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 3.06, "gpus": 1, "managed": false }} }} }},
  "fleet": [ {{ "name": "cluster", "instance_type": "gpu", "capacity": 304,
    "market": "reserved" }} ],
  "platform": {{ "model": "ideal" }},
  "workload": {{ "trace": "{}", "format": "canonical", "instances_from": "gpus_total",
                 "estimates_from": "duration_s", "end_status": "ignore" }},
  "policies": {{
    "fifo":     [ {{ "rule": "schedule", "algorithm": "fifo" }} ],
    "fifo-any": [ {{ "rule": "schedule", "algorithm": "fifo", "backfill": "any_fit" }} ],
    "sjf":      [ {{ "rule": "schedule", "algorithm": "sjf" }} ],
    "sjf-any":  [ {{ "rule": "schedule", "algorithm": "sjf", "backfill": "any_fit" }} ]
  }}
}})jsonc";

/// Sizes in powers of two, work from minutes to a day, 85 % load: like the trace, but not it.
void make_up_trace(const fs::path& file) {
  std::ofstream out(file);
  out << "job_id,submit_s,user,queue,nodes,gpus_per_node,gpus_total,gpu_milli,gpu_type,duration_s,"
         "end_status,failure_reason,gpu_util_mean,priority,preemptible,observed_wait_s,attempts\n";
  std::uint64_t state = 1;
  const auto below = [&state](std::uint64_t limit) {  // splitmix64
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % limit;
  };
  constexpr std::array<std::uint64_t, 10> sizes{1, 1, 1, 1, 1, 2, 4, 8, 8, 16};
  std::uint64_t submit = 0;
  for (std::uint32_t job = 0; job < job_count; ++job) {
    submit += below(820);
    const std::uint64_t size = sizes[below(sizes.size())];
    const std::uint64_t duration = 60 + (below(86'400) >> below(4));
    out << fmt::format("made-up-job-of-{:012d},{},,queue,1,{},{},1000,,{},unknown,,,,,,\n", job,
                       submit, size, size, duration);
  }
  if (!out.flush()) throw std::runtime_error(fmt::format("{}: cannot be written", file.string()));
}

scenarios::Scenario load(const fs::path& trace) {
  const auto text = scenarios::SourceFile::from_text(
      "replay.jsonc", fmt::format(scenario_text, trace.filename().string()));
  scenarios::Scenario scenario = scenarios::load(text, trace.parent_path()).scenario;
  if (scenario.world.jobs.specs.size() != job_count) throw std::runtime_error("wrong trace");
  return scenario;
}

void run_all(const scenarios::Scenario& scenario) {
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    const models::Record record = experiments::run(scenario, policy, 0).record;
    if (record.attempts_made != job_count) throw std::runtime_error("not all jobs were run");
  }
}

}  // namespace

int main(int count, char** arguments) {
  fs::path trace = REEVE_SOURCE_DIR "/../shared/data/canonical/ms_itp_cluster07.csv.gz";
  const bool made_up = !fs::exists(trace);
  if (made_up) {
    trace = fs::temp_directory_path() / fmt::format("reeve-replay-{}.csv", ::getpid());
    make_up_trace(trace);
    fmt::print(
        "the trace ms_itp_cluster07 is not at hand; a made-up one of its size is replayed\n");
  }
  const bench::Cost whole = bench::least_cost_of(tries, [&] { run_all(load(trace)); });
  const scenarios::Scenario scenario = load(trace);
  const bench::Cost runs = bench::least_cost_of(tries, [&] { run_all(scenario); });
  if (made_up) fs::remove(trace);
  bench::Figures figures;
  figures.add("replay/wall_s", whole.wall_s);
  figures.add("replay/cpu_s", whole.cpu_s);
  figures.add("replay/runs_alone_cpu_s", runs.cpu_s);
  figures.add("replay/is_made_up", made_up ? 1 : 0);
  return figures.finish(count, arguments);
}
