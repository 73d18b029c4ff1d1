#include "scenarios/load/resolve.hpp"

#include <algorithm>

#include "scenarios/load/loading.hpp"
#include "scenarios/load/randomness.hpp"

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

Loading::Loading(Document parsed, std::filesystem::path traces_in, const LoadLimits& limited,
                 Findings& told)
    : Resolved{std::move(parsed)}, folder{std::move(traces_in)}, limits{limited}, findings{told} {
  interned.tags.emplace(std::vector<policy::Tag>{}, policy::TagSetId{0});
}

void Loading::error(const Node& node, std::string_view code, std::string message, std::string label,
                    std::string help) {
  findings.error(node, code, std::move(message), std::move(label), std::move(help));
}

void Loading::warning(const Node& node, std::string_view code, std::string message,
                      std::string label, std::string help) {
  findings.warning(node, code, std::move(message), std::move(label), std::move(help));
}

policy::TagSetId Loading::intern(std::vector<policy::Tag> tags) {
  std::sort(tags.begin(), tags.end());
  auto& sets = world().directory.tag_sets;
  const auto [known, added] =
      interned.tags.try_emplace(tags, policy::TagSetId{static_cast<std::uint32_t>(sets.size())});
  if (added) sets.push_back(std::move(tags));
  return known->second;
}

std::optional<Duration> stepped(Duration base, Duration step, std::uint64_t times) {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(step.count(), times, &product)) return std::nullopt;
  if (__builtin_add_overflow(base.count(), product, &sum)) return std::nullopt;
  return Duration{sum};
}

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
