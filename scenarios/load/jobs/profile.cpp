// From the keys jobs share to a profile of the world: pool, owner, tags, faults.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "models/fault_plan.hpp"
#include "models/platform_presets.hpp"
#include "scenarios/load/fleet/steps.hpp"
#include "scenarios/load/jobs/steps.hpp"
#include "scenarios/load/resolved/losses.hpp"

namespace reeve::scenarios {
namespace {

using models::FaultKind;
using models::PlatformModel;
using policy::FailureClass;

std::string names_of(const std::vector<policy::PoolId>& pools, const models::World& world) {
  std::string text;
  for (const policy::PoolId pool : pools) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", world.pools[pool.index].name);
  }
  return text;
}

std::vector<policy::PoolId> pools_of(const models::World& world, std::string_view type,
                                     const std::optional<policy::Market>& market) {
  std::vector<policy::PoolId> result;
  for (std::uint32_t i = 0; i < world.pools.size(); ++i) {
    const policy::TypeId id = world.pools[i].type;
    if (market && *market != world.pools[i].market) continue;
    if (type.empty() || world.directory.types[id.index].name == type) result.push_back({i});
  }
  return result;
}

std::optional<policy::PoolId> pool_by_name(Loading& loading, const ProfileInput& input,
                                           const Place& place) {
  const models::World& world = loading.world();
  const auto& pools = world.directory.pools;
  const auto found = std::find_if(pools.begin(), pools.end(),
                                  [&](const auto& pool) { return pool.name == *input.fleet; });
  if (found == pools.end()) {
    const auto& stated = loading.input.fleet;
    if (std::any_of(stated.begin(), stated.end(), [&](const PoolInput& pool) {
          return pool.name.value_or(pool.instance_type) == *input.fleet;
        })) {
      return std::nullopt;  // what is wrong with it is reported already
    }
    std::vector<std::string_view> names;
    names.reserve(pools.size());
    for (const auto& known : pools) names.push_back(known.name);
    loading.error(place.of("fleet"), "E0212",
                  fmt::format("unknown fleet {}", in_quotes(*input.fleet)), "no fleet of this name",
                  did_you_mean(*input.fleet, names));
    return std::nullopt;
  }
  const policy::PoolId pool{static_cast<std::uint32_t>(found - pools.begin())};
  const std::string& type = world.directory.types[world.pools[pool.index].type.index].name;
  if (input.instance_type && *input.instance_type != type) {
    loading.error(
        place.of("fleet"), "E0212",
        fmt::format("fleet {} has instances of type {}", in_quotes(found->name), in_quotes(type)),
        fmt::format("the job requests {}", in_quotes(*input.instance_type)));
    return std::nullopt;
  }
  if (input.market && *input.market != world.pools[pool.index].market) {
    loading.error(place.of("market"), "E0212",
                  fmt::format("fleet {} is not in this market", in_quotes(*input.fleet)),
                  "the fleet sets the market", "leave \"market\" out");
    return std::nullopt;
  }
  return pool;
}

std::optional<policy::PoolId> find_pool(Loading& loading, const ProfileInput& input,
                                        const Place& place) {
  const models::World& world = loading.world();
  if (world.pools.empty()) return std::nullopt;  // reported already
  if (input.fleet) return pool_by_name(loading, input, place);
  if (const auto of_queue = fleet_of_queue(loading, input)) return of_queue;
  const std::string type = input.instance_type.value_or("");
  // Where rules choose the market from tick to tick, the fleet is where there may be Spot.
  const auto market =
      has_ticks(loading.world()) ? std::optional{policy::Market::spot} : input.market;
  const std::vector<policy::PoolId> pools = pools_of(world, type, market);
  if (pools.size() == 1) return pools.front();
  const Node node = place.of("instance_type");
  if (pools.size() > 1) {
    loading.error(node, "E0211",
                  type.empty()
                      ? "no instance_type is set, and there are several fleets"
                      : fmt::format("several fleets have instances of type {}", in_quotes(type)),
                  "ambiguous",
                  fmt::format("add \"fleet\" (one of {}) or \"market\"", names_of(pools, world)));
    return std::nullopt;
  }
  if (has_ticks(loading.world()) && !pools_of(world, type, {}).empty()) {
    loading.error(node, "E0210", "no Spot fleet has instances for the job",
                  "in the tick world rules choose between Spot and on-demand",
                  "add a fleet of this type and \"market\": \"spot\"");
    return std::nullopt;
  }
  const auto& types = world.directory.types;
  const bool priced =
      std::any_of(types.begin(), types.end(), [&type](const auto& t) { return t.name == type; }) ||
      (loading.prices.book && loading.prices.book->types().contains(type));
  if (!priced) {
    report_unknown_type(loading, type, node);
  } else if (input.market && !pools_of(world, type, {}).empty()) {
    loading.error(place.of("market"), "E0210",
                  fmt::format("no fleet has instances of type {} in this market", in_quotes(type)),
                  "it has a price but no instances", "add a fleet of this type and market");
  } else {
    loading.error(node, "E0210", fmt::format("no fleet has instances of type {}", in_quotes(type)),
                  "it has a price but no instances", "add a fleet of this type");
  }
  return std::nullopt;
}

/// Reports a key that has no meaning for faults of this kind.
void refuse(Loading& loading, const Node& fault, std::string_view key, bool allowed,
            std::string_view of_what) {
  const auto node = fault.find(key);
  if (!node || allowed) return;
  loading.findings.add(at_key(*node, "E0228",
                              fmt::format("\"{}\" has no meaning for this kind of fault", key),
                              fmt::format("only for {}", of_what)));
}

}  // namespace

namespace {

models::Fault resolve_fault(Loading& loading, const FaultInput& input) {
  models::Fault fault = input.fault;
  const bool interruption = fault.kind == FaultKind::interruption;
  const bool failure = fault.kind == FaultKind::failure;
  refuse(loading, *input.written, "away", interruption, "an interruption");
  for (const std::string_view key : {"class", "read_as", "confidence"}) {
    refuse(loading, *input.written, key, failure, "a failure");
  }
  const bool passes = !failure && fault.kind != FaultKind::hardware;
  refuse(loading, *input.written, "lasts", passes && fault.kind != FaultKind::node_lost,
         "temporary faults");
  refuse(loading, *input.written, "hosts", passes && !interruption, "stalls and lost metrics");
  if (input.away && input.lasts) {
    loading.error(*input.written->find("away"), "E0206",
                  "\"away\" and \"lasts\" mean the same for an interruption", "choose one");
  }
  fault.failure = input.failure.value_or(FailureClass::unknown);
  fault.diagnosis = {input.read_as.value_or(FailureClass::none), doubt_pct(input.confidence)};
  fault.lasts = input.lasts.value_or(Duration::max());
  if (interruption) fault.lasts = input.away.value_or(input.lasts.value_or(Duration{0}));
  return fault;
}

using Weights = std::vector<std::pair<std::string, double>>;

/// Of failures, named at `classes` of the fault.
std::vector<std::pair<FailureClass, double>> resolve_classes(Loading& loading, const Node& fault,
                                                             const Weights& named) {
  std::vector<std::pair<FailureClass, double>> classes;
  double sum = 0;
  for (const auto& [name, weight] : named) {
    const auto known = policy::failure_class_named(name);
    sum += weight;
    if (known) {
      classes.emplace_back(*known, weight);
      continue;
    }
    loading.findings.add(
        at_key(*fault.find("classes")->find(name), "E0204",
               fmt::format("unknown failure class {}", in_quotes(name)), "not one of the choices")
            .with_help(did_you_mean(name, std::span{policy::failure_class_names}.subspan(1))));
  }
  if (!named.empty() && !(sum > 0)) {
    loading.error(*fault.find("classes"), "E0230", "the weights of \"classes\" sum to 0",
                  "at least one must be more than 0");
  }
  if (const auto written = fault.find("classes")) {
    std::vector<double> weights;
    for (const auto& [name, weight] : named) weights.push_back(weight);
    doubt_shares(*written, weights, loading.findings);
  }
  return classes;
}

models::DrawnFault resolve_software(Loading& loading, const SoftwareFailuresInput& input) {
  models::DrawnFault fault;
  fault.kind = FaultKind::failure;
  fault.probability = input.share;
  fault.after = {models::Shape::weibull, input.scale, input.shape, longest_duration};
  fault.repeats = input.repeats;
  fault.within_attempt = true;
  fault.classes = resolve_classes(loading, *input.written, input.classes);
  if (input.classes.empty()) {
    fault.classes = {{FailureClass::code, 5},
                     {FailureClass::out_of_memory, 2},
                     {FailureClass::data, 2},
                     {FailureClass::configuration, 1}};
  }
  return fault;
}

models::DrawnFault resolve_drawn(Loading& loading, const DrawnFaultInput& input) {
  models::DrawnFault fault = input.fault;
  const bool failure = fault.kind == FaultKind::failure;
  const bool passes = !failure && fault.kind != FaultKind::hardware;
  refuse(loading, *input.written, "classes", failure, "a failure");
  refuse(loading, *input.written, "lasts", passes, "temporary faults");
  if (fault.kind == FaultKind::interruption && !fault.lasts) fault.lasts = models::DurationLaw{};
  fault.classes = resolve_classes(loading, *input.written, input.classes);
  return fault;
}

/// Without a horizon nothing would end what stands still for good, and its bill would have no end.
void check_ends(Loading& loading, const ProfileInput& input, const models::JobProfile& profile) {
  if (has_end(loading.world(), profile)) return;
  const auto stands_still = [](FaultKind kind) {
    return kind == FaultKind::stall || kind == FaultKind::spin_hang;
  };
  const auto report = [&](const Node& fault) {
    loading.error(fault, "E0235", "a stall never ends, and the run has no end",
                  "its bill would have no end",
                  "set a \"horizon\", a \"max_runtime\" of the job, or \"lasts\" of the stall");
  };
  for (std::size_t i = 0; i < profile.faults.size(); ++i) {
    const models::Fault& fault = profile.faults[i];
    const bool endless = stands_still(fault.kind) && fault.lasts == Duration::max();
    if (endless) report(*input.faults[i].written);
  }
  for (std::size_t i = 0; i < profile.drawn_faults.size(); ++i) {
    const models::DrawnFault& fault = profile.drawn_faults[i];
    const bool endless = stands_still(fault.kind) && !fault.lasts && fault.probability > 0;
    if (endless) report(*input.drawn_faults[i].written);
  }
}

std::string owner_of(const ProfileInput& input) {
  if (input.owner) return *input.owner;
  for (const std::string_view key : {"username", "owner"}) {
    for (const policy::Tag& tag : input.tags) {
      if (tag.first == key) return tag.second;
    }
  }
  return {};
}

/// What metrics call jobs without a key is no value of it.
void check_tags(Loading& loading, const ProfileInput& input, const Place& place) {
  for (const auto& [key, value] : input.tags) {
    if (value != "(untagged)") continue;
    const auto written = place.of("tags").find(key);
    loading.error(written.value_or(place.of("tags")), "E0229",
                  "\"(untagged)\" is reserved for jobs without a tag", "not a valid tag value",
                  "use another value, or remove the tag");
  }
}

Duration max_runtime_of(Loading& loading, const ProfileInput& input, const Place& place) {
  const PlatformModel model = loading.world().platform.model;
  const bool aws = model == PlatformModel::sagemaker_training;
  const Duration otherwise = models::preset_of(model).max_runtime;
  const Duration result =
      input.max_runtime.value_or(loading.input.platform.default_max_runtime.value_or(otherwise));
  if (aws && result > std::chrono::hours{28 * 24}) {
    loading.warning(place.of("max_runtime"), "W0414", "AWS allows a max_runtime of at most 28 days",
                    "CreateTrainingJob would reject it");
  }
  return result;
}

/// CreateTrainingJob: MaxWaitTime is for Spot alone, and not less than MaxRuntime.
void check_max_wait(Loading& loading, const ProfileInput& input, const models::JobProfile& profile,
                    const Place& place) {
  if (!input.max_wait) return;
  if (loading.world().pools[profile.pool.index].market != policy::Market::spot) {
    loading.error(place.of("max_wait"), "E0233", "\"max_wait\" is for jobs on Spot",
                  "CreateTrainingJob would reject it", "add \"market\": \"spot\", or leave it out");
  } else if (input.max_runtime && *input.max_wait < *input.max_runtime) {
    loading.error(place.of("max_wait"), "E0234", "\"max_wait\" is shorter than \"max_runtime\"",
                  "CreateTrainingJob would reject it", "it must cover the wait and the run time");
  }
}

// ---- interning: a profile's contents as bytes ------------------------------------------------

template <class T>
void append(std::string& key, const T& value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void append(std::string& key, const std::string& text) {
  append(key, text.size());
  key += text;
}
void append(std::string& key, const models::DurationLaw& law) {
  append(key, law.shape);
  append(key, law.scale.count());
  append(key, law.parameter);
  append(key, law.high.count());
}
void append(std::string& key, const models::Fault& fault) {
  append(key, fault.kind);
  append(key, fault.at.count());
  append(key, fault.lasts.count());
  append(key, fault.recovers_on_restart);
  append(key, fault.attempt);
  append(key, fault.failure);
  append(key, fault.hosts.size());
  for (const std::uint32_t host : fault.hosts) append(key, host);
  append(key, fault.cause);
  append(key, fault.diagnosis.read_as);
  append(key, fault.diagnosis.doubt_pct);
}
void append(std::string& key, const models::DrawnFault& fault) {
  append(key, fault.kind);
  append(key, fault.probability);
  append(key, fault.after);
  append(key, fault.lasts.has_value());
  if (fault.lasts) append(key, *fault.lasts);
  append(key, fault.classes.size());
  for (const auto& [name, weight] : fault.classes) {
    append(key, name);
    append(key, weight);
  }
  append(key, fault.repeats);
  append(key, fault.within_attempt);
}

void append(std::string& key, const std::optional<models::Watchdog>& watchdog) {
  append(key, watchdog.has_value());
  if (!watchdog) return;
  append(key, watchdog->timeout.count());
  append(key, watchdog->miss_probability);
  append(key, watchdog->failure);
}

std::string contents(const models::JobProfile& profile) {
  std::string key;
  append(key, profile.pool.index);
  append(key, profile.tags.index);
  append(key, profile.owner);
  append(key, profile.max_runtime.count());
  append(key, profile.max_wait.count());
  append(key, profile.deadline.count());
  append(key, profile.max_pending.count());
  append(key, profile.keep_alive.count());
  append(key, profile.retries);
  append(key, profile.weight);
  append(key, profile.terms);
  append(key, profile.max_preemptions.has_value());
  append(key, profile.max_preemptions.value_or(0));
  append(key, profile.retry_strategy != nullptr);
  if (const auto& strategy = profile.retry_strategy) {
    append(key, strategy->attempts);
    append(key, strategy->on_exit.size());
    for (const auto& entry : strategy->on_exit) {
      append(key, entry.reason);
      append(key, entry.retries);
    }
  }
  append(key, profile.watchdog);
  append(key, profile.checkpoint.every.count());
  append(key, profile.checkpoint.cost.count());
  append(key, profile.checkpoint.sync);
  append(key, profile.checkpoint.upload.count());
  append(key, profile.checkpoint.restore.count());
  append(key, profile.util_running);
  append(key, profile.util_stalled);
  append(key, profile.util_waiting);
  append(key, profile.min_instances);
  append(key, profile.placement);
  append(key, profile.checkpoint.on_notice.has_value());
  if (const auto& hook = profile.checkpoint.on_notice) {
    append(key, hook->save.count());
    append(key, hook->hook_probability);
    append(key, hook->pauses_work);
  }
  append(key, profile.checkpoint.on_request.value_or(Duration::max()).count());
  append(key, profile.checkpoint.on_stop.value_or(Duration::max()).count());
  append_utilization(key, profile);
  append_training(key, profile);
  append(key, profile.faults.size());
  for (const models::Fault& fault : profile.faults) append(key, fault);
  for (const models::DrawnFault& fault : profile.drawn_faults) append(key, fault);
  return key;
}

}  // namespace

std::uint32_t intern_profile(Loading& loading, models::JobProfile profile) {
  auto& profiles = loading.world().profiles;
  const auto next = static_cast<std::uint32_t>(profiles.size());
  const auto [known, added] = loading.interned.profiles.try_emplace(contents(profile), next);
  if (added) {
    if (!profile.owner.empty()) loading.names.owners.insert(profile.owner);
    profiles.push_back(std::move(profile));
  }
  return known->second;
}

/// Each drawn fault has random numbers of its own, and an attempt has addresses for so many.
bool refuse_many_drawn_faults(Loading& loading, const ProfileInput& input) {
  const std::size_t more = input.software_failures ? 1 : 0;
  if (input.drawn_faults.size() + more <= models::drawn_faults_max) return false;
  loading.error(*input.drawn_faults[models::drawn_faults_max - more].written, "E0205",
                fmt::format("{} drawn faults; at most {} are allowed",
                            input.drawn_faults.size() + more, models::drawn_faults_max),
                "one too many");
  return true;
}

std::optional<models::JobProfile> resolve(Loading& loading, const ProfileInput& input,
                                          const Place& place) {
  if (refuse_many_drawn_faults(loading, input)) return std::nullopt;
  models::JobProfile profile;
  profile.owner = owner_of(input);
  profile.max_runtime = max_runtime_of(loading, input, place);
  profile.max_wait = input.max_wait.value_or(Duration::max());
  profile.deadline = input.deadline.value_or(Duration::max());
  profile.weight = input.weight;
  load_checkpoint(loading, input.checkpoint, profile, place);
  profile.util_running = input.gpu_util.running;
  profile.util_stalled = input.gpu_util.stalled;
  profile.util_waiting = input.gpu_util.waiting.value_or(input.gpu_util.running);
  profile.min_instances = input.min_instances.value_or(0);
  const bool bulk = loading.world().platform.model == models::PlatformModel::gcp;
  profile.placement =
      input.placement.value_or(bulk ? models::Placement::single_zone : models::Placement::any);
  for (const FaultInput& fault : input.faults) {
    profile.faults.push_back(resolve_fault(loading, fault));
  }
  for (const DrawnFaultInput& fault : input.drawn_faults) {
    profile.drawn_faults.push_back(resolve_drawn(loading, fault));
  }
  if (input.software_failures) {
    profile.drawn_faults.push_back(resolve_software(loading, *input.software_failures));
  }
  if (!load_terms(loading, input.terms, profile, place)) return std::nullopt;
  const auto pool = find_pool(loading, input, place);
  if (!pool) return std::nullopt;
  profile.pool = *pool;
  load_throughput(loading, input.training, profile, place);
  if (has_ticks(loading.world())) check_tick_fleets(loading, *pool, place, loading.findings);
  if (!resolve_utilization(loading, input, place, profile)) return std::nullopt;
  profile.watchdog = input.watchdog;
  load_managed_job(loading, input.managed, profile, place);
  check_max_wait(loading, input, profile, place);
  check_ends(loading, input, profile);
  check_unmanaged_job(loading, input, profile, place, loading.findings);
  check_tags(loading, input, place);
  profile.tags = loading.intern(input.tags);
  return profile;
}

}  // namespace reeve::scenarios
