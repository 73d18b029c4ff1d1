// t_s,host,gpu_util_pct and perhaps period_s: samples or changes of the hosts of one job, or of
// many.
#include <algorithm>
#include <array>

#include "scenarios/records/utilization_reading.hpp"
#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;

struct UtilizationColumn {
  enum Index : std::size_t { t_s, host_name, percent, period_s, column_count };
};
constexpr std::array<std::string_view, UtilizationColumn::column_count> names{
    "t_s", "host", "gpu_util_pct", "period_s"};
constexpr std::size_t no_column = static_cast<std::size_t>(-1);
constexpr std::int64_t most_hosts = 65'535;
constexpr Duration longest_utilization = std::chrono::hours{24 * 3653};

/// Which field holds which column.
class Header {
 public:
  explicit Header(LineScanner& lines, UtilBuilder& builder) {
    fields_.fill(no_column);
    width_ = lines.fields().size();
    for (std::size_t i = 0; i < width_; ++i) place(lines, builder, i);
    for (const UtilizationColumn::Index column :
         {UtilizationColumn::t_s, UtilizationColumn::percent}) {
      if (fields_[column] == no_column) require(lines, column);
    }
  }
  std::size_t field(UtilizationColumn::Index column) const { return fields_[column]; }
  bool has(UtilizationColumn::Index column) const { return fields_[column] != no_column; }
  void check_width(const LineScanner& lines) const {
    const std::size_t found = lines.fields().size();
    if (found == width_) return;
    throw InputError{
        lines.at(lines.fields()[std::min(found, width_) - 1], "E0312",
                 fmt::format("the header has {} columns, this line has {}", width_, found),
                 found < width_ ? "fields are missing after it" : "last expected field")};
  }

 private:
  void place(const LineScanner& lines, UtilBuilder& builder, std::size_t i) {
    const std::string_view name = lines.fields()[i];
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end()) {
      Diagnostic warning =
          lines.at(name, "W0301", fmt::format("unknown column {}", in_quotes(name)), "ignored");
      warning.severity = Severity::warning;
      strangers_.push_back(name);
      if (strangers_.size() <= 20) builder.warn(std::move(warning));
      return;
    }
    std::size_t& field = fields_[static_cast<std::size_t>(known - names.begin())];
    if (field != no_column) {
      throw InputError{lines.at(name, "E0322", fmt::format("duplicate column {}", in_quotes(name)),
                                "again here")};
    }
    field = i;
  }

  void require(const LineScanner& lines, UtilizationColumn::Index column) const {
    const auto meant = nearest_of(names[column], strangers_);
    throw InputError{
        lines
            .at(lines.fields()[0], "E0321",
                fmt::format("the column {} is missing", in_quotes(names[column])),
                "not in the header")
            .with_help(
                meant ? fmt::format("rename {} to {}", in_quotes(*meant), in_quotes(names[column]))
                      : "name the columns in the first line: t_s,host,gpu_util_pct")};
  }

  std::size_t width_ = 0;
  std::array<std::size_t, UtilizationColumn::column_count> fields_{};
  std::vector<std::string_view> strangers_;
};

Duration read_seconds(const LineScanner& lines, std::string_view cell, std::string_view name) {
  if (const auto plain = few_digits(cell); plain && *plain < 300'000'000) {
    return Duration{*plain * 1'000'000'000};
  }
  const ScaledDecimal scaled = scale_decimal(cell, 9, Rounding::nearest);
  if (scaled.fault == DecimalFault::malformed) {
    throw InputError{lines.at(cell, "E0313",
                              fmt::format("{} is not a number: {}", name, in_quotes(cell)),
                              "expected seconds")};
  }
  if (scaled.fault != DecimalFault::none || Duration{scaled.value} > longest_utilization) {
    throw InputError{lines
                         .at(cell, "E0332", fmt::format("{} is more than ten years", name),
                             "wrong or missing unit")
                         .with_help("write seconds since training began, not since 1970")};
  }
  if (scaled.value < 0) {
    throw InputError{
        lines.at(cell, "E0314", fmt::format("{} is negative", name), "must be 0 or more")};
  }
  return Duration{scaled.value};
}

/// How long a row stands; 0: the file does not say, or its rows are changes.
class PeriodCell {
 public:
  explicit PeriodCell(const Header& header) : field_{header.field(UtilizationColumn::period_s)} {}
  Duration of(const LineScanner& lines, const UtilBuilder& builder) const {
    if (field_ == no_column || builder.holds()) return Duration{0};
    const std::string_view cell = lines.fields()[field_];
    const Duration period = read_seconds(lines, cell, names[UtilizationColumn::period_s]);
    if (period > Duration{0}) return period;
    throw InputError{lines.at(cell, "E0314", "period_s is 0", "must be more than 0")};
  }

 private:
  std::size_t field_;
};

/// 3, algo-3 or job/algo-3.
HostSeries& host_of(UtilBuilder& builder, const LineScanner& lines, std::string_view cell) {
  const std::size_t slash = cell.rfind('/');
  std::string_view number = slash == cell.npos ? cell : cell.substr(slash + 1);
  const std::string_view job = slash == cell.npos ? std::string_view{} : cell.substr(0, slash);
  if (number.starts_with("algo-")) number.remove_prefix(5);
  const auto value = few_digits(number);
  if (!value || *value < 1 || *value > most_hosts) {
    throw InputError{
        lines.at(cell, "E0315", fmt::format("unknown host {}", in_quotes(cell)), "expected a host")
            .with_help("write its number from 1, algo-1 or JOB/algo-1")};
  }
  return UtilBuilder::host(builder.job(job), static_cast<std::uint32_t>(*value));
}

}  // namespace

UtilFile read_util_csv(LineScanner& lines, const UtilOptions& options) {
  UtilBuilder builder{lines.name(), options, options.scale.value_or(UtilScale::per_gpu), false};
  if (!lines.next()) return builder.finish(false);
  const Header header{lines, builder};
  const std::size_t time = header.field(UtilizationColumn::t_s);
  const std::size_t value = header.field(UtilizationColumn::percent);
  const bool names_hosts = header.has(UtilizationColumn::host_name);
  const PeriodCell period{header};
  while (lines.next()) {
    header.check_width(lines);
    const auto& fields = lines.fields();
    HostSeries& host =
        names_hosts ? host_of(builder, lines, fields[header.field(UtilizationColumn::host_name)])
                    : UtilBuilder::host(builder.job({}), 1);
    const Duration at = read_seconds(lines, fields[time], names[UtilizationColumn::t_s]);
    const double percent =
        read_cell(builder, lines, fields[value], names[UtilizationColumn::percent]);
    add_sample(builder, host, at, percent, lines, fields[time], period.of(lines, builder));
  }
  const bool milliseconds = builder.seems_in_milliseconds();
  UtilFile file = builder.finish(names_hosts);
  file.seems_in_milliseconds = milliseconds;
  return file;
}

}  // namespace reeve::scenarios
