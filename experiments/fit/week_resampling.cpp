#include "experiments/fit/week_resampling.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "experiments/fit/random_numbers.hpp"

namespace reeve::experiments {

WeekResampling::WeekResampling(const ObservedHistory& history)
    : history_{history}, seed_{content_seed(history)} {
  const std::size_t weeks = whole_weeks(history);
  if (weeks == 0) throw std::invalid_argument{"the history has no whole week"};
  std::map<std::pair<std::size_t, std::string_view>, std::vector<std::size_t>> user_weeks;
  bool has_users = false;
  for (std::size_t i = 0; i < history.jobs.size(); ++i) {
    const ObservedJob& job = history.jobs[i];
    if (job.submit < history.start) continue;
    const auto week = static_cast<std::size_t>((job.submit - history.start) / week_length);
    if (week >= weeks) continue;
    user_weeks[{week, job.user}].push_back(i);
    has_users = has_users || !job.user.empty();
  }
  draws_whole_weeks_ = !has_users || user_weeks.size() < least_user_weeks;
  blocks_per_week_.resize(weeks, draws_whole_weeks_ ? 1 : 0);
  const auto start_of = [&](std::size_t week) {
    return history.start + week_length * static_cast<std::int64_t>(week);
  };
  if (draws_whole_weeks_) {
    for (std::size_t week = 0; week < weeks; ++week) blocks_.push_back({start_of(week), {}});
  }
  for (auto& [key, jobs] : user_weeks) {
    const std::size_t week = key.first;
    if (draws_whole_weeks_) {
      auto& into = blocks_[week].jobs;
      into.insert(into.end(), jobs.begin(), jobs.end());
    } else {
      blocks_.push_back({start_of(week), std::move(jobs)});
      ++blocks_per_week_[week];
    }
  }
}

std::vector<ResampledJob> WeekResampling::draw(std::size_t weeks, std::uint32_t replication) const {
  std::vector<ResampledJob> drawn;
  if (blocks_.empty()) return drawn;
  for (std::size_t week = 0; week < weeks; ++week) {
    RandomNumbers random{seed_, sim::Cause::fit_week, static_cast<std::uint32_t>(week),
                         replication};
    const policy::Duration offset = week_length * static_cast<std::int64_t>(week);
    std::map<std::size_t, std::uint32_t> copies;
    for (std::size_t left = blocks_per_week_[random.index(blocks_per_week_.size())]; left > 0;
         --left) {
      const std::size_t chosen = random.index(blocks_.size());
      const Block& block = blocks_[chosen];
      const std::uint32_t copy = copies[chosen]++;
      for (const std::size_t job : block.jobs) {
        drawn.push_back({job, offset + (history_.jobs[job].submit - block.start), copy});
      }
    }
  }
  std::stable_sort(drawn.begin(), drawn.end(), [](const ResampledJob& a, const ResampledJob& b) {
    return a.submit < b.submit;
  });
  return drawn;
}

}  // namespace reeve::experiments
