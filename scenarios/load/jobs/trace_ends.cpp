#include "scenarios/load/jobs/trace_ends.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace reeve::scenarios {
namespace {
constexpr std::string_view run_help =
    "set \"end_status\": \"ignore\" to run them for their duration_s";
}  // namespace

bool ends_from_outside(EndStatus status) {
  switch (status) {
    case EndStatus::killed:
    case EndStatus::timeout:
    case EndStatus::node_failure:
    case EndStatus::preempted:
    case EndStatus::running:
    case EndStatus::killed_or_running:
      return true;
    case EndStatus::unknown:
    case EndStatus::completed:
    case EndStatus::failed:
    case EndStatus::out_of_memory:
    case EndStatus::never_started:
    case EndStatus::pending:
      break;
  }
  return false;
}

bool TraceEnds::never_started(const TraceReader& reader, const TraceRow& row) {
  if (!replays_) return false;
  const auto leave_out = [&](LeftOut& rows, std::string_view code) {
    if (++rows.count > 1) return;
    rows.first = reader.at("end_status", code, {}, "left out, with all such rows");
  };
  switch (row.end_status) {
    case EndStatus::never_started:
      leave_out(never_started_, "W0605");
      return true;
    case EndStatus::pending:
      leave_out(pending_, "W0611");
      return true;
    default:
      return false;
  }
}

models::WorkEnd TraceEnds::end_of(const TraceRow& row, bool is_drawn) {
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
    case EndStatus::running:
      if (!is_drawn && ++running_.count == 1) running_.first = row.line;
      return models::WorkEnd::running;
    case EndStatus::killed_or_running:
      if (++perhaps_running_.count == 1) perhaps_running_.first = row.line;
      break;
    case EndStatus::unknown:
    case EndStatus::completed:
    case EndStatus::never_started:  // such rows are left out
    case EndStatus::pending:
      break;
  }
  return models::WorkEnd::completed;
}

void TraceEnds::report_running(Loading& loading, std::uint64_t jobs) const {
  const Node written = *loading.input.workload->written;
  const Node node = written.find("trace").value_or(written);
  if (running_.count > 0) {
    loading.warning(node, "W0610",
                    fmt::format("{} of the trace's {} still ran when the log ended", running_.count,
                                counted(jobs, "job")),
                    fmt::format("replayed as stopped after what the log has of them; the first "
                                "is on line {}",
                                running_.first));
  }
  if (perhaps_running_.count == 0) return;
  loading.warning(node, "W0604",
                  fmt::format("{} of the trace's {} may still have been running when the log "
                              "ended",
                              perhaps_running_.count, counted(jobs, "job")),
                  fmt::format("replayed as completed after what the log has of them; the first "
                              "is on line {}",
                              perhaps_running_.first),
                  "leave such rows out, or set \"end_status\": \"ignore\"");
}

Diagnostic TraceEnds::none_started() const {
  Diagnostic error = never_started_.first ? *never_started_.first : pending_.first.value();
  error.code = "E0320";
  error.message = "none of the trace's jobs started";
  error.label = "such rows have no work to replay";
  return std::move(error).with_help(std::string{run_help});
}

void TraceEnds::report_never_started(Loading& loading, std::uint64_t jobs) const {
  const std::uint64_t all = jobs + never_started_.count + pending_.count;
  const auto report = [&](const LeftOut& rows, std::string_view how) {
    if (!rows.first) return;
    Diagnostic warning = *rows.first;
    warning.severity = Severity::warning;
    warning.message = fmt::format("{} of the trace's {} {}", rows.count, counted(all, "job"), how);
    loading.findings.add(std::move(warning).with_help(std::string{run_help}));
  };
  report(never_started_, "never started");
  report(pending_, "still waited when the log ended");
}

}  // namespace reeve::scenarios
