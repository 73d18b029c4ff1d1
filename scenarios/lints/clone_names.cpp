// Lints for the names of clones.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <reeve/policy/training_job_name.hpp>
#include <set>
#include <utility>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/resolved/attempt_status.hpp"

namespace reeve::scenarios {
namespace {

/// A clone that would be called as another job is (D13).
void check_names_meet(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                      Findings& findings) {
  if (!says(seat, known::naming, "appended")) return;
  const models::JobNames& names = resolved.world().jobs.names;
  const models::World& world = resolved.world();
  const std::set<std::string_view> taken(names.begin(), names.end());
  const auto* resumes = most_clones(seat);
  const bool endless = resumes == nullptr || *resumes < 0 || *resumes > 12;
  const auto last = static_cast<policy::AttemptNumber>(endless ? 13 : *resumes + 1);
  for (std::size_t id = 0; id < names.size(); ++id) {
    const std::string& name = names[id];
    if (!may_hold(seat, world.profiles[world.jobs.specs[id].profile], {}, world)) continue;
    for (policy::AttemptNumber attempt = 2; attempt <= last; ++attempt) {
      const std::string clone = policy::appended_name(name, attempt);
      if (clone.size() > policy::training_job_name_max) break;
      if (!taken.contains(clone)) continue;
      return findings.warning(places.find(known::naming).value_or(places.seat), "W0541",
                              fmt::format("a clone of {} would be named {}, like another job",
                                          in_quotes(name), in_quotes(clone)),
                              "SageMaker rejects a name that is already used",
                              "\"naming\": \"numbered\"");
    }
  }
}

/// How many clones a name has room for, if fewer than may be made (D13).
void check_names_of_clones(const Resolved& resolved, const SeatSpec& seat,
                           const OptionPlaces& places, Findings& findings) {
  if (!says(seat, known::naming, "appended")) return;
  constexpr std::string_view suffix = "clone";
  const models::World& world = resolved.world();
  const auto is_held = [&](std::uint32_t profile) {
    return may_hold(seat, world.profiles[profile], {}, world);
  };
  std::size_t longest = 0;
  if (world.drawn && (is_held(world.drawn->profile) || is_held(world.drawn->untagged_profile))) {
    longest = fmt::format("{}{}", world.drawn->prefix, world.drawn->jobs).size();
  }
  for (std::size_t id = 0; id < world.jobs.names.size(); ++id) {
    if (is_held(world.jobs.specs[id].profile)) {
      longest = std::max(longest, world.jobs.names[id].size());
    }
  }
  if (longest == 0) return;  // the rule sees no job
  const std::size_t room = policy::training_job_name_max - std::min<std::size_t>(longest, 63);
  const std::size_t clones = room / suffix.size();
  const auto* limit = most_clones(seat);
  const bool fit = limit != nullptr && *limit >= 0 && std::cmp_less_equal(*limit, clones);
  if (fit) return;
  findings.warning(places.find(known::naming).value_or(places.seat), "W0446",
                   fmt::format("each clone's name is {} characters longer", suffix.size()),
                   clones == 0 ? std::string{"the longest name has no room for one"}
                               : fmt::format("the longest name has room for only {}", clones),
                   "\"naming\": \"numbered\"");
}

}  // namespace

std::span<const Lint> clone_name_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0541", "clone names that other jobs already have (defect D13)",
        "The article names a clone after the job, plus \"clone\". If another job has that name, "
        "SageMaker refuses the clone and the job is not resumed.",
        "jobs \"train\" and \"trainclone\", and \"naming\": \"appended\"",
        "\"naming\": \"numbered\""},
       check_names_meet,
       RunIf::handler_runs},
      {{"W0446", "clone names that grow (defect D13)",
        "Each clone gets the previous name plus \"clone\". SageMaker refuses names longer than 63 "
        "characters.",
        "\"naming\": \"appended\"", "\"naming\": \"numbered\""},
       check_names_of_clones,
       RunIf::handler_runs},
  });
  return rows;
}

}  // namespace reeve::scenarios
