// Slurm's accounting as the text of sacct -P or -p.  Sources: sacct(1), slurm/src/common/
// parse_time.c and print_fields.c (the delimiter is not escaped).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scenarios/history/slurm/jobs.hpp"
#include "scenarios/history/slurm/kinds.hpp"
#include "scenarios/history/slurm/rows.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using Column = SlurmRows::Column;

/// Makes records of rows.
class SlurmText {
 public:
  SlurmText(HistoryInput& input, const HistoryOptions& options, History& into)
      : input_{input},
        rows_{input, options},
        jobs_{input, options, into},
        has_starts_{rows_.has(Column::start)} {}

  void read() {
    while (rows_.next()) {
      ++input_.report.records;
      if (!rows_.is_whole()) {
        jobs_.refuse(rows_.line(), rows_.fault());
        continue;
      }
      read_row();
    }
    jobs_.finish();
    input_.report.bytes = rows_.bytes();
  }

 private:
  std::string_view text(Column column) const { return rows_.text(column); }

  void read_row() {
    SlurmRecord record;
    record.line = rows_.line();
    const std::string_view written =
        text(rows_.has(Column::job_id) ? Column::job_id : Column::raw_id);
    const auto id = slurm_id(written);
    if (!id) return refuse("is no job id", written);
    if (id->is_step) return;  // its time is part of the job's
    record.id = *id;
    const auto raw = slurm_id(text(Column::raw_id));
    if (raw) record.raw_id = raw->job;
    const auto state = slurm_state(text(Column::state));
    if (!state) return refuse("is no state of a job", text(Column::state));
    record.state = *state;
    if (!read_times(record) || !read_lengths(record) || !read_resources(record)) return;
    if (!read_names(record)) return;
    read_end(record);
    jobs_.add(record, has_starts_);
  }

  void refuse(std::string_view what, std::string_view text) {
    jobs_.refuse(rows_.line(), fmt::format("{} {}", in_quotes(text), what));
  }

  bool read_times(SlurmRecord& record) {
    const std::array columns{std::pair{Column::submit, &record.submit},
                             std::pair{Column::start, &record.start},
                             std::pair{Column::end, &record.end}};
    for (const auto& [column, to] : columns) {
      *to = slurm_time(text(column));
      if (to->kind == SlurmTime::Kind::relative) {
        throw InputError{rows_
                             .at(column, "E0397",
                                 fmt::format("{} cannot be dated", in_quotes(text(column))),
                                 "relative to the day of the export")
                             .with_help("export with SLURM_TIME_FORMAT=%s")};
      }
      if (to->kind == SlurmTime::Kind::invalid) {
        refuse("is no time", text(column));
        return false;
      }
    }
    return true;
  }

  /// Whole units, or a clock time, or a word for none.
  bool read_length(Column column, Duration unit, std::optional<Duration>& to) {
    const std::string_view written = text(column);
    if (written.find(':') != written.npos) {
      to = slurm_clock(written);
      if (!to) refuse("is no duration", written);
      return to.has_value();
    }
    const auto count = few_digits(written);
    if (count && *count <= longest_run / unit) to = *count * unit;
    return true;
  }

  bool read_lengths(SlurmRecord& record) {
    using std::chrono::minutes, std::chrono::seconds;
    const auto limit = rows_.has(Column::limit_raw) ? Column::limit_raw : Column::limit;
    const auto elapsed = rows_.has(Column::elapsed_raw) ? Column::elapsed_raw : Column::elapsed;
    return read_length(limit, minutes{1}, record.limit) &&
           read_length(elapsed, seconds{1}, record.elapsed);
  }

  bool read_resources(SlurmRecord& record) {
    const bool is_told = rows_.has(Column::allocated) || rows_.has(Column::requested);
    const bool is_allocated = !text(Column::allocated).empty();
    SlurmResources resources;
    const std::string_view list = text(is_allocated ? Column::allocated : Column::requested);
    if (!resources.read(list)) {
      refuse("has a count that cannot be read", list);
      return false;
    }
    record.nodes = few_digits(text(Column::nodes));
    if (!record.nodes) record.nodes = resources.nodes();
    record.gpus = resources.gpus();
    if (!record.gpus && is_told) record.gpus = 0;
    record.has_slices = resources.has_slices();
    gpu_type_ = resources.type();
    if (resources.has_types()) {
      input_.findings.warn("W0622", rows_.line(),
                           fmt::format("job {} has GPUs of a second type", record.id.job),
                           "they are counted as the first");
    }
    return true;
  }

  bool read_names(SlurmRecord& record) {
    const std::array names{std::pair{text(Column::user), &record.user},
                           std::pair{text(Column::partition), &record.partition},
                           std::pair{text(Column::account), &record.account},
                           std::pair{text(Column::cluster), &record.cluster},
                           std::pair{gpu_type_, &record.gpu_type}};
    for (const auto& [name, to] : names) {
      const auto number = jobs_.names().of_plain(name);
      if (!number) {
        refuse("is no plain text", name);
        return false;
      }
      *to = *number;
    }
    return true;
  }

  void read_end(SlurmRecord& record) {
    record.restarts = few_digits(text(Column::restarts));
    const std::string_view exit = text(Column::exit_code);
    const std::size_t colon = std::min(exit.find(':'), exit.size());
    record.exit_code = static_cast<std::int32_t>(few_digits(exit.substr(0, colon)).value_or(0));
    if (colon < exit.size()) {
      record.signal = static_cast<std::int32_t>(few_digits(exit.substr(colon + 1)).value_or(0));
    }
    if (const auto uid = cancelled_by(text(Column::state))) {
      record.stopped_by = jobs_.names().of(fmt::format("uid {}", *uid));
      record.by_person = *uid != 0;
    }
    bool readable = true;
    record.gpu_util = jobstats_gpu_util(text(Column::comment), readable);
    if (!readable) {
      input_.findings.warn(
          "W0642", rows_.line(),
          fmt::format("job {}: the summary of jobstats cannot be read", record.id.job));
    }
  }

  HistoryInput& input_;
  SlurmRows rows_;
  SlurmJobs jobs_;
  std::string_view gpu_type_;
  bool has_starts_;
};

}  // namespace

bool is_slurm(std::string_view head) {
  return SlurmRows::recognizes(head);
}

void read_slurm(HistoryInput& input, const HistoryOptions& options, History& into) {
  SlurmText{input, options, into}.read();
}

}  // namespace reeve::scenarios
