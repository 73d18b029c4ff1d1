// The metrics an `expect` line can name: what each is called, measured in, and means.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace reeve::scenarios {

/// What a metric's values are; decides which literals it may be compared with.
enum class MetricUnit : std::uint8_t {
  usd,
  duration,  ///< compared with "16m", never with a bare number but 0
  seconds,   ///< a number of seconds; also compared with a duration
  count,
  percent,
  hours,      ///< instance-hours, a number
  gpu_hours,  ///< GPU-hours, a number
  per_hour,   ///< a rate, a number
  ratio,      ///< of two times, a number
};

/// One row.  A name may hold one placeholder per part in capitals: `job.NAME.wait`,
/// `tag.KEY.VALUE.billed_usd`.
struct MetricSpec {
  std::string_view name;
  MetricUnit unit = MetricUnit::usd;
  std::string_view help;
  bool of_one_job = false;  ///< defined only where the scenario has one job
  bool at_instant = false;  ///< has a value at each instant, and none of a run as a whole
};

/// Every metric, in the order of the reference page.
std::span<const MetricSpec> metric_names();

/// The least and the largest value that a metric can have; infinite: it has no bound.
struct MetricRange {
  double least = 0;
  double most = 0;
};
MetricRange range_of(const MetricSpec& metric);

/// "job." of `job.NAME.wait`: what names of metrics begin with that hold another name; else empty.
std::string_view family_of(std::string_view metric);

/// The key or value of a tag as it stands in the name of a metric: a blank, a comparison sign, a
/// percent sign and what cannot be printed as in a URI, `%20`; in keys dots too.
std::string in_metric_name(std::string_view text, bool is_key);
/// The other way round.  A `%` without two hexadecimal digits stands for itself.
std::string from_metric_name(std::string_view text);

/// A metric as named in a line, taken apart.  The views point into the text given.
struct MetricUse {
  const MetricSpec* spec = nullptr;
  std::string_view job;         ///< of job.NAME.*
  std::string key;              ///< of tag.KEY.VALUE.*, as the tag has it
  std::string value;            ///< likewise; "(untagged)" for jobs without the key; none: of all
  std::string_view pool;        ///< of pool.NAME.*
  std::string_view rule;        ///< of rule.NAME.*: the label of a seat
  std::string owner;            ///< of owner.NAME.*, as the job has it
  std::string_view share = {};  ///< of share.NAME.*
};

/// The metric of that name, or nothing.  Names of jobs, pools and tags are not looked up.
std::optional<MetricUse> find_metric(std::string_view text);

/// "dollars", "a duration": what a message calls values of the unit.
std::string_view name_of(MetricUnit unit);

}  // namespace reeve::scenarios
