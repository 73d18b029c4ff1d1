// Quotas, API rates, retries and warm pools, checked against fleets and against what AWS takes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "policies/registry.hpp"
#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {
namespace {

using models::PlatformModel;
using policy::Market;
using std::chrono::hours;

bool is_priced(const Loading& loading, const std::string& name) {
  const auto& inline_types = loading.input.prices.instances;
  return (loading.prices.book && loading.prices.book->types().contains(name)) ||
         std::any_of(inline_types.begin(), inline_types.end(),
                     [&](const auto& type) { return type.first == name; });
}

void load_quota(Loading& loading, const std::string& name, const QuotaInput& input) {
  const auto& types = loading.world().directory.types;
  for (std::uint32_t type = 0; type < types.size(); ++type) {
    if (types[type].name != name) continue;
    loading.world().platform.quotas.push_back({{type}, input.instances});
    return;
  }
  if (!is_priced(loading, name)) {
    return report_unknown_type(loading, name, *input.written, true);
  }
  loading.findings.add(at_key(*input.written, "W0410",
                              fmt::format("no fleet has instances of type {}", in_quotes(name)),
                              "this quota is unused", Severity::warning));
}

void load_rates(Loading& loading) {
  const ApiInput& input = loading.input.platform.api;
  models::Api& api = loading.world().platform.api;
  const auto written = loading.input.platform.written;
  const auto node = written ? written->find("api") : std::nullopt;
  for (const auto& [name, rate] : input.rates) {
    const auto known =
        std::find_if(api_calls().begin(), api_calls().end(), [&, of = &name](const auto& call) {
          return call.name == *of && call.value != policy::VerbKind::start_job;
        });
    if (known != api_calls().end()) {
      api.rates[known->value] = rate;
      continue;
    }
    std::vector<std::string_view> names;
    for (const auto& call : api_calls()) {
      if (call.value != policy::VerbKind::start_job) names.push_back(call.name);
    }
    loading.findings.add(at_key(*node->find("rates")->find(name), "E0204",
                                fmt::format("reeve makes no call {}", in_quotes(name)),
                                "not one of the choices")
                             .with_help(did_you_mean(name, names)));
  }
  if (!input.rates.empty() && node->find("calls_per_s")) {
    loading.error(*node->find("calls_per_s"), "E0206",
                  "\"calls_per_s\" and \"rates\" both limit the same calls", "choose one");
  }
}

void load_brownouts(Loading& loading) {
  const ApiInput& input = loading.input.platform.api;
  for (const BrownOutInput& trouble : input.brownouts) {
    loading.world().platform.api.brownouts.push_back(trouble.trouble);
    const Node node = *trouble.written;
    if (trouble.trouble.until <= trouble.trouble.from && node.find("to") && node.find("from")) {
      loading.error(*node.find("to"), "E0227", "a brown-out must end after it begins",
                    fmt::format("not after {}", show(trouble.trouble.from)));
    }
    if (trouble.trouble.throttled + trouble.trouble.lost_reply +
            loading.world().platform.api.rejected >
        1) {
      loading.error(node, "E0230",
                    "\"throttled\", \"lost_reply\" and \"rejected\" sum to more than 1",
                    "each is the probability of one outcome of a call");
    }
  }
}

/// Keys that mean something on SageMaker alone.
void warn_elsewhere(Loading& loading, const Node& object, std::string_view key) {
  const auto node = object.find(key);
  if (!node || has_ticks(loading.world())) return;  // there it is refused
  loading.findings.add(at_key(*node, "W0443",
                              fmt::format("\"{}\" has no effect on this platform", key),
                              "only SageMaker has it", Severity::warning));
}

bool is_managed(const Loading& loading) {
  return loading.world().platform.model == PlatformModel::sagemaker_training;
}

}  // namespace

void load_managed(Loading& loading) {
  const ManagedInput& input = loading.input.platform.managed;
  models::Platform& platform = loading.world().platform;
  load_rates(loading);
  load_brownouts(loading);
  const auto written = loading.input.platform.written;
  if (!is_managed(loading)) {
    platform.cluster_repair.max = 0;
    if (!written) return;
    for (const std::string_view key :
         {"quotas", "cluster_repair", "late_upload", "warm_startup", "spot_billing",
          "pending_timeout_status", "spot_wait_status"}) {
      warn_elsewhere(loading, *written, key);
    }
    return;
  }
  for (const auto& [name, quota] : input.quotas) load_quota(loading, name, quota);
  platform.cluster_repair = input.cluster_repair;
  platform.late_upload = input.late_upload;
  platform.warm_startup = input.warm_startup;
  platform.spot_billing = input.spot_billing;
  platform.pending_ends_as = input.pending_ends_as;
  platform.spot_waits_as = input.spot_waits_as;
}

void load_managed_job(Loading& loading, const ManagedJobInput& input, models::JobProfile& profile,
                      const Place& place) {
  if (!is_managed(loading)) {
    for (const std::string_view key : {"max_pending", "keep_alive", "retry", "queue_retry"}) {
      warn_elsewhere(loading, place.here, key);
      if (place.under && !place.here.find(key)) warn_elsewhere(loading, *place.under, key);
    }
    return;
  }
  profile.max_pending = input.max_pending.value_or(Duration::max());
  profile.keep_alive = input.keep_alive;
  profile.retries = input.retry ? input.retry->attempts : 0;
  if (input.max_pending && (*input.max_pending < hours{2} || *input.max_pending > hours{28 * 24})) {
    loading.warning(place.of("max_pending"), "W0440",
                    "AWS allows a max_pending of 2 hours to 28 days",
                    "CreateTrainingJob would reject it");
  }
  if (input.keep_alive > hours{1}) {
    loading.warning(place.of("keep_alive"), "W0441",
                    "AWS keeps instances warm for at most one hour",
                    "CreateTrainingJob would reject it");
  }
  if (input.keep_alive > Duration{0} &&
      loading.world().pools[profile.pool.index].market == Market::spot) {
    loading.error(place.of("keep_alive"), "E0250", "Spot instances cannot be kept warm",
                  "CreateTrainingJob would reject it", "leave \"keep_alive\" out");
  }
}

namespace {

/// Of a job that no quota lets run: a platform refuses it, a scheduler would ask for ever.
std::string what_becomes_of_it(const Resolved& resolved) {
  bool scheduled = false;
  bool direct = resolved.input.policies.empty();
  for (const auto& [name, seats] : resolved.input.policies) {
    const bool any = std::any_of(seats.begin(), seats.end(), [](const SeatInput& seat) {
      const policy::PolicyKind* kind = policies::find_kind(seat.rule);
      return kind != nullptr && kind->schedules && seat.mode == host::Mode::enforce;
    });
    (any ? scheduled : direct) = true;
  }
  if (!scheduled) return "each of its attempts fails at once";
  const std::string_view waits = "never starts, and in strict order it blocks the jobs behind it";
  return fmt::format("{} {}", direct ? "it fails at once; with a scheduling rule it" : "it", waits);
}

}  // namespace

void check_quota(const Resolved& resolved, std::string_view who, std::uint32_t instances,
                 policy::PoolId pool, const Node& place, Findings& findings) {
  const models::Pool& machines = resolved.world().pools[pool.index];
  if (policy::is_reserved(machines.market)) return;
  const std::size_t family = machines.market == Market::spot ? 1 : 0;
  for (const models::InstanceQuota& quota : resolved.world().platform.quotas) {
    if (quota.type != machines.type || !quota.instances[family]) continue;
    if (instances <= *quota.instances[family]) continue;
    findings.warning(place, "W0442",
                     fmt::format("{} requests {}, but its quota is {}", who,
                                 counted(instances, "instance"), *quota.instances[family]),
                     what_becomes_of_it(resolved), "raise the quota in platform.quotas");
  }
}

}  // namespace reeve::scenarios
