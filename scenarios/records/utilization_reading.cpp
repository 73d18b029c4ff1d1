#include "scenarios/records/utilization_reading.hpp"

#include <algorithm>
#include <charconv>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

using models::UtilStep;
using policy::Duration;

namespace {
constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr Duration second_of_ms = std::chrono::seconds{1000};  ///< a second in ms, read as seconds
constexpr Duration minute = std::chrono::minutes{1};
}  // namespace

UtilBuilder::UtilBuilder(std::string file, const UtilOptions& options, UtilScale scale,
                         bool whole_periods)
    : file_{std::move(file)},
      gaps_{options.gaps},
      scale_{scale},
      whole_periods_{whole_periods},
      divisor_{scale == UtilScale::sum ? static_cast<double>(options.gpus) : 1.0} {
  if (divisor_ > 0) return;
  throw InputError{about_trace(file_, "E0332", "sums over an unknown number of GPUs",
                               "set \"gpus\" of the instance type, or \"scale\": \"per_gpu\"")};
}

UtilBuilder::Hosts& UtilBuilder::job(std::string_view name) {
  if (newest_ != nullptr && newest_name_ == name) return *newest_;
  auto known = jobs_.find(name);
  if (known == jobs_.end()) known = jobs_.emplace(name, Hosts{}).first;
  newest_name_ = known->first;
  newest_ = &known->second;
  return *newest_;
}

Diagnostic UtilBuilder::wrong_value(Diagnostic place, double value) const {
  if (value < 0) {
    place.code = "E0314";
    place.message = "a negative utilization";
    place.label = "must be 0 or more";
    return place;
  }
  const bool sums = scale_ == UtilScale::sum;
  place.code = "E0332";
  place.message = sums ? fmt::format("more than the highest possible sum of {} GPUs", divisor_)
                       : std::string{"more than 100 % of one GPU"};
  place.label = "expected a percentage";
  place.help = sums ? "set the GPUs of a host with \"gpus\" of the instance type"
                    : "set \"scale\": \"sum\" if it is the sum over the GPUs of a host";
  return place;
}

void UtilBuilder::note_again(Diagnostic place) {
  if (again_++ == 0) first_again_ = as_warning(std::move(place));
}

void UtilBuilder::find_usual() {
  std::vector<DistanceRun> all;
  for (auto& [name, hosts] : jobs_) {
    for (const HostSeries& host : hosts) {
      all.insert(all.end(), host.distances().begin(), host.distances().end());
    }
  }
  usual_ = usual_distance(all);
}

/// Nothing is, where no two samples of a host say what is usual.
bool UtilBuilder::is_gap(Duration distance, Duration period) const {
  if (period == Duration{0}) return false;
  if (whole_periods_) return distance > period;
  return distance / 5 > period / 2;
}

/// How long the last sample of a host stands.
Duration UtilBuilder::last_period_of(const HostSeries& host) const {
  if (host.stands() > Duration{0}) return host.stands();
  const std::vector<Duration> periods = sample_periods(host.distances(), usual_);
  return periods.empty() ? usual_ : periods.back();
}

/// The longest period of its samples; 0: not known, or the rows are changes.
Duration UtilBuilder::coarsest_of(const HostSeries& host) const {
  if (holds()) return Duration{0};
  Duration coarsest = host.longest();
  const std::vector<Duration> periods = sample_periods(host.distances(), usual_);
  for (std::size_t i = 0; i < periods.size(); ++i) {
    if (is_gap(host.distances()[i].distance, periods[i])) continue;
    coarsest = std::max(coarsest, std::max(periods[i], host.distances()[i].distance));
  }
  return coarsest;
}

void UtilBuilder::note_gap(Duration distance, Duration period, std::uint64_t line) {
  if (gap_count_++ == 0 || distance > longest_gap_) {
    longest_gap_ = distance;
    period_at_longest_ = period;
    gap_line_ = line;
  }
  const Duration jump = distance - std::chrono::hours{1};
  if (jump > Duration{0} && jump <= 2 * period) ++gaps_of_an_hour_;
}

std::vector<UtilBuilder::Gap> UtilBuilder::gaps_of(const HostSeries& host, Duration first,
                                                   Duration end) {
  std::vector<Gap> gaps;
  Duration at = first;
  const std::vector<DistanceRun>& runs = host.distances();
  const std::vector<Duration> periods = sample_periods(runs, usual_);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const Duration distance = runs[run].distance;
    if (!is_gap(distance, periods[run])) {
      at += distance * static_cast<std::int64_t>(runs[run].count);
      continue;
    }
    for (std::uint64_t i = 0; i < runs[run].count; ++i, at += distance) {
      note_gap(distance, periods[run], runs[run].line);
      gaps.push_back({at + periods[run], at + distance});
    }
  }
  const Duration last = periods.empty() ? usual_ : periods.back();
  if (end > host.last() && is_gap(end - host.last(), last)) {
    note_gap(end - host.last(), last, host.last_line());
    gaps.push_back({host.last() + last, end});
  }
  return gaps;
}

void UtilBuilder::note_late(Duration first, std::uint64_t line) {
  if (told_late_) return;
  told_late_ = true;
  Diagnostic warning =
      about_trace(file_, "W0312", fmt::format("the trace of a host begins at {}", show(first)),
                  holds() ? "its first value is used from 0" : "its metric is missing until then",
                  Severity::warning);
  warning.position.line = line;
  warning.position.column = 1;
  warnings_.push_back(std::move(warning));
}

/// Puts the gaps and the beginning into the steps of a host.
void UtilBuilder::close(HostSeries& host, Duration end) {
  std::vector<UtilStep>& steps = host.steps();
  if (steps.empty()) return;
  const Duration first = steps.front().at;
  const bool holds = gaps_ == UtilGaps::hold;
  const bool says = host.stands() > Duration{0};  // when its samples end: then no gap is a surprise
  if (says) host.end_before(end);
  const std::vector<Gap> gaps = holds || says ? std::vector<Gap>{} : gaps_of(host, first, end);
  const std::vector<Duration> periods = sample_periods(host.distances(), usual_);
  const Duration first_period = periods.empty() ? usual_ : periods.front();
  const bool late = first > Duration{0} && (holds || says || is_gap(first, first_period));
  if (late && !says) note_late(first, host.first_line());
  std::vector<UtilStep> whole;
  whole.reserve(steps.size() + 2 * gaps.size() + 1);
  const auto put = [&whole](Duration at, double percent) {
    const bool both = !whole.empty() && std::isnan(whole.back().percent) && std::isnan(percent);
    if (both || (!whole.empty() && whole.back().percent == percent)) return;
    whole.push_back({at, percent});
  };
  if (late && !holds) put(Duration{0}, missing);
  auto gap = gaps.begin();
  double value = missing;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (; gap != gaps.end() && gap->until <= steps[i].at; ++gap) {
      put(gap->from, missing);
      if (gap->until < steps[i].at) put(gap->until, value);
    }
    value = steps[i].percent;
    put(i == 0 && (!late || holds) ? Duration{0} : steps[i].at, value);
  }
  for (; gap != gaps.end(); ++gap) {
    put(gap->from, missing);
    if (gap->until < end) put(gap->until, value);
  }
  whole.shrink_to_fit();
  steps = std::move(whole);
}

bool UtilBuilder::seems_in_milliseconds() const {
  const auto doubtful = [](const DistanceRun& run) {
    const Duration distance = run.distance;
    return distance >= second_of_ms &&
           (distance % second_of_ms == Duration{0} || distance % minute != Duration{0});
  };
  bool any = false;
  for (const auto& [name, hosts] : jobs_) {
    for (const HostSeries& host : hosts) {
      const auto& runs = host.distances();
      if (!std::all_of(runs.begin(), runs.end(), doubtful)) return false;
      any = any || !runs.empty();
    }
  }
  return any;
}

/// Under the time behind the longest gap; an end that comes early has its line only.
void UtilBuilder::tell_gaps() {
  if (gap_count_ == 0) return;
  Diagnostic warning = about_trace(
      file_, "W0310",
      fmt::format("{} gap{} in the samples, the longest {} instead of {}", gap_count_,
                  gap_count_ == 1 ? "" : "s", show(longest_gap_), show(period_at_longest_)),
      "the metric is missing there; set \"gaps\": \"hold\" if the rows are changes",
      Severity::warning);
  if (after_widest_ && widest_ == longest_gap_) {
    warning.position = after_widest_->position;
    warning.pointer = after_widest_->pointer;
    warning.excerpt = after_widest_->excerpt;
    warning.label = "no sample since the previous row";
  } else {
    warning.position.line = gap_line_;
    warning.position.column = 1;
  }
  if (gaps_of_an_hour_ > 0) {
    warning.notes.push_back("one gap is an hour, possibly for daylight saving time");
  }
  warnings_.push_back(std::move(warning));
}

void UtilBuilder::tell_again() {
  if (again_ == 0) return;
  first_again_->message =
      fmt::format("{} sample{} duplicated", again_, again_ == 1 ? " is" : "s are");
  first_again_->label = "again";
  first_again_->help = "the duplicates are dropped";
  warnings_.push_back(std::move(*first_again_));
}

/// DCGM and others tell shares of 1 where percent are wanted.
void UtilBuilder::tell_shares() {
  if (!fractions_ || largest_ > 1) return;
  warnings_.push_back(about_trace(file_, "W0316", "no value is above 1, and some are fractions",
                                  "used as percent; multiply fractions of 1 by 100",
                                  Severity::warning));
}

UtilFile UtilBuilder::finish(bool names_hosts) {
  find_usual();
  UtilFile file;
  for (auto& [name, hosts] : jobs_) {
    Duration end{0};
    for (const HostSeries& host : hosts) {
      if (host.last_line() > 0) {
        const bool stands = gaps_ == UtilGaps::missing;
        end = std::max(end, host.last() + (stands ? last_period_of(host) : Duration{0}));
      }
      file.samples += host.samples();
    }
    auto trace = std::make_shared<models::UtilTrace>();
    trace->length = end;
    for (HostSeries& host : hosts) {
      trace->coarsest = std::max(trace->coarsest, coarsest_of(host));
      close(host, end);
      file.changes += host.steps().size();
      trace->hosts.push_back(std::move(host.steps()));
    }
    file.jobs.push_back({name, names_hosts, std::move(trace)});
  }
  if (file.samples == 0) throw InputError{about_trace(file_, "E0320", "the trace has no samples")};
  tell_gaps();
  tell_again();
  tell_shares();
  file.warnings = std::move(warnings_);
  return file;
}

std::optional<double> read_percent(std::string_view text) {
  if (text.size() <= 3) {
    if (const auto plain = few_digits(text)) return static_cast<double>(*plain);
  }
  if (text.empty() || (text.front() == '[' && text.back() == ']')) return missing;
  for (const std::string_view word : {"nan", "NaN", "N/A", "NA", "null", "None"}) {
    if (text == word) return missing;
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

void add_sample(UtilBuilder& builder, HostSeries& host, Duration at, double percent,
                const LineScanner& lines, std::string_view stamp, Duration stands) {
  const bool first = host.last_line() == 0;
  const Duration distance = at - host.last();
  switch (host.add(at, percent, lines.number(), stands)) {
    case HostSeries::Added::yes:
      if (first) return;
      return builder.note_distance(distance, [&] { return lines.at(stamp, "W0310", {}); });
    case HostSeries::Added::again:
      return builder.note_again(lines.at(stamp, "W0311", {}));
    case HostSeries::Added::contradiction:
      throw InputError{lines.at(stamp, "E0331", "two different values at one instant",
                                fmt::format("the other on line {}", host.last_line()))};
    case HostSeries::Added::backwards:
      throw InputError{
          lines
              .at(stamp, "E0330",
                  fmt::format("times out of order: {} after {}", show(at), show(host.last())),
                  fmt::format("line {} is later", host.last_line()))
              .with_help("sort the rows of a host by time")};
  }
}

double read_cell(UtilBuilder& builder, const LineScanner& lines, std::string_view cell,
                 std::string_view column) {
  const auto value = read_percent(cell);
  if (!value) {
    throw InputError{lines
                         .at(cell, "E0313",
                             fmt::format("{} is not a number: {}", column, in_quotes(cell)),
                             "expected a number")
                         .with_help("leave the cell empty if nothing was measured")};
  }
  if (std::isnan(*value)) return missing;
  const auto percent = builder.percent_of(*value);
  if (!percent) throw InputError{builder.wrong_value(lines.at(cell, {}, {}), *value)};
  return *percent;
}

}  // namespace reeve::scenarios
