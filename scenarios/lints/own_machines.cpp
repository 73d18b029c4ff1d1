// Lints for machines of one's own that are started, or left, as in the articles.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/lints/written_keys.hpp"

namespace reeve::scenarios {
namespace {

/// How long a first attempt may have trained when Spot takes its machines, at most.
Duration longest_until_lost(const models::Platform& platform, const models::Pool& pool,
                            const models::JobProfile& profile) {
  const Duration startup =
      std::min(platform.startup, platform.first_startup.value_or(platform.startup));
  Duration longest = pool.reclaim ? pool.reclaim->every - startup : Duration::max();
  for (const models::Fault& fault : profile.faults) {
    const bool of_first = fault.kind == models::FaultKind::interruption && fault.attempt == 1;
    if (of_first) longest = std::min(longest, fault.at);
  }
  return longest;
}

/// Whether a rule starts anew what Spot has ended; `spot_fallback` does not, and W0476 says so
/// where it does nothing else.
bool restarts_lost(const SeatSpec& seat, Duration trained) {
  if (has(seat, known::interruptions_above)) return !minds_waits(seat);
  return seat.mode == host::Mode::enforce && restarts_taken(seat, Duration::max(), trained);
}

/// Whether jobs of the profile are on Spot, and no rule of the policy starts a lost one again.
bool is_left_alone(const Resolved& resolved, const PolicySpec& policy,
                   const models::JobProfile& profile) {
  const models::World& world = resolved.world();
  const models::Pool& pool = pool_under(resolved, policy, profile);
  const Duration trained = longest_until_lost(world.platform, pool, profile);
  const auto helps = [&](const SeatSpec& seat) {
    return restarts_lost(seat, trained) && may_hold(seat, profile, policy, world);
  };
  return pool.market == policy::Market::spot &&
         std::none_of(policy.seats.begin(), policy.seats.end(), helps);
}

/// D23: work on Spot whose first loss is its end, under one of the policies that have rules.
void check_left_alone(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  if (!models::is_unmanaged(world.platform.model)) return;
  const auto& platform = resolved.input.platform.written;
  const bool says_request = platform && platform->find("spot_request").has_value();
  const Node place = at_platform(resolved.input, "spot_request");
  if (world.platform.unmanaged.spot_request != models::SpotRequest::one_time) return;
  bool any_rules = false;
  const auto is_alone = [&](const PolicySpec& policy) {
    return std::find_if(world.profiles.begin(), world.profiles.end(), [&](const auto& profile) {
      // Without any rule a person may restart the job from what it saved.
      const bool by_hand = policy.seats.empty() && profile.checkpoint.on_notice;
      return !by_hand && is_left_alone(resolved, policy, profile);
    });
  };
  const auto tell = [&](const PolicySpec& policy) {
    const auto alone = is_alone(policy);
    if (alone == world.profiles.end()) return false;
    const std::string under =
        policy.seats.empty() ? "" : fmt::format("under {} ", in_quotes(policy.name));
    findings.warning(
        place, "W0456", "the first Spot interruption ends a job permanently",
        alone->checkpoint.on_notice
            ? fmt::format("{}no rule in scope restarts it, whatever it saves", under)
            : fmt::format("no script listens for the notice, and {}no rule in scope restarts it",
                          under),
        "\"on_notice\" of \"checkpoint\", and { \"rule\": \"relaunch\" }");
    return true;
  };
  for (const PolicySpec& policy : resolved.scenario.policies) {
    if (policy.seats.empty()) continue;
    any_rules = true;
    if (tell(policy)) return;
  }
  if (!any_rules && says_request) tell({});
}

void check_rendezvous(const Resolved& resolved, Findings& findings) {
  const models::World& world = resolved.world();
  const models::Unmanaged& own = world.platform.unmanaged;
  if (!models::is_unmanaged(world.platform.model) || !own.rendezvous) return;
  if (own.rendezvous->tags_after || largest_job(resolved) <= 1) return;
  findings.warning(at_platform(resolved.input, "rendezvous"), "W0455",
                   "nodes of a gang never find the tag with their master's address",
                   "they search until something ends the job",
                   "read the tags under tags/instance/ and set \"tags_after\": \"12s\"");
}

}  // namespace

std::span<const Lint> own_machine_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0455", "nodes that never complete their rendezvous (defect D22)",
        "The script reads the number of nodes without tags/instance/ before it, and never finds "
        "it.",
        "\"tags_after\": \"never\"",
        "\"tags_after\": \"12s\"; `startup_limit` ends a hang in any case"},
       check_rendezvous},
      {{"W0456", "a Spot job that no rule restarts (defect D23)",
        "The first interruption ends the job. No rule of a policy restarts it, or the rules that "
        "would are limited to other tags or fleets. A script that listens for the notice saves its "
        "work, but nothing continues it.",
        "a job on Spot, \"spot_request\": \"one-time\", and no rule that restarts it",
        "\"on_notice\" of \"checkpoint\", and { \"rule\": \"relaunch\" }"},
       check_left_alone},
  });
  return rows;
}

}  // namespace reeve::scenarios
