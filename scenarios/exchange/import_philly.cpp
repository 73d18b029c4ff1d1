// Microsoft's Philly log as it was published (cluster_job_log): one JSON object per job, with the
// machines and GPUs of each attempt.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/exchange/import_readers.hpp"
#include "scenarios/exchange/job_columns.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/csv_header.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

constexpr std::size_t limit = std::size_t{512} << 20;

Node philly_member(const Node& object, std::string_view key) {
  if (const auto found = object.find(key)) return *found;
  throw InputError{at(object, "E0321", "the job has no " + std::string{key}, "needed")};
}

/// Nothing where the log has null or "None".
std::optional<Instant> stamp(const Node& object, std::string_view key) {
  const auto node = object.find(key);
  if (!node || node->is_null()) return std::nullopt;
  const std::string_view written = node->as_text();
  if (written.empty() || written == "None") return std::nullopt;
  return read_stamp(written, JsonCell{*node, key});
}

std::string text_at(const Node& object, std::string_view key) {
  const auto node = object.find(key);
  return node && node->is_text() ? std::string{node->as_text()} : std::string{};
}

EndStatus philly_status(const Node& job) {
  const std::string written = text_at(job, "status");
  if (written.empty()) return EndStatus::unknown;
  if (const auto known = end_status_named(written)) return *known;
  throw InputError{at(philly_member(job, "status"), "E0325",
                      fmt::format("unknown end status {}", in_quotes(written)), "not a known word")
                       .with_help(help_for_end_status(written))};
}

/// The machines of the last attempt: what the job finally asked for.
void read_machines(const Node& attempt, ImportedJob& job) {
  const auto detail = attempt.find("detail");
  if (!detail) return;
  std::int64_t gpus = 0;
  std::int64_t most = 0;
  for (const Node& machine : detail->as_array()) {
    const auto there = static_cast<std::int64_t>(philly_member(machine, "gpus").size());
    gpus += there;
    most = std::max(most, there);
  }
  job.nodes = static_cast<std::int64_t>(detail->size());
  job.gpus_total = gpus;
  if (*job.nodes * most == gpus) job.gpus_per_node = most;
}

void read_attempts(const Node& attempts, Instant submitted, ImportedJob& job,
                   std::vector<Diagnostic>& warnings) {
  job.attempts = static_cast<std::int64_t>(attempts.size());
  Duration ran{};
  std::optional<Instant> first;
  for (const Node& attempt : attempts.as_array()) {
    const auto began = stamp(attempt, "start_time"), ended = stamp(attempt, "end_time");
    if (began && (!first || *began < *first)) first = began;
    if (began && ended) {
      if (*ended < *began) {
        throw InputError{at(philly_member(attempt, "end_time"), "E0330",
                            "end_time is before start_time", "times out of order")};
      }
      ran = ran_longer(ran, *ended - *began);
      job.duration = ran;
    }
    read_machines(attempt, job);
  }
  if (first && *first >= submitted) job.observed_wait = *first - submitted;
  if (first && *first < submitted && warnings.size() < most_warnings) {
    warnings.push_back(as_warning(at(attempts, "W0303", "the job began before it was submitted",
                                     "its wait is treated as unknown")));
  }
}

}  // namespace

ImportedJobs read_philly_log(std::string name, std::unique_ptr<std::istream> input) {
  std::string text = read_whole(name, std::move(input), limit);
  const Document log =
      Document::parse(SourceFile::from_text(std::move(name), std::move(text), limit));
  std::vector<std::pair<Instant, ImportedJob>> dated;
  std::vector<Diagnostic> warnings;
  for (const Node& entry : log.root().as_array()) {
    const Node submitted = philly_member(entry, "submitted_time");
    const auto when = read_stamp(submitted.as_text(), JsonCell{submitted, "submitted_time"});
    ImportedJob job;
    job.job_id = philly_member(entry, "jobid").as_text();
    job.line = entry.source().position(entry.offset()).line;
    job.user = text_at(entry, "user");
    job.queue = text_at(entry, "vc");
    job.end_status = philly_status(entry);
    read_attempts(philly_member(entry, "attempts"), when, job, warnings);
    dated.emplace_back(when, std::move(job));
  }
  ImportedJobs imported = from_dates(std::move(dated));
  imported.warnings = std::move(warnings);
  return imported;
}

}  // namespace reeve::scenarios
