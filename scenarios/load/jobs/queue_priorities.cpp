// Priorities that queues give to jobs by their tags.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "scenarios/load/jobs/steps.hpp"

namespace reeve::scenarios {
namespace {

struct PriorityOfTags {
  policy::QueueId queue;
  std::vector<host::TagPattern> tags;
  std::int32_t priority = 0;
};

/// In the order of the file.
std::vector<PriorityOfTags> priorities_by_tag(Loading& loading) {
  std::vector<PriorityOfTags> all;
  std::set<std::string> seen;
  for (const QueueInput& queue : loading.input.queues) {
    const auto& queues = loading.world().directory.queues;
    const auto known = std::find_if(queues.begin(), queues.end(),
                                    [&](const auto& facts) { return facts.name == queue.name; });
    // A second queue of that name was reported.
    if (known == queues.end() || !seen.insert(queue.name).second) continue;
    const policy::QueueId id{static_cast<std::uint32_t>(known - queues.begin())};
    for (const TagPriorityInput& input : queue.priorities) {
      const auto written = input.written->find("tags");
      PriorityOfTags one{id, {}, input.priority};
      for (std::size_t i = 0; written && i < input.tags.size() && i < written->size(); ++i) {
        one.tags.push_back(tag_pattern(loading, input.tags[i], (*written)[i], loading.findings));
      }
      loading.scenario.queue_priorities.push_back({id, input.tags, input.priority});
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::optional<std::int32_t> priority_of(const policy::Directory& directory,
                                        const models::JobProfile& profile,
                                        const std::vector<PriorityOfTags>& priorities) {
  const auto queue = directory.terms[profile.terms].queue;
  const auto first =
      std::find_if(priorities.begin(), priorities.end(), [&](const PriorityOfTags& each) {
        return queue == each.queue &&
               std::any_of(each.tags.begin(), each.tags.end(), [&](const auto& pattern) {
                 return pattern.matches(directory, profile.tags);
               });
      });
  return first == priorities.end() ? std::nullopt : std::optional{first->priority};
}

}  // namespace

void apply_queue_priorities(Loading& loading) {
  const std::vector<PriorityOfTags> priorities = priorities_by_tag(loading);
  if (priorities.empty()) return;
  models::World& world = loading.world();
  std::vector<std::optional<std::int32_t>> by_profile;
  for (const models::JobProfile& profile : world.profiles) {
    by_profile.push_back(priority_of(world.directory, profile, priorities));
  }
  for (models::JobSpec& job : world.jobs.specs) {
    job.priority = by_profile[job.profile].value_or(job.priority);
  }
  if (!world.drawn) return;
  world.drawn->priority = by_profile[world.drawn->profile].value_or(0);
  world.drawn->untagged_priority = by_profile[world.drawn->untagged_profile].value_or(0);
}

}  // namespace reeve::scenarios
