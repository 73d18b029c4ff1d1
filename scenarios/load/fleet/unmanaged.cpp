// What a platform says of billing, notices and machines that one rents oneself, checked.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/platform_presets.hpp"
#include "scenarios/load/fleet/steps.hpp"

namespace reeve::scenarios {
namespace {

using models::PlatformModel;
using policy::Market;

/// Reports a key of `object` that has no meaning here.
void refuse_unmanaged(Loading& loading, const Node& object, std::string_view key, bool allowed,
                      std::string_view why) {
  const auto node = object.find(key);
  if (!node || allowed) return;
  loading.findings.add(
      at_key(*node, "E0228", fmt::format("\"{}\" has no meaning here", key), std::string{why}));
}

void check_unmanaged_keys(Loading& loading, const Node& written) {
  const PlatformModel model = loading.world().platform.model;
  for (const std::string_view key : {"billing", "notice", "notice_probability", "imds_poll"}) {
    refuse_unmanaged(loading, written, key, model != PlatformModel::ideal,
                     "the ideal platform bills by the second and gives no notice");
  }
  for (const std::string_view key :
       {"rebalance", "spot_request", "on_insufficient", "phases", "rendezvous",
        "self_destruct_fails", "self_destruct_right", "untagged_instances", "debug_hold", "logs"}) {
    refuse_unmanaged(loading, written, key, models::is_unmanaged(model),
                     "only for \"ec2\" and \"gcp\"");
  }
  if (written.find("phases") && written.find("startup")) {
    loading.error(*written.find("phases"), "E0206", "\"phases\" and \"startup\" set the same time",
                  "choose one");
  }
}

/// Found before the first job is launched, not on the bill.
void check_rights(Loading& loading, const Node& written) {
  const auto right = written.find("self_destruct_right");
  if (!right || loading.input.platform.unmanaged.self_destruct_right) return;
  loading.warning(*right, "W0463",
                  "instances may not shut themselves down: every job leaves orphans",
                  "they are billed until an operator or a rule ends them",
                  "give their role the right, or add the rule `orphan_sweep`");
}

/// Without a horizon nothing ends instances that are never returned.
void check_unmanaged_ends(Loading& loading, const Node& written) {
  const models::Unmanaged& own = loading.world().platform.unmanaged;
  if (loading.world().end != policy::never) return;
  if (own.rendezvous && !own.rendezvous->tags_after) {
    loading.error(*written.find("rendezvous"), "E0235",
                  "nodes never find their master, and the run has no end",
                  "their bill would have no end", "set a \"horizon\"");
  }
  if (own.self_destruct_fails > 0) {
    const std::string_view key =
        written.find("self_destruct_fails") ? "self_destruct_fails" : "self_destruct_right";
    loading.warning(*written.find(key), "W0461", "orphaned instances are billed until the run ends",
                    "the run ends with the last job", "set a \"horizon\" to see their cost");
  }
}

}  // namespace

void load_unmanaged(Loading& loading) {
  const UnmanagedInput& input = loading.input.platform.unmanaged;
  models::Platform& platform = loading.world().platform;
  const models::PlatformPreset preset = models::preset_of(platform.model);
  platform.billing = preset.billing;
  platform.notice.lead = input.notice.value_or(preset.notice);
  platform.notice.probability = input.notice_probability;
  platform.notice.poll = input.imds_poll;
  if (input.billing) {
    platform.billing.minimum = input.billing->minimum.value_or(preset.billing.minimum);
    platform.billing.first_hour_free =
        input.billing->first_hour_free.value_or(preset.billing.first_hour_free);
  }
  models::Unmanaged& own = platform.unmanaged;
  own.spot_request = input.spot_request;
  own.waits_for_capacity =
      input.on_insufficient.value_or(own.spot_request == models::SpotRequest::persistent);
  own.rebalance = input.rebalance;
  if (input.rendezvous) {
    own.rendezvous = models::Rendezvous{input.rendezvous->poll, input.rendezvous->tags_after};
  }
  own.self_destruct_fails = input.self_destruct_right ? input.self_destruct_fails : 1;
  own.untagged_instances = input.untagged_instances;
  own.debug_hold = input.debug_hold;
  own.log_flush = input.logs.flush_delay;
  if (input.phases) {
    platform.startup = input.phases->download + input.phases->install + input.phases->run;
  }
  const auto written = loading.input.platform.written;
  if (!written) return;
  check_unmanaged_keys(loading, *written);
  check_rights(loading, *written);
  check_unmanaged_ends(loading, *written);
}

void check_unmanaged_job(const Resolved& resolved, const ProfileInput& input,
                         const models::JobProfile& profile, const Place& place,
                         Findings& findings) {
  const models::Platform& platform = resolved.world().platform;
  const bool own = models::is_unmanaged(platform.model);
  if (input.min_instances && !own) {
    findings.error(place.of("min_instances"), "E0228", "\"min_instances\" has no meaning here",
                   "only for \"ec2\" and \"gcp\": a training job gets all its instances");
  }
  const auto& hook = profile.checkpoint.on_notice;
  const Node checkpoint = place.of("checkpoint");
  const policy::Market market = resolved.world().pools[profile.pool.index].market;
  const bool in_a_block =
      market == policy::Market::capacity_block;  // W0476 says what is the matter
  if (hook && !in_a_block && hook->save > platform.notice.lead) {
    const bool none = platform.notice.lead == Duration{0};
    findings.warning(checkpoint.find("on_notice").value_or(checkpoint), "W0460",
                     none ? "Spot gives no notice here, so nothing is saved on notice"
                          : fmt::format("a save of {} is longer than the notice, {}",
                                        show(hook->save), show(platform.notice.lead)),
                     "unsaved work is lost");
  }
  for (const FaultInput& fault : input.faults) {
    if (fault.fault.kind != models::FaultKind::node_lost) continue;
    if (!own) {
      findings.error(*fault.written->find("kind"), "E0228", "\"node_lost\" has no meaning here",
                     "only for \"ec2\" and \"gcp\": a training job fails as a whole");
    } else if (fault.fault.hosts.empty()) {
      findings.error(*fault.written, "E0202",
                     "a fault of kind \"node_lost\" lacks the key \"hosts\"", "name the lost hosts",
                     "add \"hosts\": [4]");
    }
  }
}

void check_places(const Resolved& resolved, const std::string& who, std::uint32_t instances,
                  const models::JobProfile& profile, const Place& place, Findings& findings) {
  const models::Pool& pool = resolved.world().pools[profile.pool.index];
  const std::uint32_t least = models::least_instances(profile, instances);
  check_fits(resolved, who, least, profile.pool, place.of("instances"), findings);
  if (profile.min_instances > instances) {
    findings.error(place.of("min_instances"), "E0205",
                   fmt::format("{} requires at least {} instances but requests {}", who,
                               profile.min_instances, instances),
                   "more than \"instances\"");
  }
  if (profile.elastic && profile.elastic->min > instances) {
    findings.error(place.of("elastic"), "E0205",
                   fmt::format("{} needs at least {} instances to continue but requests {}", who,
                               profile.elastic->min, instances),
                   "more than \"instances\"");
  }
  if (pool.zones.empty() || profile.placement == models::Placement::any) return;
  std::uint32_t largest = 0;
  for (const models::ZonePart& zone : pool.zones) largest = std::max(largest, zone.instances);
  if (least <= largest) return;
  findings.error(place.of("placement"), "E0209",
                 fmt::format("{} needs {} instances in one zone; the largest of {} has {}", who,
                             least, in_quotes(pool.name), largest),
                 "it can never start", "use \"placement\": \"any\", or request fewer");
}

}  // namespace reeve::scenarios
