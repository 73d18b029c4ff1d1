#include "experiments/fit/job_groups.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace reeve::experiments {
namespace {

std::set<std::string_view> frequent_users(const ObservedHistory& history) {
  std::map<std::string_view, std::size_t> counts;
  for (const ObservedJob& job : history.jobs) ++counts[job.user];
  std::vector<std::pair<std::size_t, std::string_view>> users;
  for (const auto& [user, count] : counts) users.emplace_back(count, user);
  std::stable_sort(users.begin(), users.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::set<std::string_view> frequent;
  std::size_t jobs = 0;
  for (const auto& [count, user] : users) {
    if (2 * jobs >= history.jobs.size()) break;
    frequent.insert(user);
    jobs += count;
  }
  return frequent;
}

/// The words by which a job is grouped, the first the last to be dropped.
using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string name;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    name += name.empty() ? word : ", " + word;
  }
  return name.empty() ? "all" : name;
}

}  // namespace

std::string size_class(const ObservedJob& job) {
  if (job.gpus <= 0) return "no GPUs";
  if (job.gpus <= 1) return "1 GPU";
  if (job.gpus <= 8) return "2-8 GPUs";
  return job.gpus <= 64 ? "9-64 GPUs" : "65+ GPUs";
}

std::vector<JobGroup> duration_groups(const ObservedHistory& history) {
  const auto frequent = frequent_users(history);
  std::map<Words, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < history.jobs.size(); ++i) {
    const ObservedJob& job = history.jobs[i];
    if (!has_run(job)) continue;
    std::string users;
    if (!job.user.empty()) users = frequent.contains(job.user) ? "frequent users" : "other users";
    groups[{job.instance_type, size_class(job), users}].push_back(i);
  }
  const auto ended = [&](const std::vector<std::size_t>& jobs) {
    return static_cast<std::size_t>(std::count_if(
        jobs.begin(), jobs.end(), [&](std::size_t i) { return !is_cut_short(history.jobs[i]); }));
  };
  for (std::size_t kept = 3; kept-- > 0;) {
    std::map<Words, std::vector<std::size_t>> pooled;
    for (auto& [words, jobs] : groups) {
      Words shorter = words;
      if (ended(jobs) < least_ended_jobs) shorter.resize(std::min(shorter.size(), kept));
      auto& into = pooled[shorter];
      into.insert(into.end(), jobs.begin(), jobs.end());
    }
    groups = std::move(pooled);
  }
  std::vector<JobGroup> result;
  for (auto& [words, jobs] : groups) {
    std::sort(jobs.begin(), jobs.end());
    std::string name = joined(words);
    // What is left over at a level has the name of the level: say that it is not all of it.
    if (words.size() < 3 && groups.size() > 1) name = words.empty() ? "others" : name + ", others";
    result.push_back({std::move(name), std::move(jobs)});
  }
  return result;
}

}  // namespace reeve::experiments
