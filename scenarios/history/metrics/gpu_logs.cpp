// GPU utilization in logs of one node: nvidia-smi --query-gpu and dmon, dcgmi dmon.  Sources: the
// manual pages of nvidia-smi; the DCGM user guide and logs in public repositories.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "scenarios/history/metrics/kinds.hpp"
#include "scenarios/history/metrics/series.hpp"
#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/history/reading/time_zone.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/utilization_reading.hpp"

namespace reeve::scenarios {
namespace {

using policy::Instant;
using Words = std::vector<std::string_view>;

constexpr std::size_t no_word = static_cast<std::size_t>(-1);
constexpr std::string_view dmon_help = "record with nvidia-smi dmon -o DT";
constexpr std::string_view dcgmi_help =
    "record with dcgmi dmon -e 203 | ts '%Y-%m-%dT%H:%M:%SZ', with TZ=UTC";

/// Words between blanks; commas are blanks too.
void split_words(std::string_view line, Words& words) {
  words.clear();
  constexpr std::string_view blanks = " \t,\r";
  for (std::size_t at = line.find_first_not_of(blanks); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(blanks, end);
  }
}

std::size_t place_of(const Words& words, std::string_view name) {
  const auto found = std::find(words.begin(), words.end(), name);
  return found == words.end() ? no_word : static_cast<std::size_t>(found - words.begin());
}

/// The rows of a log: those of one tick become one sample, the mean over the GPUs that sent one.
class GpuTicks {
 public:
  GpuTicks(HistoryInput& input, const HistoryOptions& options)
      : input_{input},
        zone_{TimeZone::named(options.timezone)},
        samples_{parts_.part(name_of(input, options))} {}

  /// When the clocks show a time.  Of two such times the second, if a row was later than the first.
  Instant on_clocks(Instant local) const {
    const TimeZone::Shown shown = zone_.when(local);
    return newest_ && shown.first < *newest_ ? shown.second : shown.first;
  }

  /// NaN: not measured.
  void add(Instant at, std::string_view gpu, double percent, std::uint64_t line) {
    ++input_.report.records;
    if (!(std::isnan(percent) || (percent >= 0 && percent <= 100.01))) {
      return input_.findings.warn("W0654", line, fmt::format("a utilization of {} %", percent),
                                  "it is left out");
    }
    if (newest_ && at < *newest_ && !told_back_) {
      told_back_ = true;
      input_.findings.warn("W0654", line, "times out of order",
                           "the clock was set back: record with TZ=UTC");
    }
    const bool goes_on = tick_ && at >= *tick_ && !sent_.contains(gpu);
    if (!goes_on) end_tick();
    if (!tick_) tick_ = at;
    newest_ = at;
    sent_.emplace(gpu);
    ++input_.report.used;
    if (std::isnan(percent)) return;
    sum_ += std::min(percent, 100.0);
    ++count_;
  }

  void finish(History& into, std::string_view help) {
    end_tick();
    if (samples_.empty()) {
      throw InputError{
          about_trace(input_.name, "E0422", "no samples of GPU utilization", std::string{help})};
    }
    parts_.join(input_, into);
  }

 private:
  /// A log names neither its job nor its node: the file's name stands for the node.
  static SeriesName name_of(const HistoryInput& input, const HistoryOptions& options) {
    if (options.job.empty()) {
      throw InputError{about_trace(input.name, "E0402", "a log of GPUs that names no job",
                                   "name it with --job, and the node with --host")};
    }
    std::string host = options.host;
    if (host.empty()) host = std::filesystem::path{input.name}.stem().string();
    return {.job = options.job, .host = std::move(host), .gpu = {}, .is_sum = false};
  }

  void end_tick() {
    if (tick_ && count_ > 0) samples_.push_back({*tick_, sum_ / count_});
    tick_.reset();
    sent_.clear();
    sum_ = 0;
    count_ = 0;
  }

  HistoryInput& input_;
  TimeZone zone_;
  SeriesParts parts_;
  PackedSamples& samples_;
  std::optional<Instant> tick_, newest_;
  std::set<std::string, std::less<>> sent_;  ///< GPUs with a row in this tick
  double sum_ = 0;
  int count_ = 0;
  bool told_back_ = false;
};

LineScanner lines_of(HistoryInput& input) {
  const TraceLimits limits;
  return {input.name, Inflater{input.name, std::move(input.stream), limits.decompressed_bytes},
          limits.record_bytes};
}

// ---- nvidia-smi --query-gpu ------------------------------------------------------------------

constexpr std::string_view query_help =
    "record with --query-gpu=timestamp,index,utilization.gpu --format=csv";

class QueryLog {
 public:
  QueryLog(LineScanner& lines, HistoryInput& input, GpuTicks& ticks)
      : lines_{lines}, input_{input}, ticks_{ticks} {}

  /// A row, or a header: a log that was continued has several.
  void line() {
    input_.report.bytes += lines_.line().size() + 1;
    const auto& fields = lines_.fields();
    const auto stamp = std::find(fields.begin(), fields.end(), "timestamp");
    if (stamp != fields.end()) return header();
    if (width_ == 0) usual_columns();
    if (fields.size() != width_) {
      return input_.findings.warn("W0632", lines_.number(),
                                  fmt::format("{} fields instead of {}", fields.size(), width_));
    }
    std::string_view cell = fields[value_];
    if (cell.ends_with('%')) cell.remove_suffix(1);
    if (cell.ends_with(' ')) cell.remove_suffix(1);
    const auto at = read_local_time(fields[stamp_]);
    const auto percent = read_percent(cell);
    if (!at || !percent) {
      return input_.findings.warn("W0632", lines_.number(),
                                  fmt::format("not {}: {}", at ? "a percentage" : "a date",
                                              in_quotes(at ? fields[value_] : fields[stamp_])));
    }
    ticks_.add(ticks_.on_clocks(*at), gpu_ == no_word ? std::string_view{} : fields[gpu_], *percent,
               lines_.number());
  }

 private:
  void header() {
    const auto& fields = lines_.fields();
    width_ = fields.size();
    stamp_ = value_ = gpu_ = no_word;
    for (std::size_t i = 0; i < width_; ++i) {
      const std::string_view name = fields[i].substr(0, fields[i].find(" ["));
      if (name == "timestamp") stamp_ = i;
      if (name == "utilization.gpu") value_ = i;
      const bool names_gpu = name == "index" || name == "gpu_uuid" || name == "uuid" ||
                             name == "pci.bus_id" || name == "gpu_bus_id";
      if (names_gpu && gpu_ == no_word) gpu_ = i;
    }
    if (value_ != no_word) return;
    throw InputError{lines_
                         .at(fields[0], "E0321", "the column \"utilization.gpu\" is missing",
                             "not in the header")
                         .with_help(std::string{query_help})};
  }

  void usual_columns() {
    width_ = lines_.fields().size();
    if (width_ != 2 && width_ != 3) {
      throw InputError{lines_
                           .at(lines_.line(), "E0321",
                               "the log has neither a header nor the usual columns",
                               fmt::format("{} columns", width_))
                           .with_help(std::string{query_help})};
    }
    stamp_ = 0;
    gpu_ = width_ == 3 ? 1 : no_word;
    value_ = width_ - 1;
  }

  LineScanner& lines_;
  HistoryInput& input_;
  GpuTicks& ticks_;
  std::size_t width_ = 0, stamp_ = no_word, value_ = no_word, gpu_ = no_word;
};

// ---- dmon ------------------------------------------------------------------------------------

/// 20260803 and 09:10:00.
std::optional<Instant> dmon_time(std::string_view day, std::string_view clock) {
  if (day.size() != 8 || clock.size() < 8) return {};
  const std::string text =
      fmt::format("{}/{}/{} {}", day.substr(0, 4), day.substr(4, 2), day.substr(6), clock);
  return read_local_time(text);
}

Diagnostic no_times(const LineScanner& lines, std::string_view help) {
  return lines.at(lines.line(), "E0423", "a log without dates", "when?")
      .with_help(std::string{help});
}

class DmonLog {
 public:
  DmonLog(LineScanner& lines, HistoryInput& input, GpuTicks& ticks)
      : lines_{lines}, input_{input}, ticks_{ticks} {}

  void line() {
    input_.report.bytes += lines_.line().size() + 1;
    std::string_view text = lines_.line();
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const bool is_header = text.starts_with('#');
    if (is_header) text.remove_prefix(1);
    split_words(text, words_);
    if (words_.empty()) return;
    if (is_header) return header();
    if (width_ == 0 || words_.size() != width_) {
      return input_.findings.warn("W0632", lines_.number(),
                                  fmt::format("{} columns instead of {}", words_.size(), width_));
    }
    const auto at = dmon_time(words_[date_], words_[time_]);
    const auto percent = words_[value_] == "-" ? std::nan("") : read_percent(words_[value_]);
    if (!at || !percent) {
      return input_.findings.warn("W0632", lines_.number(), at ? "not a percentage" : "not a date");
    }
    ticks_.add(ticks_.on_clocks(*at), words_[gpu_], *percent, lines_.number());
  }

 private:
  /// The second line of a header has units.
  void header() {
    if (place_of(words_, "gpu") == no_word) return;
    width_ = words_.size();
    date_ = place_of(words_, "Date");
    time_ = place_of(words_, "Time");
    gpu_ = place_of(words_, "gpu");
    value_ = place_of(words_, "sm");
    if (date_ == no_word || time_ == no_word) throw InputError{no_times(lines_, dmon_help)};
    if (value_ != no_word) return;
    throw InputError{
        lines_.at(lines_.line(), "E0321", "the column \"sm\" is missing", "not in the header")
            .with_help("record with nvidia-smi dmon -s u -o DT")};
  }

  LineScanner& lines_;
  HistoryInput& input_;
  GpuTicks& ticks_;
  Words words_;
  std::size_t width_ = 0, date_ = no_word, time_ = no_word, gpu_ = no_word, value_ = no_word;
};

/// "2026-08-03T09:10:00Z", "[2026-08-03 09:10:00]" or seconds since 1970, before the columns.
std::optional<Instant> prefix_time(std::string_view text, const GpuTicks& ticks) {
  while (!text.empty() && (text.back() == ' ' || text.back() == ']' || text.back() == ':')) {
    text.remove_suffix(1);
  }
  if (text.starts_with('[')) text.remove_prefix(1);
  const ScaledDecimal seconds = scale_decimal(text, 6, Rounding::nearest);
  if (seconds.fault == DecimalFault::none && text.size() >= 10) {
    return instant_of_seconds(static_cast<double>(seconds.value) / 1e6);
  }
  const auto at = instant_of(text);
  if (!at) return {};
  const bool is_local = text.size() >= 11 && text.find_first_of("Z+-", 11) == text.npos &&
                        text.find("UTC") == text.npos;
  return is_local ? ticks.on_clocks(*at) : *at;
}

class DcgmiLog {
 public:
  DcgmiLog(LineScanner& lines, HistoryInput& input, GpuTicks& ticks)
      : lines_{lines}, input_{input}, ticks_{ticks} {}

  void line() {
    const std::string_view text = lines_.line();
    input_.report.bytes += text.size() + 1;
    if (const std::size_t entity = text.find("Entity"); entity != text.npos) {
      split_words(text.substr(entity), words_);
      return header();
    }
    const std::size_t gpu = text.find("GPU");
    if (gpu == text.npos) return;           // units
    split_words(text.substr(gpu), words_);  // "GPU", "0" or "GPU-I", "3", then the values
    if (width_ == 0 || words_.size() != width_ + 1) {
      return input_.findings.warn(
          "W0632", lines_.number(),
          fmt::format("{} columns instead of {}", words_.size() - 1, width_));
    }
    const std::string_view before = text.substr(0, gpu);
    if (before.find_first_not_of(" \t") == before.npos) {
      throw InputError{no_times(lines_, dcgmi_help)};
    }
    const auto at = prefix_time(before, ticks_);
    const auto value = read_percent(words_[value_ + 1]);
    if (!at || !value) {
      return input_.findings.warn("W0632", lines_.number(), at ? "not a number" : "not a date",
                                  at ? "" : std::string{dcgmi_help});
    }
    const double percent = is_ratio_ ? *value * 100 : *value;
    ticks_.add(*at, fmt::format("{} {}", words_[0], words_[1]), percent, lines_.number());
  }

 private:
  void header() {
    width_ = words_.size();
    value_ = place_of(words_, "GPUTL");
    is_ratio_ = value_ == no_word;
    if (is_ratio_) value_ = place_of(words_, "GRACT");
    if (value_ != no_word) return;
    throw InputError{
        lines_.at(lines_.line(), "E0321", "the column \"GPUTL\" is missing", "not in the header")
            .with_help(std::string{dcgmi_help})};
  }

  LineScanner& lines_;
  HistoryInput& input_;
  GpuTicks& ticks_;
  Words words_;
  std::size_t width_ = 0, value_ = no_word;
  bool is_ratio_ = false;
};

template <class Log>
void read_lines(LineScanner& lines, HistoryInput& input, GpuTicks& ticks) {
  Log log{lines, input, ticks};
  do log.line();
  while (lines.next());
}

/// Its first line that is not blank.
std::string_view first_log_line(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head.substr(0, head.find('\n'));
}

/// "#Date Time gpu pwr ... sm": the header of nvidia-smi dmon.
bool is_dmon_header(std::string_view line) {
  if (!line.starts_with('#')) return false;
  Words words;
  split_words(line.substr(1), words);
  return place_of(words, "gpu") != no_word;
}

}  // namespace

bool is_nvidia_smi(std::string_view head) {
  const std::string_view line = first_log_line(head);
  if (is_dmon_header(line)) return true;
  if (line.find("timestamp") != line.npos && line.find("utilization.gpu") != line.npos) return true;
  const auto words = std::count(line.begin(), line.end(), ',');
  return (words == 1 || words == 2) && read_local_time(line.substr(0, line.find(','))).has_value();
}

void read_nvidia_smi(HistoryInput& input, const HistoryOptions& options, History& into) {
  GpuTicks ticks{input, options};
  LineScanner lines = lines_of(input);
  if (lines.next()) {
    is_dmon_header(first_log_line(lines.line())) ? read_lines<DmonLog>(lines, input, ticks)
                                                 : read_lines<QueryLog>(lines, input, ticks);
  }
  ticks.finish(into, query_help);
}

bool is_dcgmi(std::string_view head) {
  const std::string_view line = first_log_line(head);
  const std::size_t hash = line.find('#');
  return hash != line.npos && line.find("Entity", hash) != line.npos;
}

void read_dcgmi(HistoryInput& input, const HistoryOptions& options, History& into) {
  GpuTicks ticks{input, options};
  LineScanner lines = lines_of(input);
  if (lines.next()) read_lines<DcgmiLog>(lines, input, ticks);
  ticks.finish(into, dcgmi_help);
}

}  // namespace reeve::scenarios
