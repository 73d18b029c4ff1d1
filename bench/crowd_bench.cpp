// Many that hold a little each: elastic gangs that lack a machine, warm pools of their own owners,
// machines that jobs left behind.  None of them may be walked through for each event.
#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;

constexpr int tries = 3;
constexpr std::uint32_t gang_count = 4'000;
constexpr std::uint32_t owner_count = 10'000;
constexpr std::uint32_t leftover_count = 20'000;
constexpr std::uint32_t lone_leftover_count = 40'000;
constexpr std::uint32_t line_length = 20'000;
constexpr std::uint32_t bystander_count = 100'000;

scenarios::Scenario load(const std::string& body) {
  const auto text = scenarios::SourceFile::from_text("crowd.jsonc", fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "start": "2026-03-02T00:00:00Z", "horizon": "10d" }},
  "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 30, "spot_usd_per_hour": 10,
    "gpus": 8 }} }} }},
  {},
  "policies": {{ "none": [] }}
}})jsonc",
                                                                                body));
  return scenarios::load(text, ".").scenario;
}

/// Each gets one machine of the two that it wants; then, every ten minutes, another is there for a
/// hundred seconds: who knows that it goes again leaves it alone.
scenarios::Scenario gangs() {
  std::string steps = R"(["0s", 0])";
  std::uint32_t at = 0;
  for (std::uint32_t gang = 1; gang <= gang_count; ++gang) {
    steps += fmt::format(R"(, ["{}s", {}])", at += 130, gang);
  }
  for (int turn = 0; turn < 24; ++turn) {
    steps += fmt::format(R"(, ["{}s", {}], ["{}s", {}])", at + 3'600, gang_count + 1, at + 3'700,
                         gang_count);
    at += 600;
  }
  return load(
      fmt::format(R"jsonc("fleet": [ {{ "instance_type": "gpu", "capacity": {}, "market": "spot",
    "availability": {{ "steps": [ {} ] }} }} ],
  "platform": {{ "model": "ec2", "provisioning": "0s", "notice": "2m", "on_insufficient": "wait" }},
  "jobs": [ {{ "name": "gang", "count": {}, "instances": 2, "min_instances": 1, "work": "200h",
    "checkpoint": {{ "every": "1h" }}, "elastic": {{ "min": 1, "resize": "5m" }} }} ])jsonc",
                  2 * gang_count, steps, gang_count));
}

/// Four jobs of each owner, one after the other on machines that wait for it.
scenarios::Scenario owners() {
  std::string jobs;
  for (std::uint32_t owner = 0; owner < owner_count; ++owner) {
    jobs += fmt::format(
        R"({}{{ "name": "job-{}", "owner": "owner-{}", "count": 4, "submit_every": "70m",
      "submit": "{}s", "work": "1h", "keep_alive": "30m" }})",
        owner == 0 ? "" : ",\n    ", owner, owner, owner);
  }
  return load(fmt::format(R"jsonc("fleet": [ {{ "instance_type": "gpu", "capacity": 20000 }} ],
  "platform": {{ "model": "sagemaker-training", "startup": "5m" }},
  "jobs": [ {} ])jsonc",
                          jobs));
}

/// What each job leaves behind Spot takes back, `at_once` at a time.
scenarios::Scenario leftovers(std::uint32_t count, std::uint32_t at_once) {
  std::string steps = fmt::format(R"(["0s", {}])", count);
  for (std::uint32_t turn = 1; turn <= count / at_once; ++turn) {
    steps += fmt::format(R"(, ["{}s", {}])", count + 16'000 + 20 * turn, count - at_once * turn);
  }
  return load(
      fmt::format(R"jsonc("fleet": [ {{ "instance_type": "gpu", "capacity": {0}, "market": "spot",
    "availability": {{ "steps": [ {1} ] }} }} ],
  "platform": {{ "model": "ec2", "provisioning": "0s", "self_destruct_fails": 1 }},
  "jobs": [ {{ "name": "job", "count": {0}, "submit_every": "1s", "work": "1h" }} ])jsonc",
                  count, steps));
}

/// Warm pools that come to be one by one, beside a line of as many jobs that want larger ones.
scenarios::Scenario warm_beside_a_line() {
  std::string jobs;
  for (std::uint32_t job = 0; job < line_length; ++job) {
    jobs += fmt::format(R"({{ "name": "job-{}", "work": "{}s", "keep_alive": "1h" }},
    )",
                        job, 60 + job % 3'000);
  }
  return load(fmt::format(R"jsonc("fleet": [ {{ "instance_type": "gpu", "capacity": {0} }} ],
  "platform": {{ "model": "sagemaker-training", "startup": "1s" }},
  "jobs": [ {1}{{ "name": "line", "count": {0}, "work": "1m", "instances": 2 }} ])jsonc",
                          line_length, jobs));
}

/// A few jobs on markets that announce what they take every few minutes, beside many on demand.
scenarios::Scenario announced_losses() {
  std::string fleets = fmt::format(
      R"({{ "name": "calm", "instance_type": "gpu", "capacity": {} }})", bystander_count);
  std::string jobs = fmt::format(
      R"({{ "name": "calm", "count": {}, "work": "40d", "fleet": "calm" }})", bystander_count);
  for (int i = 0; i < 10; ++i) {
    fleets += fmt::format(R"(,
    {{ "name": "spot-{}", "instance_type": "gpu", "capacity": 2, "market": "spot",
      "availability": {{ "up": {{ "exponential": "50s" }}, "down": "5s" }} }})",
                          i);
    jobs += fmt::format(R"(,
    {{ "name": "spot-{0}", "work": "25d", "fleet": "spot-{0}",
      "checkpoint": {{ "every": "10s" }} }})",
                        i);
  }
  return load(fmt::format(R"jsonc("fleet": [ {} ],
  "platform": {{ "model": "ec2", "provisioning": "0s", "startup": "1s", "notice": "2m",
    "spot_request": "persistent" }},
  "jobs": [ {} ])jsonc",
                          fleets, jobs));
}

models::Record run(const scenarios::Scenario& scenario) {
  models::Record record = experiments::run(scenario, scenario.policies.front(), 0).record;
  if (record.ledger.residual() != 0) throw std::runtime_error("money was lost");
  return record;
}

double cpu_s(const scenarios::Scenario& scenario) {
  return bench::least_cost_of(tries, [&] { run(scenario); }).cpu_s;
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  figures.add("crowd/gangs_cpu_s", cpu_s(gangs()));
  figures.add("crowd/owners_cpu_s", cpu_s(owners()));
  figures.add("crowd/leftovers_cpu_s", cpu_s(leftovers(leftover_count, 10)));
  figures.add("crowd/lone_leftovers_cpu_s", cpu_s(leftovers(lone_leftover_count, 1)));
  figures.add("crowd/warm_beside_a_line_cpu_s", cpu_s(warm_beside_a_line()));
  figures.add("crowd/announced_losses_cpu_s", cpu_s(announced_losses()));
  return figures.finish(count, arguments);
}
