// A thousand Spot jobs in nine zones for 45 days, with prices that move and a rule that falls back
// on machines on demand.  Where the traces are not at hand, drawn markets take their place.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "bench/cost.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;
namespace fs = std::filesystem;

constexpr std::uint32_t job_count = 1'000;
constexpr int tries = 5;
constexpr std::array<const char*, 9> zones{"us-east-1a", "us-east-1c", "us-east-1d",
                                           "us-east-1f", "us-east-2a", "us-east-2b",
                                           "us-west-2a", "us-west-2b", "us-west-2c"};

std::string availability(const fs::path& folder, const char* zone) {
  if (!folder.empty()) {
    return fmt::format(R"({{ "trace": "{}_v100_1.json.gz", "convention": "up", "instances": 64 }})",
                       zone);
  }
  return R"({ "up": { "exponential": "3.4h" }, "down": { "exponential": "1.9h" } })";
}

std::string scenario_text(const fs::path& folder) {
  std::string fleet;
  std::string jobs;
  for (std::uint32_t zone = 0; zone < zones.size(); ++zone) {
    fleet += fmt::format(
        R"({{ "name": "{0}", "instance_type": "gpu", "capacity": 64, "market": "spot",
      "zone": "{0}", "availability": {1} }},
    )",
        zones[zone], availability(folder, zones[zone]));
    const std::uint32_t count = job_count / 9 + (zone == 0 ? job_count % 9 : 0);
    jobs += fmt::format(
        R"({}{{ "name": "{}", "fleet": "{}", "count": {}, "submit_every": "9h", "work": "40h",
      "max_runtime": "20d", "checkpoint": {{ "every": "30m", "sync": "during" }} }})",
        zone == 0 ? "" : ",\n    ", fmt::format("job-{}", zone), zones[zone], count);
  }
  return fmt::format(R"jsonc({{
  "reeve": 1,
  "clock": {{ "start": "2023-02-15T00:00:00Z", "horizon": "45d" }},
  "prices": {{ "instances": {{ "gpu": {{ "usd_per_hour": 3.06, "spot_usd_per_hour": 0.92,
    "gpus": 1 }} }} }},
  "fleet": [ {}{{ "name": "on-demand", "instance_type": "gpu", "capacity": 1000 }} ],
  "platform": {{ "model": "sagemaker-training", "provisioning": "2m", "startup": "5m" }},
  "jobs": [ {} ],
  "policies": {{ "fallback": [ {{ "rule": "spot_fallback", "interruptions_above": 50 }} ] }}
}})jsonc",
                     fleet, jobs);
}

/// Each zone asks another price every 11 hours or so: about 1,000 changes in all.
void move_prices(models::World& world) {
  for (std::uint32_t zone = 0; zone < zones.size(); ++zone) {
    std::vector<models::PriceStep>& prices = world.pools[zone].prices;
    for (std::int64_t step = 0; step < 112; ++step) {
      const policy::Duration at = std::chrono::minutes{step * (560 + 5 * zone)};
      prices.push_back({at, {900'000'000 + (step * 7'919 + zone) % 301 * 1'000'000}});
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  fs::path folder =
      REEVE_SOURCE_DIR "/../shared/data/spot_skypilot/availability/1-node/aws-02-15-2023";
  const bool made_up = !fs::exists(folder);
  if (made_up) {
    folder.clear();
    fmt::print("the traces of nine V100 zones are not at hand; drawn markets take their place\n");
  }
  const auto load = [&] {
    const auto text = scenarios::SourceFile::from_text("spot.jsonc", scenario_text(folder));
    scenarios::Scenario scenario = scenarios::load(text, made_up ? "." : folder).scenario;
    move_prices(scenario.world);
    return scenario;
  };
  const scenarios::Scenario scenario = load();
  const auto run = [](const scenarios::Scenario& of) {
    models::Record record = experiments::run(of, of.policies.front(), 0).record;
    if (record.attempts_made < job_count) throw std::runtime_error("not all jobs were run");
    return record;
  };
  const bench::Cost whole = bench::least_cost_of(tries, [&] { run(load()); });
  const bench::Cost alone = bench::least_cost_of(tries, [&] { run(scenario); });
  const models::Record record = run(scenario);
  bench::Figures figures;
  figures.add("spot/cpu_s", whole.cpu_s);
  figures.add("spot/run_alone_cpu_s", alone.cpu_s);
  figures.add("spot/interruptions", static_cast<double>(record.interruptions));
  figures.add("spot/events", static_cast<double>(record.events_simulated));
  figures.add("spot/is_made_up", made_up ? 1 : 0);
  return figures.finish(count, arguments);
}
