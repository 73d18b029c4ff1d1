#include "app/files/trace_text.hpp"

#include <string>
#include <string_view>
#include <type_traits>

#include "report/csv.hpp"

namespace reeve::app {
namespace {

using policy::Duration;
using report::CsvWriter;
using scenarios::ImportedJob;

void write(CsvWriter& csv, const std::string& text) {
  csv.verbatim(text);
}
void write(CsvWriter& csv, std::int64_t number) {
  csv.integer(number);
}
void write(CsvWriter& csv, double number) {
  csv.number(number);
}
void write(CsvWriter& csv, bool yes) {
  csv.integer(yes ? 1 : 0);
}
void write(CsvWriter& csv, Duration length) {
  csv.seconds(length);
}
void write(CsvWriter& csv, policy::Usd amount) {
  csv.usd(amount);
}
void write(CsvWriter& csv, scenarios::EndStatus status) {
  csv.verbatim(name_of(status));
}
void write(CsvWriter& csv, scenarios::EndCause cause) {
  csv.verbatim(name_of(cause));
}
void write(CsvWriter& csv, policy::Market market) {
  csv.verbatim(policy::market_names[static_cast<std::size_t>(market)]);
}
template <class Value>
void write(CsvWriter& csv, const std::optional<Value>& value) {
  value ? write(csv, *value) : csv.empty();
}

/// How the cells of a column are written.
struct Cells {
  void (*put)(CsvWriter& csv, const ImportedJob& job);
  /// Whether the job has a value: of columns that few logs have; null: all logs have it.
  bool (*has)(const ImportedJob& job) = nullptr;
};

template <auto member>
constexpr Cells usual{[](CsvWriter& csv, const ImportedJob& job) { write(csv, job.*member); }};

template <auto member>
constexpr Cells rare{usual<member>.put, [](const ImportedJob& job) {
                       if constexpr (std::is_same_v<decltype(job.*member), const std::string&>) {
                         return !(job.*member).empty();
                       } else {
                         return (job.*member).has_value();
                       }
                     }};

/// In the order of scenarios::trace_columns().
constexpr std::array<Cells, scenarios::TraceOrder::column_count> cells{
    usual<&ImportedJob::job_id>,        usual<&ImportedJob::submit>,
    usual<&ImportedJob::user>,          usual<&ImportedJob::queue>,
    usual<&ImportedJob::nodes>,         usual<&ImportedJob::gpus_per_node>,
    usual<&ImportedJob::gpus_total>,    usual<&ImportedJob::gpu_milli>,
    usual<&ImportedJob::gpu_type>,      usual<&ImportedJob::duration>,
    usual<&ImportedJob::end_status>,    usual<&ImportedJob::failure_reason>,
    usual<&ImportedJob::gpu_util_mean>, usual<&ImportedJob::priority>,
    usual<&ImportedJob::preemptible>,   usual<&ImportedJob::observed_wait>,
    usual<&ImportedJob::attempts>,      rare<&ImportedJob::weight>,
    rare<&ImportedJob::estimate>,       rare<&ImportedJob::time_limit>,
    rare<&ImportedJob::instance_type>,  rare<&ImportedJob::market>,
    rare<&ImportedJob::censored>,       rare<&ImportedJob::max_wait>,
    rare<&ImportedJob::startup>,        rare<&ImportedJob::interruptions>,
    rare<&ImportedJob::restarts>,       rare<&ImportedJob::lost>,
    rare<&ImportedJob::stalled>,        rare<&ImportedJob::billed>,
    rare<&ImportedJob::billed_usd>,     rare<&ImportedJob::list_usd>,
    rare<&ImportedJob::end_cause>,      rare<&ImportedJob::sweep>,
};

void write_tags(CsvWriter& csv, const ImportedJob& job, const TraceColumns& columns) {
  for (const std::string& key : columns.tags()) {
    std::string_view found;
    for (const auto& [own, value] : job.tags) {
      if (own == key) found = value;
    }
    csv.verbatim(found);
  }
}

}  // namespace

TraceColumns::TraceColumns() {
  for (std::size_t column = 0; column < cells.size(); ++column) {
    used_[column] = cells[column].has == nullptr;
  }
}

void TraceColumns::note(const ImportedJob& job) {
  for (std::size_t column = 0; column < cells.size(); ++column) {
    if (!used_[column]) used_[column] = cells[column].has(job);
  }
  for (const auto& [key, value] : job.tags) {
    if (!tags_.contains(key)) tags_.insert(key);
  }
}

void write_trace(std::ostream& out, const TraceColumns& columns, const EachJob& for_each) {
  CsvWriter csv{out, "the trace"};
  const auto names = scenarios::trace_column_names();
  for (std::size_t column = 0; column < cells.size(); ++column) {
    if (columns.has(column)) csv.verbatim(names[column]);
  }
  for (const std::string& key : columns.tags()) {
    csv.verbatim(std::string{scenarios::tag_prefix}.append(key));
  }
  csv.end_row();
  for_each([&](const ImportedJob& job) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (columns.has(column)) cells[column].put(csv, job);
    }
    write_tags(csv, job, columns);
    csv.end_row();
  });
  csv.flush();
}

void write_trace(std::ostream& out, const EachJob& for_each) {
  TraceColumns columns;
  for_each([&](const ImportedJob& job) { columns.note(job); });
  write_trace(out, columns, for_each);
}

}  // namespace reeve::app
