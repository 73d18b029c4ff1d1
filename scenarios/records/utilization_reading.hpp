// What the readers of utilization traces share: series under construction, values, gaps.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/records/sample_periods.hpp"
#include "scenarios/records/utilization_trace.hpp"
#include "scenarios/text/json.hpp"
#include "scenarios/text/line_scanner.hpp"

namespace reeve::scenarios {

/// One host as its samples come in.  Keeps changes, and how far apart samples are as runs of equal
/// distances: memory does not grow with regular samples.
class HostSeries {
 public:
  enum class Added : std::uint8_t { yes, again, contradiction, backwards };

  /// NaN: missing.  `stands`: how long at most, if the file says so.  Nothing is added unless
  /// `yes`.
  Added add(policy::Duration at, double percent, std::uint64_t line,
            policy::Duration stands = policy::Duration{0}) {
    if (last_line_ != 0) {
      const policy::Duration distance = at - last_;
      if (distance <= policy::Duration{0}) return refused(distance, percent);
      if (stands_ > policy::Duration{0}) {
        end_before(at);
      } else if (!distances_.empty() && distances_.back().distance == distance) {
        ++distances_.back().count;
      } else {
        distances_.push_back({distance, 1, line});
      }
    }
    step(at, percent);
    if (last_line_ == 0) first_line_ = line;
    stands_ = stands;
    if (!std::isnan(percent)) longest_ = std::max(longest_, stands);
    last_ = at;
    last_percent_ = percent;
    last_line_ = line;
    ++samples_;
    return Added::yes;
  }

  /// Ends the last sample where the file says so, if that is before `at`.
  void end_before(policy::Duration at) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    if (stands_ > policy::Duration{0} && at - last_ > stands_) step(last_ + stands_, missing);
  }

  const std::vector<DistanceRun>& distances() const { return distances_; }
  policy::Duration stands() const { return stands_; }    ///< of the last sample; 0: not said
  policy::Duration longest() const { return longest_; }  ///< that a sample is said to stand
  std::vector<models::UtilStep>& steps() { return steps_; }
  policy::Duration last() const { return last_; }
  std::uint64_t first_line() const { return first_line_; }
  std::uint64_t last_line() const { return last_line_; }  ///< 0: there is no sample
  std::uint64_t samples() const { return samples_; }

 private:
  static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
  Added refused(policy::Duration distance, double percent) const {
    if (distance < policy::Duration{0}) return Added::backwards;
    return same(percent, last_percent_) ? Added::again : Added::contradiction;
  }

  void step(policy::Duration at, double percent) {
    if (steps_.empty() || !same(steps_.back().percent, percent)) steps_.push_back({at, percent});
  }

  std::vector<models::UtilStep> steps_;
  std::vector<DistanceRun> distances_;
  policy::Duration last_{};
  policy::Duration stands_{};
  policy::Duration longest_{};
  double last_percent_ = 0;
  std::uint64_t first_line_ = 0;
  std::uint64_t last_line_ = 0;
  std::uint64_t samples_ = 0;
};

/// The series of a file, by job and host.
class UtilBuilder {
 public:
  /// `whole_periods`: a sample stands for the time to the next usual one and no longer.
  UtilBuilder(std::string file, const UtilOptions& options, UtilScale scale, bool whole_periods);

  using Hosts = std::vector<HostSeries>;
  Hosts& job(std::string_view name);
  /// Host `number`, from 1.
  static HostSeries& host(Hosts& hosts, std::uint32_t number) {
    if (number > hosts.size()) hosts.resize(number);
    return hosts[number - 1];
  }

  /// The percent of one GPU that a number of the file means; nothing if that cannot be.
  std::optional<double> percent_of(double value) {
    if (value > largest_) largest_ = value;
    fractions_ = fractions_ || value != std::floor(value);
    const double percent = value / divisor_;
    if (percent <= 100) return percent >= 0 ? std::optional{percent} : std::nullopt;
    return percent <= 100.01 ? std::optional{100.0} : std::nullopt;
  }
  /// The finding about such a number; `place` stands at it.
  Diagnostic wrong_value(Diagnostic place, double value) const;
  bool holds() const { return gaps_ == UtilGaps::hold; }

  /// A sample given again.
  void note_again(Diagnostic place);
  void warn(Diagnostic diagnostic) { warnings_.push_back(std::move(diagnostic)); }

  /// A sample so long after the one before it; `place` makes a finding at its time.
  template <class Place>
  void note_distance(policy::Duration distance, const Place& place) {
    if (distance <= widest_) return;
    widest_ = distance;
    after_widest_ = place();
  }

  /// Whether seconds so far apart are more likely milliseconds: 1,000 s and more, and none a number
  /// of minutes that is not one of 1,000 s, too.
  bool seems_in_milliseconds() const;

  /// The whole: gaps, beginnings, warnings.  E0320 if there is no sample.
  UtilFile finish(bool names_hosts);

 private:
  struct Gap {
    policy::Duration from, until;
  };
  void find_usual();
  bool is_gap(policy::Duration distance, policy::Duration period) const;
  policy::Duration last_period_of(const HostSeries& host) const;
  void note_gap(policy::Duration distance, policy::Duration period, std::uint64_t line);
  std::vector<Gap> gaps_of(const HostSeries& host, policy::Duration first, policy::Duration end);
  void close(HostSeries& host, policy::Duration end);
  policy::Duration coarsest_of(const HostSeries& host) const;
  void note_late(policy::Duration first, std::uint64_t line);
  void tell_gaps();
  void tell_again();
  void tell_shares();

  std::string file_;
  UtilGaps gaps_;
  UtilScale scale_;
  bool whole_periods_;
  double divisor_;
  std::map<std::string, Hosts, std::less<>> jobs_;
  Hosts* newest_ = nullptr;
  std::string_view newest_name_;
  double largest_ = 0;
  bool fractions_ = false;
  policy::Duration usual_{0};
  std::uint64_t gap_count_ = 0;
  policy::Duration longest_gap_{0};
  policy::Duration period_at_longest_{0};
  std::uint64_t gap_line_ = 0;
  policy::Duration widest_{0};
  std::optional<Diagnostic> after_widest_;
  std::uint64_t gaps_of_an_hour_ = 0;
  std::uint64_t again_ = 0;
  std::optional<Diagnostic> first_again_;
  bool told_late_ = false;
  std::vector<Diagnostic> warnings_;
};

/// A number of a trace; NaN where the text says that nothing was measured; nothing if it is none.
std::optional<double> read_percent(std::string_view text);

/// 2026/01/05 12:00:00.123, as if in UTC.
std::optional<policy::Instant> read_local_time(std::string_view text);

/// Adds a sample of a line, or throws what is wrong with it; `stamp` is where its time stands.
void add_sample(UtilBuilder& builder, HostSeries& host, policy::Duration at, double percent,
                const LineScanner& lines, std::string_view stamp,
                policy::Duration stands = policy::Duration{0});

/// Reads the cell as a percent of one GPU.  E0313, E0314, E0332.
double read_cell(UtilBuilder& builder, const LineScanner& lines, std::string_view cell,
                 std::string_view column);

// By format.

UtilFile read_util_csv(LineScanner& lines, const UtilOptions& options);
UtilFile read_util_log(LineScanner& lines, const UtilOptions& options);
UtilFile read_util_answer(const Document& document, const UtilOptions& options);

}  // namespace reeve::scenarios
