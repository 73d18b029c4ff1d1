#include "scenarios/history/slurm/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scenarios/history/data/history.hpp"
#include "scenarios/history/slurm/attempts.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
using Record = KeptRecord;

constexpr Duration reuse_gap = std::chrono::hours{24};  ///< ids are used again much later
constexpr std::size_t most_open = 16;                   ///< jobs of one id at a time

/// Whether Slurm may queue the job again after such a record.
bool may_go_on(SlurmState state) {
  return state == SlurmState::requeued || state == SlurmState::preempted ||
         state == SlurmState::node_fail || state == SlurmState::resizing ||
         state == SlurmState::running || state == SlurmState::pending;
}

auto job_key(const Record& record) {
  return std::tuple{record.cluster, record.job, record.task};
}

bool has_same_id(const Record& a, const Record& b) {
  return job_key(a) == job_key(b) && a.part == b.part;
}

bool may_be_of_one_user(const Record& a, const Record& b) {
  return a.user == b.user || a.user == 0 || b.user == 0;
}

/// Whether two records tell of one run of a job.
bool is_same_run(const Record& a, const Record& b) {
  if (!has_same_id(a, b) || a.submit != b.submit || !may_be_of_one_user(a, b)) return false;
  if (a.has_start && a.start != b.start && !b.is_cut) return false;
  return a.state != SlurmState::resizing || (b.state == a.state && b.end == a.end);
}

/// Whether the job of `before` ended long before `after`: Slurm uses ids again, months later.
bool is_over(const Record& before, const Record& after) {
  const Instant last = before.has_end ? std::max(before.end, before.submit) : before.submit;
  return !may_go_on(before.state) && after.submit > last + reuse_gap;
}

/// Whether both ran at a time.
bool overlap(const Record& a, const Record& b) {
  const auto end = [](const Record& record) {
    return record.start + std::max(Duration{0}, record.elapsed);
  };
  const bool ran = a.ran && a.has_start && b.ran && b.has_start;
  return ran && a.start < end(b) && b.start < end(a);
}

/// Whether records of one id cannot be of one job: without a name, clusters are one.
bool contradict(const Record& before, const Record& after) {
  if (!may_be_of_one_user(before, after)) return true;
  const bool may_be_two_clusters = !before.names_cluster || !after.names_cluster;
  return may_be_two_clusters && before.submit != after.submit && overlap(before, after);
}

class SlurmJoin {
 public:
  SlurmJoin(History& history, std::optional<Instant> as_of)
      : history_{history},
        as_of_{as_of},
        names_{history.slurm.names()},
        findings_{history.files},
        attempts_{names_, history.files, findings_} {}

  void run() {
    drop_repeats();
    home_ = names_.text(history_.slurm.home());
    begin_ = history_.jobs.size();
    history_.slurm.take_each([&](const Record& record) { take(record); });
    close_all();
    sum_up_parts();
    findings_.tell();
  }

 private:
  using Attempts = std::vector<Record>;

  void drop_repeats();
  bool is_older(const Record& record, const Record& other) const;
  void tell_repeat(const Record& record, const Record& known);
  void take(const Record& record);
  void tell_contradiction(const Record& record, const Record& other);
  void close(std::size_t place);
  void close_all();
  void add(const Attempts& attempts);
  bool join_part(const std::string& id, const HistoryJob& part);
  void sum_up_parts();
  std::string id_of(const Record& record) const;
  std::string new_name(const std::string& id, Instant submitted);

  History& history_;
  std::optional<Instant> as_of_;
  const SlurmNames& names_;
  LateFindings findings_;
  SlurmAttempts attempts_;
  std::string home_;            ///< the cluster whose name does not stand before its job ids
  std::vector<Attempts> open_;  ///< jobs of one id that may go on; behind `opened_`, spare ones
  std::size_t opened_ = 0;
  Record last_;                             ///< the record before
  std::size_t begin_ = 0;                   ///< of the jobs of the id at hand
  std::set<std::string> renamed_;           ///< jobs of the id at hand that are called ID@...
  std::vector<std::size_t> heterogeneous_;  ///< jobs that may get further parts
};

/// Of two records of one run: whether the first was exported before the second.
bool SlurmJoin::is_older(const Record& record, const Record& other) const {
  const auto age = [&](const Record& each) {
    return std::tuple{is_slurm_end(each.state), each.has_end ? each.end : Instant{}, each.elapsed,
                      history_.files.at(each.file).newest};
  };
  return age(record) < age(other);
}

void SlurmJoin::tell_repeat(const Record& record, const Record& known) {
  const std::string where =
      known.file == record.file ? std::string{} : " of " + history_.files.at(known.file).file;
  findings_.of(record.file)
      .warn("W0620", record.line,
            fmt::format("job {} stands on line {}{} too; the newer counts", record.job, known.line,
                        where));
}

/// Of several records of one run the newest counts.
void SlurmJoin::drop_repeats() {
  SlurmRecords& records = history_.slurm;
  records.sort();
  std::vector<std::size_t> repeats;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> rows;  // with a repeat: file and line
  Record known;
  std::size_t place = 0, next = 0;  // of `known`, and of the record at hand
  records.for_each(0, [&](const Record& record) {
    const std::size_t here = next++;
    if (here == 0 || !is_same_run(known, record)) {
      known = record;
      place = here;
      return;
    }
    tell_repeat(record, known);
    const bool is_newer = !is_older(record, known);
    const Record& dropped = is_newer ? known : record;
    rows.emplace_back(dropped.file, dropped.line);
    repeats.push_back(is_newer ? std::exchange(place, here) : here);
    if (is_newer) known = record;
  });
  if (repeats.empty()) return;
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());  // a row may have many tasks
  for (const auto& [file, line] : rows) --history_.files.at(file).used;
  std::sort(repeats.begin(), repeats.end());
  auto repeat = repeats.begin();
  next = 0;
  records.keep_if(0, [&](const Record&) {
    const bool is_repeat = repeat != repeats.end() && *repeat == next++;
    if (is_repeat) ++repeat;
    return !is_repeat;
  });
}

void SlurmJoin::tell_contradiction(const Record& record, const Record& other) {
  const std::string& file = history_.files.at(other.file).file;
  findings_.of(record.file)
      .warn("W0618", record.line,
            fmt::format("job {} of line {} of {} contradicts this one; they are two jobs",
                        record.job, other.line, file),
            "export with the column Cluster");
}

/// Each record goes to the last job that it can go on with.
void SlurmJoin::take(const Record& record) {
  if (opened_ > 0 && !has_same_id(last_, record)) close_all();
  if (job_key(last_) != job_key(record)) {
    begin_ = history_.jobs.size();
    renamed_.clear();
  }
  last_ = record;
  for (std::size_t place = opened_; place-- > 0;) {
    if (is_over(open_[place].back(), record)) {
      close(place);
    } else if (!contradict(open_[place].back(), record)) {
      return open_[place].push_back(record);
    }
  }
  if (opened_ > 0) tell_contradiction(record, open_[opened_ - 1].back());
  if (opened_ == most_open) close(0);
  if (opened_ == open_.size()) open_.emplace_back();
  open_[opened_++].push_back(record);
}

void SlurmJoin::close(std::size_t place) {
  add(open_[place]);
  open_[place].clear();
  const auto first = open_.begin() + static_cast<std::ptrdiff_t>(place);
  std::rotate(first, first + 1, open_.begin() + static_cast<std::ptrdiff_t>(opened_--));
}

void SlurmJoin::close_all() {
  while (opened_ > 0) close(0);
}

/// "5030", "5030_7"; "cluster/5030" for a second cluster.
std::string SlurmJoin::id_of(const Record& record) const {
  const std::string id = record.task >= 0 ? fmt::format("{}_{}", record.job, record.task)
                                          : fmt::format_int(record.job).str();
  const std::string& cluster = names_.text(record.cluster);
  return cluster == home_ ? id : cluster + '/' + id;
}

/// A further job of an id is called ID@DAY; several of a day, by the second and then by number.
std::string SlurmJoin::new_name(const std::string& id, Instant submitted) {
  if (history_.jobs.size() == begin_) return id;
  const std::string time = show(submitted);
  std::string name = fmt::format("{}@{}", id, time.substr(0, 10));
  for (std::size_t more = 1; !renamed_.insert(name).second; ++more) {
    name = more == 1 ? fmt::format("{}@{}", id, time) : fmt::format("{}@{}#{}", id, time, more);
  }
  return name;
}

void SlurmJoin::add(const Attempts& attempts) {
  HistoryJob job = attempts_.job_of(attempts);
  const Record& last = attempts.back();
  const std::string id = id_of(last);
  if (last.part >= 0 && join_part(id, job)) return;
  job.record.job_id = new_name(id, job.submitted);
  if (last.part >= 0) {
    heterogeneous_.push_back(history_.jobs.size());
  } else {
    sum_up(job, as_of_ ? as_of_ : job.seen);
  }
  history_.jobs.add(job);
}

/// Jobs whose parts are all known now.
void SlurmJoin::sum_up_parts() {
  for (const std::size_t place : heterogeneous_) {
    HistoryJob job = history_.jobs.at(place);
    if (sum_up(job, as_of_ ? as_of_ : job.seen)) history_.jobs.replace(place, job);
  }
}

/// Adds what a further part of a heterogeneous job holds to the job.
bool SlurmJoin::join_part(const std::string& id, const HistoryJob& part) {
  HistoryJob whole;
  std::size_t place = history_.jobs.size();
  for (bool is_found = false; !is_found;) {
    if (place-- == begin_) return false;
    const std::string_view name = history_.jobs.name(place);
    if (name.substr(0, name.find('@')) != id) return false;
    history_.jobs.unpack(place, whole);
    is_found = whole.record.user == part.record.user &&
               whole.submitted - part.submitted < reuse_gap &&
               part.submitted - whole.submitted < reuse_gap;
  }
  const auto add = [](std::optional<std::int64_t>& to, std::optional<std::int64_t> more) {
    if (more) to = to.value_or(0) + *more;
  };
  ImportedJob& job = whole.record;
  add(job.nodes, part.record.nodes);
  add(job.gpus_total, part.record.gpus_total);
  job.gpus_per_node.reset();
  if (job.gpu_type.empty()) job.gpu_type = part.record.gpu_type;
  if (part.record.duration > job.duration) {
    job.duration = part.record.duration;
    if (job.end_status != EndStatus::running) whole.work = part.work;
  }
  whole.sliced = whole.sliced || part.sliced;
  history_.jobs.replace(place, whole);
  return true;
}

}  // namespace

void join_slurm(History& history, std::optional<Instant> as_of) {
  if (history.slurm.size() > 0) SlurmJoin{history, as_of}.run();
}

}  // namespace reeve::scenarios
