// Logs of nvidia-smi --query-gpu: the GPUs of one host, tick by tick, in local time.
#include <algorithm>
#include <limits>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/utilization_reading.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

constexpr std::size_t absent = static_cast<std::size_t>(-1);
constexpr std::string_view value_name = "utilization.gpu";

std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (text.size() < at + count) return std::nullopt;
  const auto digits = few_digits(text.substr(at, count));
  return digits ? std::optional{static_cast<int>(*digits)} : std::nullopt;
}

struct Columns {
  std::size_t stamp = absent;
  std::size_t gpu = absent;  ///< absent: the only one
  std::size_t value = absent;
  std::size_t width = 0;
};

bool is_header(const std::vector<std::string_view>& fields) {
  return std::any_of(fields.begin(), fields.end(),
                     [](std::string_view field) { return field == "timestamp"; });
}

Columns named_columns(const LineScanner& lines) {
  Columns columns;
  const auto& fields = lines.fields();
  columns.width = fields.size();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view name = fields[i].substr(0, fields[i].find(" ["));
    if (name == "timestamp") columns.stamp = i;
    const bool names_gpu = name == "index" || name == "gpu_uuid" || name == "uuid" ||
                           name == "pci.bus_id" || name == "gpu_bus_id";
    if (names_gpu && columns.gpu == absent) columns.gpu = i;
    if (name != value_name) continue;
    columns.value = i;
    if (name.size() < fields[i].size() && fields[i].substr(name.size()) != " [%]") {
      throw InputError{
          lines.at(fields[i], "E0332", "a utilization that is not in percent", "expected [%]")};
    }
  }
  if (columns.stamp != absent && columns.value != absent) return columns;
  throw InputError{
      lines
          .at(fields[0], "E0321",
              fmt::format("the column \"{}\" is missing",
                          columns.stamp == absent ? "timestamp" : value_name),
              "not in the header")
          .with_help("record with --query-gpu=timestamp,index,utilization.gpu --format=csv")};
}

/// Without a header the columns are those of the documented query, or two of them.
Columns usual_columns(const LineScanner& lines) {
  const std::size_t width = lines.fields().size();
  if (width == 3) return {0, 1, 2, 3};
  if (width == 2) return {0, absent, 1, 2};
  throw InputError{
      lines
          .at(lines.line(), "E0321", "the log has neither a header nor the usual columns",
              fmt::format("{} columns", width))
          .with_help("keep the header, or record only timestamp,index,utilization.gpu")};
}

/// A log as it is read: the rows of one tick become one sample, the mean over the GPUs that sent
/// one.
class Log {
 public:
  Log(LineScanner& lines, const UtilOptions& options)
      : lines_{lines}, builder_{lines.name(), options, UtilScale::per_gpu, false} {
    if (options.scale != UtilScale::sum) return;
    throw InputError{about_trace(lines.name(), "E0332", "a log of nvidia-smi has no sums over GPUs",
                                 "remove \"scale\": each row is for one GPU")};
  }

  UtilFile read() {
    if (!lines_.next()) return builder_.finish(false);
    const bool has_header = is_header(lines_.fields());
    columns_ = has_header ? named_columns(lines_) : usual_columns(lines_);
    if (!has_header) row();
    while (lines_.next()) {
      if (!is_header(lines_.fields())) row();  // a log that was continued has several
    }
    end_tick();
    UtilFile file = builder_.finish(false);
    file.gpus_seen = gpus_.size();
    return file;
  }

 private:
  struct Gpu {
    std::string name;
    bool sent = false;  ///< a row in this tick
    Instant at;         ///< of its last row
    double percent = 0;
  };

  void row() {
    const auto& fields = lines_.fields();
    if (fields.size() != columns_.width) throw wrong_width();
    const std::string_view stamp = fields[columns_.stamp];
    const auto at = read_local_time(stamp);
    if (!at) {
      throw InputError{
          lines_.at(stamp, "E0137", fmt::format("not a date: {}", in_quotes(stamp)), "when?")
              .with_help("nvidia-smi writes 2026/01/05 12:00:00.123")};
    }
    if (rows_++ == 0) first_ = newest_ = *at;
    if (*at < newest_) throw backwards(stamp, *at);
    Gpu& gpu = gpu_of(columns_.gpu == absent ? std::string_view{} : fields[columns_.gpu]);
    const double percent = value_of(fields[columns_.value]);
    if (gpu.sent && gpu.at == *at) {
      if (columns_.gpu == absent) throw no_index(stamp);
      if (gpu.percent == percent || (std::isnan(gpu.percent) && std::isnan(percent))) {
        return builder_.note_again(lines_.at(stamp, "W0311", {}));
      }
      throw InputError{lines_.at(stamp, "E0331", "two different values at one instant",
                                 fmt::format("of GPU {}", in_quotes(gpu.name)))};
    }
    if (gpu.sent) end_tick();
    if (!tick_) tick_ = *at;
    newest_ = *at;
    gpu.sent = true;
    gpu.at = *at;
    gpu.percent = percent;
  }

  InputError wrong_width() const {
    const auto& fields = lines_.fields();
    Diagnostic found =
        lines_.at(lines_.line(), "E0312",
                  fmt::format("{} fields instead of {}", fields.size(), columns_.width),
                  "possibly truncated");
    // Some locales write the fraction of a second behind a comma.
    if (fields.size() != columns_.width + 1 || columns_.stamp != 0 ||
        fields[0].find(':') == fields[0].npos)
      return InputError{std::move(found)};
    found.label = "the time itself has a comma";
    return InputError{std::move(found).with_help(
        "nvidia-smi writes 2026/01/05 12:00:00.123: record its own timestamp, or end the time "
        "before the comma")};
  }

  /// Several rows of one instant, which only the index tells apart.
  InputError no_index(std::string_view stamp) const {
    return InputError{
        lines_
            .at(stamp, "E0331", "several rows at one instant, and no column names the GPU",
                "of which GPU?")
            .with_help("record the index too: --query-gpu=timestamp,index,utilization.gpu")};
  }

  double value_of(std::string_view cell) {
    if (cell.ends_with('%')) cell.remove_suffix(1);
    if (cell.ends_with(' ')) cell.remove_suffix(1);
    return read_cell(builder_, lines_, cell, value_name);
  }

  Gpu& gpu_of(std::string_view name) {
    for (Gpu& gpu : gpus_) {
      if (gpu.name == name) return gpu;
    }
    if (gpus_.size() == 1024) {
      throw InputError{lines_.at(name, "E0315", "more than 1,024 GPUs in one host", "too many")};
    }
    return gpus_.emplace_back(Gpu{std::string{name}, false, {}, 0});
  }

  InputError backwards(std::string_view stamp, Instant at) const {
    const Duration back = newest_ - at;
    const Duration off = back - std::chrono::hours{1};
    const bool an_hour = off < std::chrono::minutes{2} && off > -std::chrono::minutes{2};
    return InputError{lines_
                          .at(stamp, "E0330", fmt::format("times out of order by {}", show(back)),
                              an_hour ? "an hour: possibly daylight saving time"
                                      : "earlier than the previous row")
                          .with_help(an_hour ? "nvidia-smi writes local time: record with TZ=UTC"
                                             : "use one log per host, sorted by time")};
  }

  void end_tick() {
    if (!tick_) return;
    double sum = 0;
    int sent = 0;
    for (Gpu& gpu : gpus_) {
      if (gpu.sent && !std::isnan(gpu.percent)) {
        sum += gpu.percent;
        ++sent;
      }
      gpu.sent = false;
    }
    const double mean = sent > 0 ? sum / sent : std::numeric_limits<double>::quiet_NaN();
    HostSeries& host = UtilBuilder::host(builder_.job({}), 1);
    host.add(*tick_ - first_, mean, lines_.number());  // ticks are in order and apart
    tick_.reset();
  }

  LineScanner& lines_;
  UtilBuilder builder_;
  Columns columns_;
  std::vector<Gpu> gpus_;
  std::uint64_t rows_ = 0;
  Instant first_, newest_;
  std::optional<Instant> tick_;
};

}  // namespace

std::optional<Instant> read_local_time(std::string_view text) {
  using namespace std::chrono;
  if (text.size() < 19 || text[4] != text[7] || (text[4] != '/' && text[4] != '-') ||
      text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const auto y = digits_at(text, 0, 4), mo = digits_at(text, 5, 2), d = digits_at(text, 8, 2);
  const auto h = digits_at(text, 11, 2), mi = digits_at(text, 14, 2), s = digits_at(text, 17, 2);
  if (!y || !mo || !d || !h || !mi || !s) return std::nullopt;
  const year_month_day day{year{*y}, month{static_cast<unsigned>(*mo)},
                           std::chrono::day{static_cast<unsigned>(*d)}};
  if (!day.ok() || *y < 1970 || *y > 2199 || *h > 23 || *mi > 59 || *s > 59) return std::nullopt;
  Duration fraction{0};
  if (text.size() > 19) {
    const ScaledDecimal scaled = scale_decimal(text.substr(19), 9, Rounding::nearest);  // ".123"
    if (text[19] != '.' || scaled.fault != DecimalFault::none) return std::nullopt;
    fraction = Duration{scaled.value};
  }
  return sys_days{day} + hours{*h} + minutes{*mi} + seconds{*s} + fraction;
}

UtilFile read_util_log(LineScanner& lines, const UtilOptions& options) {
  return Log{lines, options}.read();
}

}  // namespace reeve::scenarios
