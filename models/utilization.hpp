// What GPUs read while a job makes progress: recorded, drawn or in phases, as steps of training
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

/// Percent of one GPU from `at` on, until the next step; NaN: nothing was measured.
struct UtilStep {
  policy::Duration at{0};
  double percent = std::numeric_limits<double>::quiet_NaN();
};

/// Recorded utilization of a job's hosts over its training time.  16 bytes a change, however many
/// samples there were.
struct UtilTrace {
  /// By host, from 1.  Each in order, the first at 0, neighbours differ; none: not recorded.
  std::vector<std::vector<UtilStep>> hosts;
  policy::Duration length{0};  ///< what it covers; no step lies behind it
};

/// What is read when the trace is over.
enum class BeyondEnd : std::uint8_t { hold, repeat, missing };

/// An empirical distribution: points of (share in [0, 1], percent), the first at 0, the last at 1,
/// neither falls; straight lines between.  Each host draws anew after `every` of training.
struct UtilLaw {
  std::vector<std::pair<double, double>> points;
  policy::Duration every{0};
};

/// The percent below which the share `u` in [0, 1] lies.  The law has points.
double quantile(const UtilLaw& law, double u);

/// A part of training that needs its GPUs little, and is work all the same: preparation,
/// evaluation.  Counts from each start of training, for each start prepares anew.
struct UtilPhase {
  std::string name;
  policy::Duration at{0};
  policy::Duration every{0};  ///< 0: once
  policy::Duration lasts{0};
  double percent = 0;
};

/// How the hosts of a job read while it makes progress, where that is no constant.
struct Utilization {
  std::shared_ptr<const UtilTrace> trace;  ///< null: the law, or a constant
  bool one_for_all = false;                ///< the trace's first host is every host's
  BeyondEnd beyond_end = BeyondEnd::hold;
  UtilLaw law;
  std::vector<UtilPhase> phases;  ///< of those that overlap the first counts
  std::uint32_t id = 0;           ///< of the trace, unique in a world; 0: none

  bool draws() const { return !law.points.empty(); }
};

/// Whose luck a drawn level is: that of a job in a replication, whoever governs.
struct UtilLuck {
  std::uint64_t seed = 0;
  std::uint32_t replication = 0;
  policy::JobId job;
};

/// Where an attempt is: trained in all, and since machines last began to train.
struct UtilClock {
  policy::Duration trained{0};
  policy::Duration since_start{0};
};

/// A level and for how long it lasts at least; neighbours may be equal.
struct UtilReading {
  std::optional<double> percent;  ///< of one GPU; none: missing
  policy::Duration lasts = policy::Duration::max();
};

/// What `host` (from 1) reads then, if nothing disturbs it.  `otherwise` is the constant that holds
/// where there is neither trace nor law.
UtilReading read(const Utilization& of, const UtilLuck& luck, std::uint32_t host,
                 const UtilClock& clock, double otherwise);

}  // namespace reeve::models
