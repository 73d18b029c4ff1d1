#include "scenarios/load/resolve.hpp"

#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/jobs/steps.hpp"
#include "scenarios/load/randomness.hpp"
#include "scenarios/load/rules/steps.hpp"

namespace reeve::scenarios {
namespace {

void load_head(Loading& loading) {
  const ScenarioInput& input = loading.input;
  Scenario& scenario = loading.scenario;
  scenario.file = loading.document.source().name();
  scenario.name = input.name.empty() ? scenario.file.stem().string() : input.name;
  scenario.title = input.title;
  scenario.source = input.source;
  scenario.runs = input.random.runs;
  scenario.world.seed = input.random.seed;
}

}  // namespace

ScenarioInput decode(const Document& document, Findings& findings) {
  ScenarioInput input = scenario_table().fresh();
  const bool read = scenario_table().read(document.root(), findings, input);
  if (!read || findings.unknown_choice() || findings.misspelled_key() || findings.full()) {
    throw InputError{findings.sorted()};
  }
  return input;
}

Resolved resolve(const Document& document, ScenarioInput input, const std::filesystem::path& folder,
                 const LoadLimits& limits, Findings& findings) {
  Loading loading{document, folder, limits, findings};
  loading.input = std::move(input);
  load_head(loading);
  load_live(loading);
  load_clock(loading);
  load_prices(loading);
  load_fleet(loading);
  load_platform(loading);
  load_ticks(loading);
  load_queues(loading);
  load_jobs(loading);
  load_workload(loading);
  if (findings.misspelled_key()) throw InputError{findings.sorted()};
  sort_jobs(loading);
  resample_weeks(loading);
  load_history(loading);
  apply_queue_priorities(loading);
  check_tick_jobs(loading, findings);
  check_price_changes(loading);
  check_bill(loading, findings);
  load_people(loading);
  load_policies(loading);
  load_alerts(loading);
  loading.scenario.guards = resolve_guards(loading, findings);
  check_node_faults(loading, findings);
  loading.world().platform.api.scripted =
      resolve_api_faults(loading.input, loading.names, findings);
  loading.scenario.expects = resolve_expects(loading, loading.names, findings);
  loading.scenario.random = is_random(loading.world());
  return loading.take();
}

}  // namespace reeve::scenarios
