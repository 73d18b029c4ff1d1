// A trace as the record of a history: `history`, and `workload.resample`, the weeks that each run
// draws anew.
#include <algorithm>
#include <map>
#include <set>

#include "scenarios/load/loading.hpp"

namespace reeve::scenarios {
namespace {

constexpr Duration week = std::chrono::hours{24 * 7};
constexpr std::size_t few_weeks = 8;  ///< of users: with fewer, whole weeks of all users are drawn

}  // namespace

void resample_weeks(Loading& loading) {
  const auto& workload = loading.input.workload;
  if (!workload || !workload->trace || !workload->trace->resample) return;
  models::World& world = loading.world();
  if (world.jobs.specs.empty()) return;  // refused already
  const Node written = *workload->written->find("resample");
  if (const auto jobs = loading.input.jobs.written; jobs && jobs->size() > 0) {
    loading.error(*jobs, "E0405", "\"resample\" draws the jobs of a trace, not those of \"jobs\"",
                  "these have no recorded weeks", "move them to a scenario of their own");
    return;
  }
  const Duration last = world.jobs.specs.back().submit - world.start + Duration{1};
  models::Resampling drawn;
  drawn.weeks = static_cast<std::uint32_t>(last / week);
  drawn.rest = last % week;
  if (drawn.weeks < 2) {
    loading.error(written, "E0405", "the trace has less than two whole weeks of submissions",
                  "there is no other week to draw", "leave \"resample\" out");
    return;
  }
  std::map<std::string_view, std::uint32_t> groups;
  std::set<std::pair<std::uint32_t, std::int64_t>> user_weeks;
  for (const models::JobSpec& spec : world.jobs.specs) {
    const std::string& owner = world.profiles[spec.profile].owner;
    const auto group =
        groups.try_emplace(owner, static_cast<std::uint32_t>(groups.size())).first->second;
    drawn.group.push_back(group);
    user_weeks.emplace(group, (spec.submit - world.start) / week);
  }
  drawn.groups = static_cast<std::uint32_t>(groups.size());
  if (user_weeks.size() < few_weeks) {
    std::fill(drawn.group.begin(), drawn.group.end(), 0U);
    drawn.groups = 1;
  }
  world.resampling = std::move(drawn);
}

void load_history(Loading& loading) {
  const auto& history = loading.input.history;
  if (!history) return;
  const auto& workload = loading.input.workload;
  if (!workload || !workload->trace) {
    loading.error(*history->written, "E0386", "a history needs a workload with a \"trace\"",
                  "no recorded jobs", "remove \"history\"");
    return;
  }
  loading.scenario.history = history->facts;
}

}  // namespace reeve::scenarios
