#include "scenarios/history/merged_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "scenarios/history/owner_tags.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios {
namespace {

using policy::Instant;

/// When a job was described: what its source says, or the latest of its own times.
Instant described_at(const HistoryJob& job) {
  if (job.described) return *job.described;
  Instant latest = std::max(job.submitted, job.ended.value_or(job.submitted));
  if (job.started) latest = std::max(latest, *job.started);
  for (const Stretch& stretch : job.work) latest = std::max(latest, stretch.from);
  return latest;
}

}  // namespace

MergedJobs::MergedJobs(PackedJobs described, const std::vector<FileReport>& files,
                       FileFindings& findings)
    : files_{files}, findings_{findings}, jobs_{std::move(described)} {
  by_name_.reserve(jobs_.size());
  std::size_t ahead = 8;  // of the job that is added: so long does memory take
  jobs_.rewrite([&](HistoryJob& job) {
    if (ahead < jobs_.size()) by_name_.prepare(jobs_.name(ahead++));
    const bool is_named = name_owner(job.record);
    const JobPass done = add(job);
    return is_named && done == JobPass::left_as_is ? JobPass::changed : done;
  });
  if (has_queued_jobs_) join_queues();
}

std::optional<std::size_t> MergedJobs::find(std::string_view name) const {
  return by_name_.find(name, [&](std::size_t place) { return jobs_.name(place) == name; });
}

std::vector<std::size_t> MergedJobs::named(std::string_view name) const {
  std::vector<std::size_t> places;
  if (const auto place = find(name)) places.push_back(*place);
  const auto [first, last] = renamed_.equal_range(name);
  for (auto next = first; next != last; ++next) places.push_back(next->second);
  return places;
}

std::optional<std::size_t> MergedJobs::find_arn(std::string_view arn) const {
  return by_arn_.find(arn, [&](std::size_t place) { return jobs_.at(place).resource == arn; });
}

void MergedJobs::tell_copy(const HistoryJob& job, std::string message) {
  Diagnostic copy;
  copy.code = "W0620";
  copy.file = job.file;
  copy.position = {job.record.line, 1, 1};
  copy.message = std::move(message);
  findings_.warn(std::move(copy));
}

/// Left out is a job that was merged into one before it.
JobPass MergedJobs::add(HistoryJob& job) {
  const std::string& name = job.record.job_id;
  const bool has_arn = is_arn(job.resource);
  if (has_arn) {
    if (const auto same = find_arn(job.resource)) return merge(job, *same);
  }
  const auto known = find(name);
  if (!known) return note(job), JobPass::left_as_is;
  const std::string other = jobs_.at(*known).resource;
  if (!has_arn || !is_arn(other)) return merge(job, *known);
  const std::string region{region_of_arn(job.resource)}, account{account_of_arn(job.resource)};
  std::string apart = name + '@' + (region == region_of_arn(other) ? account : region);
  if (find(apart)) apart = fmt::format("{}@{}@{}", name, region, account);
  if (find(apart)) apart = name + '@' + job.resource;
  tell_copy(job, fmt::format("{} is the name of two jobs; the second is called {}", name, apart));
  job.record.job_id = std::move(apart);
  note(job);
  return JobPass::changed;
}

void MergedJobs::note(const HistoryJob& job) {
  const std::string& name = job.record.job_id;
  if (is_arn(job.resource)) {
    by_arn_.add(job.resource, size_);
    const std::size_t at = name.find('@');
    if (at != name.npos) renamed_.emplace(name.substr(0, at), size_);
  }
  by_name_.add(name, size_++);
  has_queued_jobs_ = has_queued_jobs_ || !job.runs_as.empty();
}

/// The latest time in its file: when that was exported.
Instant MergedJobs::seen_at(const HistoryJob& job) const {
  if (job.seen) return *job.seen;
  const auto file = std::find_if(files_.begin(), files_.end(),
                                 [&](const FileReport& each) { return each.file == job.file; });
  return file == files_.end() ? Instant{} : file->newest.value_or(Instant{});
}

/// Whether the description of a job is older than another one of it.
bool MergedJobs::is_older(const HistoryJob& job, const HistoryJob& other) const {
  const auto age = [this](const HistoryJob& each) {
    return std::tuple{described_at(each), each.ended.has_value(), seen_at(each)};
  };
  return age(job) < age(other);
}

JobPass MergedJobs::merge(const HistoryJob& job, std::size_t place) {
  HistoryJob known = jobs_.at(place);
  tell_copy(job, fmt::format("{} stands in {} too; the newer description counts",
                             known.record.job_id, known.file));
  const std::string name = known.record.job_id;
  const bool had_arn = is_arn(known.resource);
  const std::string resource = had_arn ? known.resource : job.resource;
  if (!is_older(job, known)) known = job;
  known.record.job_id = name;
  known.resource = resource;
  if (!had_arn && is_arn(resource)) by_arn_.add(resource, place);
  has_queued_jobs_ = has_queued_jobs_ || !known.runs_as.empty();
  jobs_.replace(place, known);
  return JobPass::left_out;
}

/// The job that another platform runs for `outer`, in the same region and account if there is one.
std::optional<std::size_t> MergedJobs::inner_of(const HistoryJob& outer, std::size_t place) const {
  if (outer.runs_as.empty()) return {};
  const auto arn =
      fmt::format("arn:{}:sagemaker:{}:{}:training-job/{}", part_of_arn(outer.resource, 1),
                  region_of_arn(outer.resource), account_of_arn(outer.resource), outer.runs_as);
  auto inner = find_arn(arn);
  if (!inner) inner = find(outer.runs_as);
  return inner && *inner != place ? inner : std::nullopt;
}

void MergedJobs::join_queues() {
  std::map<std::size_t, std::size_t> inner;  // by the place of the job of a queue
  std::size_t place = 0;
  for (const HistoryJob& job : jobs_) {
    if (const auto found = inner_of(job, place)) inner.emplace(place, *found);
    ++place;
  }
  std::set<std::size_t> left_out;
  for (const auto& [from, to] : inner) {
    if (inner.contains(to)) continue;  // jobs that name each other
    const HistoryJob outer = jobs_.at(from);
    HistoryJob job = jobs_.at(to);
    if (outer.submitted < job.submitted) {
      if (job.started) job.record.observed_wait = *job.started - outer.submitted;
      job.submitted = outer.submitted;
    }
    if (job.record.queue.empty()) job.record.queue = outer.record.queue;
    if (!job.record.priority) job.record.priority = outer.record.priority;
    jobs_.replace(to, job);
    left_out.insert(from);
  }
  if (left_out.empty()) return;
  by_name_ = by_arn_ = {};
  renamed_.clear();
  place = size_ = 0;
  jobs_.rewrite([&](const HistoryJob& job) {
    if (left_out.contains(place++)) return JobPass::left_out;
    note(job);
    return JobPass::left_as_is;
  });
}

BilledJobs::BilledJobs(const PackedJobs& jobs, const Bill& bill) : jobs_{jobs} {
  if (bill.uses.empty()) return;
  std::size_t place = 0;
  for (const HistoryJob& job : jobs) {
    table_.add(is_arn(job.resource) ? job.resource : job.record.job_id, place++);
  }
}

std::optional<std::size_t> BilledJobs::place(const BilledUse& use) const {
  if (use.job.empty()) return {};
  const auto by_arn = [&](std::size_t place) { return jobs_.at(place).resource == use.resource; };
  const auto by_name = [&](std::size_t place) {
    return jobs_.name(place) == use.job && !is_arn(jobs_.at(place).resource);
  };
  const auto exact = is_arn(use.resource) ? table_.find(use.resource, by_arn) : std::nullopt;
  return exact ? exact : table_.find(use.job, by_name);
}

void BilledJobs::for_each_instance_use(
    const Bill& bill,
    const std::function<void(const BilledUse&, std::size_t, const ImportedJob&)>& tell) const {
  for (const BilledUse& use : bill.uses) {
    const auto found = use.use == "train" ? place(use) : std::nullopt;
    if (found) tell(use, *found, jobs_.at(*found).record);
  }
}

}  // namespace reeve::scenarios
