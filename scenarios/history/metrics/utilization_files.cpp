#include "scenarios/history/metrics/utilization_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "scenarios/history/metrics/series.hpp"
#include "scenarios/text/aws_names.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
using HostSeriesList = std::vector<const UtilizationSeries*>;

/// "algo-3" is 3; nothing of other names.
std::optional<std::int64_t> number_of_host(std::string_view name) {
  if (!name.starts_with("algo-")) return {};
  const auto number = few_digits(name.substr(5));
  return number && *number >= 1 && *number <= 65'535 ? number : std::nullopt;
}

/// node2 before node10: by their digits as numbers.
bool names_less(const std::string& a, const std::string& b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto digits = [&](const std::string& text, std::size_t& at) {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    std::string_view found{text.data() + begin, at - begin};
    found.remove_prefix(std::min(found.find_first_not_of('0'), found.size()));
    return found;
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = digits(a, i), y = digits(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

/// The series by the number of their host; names without a number count if they measure the work.
std::map<std::int64_t, HostSeriesList> numbered_hosts(
    std::span<const UtilizationSeries* const> series, std::span<const Stretch> work) {
  std::map<std::string, HostSeriesList, bool (*)(const std::string&, const std::string&)> by_name{
      names_less};
  bool all_numbered = true;
  for (const UtilizationSeries* each : series) {
    const bool is_numbered = number_of_host(each->host).has_value();
    if (!is_numbered && !measures(*each, work)) continue;  // a machine of an earlier run
    by_name[each->host].push_back(each);
    all_numbered = all_numbered && is_numbered;
  }
  std::map<std::int64_t, HostSeriesList> hosts;
  std::int64_t next = 0;
  for (auto& [name, list] : by_name) {
    ++next;
    auto& host = hosts[all_numbered ? *number_of_host(name) : next];
    host.insert(host.end(), list.begin(), list.end());
  }
  return hosts;
}

/// Whether the next sample comes as expected; clocks of logs are not exact.
bool comes_in_time(Duration distance, Duration period) {
  return distance - period <= period / 2;
}

/// A change of what one GPU, or one host, reads.
struct Change {
  Instant at;
  std::size_t of;  ///< the series
  double percent;  ///< NaN: its sample has ended
  Duration period;
};

/// Writes the rows of one host: the mean of its series, from change to change.
class HostRows {
 public:
  HostRows(std::ostream& out, UtilizationFile& file, std::span<const Stretch> work,
           std::int64_t gpus)
      : out_{out}, file_{file}, work_{work}, gpus_{gpus} {}

  void write(std::int64_t host, const HostSeriesList& series) {
    host_ = host;
    current_.assign(series.size(), {});
    std::vector<Change> changes;
    for (std::size_t i = 0; i < series.size(); ++i) put_changes(*series[i], i, changes);
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    const std::uint64_t before = file_.rows;
    for (std::size_t i = 0; i < changes.size();) {
      const Instant at = changes[i].at;
      for (; i < changes.size() && changes[i].at == at; ++i) {
        current_[changes[i].of] = {changes[i].percent, changes[i].period};
      }
      put_mean(at, i < changes.size() ? changes[i].at : at);
    }
    end_row();
    if (file_.rows > before) ++file_.hosts;
  }
  Duration covered() const { return covered_; }

 private:
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  struct Reading {
    double percent = none;
    Duration period{};
  };

  void put_changes(const UtilizationSeries& series, std::size_t of, std::vector<Change>& changes) {
    const std::vector<Duration> periods = periods_of(series);
    const std::vector<UtilizationSample> samples = series.samples.unpacked();
    const double divisor = series.is_sum && gpus_ > 0 ? static_cast<double>(gpus_) : 1;
    for (std::size_t i = 0; i < periods.size(); ++i) {
      const UtilizationSample& sample = samples[i];
      const Instant at = std::chrono::floor<std::chrono::milliseconds>(sample.at);
      double percent = sample.percent / divisor;
      if (percent > 100) {
        if (percent > 100.01) ++file_.too_high;
        percent = 100;
      }
      const bool is_last = i + 1 == periods.size();
      const Duration distance = is_last ? periods[i] : samples[i + 1].at - sample.at;
      const bool goes_on = !is_last && comes_in_time(distance, periods[i]);
      const Duration stands = goes_on ? std::max(distance, periods[i]) : periods[i];
      changes.push_back({at, of, percent, stands});
      if (!goes_on) changes.push_back({at + periods[i], of, none, Duration{0}});
    }
  }

  /// The mean of what is measured from `at` to `until`, cut to the work.
  void put_mean(Instant at, Instant until) {
    double sum = 0;
    int measured = 0;
    Duration period{0};
    for (const Reading& reading : current_) {
      if (std::isnan(reading.percent)) continue;
      sum += reading.percent;
      ++measured;
      period = std::max(period, reading.period);
    }
    if (measured == 0) return;
    Duration worked{0};
    for (const Stretch& stretch : work_) {
      const Instant end = stretch.until.value_or(stretch.from);
      const Instant from = std::max(at, stretch.from), to = std::min(until, end);
      if (from < to) {
        put_row(worked + (from - stretch.from), worked + (to - stretch.from), sum / measured,
                period);
      }
      worked += std::max(Duration{0}, end - stretch.from);
      if (end >= until) break;
    }
  }

  /// A row stands for its period at most; one that ends earlier is ended by an empty row.
  void put_row(Duration from, Duration until, double percent, Duration period) {
    if (has_row_ && until_ != from) end_row();
    has_row_ = true;
    until_ = until;
    stands_until_ = from + period;
    period_ = period;
    covered_ += until - from;
    file_.coarsest = std::max(file_.coarsest, period);
    row(from, percent, period);
  }

  void end_row() {
    if (has_row_ && stands_until_ > until_) row(until_, none, period_);
    has_row_ = false;
  }

  void row(Duration at, double percent, Duration period) {
    const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
    ++file_.rows;
    if (std::isnan(percent)) {
      out_ << fmt::format("{:.10g},{},,{:.10g}\n", seconds(at), host_, seconds(period));
    } else {
      out_ << fmt::format("{:.10g},{},{:.8g},{:.10g}\n", seconds(at), host_, percent,
                          seconds(period));
    }
  }

  std::ostream& out_;
  UtilizationFile& file_;
  std::span<const Stretch> work_;
  std::int64_t gpus_;
  std::int64_t host_ = 0;
  std::vector<Reading> current_;
  bool has_row_ = false;
  Duration until_{}, stands_until_{}, period_{}, covered_{};
};

/// The names that several jobs have: all but the first are called NAME@REGION or NAME@ACCOUNT.
std::set<std::string, std::less<>> shared_names(const PackedJobs& jobs) {
  std::set<std::string, std::less<>> shared;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string_view name = jobs.name(i);
    const std::size_t at = name.find('@');
    if (at == name.npos || !is_arn(jobs.at(i).resource)) continue;
    shared.emplace(name.substr(0, at));
  }
  return shared;
}

}  // namespace

UtilizationFile write_utilization(std::ostream& out,
                                  std::span<const UtilizationSeries* const> series,
                                  std::span<const Stretch> work, std::int64_t gpus,
                                  std::int64_t instances) {
  UtilizationFile file;
  out << "t_s,host,gpu_util_pct,period_s\n";
  HostRows rows{out, file, work, gpus};
  const auto hosts = numbered_hosts(series, work);
  for (const auto& [number, list] : hosts) rows.write(number, list);
  for (std::int64_t number = 1; file.rows > 0 && number <= instances; ++number) {
    if (!hosts.contains(number)) out << fmt::format("0,{},,60\n", number);
  }
  Duration worked{0};
  for (const Stretch& stretch : work) {
    worked += std::max(Duration{0}, stretch.until.value_or(stretch.from) - stretch.from);
  }
  const double all = static_cast<double>(worked.count()) * static_cast<double>(hosts.size());
  file.covered = all > 0 ? static_cast<double>(rows.covered().count()) / all : 0;
  return file;
}

std::map<std::string, HostSeriesList> series_by_job(const History& history,
                                                    const PackedJobs& jobs) {
  if (history.series.empty()) return {};
  const auto shared = shared_names(jobs);
  std::map<std::string, HostSeriesList> by_job;
  for (const UtilizationSeries& series : history.series) {
    if (!series.job.empty() && !shared.contains(series.job)) by_job[series.job].push_back(&series);
  }
  return by_job;
}

void tell_metrics(const History& history, const PackedJobs& jobs, FileFindings& findings) {
  if (history.series.empty()) return;
  const auto shared = shared_names(jobs);
  std::set<std::string_view> left_out;
  for (const UtilizationSeries& series : history.series) {
    if (shared.contains(series.job)) left_out.insert(series.job);
  }
  if (!left_out.empty()) {
    findings.warn("W0634", 0,
                  fmt::format("metrics with {} of several jobs", counted(left_out.size(), "name")),
                  "metrics tell no region and no account; they are not used");
  }
  const auto by_job = series_by_job(history, jobs);
  std::uint64_t measured = 0, in_part = 0;
  for (const HistoryJob& job : jobs) {
    const auto found = by_job.find(job.record.job_id);
    if (found == by_job.end()) continue;
    std::set<std::string_view> hosts;
    for (const UtilizationSeries* series : found->second) {
      if (measures(*series, job.work)) hosts.insert(series->host);
    }
    if (hosts.empty()) continue;
    ++measured;
    std::int64_t all = job.record.nodes.value_or(1);
    for (const auto& [type, count] : job.beside) all += count;
    const bool all_named = !hosts.contains("");
    if (all_named && static_cast<std::int64_t>(hosts.size()) < all) ++in_part;
  }
  if (in_part == 0) return;
  findings.warn("W0635", 0,
                fmt::format("{} of {} with metrics {} those of some hosts", in_part,
                            counted(measured, "job"), in_part == 1 ? "lacks" : "lack"),
                "alarms see only these hosts; export the metrics of each host");
}

}  // namespace reeve::scenarios
