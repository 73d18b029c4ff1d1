// Lints for keys of the platform, the fleets and prices that change nothing.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/no_effect.hpp"
#include "scenarios/load/resolved/losses.hpp"

namespace reeve::scenarios {
namespace {

void check_spot_prices(const Resolved& resolved, Findings& findings) {
  for (const auto& [name, type] : resolved.input.prices.instances) {
    no_effect_unless(!type.spot_price, type.written, "savings_pct",
                     "spot_usd_per_hour sets the Spot price", findings, "remove one of the two");
    if (!type.spot_price || *type.spot_price <= type.price || !type.written) continue;
    findings.warning(*type.written->find("spot_usd_per_hour"), "W0479",
                     fmt::format("{} costs more on Spot than on-demand", in_quotes(name)),
                     "used as written", "check whether the two prices are swapped");
  }
}

void check_platform(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (has_ticks(world)) return;
  const auto& written = resolved.input.platform.written;
  const bool managed = world.platform.model == models::PlatformModel::sagemaker_training;
  const bool spot = any_spot(world);
  for (const std::string_view key : {"notice", "notice_probability", "imds_poll", "rebalance",
                                     "spot_request", "spot_billing", "spot_wait_status"}) {
    // What a platform lacks altogether has a finding of its own.
    const bool known = managed || (key != "spot_billing" && key != "spot_wait_status");
    // It also says whether requests on demand wait, where "on_insufficient" does not.
    if (key == "spot_request" && !under(written, "on_insufficient")) continue;
    no_effect_unless(spot || !known, written, key, "no fleet is on Spot", findings);
  }
  const bool told = world.platform.notice.lead > Duration{0};
  for (const std::string_view key : {"notice_probability", "imds_poll"}) {
    no_effect_unless(!spot || told, written, key, "Spot gives no notice here: \"notice\" is 0s",
                     findings);
  }
  const auto notice = under(written, "notice");
  if (managed && spot && notice && told) {
    findings.add(at_key(*notice, "W0477", "managed Spot of SageMaker gives jobs no notice",
                        fmt::format("{} is assumed anyway", show(world.platform.notice.lead)),
                        Severity::warning)
                     .with_help("remove it, or use \"model\": \"ec2\" for self-managed instances"));
  }
  if (models::is_unmanaged(world.platform.model)) {
    no_effect_unless(largest_job(resolved) > 1, written, "rendezvous",
                     "no job has several instances", findings);
  }
  if (!managed) return;  // they have findings of their own
  const auto any_profile = [&](const auto& has) {
    return std::any_of(world.profiles.begin(), world.profiles.end(), has);
  };
  const bool waits = any_profile(
      [](const models::JobProfile& profile) { return profile.max_pending != Duration::max(); });
  no_effect_unless(waits, written, "pending_timeout_status", "no job has a \"max_pending\"",
                   findings);
  const bool warm = any_profile(
      [](const models::JobProfile& profile) { return profile.keep_alive > Duration{0}; });
  no_effect_unless(warm, written, "warm_startup", "no job has a \"keep_alive\"", findings);
}

void check_racks(const Resolved& resolved, Findings& findings) {
  for (const PoolInput& fleet : resolved.input.fleet) {
    const auto& faults = fleet.of_market.node_faults;
    if (!faults || !faults->racks || faults->racks->machines <= fleet.capacity) continue;
    const auto racks = under(under(fleet.written, "node_faults"), "racks");
    findings.warning(racks->find("machines").value_or(*racks), "W0476",
                     fmt::format("racks of {} have no effect: the fleet has {}",
                                 faults->racks->machines, fleet.capacity),
                     "the fleet is one rack");
  }
}

/// What is said of faults that never come.
void check_faults_off(const Resolved& resolved, Findings& findings) {
  for (const PoolInput& fleet : resolved.input.fleet) {
    const auto& faults = fleet.of_market.node_faults;
    if (!faults || faults->rate > 0) continue;
    const auto written = under(fleet.written, "node_faults");
    for (const std::string_view key : {"lemons", "racks", "hangs"}) {
      no_effect_unless(false, written, key, "\"per_1000_node_days\" is 0: no fault is drawn",
                       findings);
    }
  }
}

void check_copies_of_runs(const Resolved& resolved, Findings& findings) {
  if (resolved.scenario.random || resolved.scenario.runs <= 1) return;
  findings.warning(resolved.input.written->find("random")->find("runs").value(), "W0416",
                   "nothing in this scenario is random", "one run is exact; more runs repeat it");
}

}  // namespace

std::span<const Lint> platform_key_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0476", "a key without effect",
        "Another key says the same, its subject does not exist, or it begins after the clock ends. "
        "The message says which.",
        "\"spot_usd_per_hour\": 9, \"savings_pct\": 70", "\"spot_usd_per_hour\": 9"},
       check_platform,
       RunIf::world_is_read},
      {{"W0477", "a notice that SageMaker does not give",
        "Jobs on managed Spot receive no interruption notice; EC2 jobs do. reeve simulates the "
        "stated notice anyway.",
        "\"model\": \"sagemaker-training\", \"notice\": \"120s\"",
        "\"model\": \"ec2\", \"notice\": \"120s\""},
       check_platform,
       RunIf::world_is_read},
      {also("W0476"), check_spot_prices, RunIf::world_is_read},
      {also("W0479"), check_spot_prices, RunIf::world_is_read},
      {also("W0476"), check_racks, RunIf::world_is_read},
      {also("W0476"), check_faults_off, RunIf::world_is_read},
      {{"W0416", "several runs without random draws", "One run is exact; more runs only repeat it.",
        "\"runs\": 20", "\"runs\": 1"},
       check_copies_of_runs,
       RunIf::world_is_read},
  });
  return rows;
}

}  // namespace reeve::scenarios
