// GPU utilization while a job makes progress: recorded, drawn or in phases, as steps over training
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <reeve/policy/job.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <utility>
#include <vector>

namespace reeve::models {

/// Percent of one GPU from `at` until the next step; NaN: not measured.
struct UtilStep {
  policy::Duration at{0};
  double percent = std::numeric_limits<double>::quiet_NaN();
};

/// Recorded utilization of a job's hosts over its training time.  16 bytes per change, independent
/// of the number of samples.
struct UtilTrace {
  /// By host, from 1.  Each in order, the first at 0, neighbours differ; none: not recorded.
  std::vector<std::vector<UtilStep>> hosts;
  policy::Duration length{0};    ///< of the recording; no step is after it
  policy::Duration coarsest{0};  ///< the longest period of its samples; 0: not known, or changes
};

/// The utilization after the end of the trace.
enum class BeyondEnd : std::uint8_t { hold, repeat, missing };

/// An empirical distribution: points of (share in [0, 1], percent), the first at 0, the last at 1,
/// nondecreasing, linear in between.  Each host draws again after `every` of training.
struct UtilLaw {
  std::vector<std::pair<double, double>> points;
  policy::Duration every{0};
};

/// The percentile of the distribution at the share `u` in [0, 1].  It must have points.
double quantile(const UtilLaw& law, double u);

/// A phase of productive work with low GPU utilization, such as preparation or evaluation.  Counts
/// from each start of training, because each start prepares again.
struct UtilPhase {
  std::string name;
  policy::Duration at{0};
  policy::Duration every{0};  ///< 0: once
  policy::Duration lasts{0};
  double percent = 0;
};

/// The utilization of a job's hosts while it makes progress, if it is not constant.
struct Utilization {
  std::shared_ptr<const UtilTrace> trace;  ///< null: the distribution, or a constant
  bool one_for_all = false;                ///< the first host of the trace is used for all hosts
  BeyondEnd beyond_end = BeyondEnd::hold;
  UtilLaw law;
  std::vector<UtilPhase> phases;  ///< the first of overlapping phases applies
  std::uint32_t id = 0;           ///< of the trace, unique in a world; 0: none

  bool draws() const { return !law.points.empty(); }
};

/// The address of drawn levels: a job in a replication, independent of the policy.
struct UtilDraws {
  std::uint64_t seed = 0;
  std::uint32_t replication = 0;
  policy::JobId job;
};

/// The position of an attempt: total training, and training since its last start.
struct UtilClock {
  policy::Duration trained{0};
  policy::Duration since_start{0};
};

/// A level and its minimum duration; neighbours may be equal.
struct UtilReading {
  std::optional<double> percent;  ///< of one GPU; none: missing
  policy::Duration lasts = policy::Duration::max();
};

/// The undisturbed reading of `host` (from 1) at that position.  `otherwise` is the constant that
/// applies without a trace or a distribution.
UtilReading read(const Utilization& of, const UtilDraws& draws, std::uint32_t host,
                 const UtilClock& clock, double otherwise);

}  // namespace reeve::models
