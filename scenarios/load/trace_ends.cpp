#include "scenarios/load/trace_ends.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace reeve::scenarios {
namespace {
constexpr std::string_view run_help =
    "set \"end_status\": \"ignore\" to run them for their duration_s";
}  // namespace

bool TraceEnds::never_started(const TraceReader& reader, const TraceRow& row) {
  if (!replays_ || row.end_status != EndStatus::never_started) return false;
  if (++never_started_ == 1) {
    first_never_started_ = reader.at("end_status", "W0605", {}, "left out, with all such rows");
  }
  return true;
}

models::WorkEnd TraceEnds::end_of(const TraceRow& row) {
  if (!replays_) return models::WorkEnd::completed;
  switch (row.end_status) {
    case EndStatus::failed:
      return models::WorkEnd::failed;
    case EndStatus::out_of_memory:
      return models::WorkEnd::out_of_memory;
    case EndStatus::node_failure:
      return models::WorkEnd::node_failure;
    case EndStatus::killed:
    case EndStatus::preempted:
      return models::WorkEnd::stopped;
    case EndStatus::timeout:
      return models::WorkEnd::time_limit;
    case EndStatus::killed_or_running:
      if (++running_ == 1) first_running_ = row.line;
      break;
    case EndStatus::unknown:
    case EndStatus::completed:
    case EndStatus::never_started:  // such rows are left out
      break;
  }
  return models::WorkEnd::completed;
}

void TraceEnds::report_running(Loading& loading, std::uint64_t jobs) const {
  if (running_ == 0) return;
  const Node node = *loading.input.workload->written;
  loading.warning(node.find("trace").value_or(node), "W0604",
                  fmt::format("{} of the trace's {} may still have been running when the log "
                              "ended",
                              running_, counted(jobs, "job")),
                  fmt::format("replayed as completed after what the log has of them; the first "
                              "is on line {}",
                              first_running_),
                  "leave such rows out, or set \"end_status\": \"ignore\"");
}

Diagnostic TraceEnds::none_started() const {
  Diagnostic error = first_never_started_.value();
  error.code = "E0320";
  error.message = "none of the trace's jobs started";
  error.label = "such rows have no work to replay";
  return std::move(error).with_help(std::string{run_help});
}

void TraceEnds::report_never_started(Loading& loading, std::uint64_t jobs) const {
  if (!first_never_started_) return;
  Diagnostic warning = *first_never_started_;
  warning.severity = Severity::warning;
  warning.message = fmt::format("{} of the trace's {} never started", never_started_,
                                counted(jobs + never_started_, "job"));
  loading.findings.add(std::move(warning).with_help(std::string{run_help}));
}

}  // namespace reeve::scenarios
