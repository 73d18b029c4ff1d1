#include "scenarios/history/runnable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "scenarios/history/data/text_table.hpp"
#include "scenarios/history/regions.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::int64_t most_instances = 1'000'000;
constexpr std::int64_t most_gpus = 1'000;  ///< of one instance

bool never_ran(const ImportedJob& job) {
  return job.end_status == EndStatus::never_started || job.end_status == EndStatus::pending;
}

/// Why the replay cannot run the job; empty if it can.
std::string_view defect_of(const ImportedJob& job, bool by_nodes) {
  if (never_ran(job)) return {};
  const auto size = by_nodes ? job.nodes : job.gpus_total;
  if (size.value_or(0) <= 0) return by_nodes ? "without instances" : "without GPUs";
  if (*size > most_instances) return "of more than 1,000,000 instances";
  if (!job.duration) return "without a duration";
  if (*job.duration < Duration{0}) return "with an end before the start";
  if (*job.duration > longest_duration / 2) return "of more than 50 years";
  if (job.gpus_per_node.value_or(0) > most_gpus) return "of more than 1,000 GPUs per instance";
  return {};
}

/// Makes it text that a trace and a scenario can have.  Whether that changed it.
bool tidy_text(std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const auto first = std::find_if(text.begin(), text.end(), is_control);
  std::replace_if(first, text.end(), is_control, '_');
  return first != text.end();
}

bool tidy_tags(ImportedJob& job) {
  bool is_changed = false;
  for (auto& [key, value] : job.tags) {
    for (std::string* text : {&key, &value}) is_changed = tidy_text(*text) || is_changed;
  }
  const auto left_out = std::erase_if(job.tags, [](const auto& tag) {
    return tag.first.empty() || tag.second.empty() || tag.second == "(untagged)";
  });
  return is_changed || left_out > 0;
}

/// Whether that changed it.
bool tidy_record(ImportedJob& job) {
  bool is_changed = tidy_tags(job);
  for (std::string* text : {&job.job_id, &job.user, &job.queue, &job.sweep, &job.failure_reason}) {
    is_changed = tidy_text(*text) || is_changed;
  }
  for (auto* time : {&job.time_limit, &job.max_wait, &job.startup, &job.lost, &job.stalled,
                     &job.billed, &job.observed_wait, &job.estimate}) {
    if (!*time || (**time >= Duration{0} && **time <= longest_duration / 2)) continue;
    time->reset();
    is_changed = true;
  }
  if (job.priority && *job.priority != static_cast<std::int32_t>(*job.priority)) {
    job.priority.reset();
    is_changed = true;
  }
  return is_changed;
}

}  // namespace

void keep_runnable(JoinedHistory& joined, const Bill& bill) {
  std::map<std::string_view, std::uint64_t> dropped;
  TextTable names;
  std::size_t kept = 0;
  joined.jobs.rewrite([&](HistoryJob& job) {
    const std::string_view defect = defect_of(job.record, joined.by_nodes);
    if (!defect.empty()) return ++dropped[defect], JobPass::left_out;
    bool is_changed = tidy_record(job.record);
    std::string& name = job.record.job_id;
    const auto has_name = [&](std::size_t place) { return joined.jobs.name(place) == name; };
    for (; names.find(name, has_name); is_changed = true) name += '_';
    names.add(name, kept++);
    return is_changed ? JobPass::changed : JobPass::left_as_is;
  });
  for (const auto& [defect, count] : dropped) {
    Diagnostic found = about_trace("", "W0633", fmt::format("{} {}", counted(count, "job"), defect),
                                   "the replay leaves them out", Severity::warning);
    joined.warnings.push_back(std::move(found));
  }
  split_regions(joined, bill);
  count_machines(joined, bill);
  if (!joined.machines.empty()) return;
  throw InputError{about_trace("", "E0403",
                               "no job in the files ran, so there is nothing to replay",
                               "add what describes jobs that ran")};
}

}  // namespace reeve::scenarios
