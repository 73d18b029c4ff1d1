#include "scenarios/history/metrics/series_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scenarios/history/metrics/series.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

/// How a series and a job were found to be one, the surest first.
enum class Fit : std::uint8_t { name, alias, pod, operator_name, none };

/// What metrics call a job, and the job.
struct Found {
  Fit fit = Fit::none;
  std::string job;  ///< empty: of several

  void take(Fit by, const std::string& name) {
    if (by > fit) return;
    if (by == fit && name != job) return job.clear();
    fit = by;
    job = name;
  }
};

/// A job of Slurm that metrics may mean.  Slurm uses ids again, and so do other clusters.
struct SlurmRun {
  std::string job;
  Instant from, until;
};

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// The five characters behind the names of pods that a Job creates.
bool is_random(std::string_view text) {
  constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
  return text.size() == 5 && text.find_first_not_of(letters) == text.npos;
}

bool is_role(std::string_view text) {
  for (const std::string_view role : {"worker", "master", "chief", "ps", "launcher"}) {
    if (text == role) return true;
  }
  return false;
}

/// Takes the part behind the last hyphen off; empty if there is none.
std::string_view take_last(std::string_view& name) {
  const std::size_t hyphen = name.rfind('-');
  if (hyphen == name.npos) return {};
  const std::string_view last = name.substr(hyphen + 1);
  name = name.substr(0, hyphen);
  return last;
}

/// The jobs whose operators may call a pod so: JOB-ROLE-NUMBER of the training operator; JOB-RANDOM
/// and JOB-INDEX-RANDOM of Jobs.
std::vector<std::string> jobs_named_by_pod(std::string_view pod) {
  std::vector<std::string> jobs;
  std::string_view rest = pod;
  const std::string_view last = take_last(rest);
  std::string_view shorter = rest;
  const std::string_view before = take_last(shorter);
  if (is_random(last)) jobs.emplace_back(rest);
  const bool is_replica = is_role(before) && is_number(last);
  if (is_replica || (is_number(before) && is_random(last))) jobs.emplace_back(shorter);
  return jobs;
}

std::string_view behind_slash(std::string_view name) {
  return name.substr(name.rfind('/') + 1);  // all of it without one
}

/// The jobs of all names that series have.
class SeriesJobs {
 public:
  explicit SeriesJobs(const History& history) {
    for (const UtilizationSeries& series : history.series) {
      if (!series.job.empty()) by_name_.try_emplace(series.job);
    }
    for (const auto& [pod, job] : history.jobs_of_pods) {
      if (const auto found = by_name_.find(pod); found != by_name_.end()) {
        found->second = {Fit::pod, job};
      }
    }
    for (auto& [name, found] : by_name_) {
      for (std::string& job : jobs_named_by_pod(name)) by_operator_.emplace(std::move(job), &found);
    }
  }

  void add(const HistoryJob& job) {
    const std::string& name = job.record.job_id;
    take(name, Fit::name, name);
    take(job.runs_as, Fit::alias, name);
    if (job.source == "slurm") {
      take(behind_slash(job.resource), Fit::alias, name);
      add_run(job);
    }
    if (job.source != "kubernetes") return;
    const std::string_view own = std::string_view{name}.substr(0, name.find('@'));
    take_operator(own, name);
    if (behind_slash(own) != own) take_operator(behind_slash(own), name);
  }

  const std::map<std::string, Found, std::less<>>& all() const { return by_name_; }

  /// The jobs of Slurm that a name may mean; null unless they are several, and no other job is it.
  const std::vector<SlurmRun>* runs_of(std::string_view name) const {
    const auto runs = runs_.find(name);
    if (runs == runs_.end() || runs->second.size() < 2) return nullptr;
    const std::string& job = by_name_.find(name)->second.job;
    const bool is_one = std::any_of(runs->second.begin(), runs->second.end(),
                                    [&](const SlurmRun& run) { return run.job == job; });
    return is_one || job.empty() ? &runs->second : nullptr;
  }

 private:
  /// By its raw id, and by its id without cluster and day.
  void add_run(const HistoryJob& job) {
    if (!job.started) return;
    const std::string_view id = behind_slash(job.record.job_id);
    const std::string_view own = id.substr(0, id.find('@')), raw = behind_slash(job.resource);
    const SlurmRun run{job.record.job_id, *job.started, job.ended.value_or(Instant::max())};
    if (by_name_.contains(own)) runs_[std::string{own}].push_back(run);
    if (raw != own && by_name_.contains(raw)) runs_[std::string{raw}].push_back(run);
  }

  void take(std::string_view metrics, Fit by, const std::string& job) {
    if (metrics.empty()) return;
    if (const auto found = by_name_.find(metrics); found != by_name_.end()) {
      found->second.take(by, job);
    }
  }
  void take_operator(std::string_view named, const std::string& job) {
    const auto [first, last] = by_operator_.equal_range(named);
    for (auto next = first; next != last; ++next) next->second->take(Fit::operator_name, job);
  }

  std::map<std::string, Found, std::less<>> by_name_;
  std::multimap<std::string, Found*, std::less<>> by_operator_;
  std::map<std::string, std::vector<SlurmRun>, std::less<>> runs_;
};

/// Gives each sample of a series to the job that ran then.
class SplitSeries {
 public:
  explicit SplitSeries(const std::vector<SlurmRun>& runs) : runs_{runs}, parts_(runs.size()) {}

  /// Moves the samples out.  A sample of several jobs at one time is left out.
  void split(UtilizationSeries& series, std::vector<UtilizationSeries>& into) {
    const std::vector<Duration> periods = periods_of(series);
    auto period = periods.begin();
    for (const UtilizationSample& sample : series.samples) {
      if (const auto run = run_at(sample.at, *period++)) parts_[*run].push_back(sample);
    }
    series.samples = {};
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      if (parts_[run].empty()) continue;
      UtilizationSeries part = series;
      part.job = runs_[run].job;
      part.samples = std::move(parts_[run]);
      into.push_back(std::move(part));
    }
  }
  bool is_unclear() const { return is_unclear_; }

 private:
  std::optional<std::size_t> run_at(Instant at, Duration period) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const bool begins = runs_[i].from > at && runs_[i].from - at < period && !found;
      const bool runs = runs_[i].from <= at && at < runs_[i].until;
      if (!begins && !runs) continue;
      const bool is_surer = found && runs && runs_[*found].from > at;
      if (found && !is_surer) return is_unclear_ = true, std::nullopt;
      found = i;
    }
    return found;
  }

  const std::vector<SlurmRun>& runs_;
  std::vector<PackedSamples> parts_;
  bool is_unclear_ = false;
};

void tell(const SeriesJobs& jobs, std::uint64_t nameless, FileFindings& findings) {
  std::uint64_t unclear = 0, unknown = 0;
  std::string_view first;
  for (const auto& [name, found] : jobs.all()) {
    if (found.fit == Fit::none && unknown++ == 0) first = name;
    const bool is_unclear = found.fit != Fit::none && found.job.empty();
    if (is_unclear && jobs.runs_of(name) == nullptr) ++unclear;
  }
  if (unclear > 0) {
    findings.warn("W0634", 0,
                  fmt::format("metrics of {} that may be of several jobs", counted(unclear, "pod")),
                  "they are not used; export the pods too");
  }
  if (unknown > 0) {
    findings.warn("W0637", 0,
                  fmt::format("metrics with {} of no job in the files", counted(unknown, "name")),
                  fmt::format("they are not used; the first is {}", in_quotes(first)));
  }
  if (nameless > 0) {
    findings.warn("W0638", 0,
                  fmt::format("{} of metrics without a job",
                              nameless == 1 ? "1 series" : fmt::format("{} series", nameless)),
                  "idle GPUs have none; else --job names it");
  }
}

}  // namespace

void join_series(History& history, const PackedJobs& jobs, FileFindings& findings) {
  if (history.series.empty()) return;
  SeriesJobs found{history};
  for (const HistoryJob& job : jobs) found.add(job);
  std::uint64_t nameless = 0;
  history.series_by_name.clear();  // all is read
  std::vector<UtilizationSeries> parts;
  std::set<std::string> unclear;
  for (UtilizationSeries& series : history.series) {
    if (series.job.empty()) ++nameless;
    if (const auto* runs = found.runs_of(series.job)) {
      SplitSeries split{*runs};
      split.split(series, parts);
      if (split.is_unclear()) unclear.insert(series.job);
      series.job.clear();
      continue;
    }
    const auto known = found.all().find(series.job);
    if (known == found.all().end() || known->second.job.empty()) continue;
    const Fit fit = known->second.fit;
    if (fit == Fit::pod || fit == Fit::operator_name) series.host = series.job;
    series.job = known->second.job;
  }
  std::erase_if(history.series, [](const UtilizationSeries& series) {
    return series.job.empty() && series.samples.empty();
  });
  std::move(parts.begin(), parts.end(), std::back_inserter(history.series));
  if (!unclear.empty()) {
    findings.warn("W0634", 0,
                  fmt::format("metrics with {} of several jobs of Slurm at one time",
                              counted(unclear.size(), "id")),
                  "they are not used for that time; import each cluster by itself");
  }
  tell(found, nameless, findings);
}

}  // namespace reeve::scenarios
