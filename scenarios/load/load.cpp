#include "scenarios/load/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "models/utilization.hpp"
#include "scenarios/load/loading.hpp"

namespace reeve::scenarios {
namespace {

/// Its market is drawn, or who loses machines to it.
bool draws(const models::Pool& pool, bool several_jobs) {
  if (pool.synthesis) return true;
  if (pool.node_faults && pool.node_faults->per_1000_node_days > 0) return true;
  if (pool.capacity_wait && pool.capacity_wait->shape != models::Shape::fixed) return true;
  return several_jobs && pool.market == policy::Market::spot && pool.replay &&
         pool.reclaim_order == models::ReclaimOrder::random;
}

bool is_chance(double probability) {
  return probability > 0 && probability < 1;
}

bool draws(const models::Api& api) {
  return api.throttled > 0 || api.lost_reply > 0 || api.rejected > 0 ||
         std::any_of(api.brownouts.begin(), api.brownouts.end(),
                     [](const models::BrownOut& trouble) {
                       return is_chance(trouble.throttled) || is_chance(trouble.lost_reply);
                     });
}

/// Which of two times a repair takes is drawn.
bool draws(const models::ClusterRepair& repair) {
  return repair.max > 0 && is_chance(repair.replace_share) && repair.reboot != repair.replace;
}

bool draws(const models::JobProfile& profile, const models::Platform& platform) {
  if (!profile.drawn_faults.empty()) return true;
  if (profile.utilization && profile.utilization->draws()) return true;
  if (profile.throughput && profile.throughput->stragglers &&
      is_chance(profile.throughput->stragglers->probability)) {
    return true;
  }
  if (profile.elastic && profile.elastic->resize.shape != models::Shape::fixed) return true;
  const auto& hook = profile.checkpoint.on_notice;
  if (hook && is_chance(hook->hook_probability)) return true;
  if (profile.watchdog && is_chance(profile.watchdog->miss_probability)) return true;
  return draws(platform.cluster_repair) &&
         std::any_of(profile.faults.begin(), profile.faults.end(), [](const models::Fault& fault) {
           return fault.kind == models::FaultKind::hardware;
         });
}

/// Anything that is drawn makes one run one sample.
bool is_random(const models::World& world) {
  const models::Platform& platform = world.platform;
  const models::Api& api = platform.api;
  const bool profiles =
      std::any_of(world.profiles.begin(), world.profiles.end(),
                  [&](const models::JobProfile& profile) { return draws(profile, platform); });
  const bool several = world.drawn || world.jobs.specs.size() > 1;
  const bool markets = std::any_of(world.pools.begin(), world.pools.end(),
                                   [&](const models::Pool& pool) { return draws(pool, several); });
  return profiles || markets || platform_draws(platform) || world.drawn ||
         !world.ticks.windows.empty() || platform.metrics.random_offset ||
         platform.events.duplicates > 0 || platform.events.jitter > Duration{0} ||
         platform.events.lost > 0 || is_chance(platform.events.lack_tags) ||
         platform.alarm_link.lost > 0 || platform.late_upload.probability > 0 || draws(api) ||
         (draws(platform.cluster_repair) &&
          std::any_of(world.pools.begin(), world.pools.end(),
                      [](const models::Pool& pool) { return pool.node_faults.has_value(); }));
}

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

bool looks_at_priority(const PolicySpec& policy) {
  return std::any_of(policy.seats.begin(), policy.seats.end(), [](const SeatSpec& seat) {
    if (seat.kind->name != "schedule") return false;
    const std::string& algorithm = seat.options.text("algorithm");
    constexpr std::array<std::string_view, 8> blind{"fifo", "sjf",     "srtf",   "srsf",
                                                    "las",  "gittins", "themis", "gavel"};
    return std::find(blind.begin(), blind.end(), algorithm) == blind.end();
  });
}

/// Jobs wait in the order of `schedule`, which may know submissions and lengths only.
void warn_about_priority(Loading& loading) {
  const auto priority = written_priority(loading);
  const std::vector<PolicySpec>& policies = loading.scenario.policies;
  if (!priority || std::any_of(policies.begin(), policies.end(), looks_at_priority)) return;
  if (loading.findings.errors() > 0) return;  // a rule that is misspelt may be the one
  loading.warning(
      *priority, "W0417", "no rule looks at the priority of jobs", "changes no result",
      "\"algorithm\": \"fifo\" orders by submission and \"sjf\" by length; \"priority\" does by "
      "priority, and what goes by shares in each share");
}

void finish(Loading& loading) {
  warn_about_priority(loading);
  Scenario& scenario = loading.scenario;
  scenario.random = is_random(scenario.world);
  if (scenario.random || scenario.runs <= 1) return;
  loading.warning(loading.input.written->find("random")->find("runs").value(), "W0416",
                  "nothing in this scenario is random", "one run is exact, more are its copies");
}

}  // namespace

std::optional<Node> written_priority(const Loading& loading) {
  const Node root = *loading.input.written;
  for (const std::string_view key : {"job_defaults", "workload"}) {
    const auto shared = root.find(key);
    if (!shared || !shared->is_object()) continue;
    if (const auto priority = shared->find("priority")) return priority;
  }
  if (!loading.input.jobs.written) return std::nullopt;
  for (const Node job : loading.input.jobs.written->as_array()) {
    if (!job.is_object()) continue;
    if (const auto priority = job.find("priority")) return priority;
  }
  return std::nullopt;
}

Node Place::of(std::string_view key) const {
  if (const auto found = here.find(key)) return *found;
  if (under) {
    if (const auto found = under->find(key)) return *found;
  }
  return here;
}

Loading::Loading(const Document& source, std::filesystem::path traces_in, const LoadLimits& limited)
    : document{source}, folder{std::move(traces_in)}, limits{limited} {
  tag_ids.emplace(std::vector<policy::Tag>{}, policy::TagSetId{0});
}

void Loading::error(const Node& node, std::string_view code, std::string message, std::string label,
                    std::string help) {
  Diagnostic diagnostic = at(node, code, std::move(message), std::move(label));
  diagnostic.help = std::move(help);
  findings.add(std::move(diagnostic));
}

void Loading::warning(const Node& node, std::string_view code, std::string message,
                      std::string label, std::string help) {
  Diagnostic diagnostic = at(node, code, std::move(message), std::move(label), Severity::warning);
  diagnostic.help = std::move(help);
  findings.add(std::move(diagnostic));
}

policy::TagSetId Loading::intern(std::vector<policy::Tag> tags) {
  std::sort(tags.begin(), tags.end());
  auto& sets = world().directory.tag_sets;
  const auto [known, added] =
      tag_ids.try_emplace(tags, policy::TagSetId{static_cast<std::uint32_t>(sets.size())});
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

Loaded load(std::shared_ptr<const SourceFile> source, const std::filesystem::path& folder,
            const LoadLimits& limits) {
  Loading loading{Document::parse(std::move(source)), folder, limits};
  loading.input = scenario_table().fresh();
  const Node root = loading.document.root();
  if (!scenario_table().read(root, loading.findings, loading.input)) {
    throw InputError{loading.findings.sorted()};
  }
  // What follows from a choice that was not understood would only be guessed.
  if (loading.findings.unknown_choice()) throw InputError{loading.findings.sorted()};
  load_head(loading);
  load_clock(loading);
  load_prices(loading);
  load_fleet(loading);
  load_platform(loading);
  load_ticks(loading);
  load_queues(loading);
  load_jobs(loading);
  load_workload(loading);
  sort_jobs(loading);
  check_tick_jobs(loading);
  check_price_changes(loading);
  check_bill(loading);
  load_people(loading);
  load_policies(loading);
  load_alerts(loading);
  check_platform_defects(loading);
  load_guards(loading);
  check_node_faults(loading);
  load_expects(loading);
  check_effects(loading);
  check_queues(loading);
  finish(loading);
  if (loading.findings.errors() > 0) throw InputError{loading.findings.sorted()};
  return {std::move(loading.scenario), loading.findings.sorted()};
}

Loaded load(const std::filesystem::path& file, const LoadLimits& limits) {
  return load(SourceFile::load(file), file.parent_path(), limits);
}

}  // namespace reeve::scenarios
