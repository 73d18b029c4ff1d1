#include "scenarios/history/merged_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace reeve::scenarios {
namespace {

using policy::Instant;
using Places = std::map<std::string, std::size_t, std::less<>>;

std::optional<std::size_t> place_in(const Places& places, std::string_view key) {
  const auto found = places.find(key);
  return found == places.end() ? std::nullopt : std::optional{found->second};
}

bool is_arn(std::string_view resource) {
  return resource.starts_with("arn:");
}

/// A part of "arn:aws:SERVICE:REGION:ACCOUNT:...".
std::string_view arn_part(std::string_view arn, int index) {
  for (; index > 0; --index) {
    const std::size_t colon = arn.find(':');
    if (colon == arn.npos) return {};
    arn.remove_prefix(colon + 1);
  }
  return arn.substr(0, arn.find(':'));
}
std::string_view region_of(std::string_view arn) {
  return arn_part(arn, 3);
}
std::string_view account_of(std::string_view arn) {
  return arn_part(arn, 4);
}

/// When a job was described: what its source says, or the latest of its own times.
Instant described_at(const HistoryJob& job) {
  if (job.described) return *job.described;
  Instant latest = std::max(job.submitted, job.ended.value_or(job.submitted));
  if (job.started) latest = std::max(latest, *job.started);
  for (const Stretch& stretch : job.work) latest = std::max(latest, stretch.from);
  return latest;
}

/// Orders descriptions of one job, the newer last.
auto age_of(const HistoryJob& job) {
  return std::tuple{described_at(job), job.ended.has_value(), job.seen.value_or(Instant{})};
}

}  // namespace

MergedJobs::MergedJobs(const History& history, FileFindings& findings) : findings_{findings} {
  for (const HistoryJob& job : history.jobs) add(job);
  join_queues();
}

std::vector<HistoryJob*> MergedJobs::named(std::string_view name) {
  std::vector<HistoryJob*> found;
  if (const auto place = place_in(by_name_, name)) found.push_back(&jobs_[*place]);
  const std::string renamed = std::string{name} + '@';
  for (auto next = by_name_.lower_bound(renamed);
       next != by_name_.end() && next->first.starts_with(renamed); ++next) {
    if (is_arn(jobs_[next->second].resource)) found.push_back(&jobs_[next->second]);
  }
  return found;
}

void MergedJobs::tell_copy(const HistoryJob& job, std::string message) {
  Diagnostic copy;
  copy.code = "W0620";
  copy.file = job.file;
  copy.position = {job.record.line, 1, 1};
  copy.message = std::move(message);
  findings_.warn(std::move(copy));
}

void MergedJobs::add(const HistoryJob& job) {
  const std::string& name = job.record.job_id;
  const bool has_arn = is_arn(job.resource);
  if (has_arn) {
    if (const auto same = place_in(by_arn_, job.resource)) return merge(job, *same);
  }
  const auto known = place_in(by_name_, name);
  if (!known) return add_named(job, name);
  const std::string& other = jobs_[*known].resource;
  if (!has_arn || !is_arn(other)) return merge(job, *known);
  const std::string region{region_of(job.resource)}, account{account_of(job.resource)};
  std::string apart = name + '@' + (region == region_of(other) ? account : region);
  if (by_name_.contains(apart)) apart = fmt::format("{}@{}@{}", name, region, account);
  if (by_name_.contains(apart)) apart = name + '@' + job.resource;
  tell_copy(job, fmt::format("{} is the name of two jobs; the second is called {}", name, apart));
  add_named(job, std::move(apart));
}

void MergedJobs::add_named(const HistoryJob& job, std::string name) {
  const std::size_t place = jobs_.size();
  if (is_arn(job.resource)) by_arn_.emplace(job.resource, place);
  by_name_.emplace(name, place);
  jobs_.push_back(job);
  jobs_.back().record.job_id = std::move(name);
}

void MergedJobs::merge(const HistoryJob& job, std::size_t place) {
  HistoryJob& known = jobs_[place];
  tell_copy(job, fmt::format("{} stands in {} too; the newer description counts",
                             known.record.job_id, known.file));
  const std::string name = known.record.job_id;
  const std::string resource = is_arn(known.resource) ? known.resource : job.resource;
  if (age_of(job) >= age_of(known)) known = job;
  known.record.job_id = name;
  known.resource = resource;
  if (is_arn(resource)) by_arn_.emplace(resource, place);
}

/// The job that another platform runs for `outer`, in the same region and account if there is one.
std::optional<std::size_t> MergedJobs::inner_of(const HistoryJob& outer) const {
  if (outer.runs_as.empty()) return {};
  const auto arn =
      fmt::format("arn:{}:sagemaker:{}:{}:training-job/{}", arn_part(outer.resource, 1),
                  region_of(outer.resource), account_of(outer.resource), outer.runs_as);
  auto place = place_in(by_arn_, arn);
  if (!place) place = place_in(by_name_, outer.runs_as);
  return place && &jobs_[*place] != &outer ? place : std::nullopt;
}

void MergedJobs::join_queues() {
  std::map<std::size_t, std::size_t> inner;  // by the place of the job of a queue
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (const auto place = inner_of(jobs_[i])) inner.emplace(i, *place);
  }
  std::set<std::size_t> left_out;
  for (const auto& [from, to] : inner) {
    if (inner.contains(to)) continue;  // jobs that name each other
    const HistoryJob& outer = jobs_[from];
    HistoryJob& job = jobs_[to];
    if (outer.submitted < job.submitted) {
      if (job.started) job.record.observed_wait = *job.started - outer.submitted;
      job.submitted = outer.submitted;
    }
    if (job.record.queue.empty()) job.record.queue = outer.record.queue;
    if (!job.record.priority) job.record.priority = outer.record.priority;
    left_out.insert(from);
  }
  if (left_out.empty()) return;
  by_name_.clear();
  by_arn_.clear();
  std::vector<HistoryJob> all = std::exchange(jobs_, {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!left_out.contains(i)) add_named(all[i], all[i].record.job_id);
  }
}

BilledJobs::BilledJobs(const std::vector<HistoryJob>& jobs) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const bool has_arn = is_arn(jobs[i].resource);
    (has_arn ? by_arn_ : by_name_).emplace(has_arn ? jobs[i].resource : jobs[i].record.job_id, i);
  }
}

std::optional<std::size_t> BilledJobs::place(const BilledUse& use) const {
  if (use.job.empty()) return {};
  const auto exact = place_in(by_arn_, use.resource);
  return exact ? exact : place_in(by_name_, use.job);
}

}  // namespace reeve::scenarios
