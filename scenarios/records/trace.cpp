#include "scenarios/records/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <istream>
#include <type_traits>
#include <utility>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/clock_time.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/csv_header.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/name_set.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;

using Column = TraceOrder;

// What programs write into a cell they know nothing for.
bool means_unknown(std::string_view text) {
  constexpr std::array<std::string_view, 8> words{"nan",  "na", "n/a", "null",
                                                  "none", "-",  "nat", "?"};
  return std::any_of(words.begin(), words.end(),
                     [text](std::string_view word) { return same_word(text, word); });
}

bool is_infinite(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return same_word(text, "inf") || same_word(text, "infinity");
}

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
constexpr std::int64_t largest_count = 1'000'000'000;

}  // namespace

class TraceReader::Reading {
 public:
  Reading(const std::string& name, std::unique_ptr<std::istream> input, const TraceLimits& limits,
          ColumnNames names)
      : csv_{name, Inflater{name, std::move(input), limits.decompressed_bytes},
             limits.record_bytes} {
    unless_damaged([&] {
      names.usual = usual_trace_names();
      names.prefix = tag_prefix;
      header_ = CsvHeader::read(csv_, trace_column_names(), required_trace_columns(), names);
      warnings_ = header_.warnings();
      check_tags();
    });
  }

  bool next(TraceRow& row) {
    return unless_damaged([&] { return next_row(row); });
  }

  Diagnostic at(std::size_t column, std::string_view code, std::string message,
                std::string label) const {
    const std::size_t field = column < Column::column_count ? header_.field(column) : 0;
    return csv_.at(field == absent_column ? 0 : field, code, std::move(message), std::move(label));
  }

  Diagnostic at(std::string_view column, std::string_view code, std::string message,
                std::string label) const {
    for (const PrefixedColumn& of_tag : header_.prefixed()) {
      if (of_tag.name == column)
        return csv_.at(of_tag.field, code, std::move(message), std::move(label));
    }
    const auto names = trace_column_names();
    const auto found = std::find(names.begin(), names.end(), column);
    return at(static_cast<std::size_t>(found - names.begin()), code, std::move(message),
              std::move(label));
  }

  const std::vector<Diagnostic>& warnings() const { return warnings_; }
  void ignore_end_status() { reads_end_status_ = false; }

 private:
  // Damaged gzip data reads as nonsense before its checksum is reached: then the damage is the
  // message, not the nonsense.
  template <class Step>
  std::invoke_result_t<Step> unless_damaged(Step step) {
    try {
      return step();
    } catch (const InputError&) {
      csv_.check_rest();
      throw;
    }
  }

  bool next_row(TraceRow& row) {
    if (!csv_.next()) {
      if (names_.size() > 0) return false;
      Diagnostic empty;
      empty.code = "E0320";
      empty.file = csv_.name();
      empty.message = "the trace has a header but no jobs";
      throw InputError{std::move(empty)};
    }
    header_.check_width(csv_);
    fill(row);
    return true;
  }

  void fill(TraceRow& row) {
    row.line = csv_.line();
    row.job_id = text(Column::job_id);
    if (row.job_id.empty())
      throw InputError{at(Column::job_id, "E0317", "the job has no id", "empty")};
    read_submission(row);
    row.user = text(Column::user);
    row.queue = text(Column::queue);
    row.nodes = count(Column::nodes);
    row.gpus_per_node = count(Column::gpus_per_node);
    row.gpus_total = count(Column::gpus_total);
    row.gpu_milli = count(Column::gpu_milli);
    row.gpu_type = text(Column::gpu_type);
    row.duration = seconds(Column::duration_s);
    row.end_status = status();
    row.failure_reason = text(Column::failure_reason);
    row.gpu_util_mean = percent(Column::gpu_util_mean);
    row.priority = whole(Column::priority);
    row.preemptible = flag(Column::preemptible);
    row.observed_wait = seconds(Column::observed_wait_s);
    row.attempts = count(Column::attempts);
    row.weight = count(Column::weight);
    row.estimate = seconds(Column::estimate_s);
    row.time_limit = limit();
    fill_history(row);
    if (const auto first = names_.insert(row.job_id, row.line)) {
      throw InputError{at(Column::job_id, "E0318",
                          fmt::format("duplicate job {}", in_quotes(row.job_id)),
                          fmt::format("first on line {}", *first))};
    }
  }

  /// How the log says that the job ran.
  void fill_history(TraceRow& row) const {
    row.instance_type = text(Column::instance_type);
    row.market = market();
    row.censored = flag(Column::censored);
    row.max_wait = seconds(Column::max_wait_s);
    row.startup = seconds(Column::startup_s);
    row.interruptions = count(Column::interruptions);
    row.restarts = count(Column::restarts);
    row.lost = seconds(Column::lost_s);
    row.stalled = seconds(Column::stalled_s);
    row.billed = seconds(Column::billed_s);
    row.billed_usd = dollars(Column::billed_usd);
    row.list_usd = dollars(Column::list_usd);
    row.end_cause = cause();
    row.sweep = text(Column::sweep);
    row.tags.clear();
    for (const PrefixedColumn& column : header_.prefixed()) {
      const std::string_view value = csv_.fields()[column.field];
      if (!value.empty()) row.tags.emplace_back(key_of(column), value);
    }
  }

  static std::string_view key_of(const PrefixedColumn& column) {
    return std::string_view{column.name}.substr(tag_prefix.size());
  }

  void check_tags() const {
    for (const PrefixedColumn& column : header_.prefixed()) {
      if (!key_of(column).empty()) continue;
      throw InputError{csv_.at(column.field, "E0380", "a column of tags without a key",
                               "the key follows the point")
                           .with_help("name it like tag.team, or leave the column out")};
    }
  }

  /// Seconds since the trace's zero, or a date.
  void read_submission(TraceRow& row) {
    const std::string_view cell = trimmed(text(Column::submit_s));
    const bool dated = cell.size() >= 10 && cell[4] == '-' && cell[7] == '-';
    if (dated != dated_.value_or(dated)) {
      throw InputError{at(Column::submit_s, "E0326",
                          "some submission times are dates and others are seconds",
                          dated ? "a date" : "not a date")};
    }
    row.date.reset();
    row.submit = Duration::zero();
    if (dated) {
      row.date = read_stamp(cell, CsvCell{csv_, header_.field(Column::submit_s),
                                          trace_column_names()[Column::submit_s]});
    } else {
      const auto submit = seconds(Column::submit_s);
      if (!submit)
        throw InputError{at(Column::submit_s, "E0317", "the job has no submit time", "empty")};
      row.submit = *submit;
    }
    dated_ = dated;
  }

  std::string_view text(Column::Index column) const {
    return header_.has(column) ? csv_.fields()[header_.field(column)] : std::string_view{};
  }

  Diagnostic not_a_number(Column::Index column, std::string_view cell) const {
    const std::string message =
        fmt::format("{} is not a number: {}", trace_column_names()[column], in_quotes(cell));
    Diagnostic diagnostic = at(column, "E0313", message, "expected a number");
    if (is_infinite(cell)) diagnostic.label = "must be finite";
    if (!means_unknown(cell)) return diagnostic;
    return std::move(diagnostic).with_help("leave the cell empty if the value is unknown");
  }

  [[noreturn]] void refuse(Column::Index column, std::string_view cell, DecimalFault fault) const {
    switch (fault) {
      case DecimalFault::overflow:
        throw InputError{at(column, "E0315",
                            fmt::format("{} is out of range", trace_column_names()[column]),
                            "too large")};
      case DecimalFault::finer:
        throw InputError{at(column, "E0316",
                            fmt::format("{} is not a whole number", trace_column_names()[column]),
                            "expected no decimals")};
      case DecimalFault::none:
      case DecimalFault::malformed:
        break;
    }
    throw InputError{not_a_number(column, cell)};
  }

  [[noreturn]] void refuse_negative(Column::Index column) const {
    throw InputError{at(column, "E0314",
                        fmt::format("{} is negative", trace_column_names()[column]),
                        "must be 0 or more")};
  }

  std::optional<Duration> seconds(Column::Index column) const {
    const std::string_view cell = trimmed(text(column));
    if (cell.empty()) return std::nullopt;
    if (const auto plain = few_digits(cell)) return Duration{*plain * nanoseconds_per_second};
    if (cell.find(':') != cell.npos) {
      if (const auto time = parse_clock_time(cell)) return time;
      throw InputError{
          at(column, "E0313",
             fmt::format("{} is not a duration: {}", trace_column_names()[column], in_quotes(cell)),
             "expected hours, minutes and seconds")
              .with_help("write seconds, HH:MM:SS or D-HH:MM:SS")};
    }
    const ScaledDecimal scaled = scale_decimal(cell, 9, Rounding::nearest);
    if (scaled.fault != DecimalFault::none) refuse(column, cell, scaled.fault);
    if (scaled.value < 0) refuse_negative(column);
    return Duration{scaled.value};
  }

  /// Slurm's words for "none" are no limit.
  std::optional<Duration> limit() const {
    const std::string_view cell = trimmed(text(Column::time_limit_s));
    for (const std::string_view none : {"unlimited", "partition_limit", "invalid"}) {
      if (same_word(cell, none)) return std::nullopt;
    }
    return seconds(Column::time_limit_s);
  }

  std::optional<std::int64_t> whole(Column::Index column) const {
    const std::string_view cell = trimmed(text(column));
    if (cell.empty()) return std::nullopt;
    if (const auto plain = few_digits(cell)) return *plain;
    const ScaledDecimal scaled = scale_decimal(cell, 0, Rounding::exact);
    if (scaled.fault != DecimalFault::none) refuse(column, cell, scaled.fault);
    return scaled.value;
  }

  std::optional<std::int64_t> count(Column::Index column) const {
    const auto value = whole(column);
    if (!value) return value;
    if (*value < 0) refuse_negative(column);
    if (*value > largest_count) refuse(column, {}, DecimalFault::overflow);
    return value;
  }

  std::optional<double> percent(Column::Index column) const {
    const std::string_view cell = trimmed(text(column));
    if (cell.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) {
      throw InputError{not_a_number(column, cell)};
    }
    if (value < 0) refuse_negative(column);
    if (value <= 100) return value;
    throw InputError{
        at(column, "E0315", fmt::format("{} is out of range", trace_column_names()[column]),
           "above 100")
            .with_help("write the mean of one GPU in percent, not the sum of several")};
  }

  std::optional<bool> flag(Column::Index column) const {
    const std::string_view cell = trimmed(text(column));
    if (cell.empty()) return std::nullopt;
    for (const std::string_view yes : {"1", "true", "yes", "1.0"}) {
      if (same_word(cell, yes)) return true;
    }
    for (const std::string_view no : {"0", "false", "no", "0.0"}) {
      if (same_word(cell, no)) return false;
    }
    throw InputError{at(column, "E0319",
                        fmt::format("{} is neither true nor false: {}",
                                    trace_column_names()[column], in_quotes(cell)),
                        "expected 0 or 1")};
  }

  EndStatus status() const {
    const std::string_view cell = trimmed(text(Column::end_status));
    if (!reads_end_status_ || cell.empty() || means_unknown(cell)) return EndStatus::unknown;
    if (const auto known = end_status_named(cell)) return *known;
    throw InputError{at(Column::end_status, "E0325",
                        fmt::format("unknown end status {}", in_quotes(cell)),
                        "reeve replays how jobs end")
                         .with_help(help_for_end_status(cell))};
  }

  std::optional<policy::Market> market() const {
    const std::string_view cell = trimmed(text(Column::market));
    if (cell.empty()) return std::nullopt;
    if (const auto known = policy::market_named(cell)) return known;
    throw InputError{at(Column::market, "E0381", fmt::format("unknown market {}", in_quotes(cell)),
                        fmt::format("expected one of {}", fmt::join(policy::market_names, ", ")))
                         .with_help(did_you_mean_of(cell, policy::market_names))};
  }

  std::optional<EndCause> cause() const {
    const std::string_view cell = trimmed(text(Column::end_cause));
    if (cell.empty()) return std::nullopt;
    if (const auto known = end_cause_named(cell)) return known;
    throw InputError{at(Column::end_cause, "E0382",
                        fmt::format("unknown end cause {}", in_quotes(cell)), "not a known word")
                         .with_help(help_for_end_cause(cell))};
  }

  std::optional<policy::Usd> dollars(Column::Index column) const {
    const std::string_view cell = trimmed(text(column));
    if (cell.empty()) return std::nullopt;
    const ScaledDecimal scaled = scale_decimal(cell, 6, Rounding::nearest);
    if (scaled.fault != DecimalFault::none) refuse(column, cell, scaled.fault);
    if (scaled.value < 0) refuse_negative(column);
    return policy::Usd::from_micros(scaled.value);
  }

  bool reads_end_status_ = true;
  CsvReader csv_;
  CsvHeader header_;
  NameSet names_;
  std::optional<bool> dated_;  ///< whether submission times are dates
  std::vector<Diagnostic> warnings_;
};

TraceReader::TraceReader(const std::filesystem::path& path, const TraceLimits& limits,
                         ColumnNames names)
    : TraceReader{path.string(), open_file(path), limits, std::move(names)} {}

TraceReader::TraceReader(std::string name, std::unique_ptr<std::istream> input,
                         const TraceLimits& limits, ColumnNames names)
    : reading_{
          std::make_unique<Reading>(std::move(name), std::move(input), limits, std::move(names))} {}

TraceReader::~TraceReader() = default;
TraceReader::TraceReader(TraceReader&&) noexcept = default;
TraceReader& TraceReader::operator=(TraceReader&&) noexcept = default;

void TraceReader::ignore_end_status() {
  reading_->ignore_end_status();
}
bool TraceReader::next(TraceRow& row) {
  return reading_->next(row);
}
const std::vector<Diagnostic>& TraceReader::warnings() const {
  return reading_->warnings();
}

Diagnostic TraceReader::at(std::string_view column, std::string_view code, std::string message,
                           std::string label) const {
  return reading_->at(column, code, std::move(message), std::move(label));
}

}  // namespace reeve::scenarios
