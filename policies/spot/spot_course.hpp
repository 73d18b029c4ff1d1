// How one attempt fares on Spot, as statuses and the reports of its training script tell.
#pragma once

#include <algorithm>
#include <optional>
#include <reeve/policy/policy.hpp>

namespace reeve::policies {

/// Instances are billed from Downloading on: before that the platform looks for them.
inline bool is_billed(const policy::JobStatus& status) {
  using policy::Secondary;
  if (status.primary == policy::Primary::stopping) return true;
  if (status.primary != policy::Primary::in_progress) return false;
  return status.secondary == Secondary::downloading || status.secondary == Secondary::training ||
         status.secondary == Secondary::uploading || status.secondary == Secondary::updating ||
         status.secondary == Secondary::restarting;
}

/// What one attempt was billed for, and how much of its work lasted.  How much of a launch lasts is
/// known when the next one reports: work goes on there where the newest checkpoint was.
class SpotCourse {
 public:
  policy::AttemptNumber attempt() const { return attempt_; }
  std::uint16_t interruptions() const { return interruptions_; }
  bool billed() const { return billed_since_ != policy::never; }

  /// Takes in the belief; says how many interruptions it brought.
  std::uint16_t note(const policy::JobStatus& status) {
    if (status.attempt != attempt_) {
      *this = SpotCourse{};
      attempt_ = status.attempt;
      lasts_known_ = attempt_ == 1;  // nothing was done before
    }
    const auto told = static_cast<std::uint16_t>(status.interruptions - interruptions_);
    interruptions_ = status.interruptions;
    if (told > 0 && billed()) end_launch(status.since);  // what followed was told with it
    if (is_billed(status)) {
      if (!billed()) begin_launch(status.since);
    } else if (billed()) {
      end_launch(status.since);
    }
    const bool trains = status.secondary == policy::Secondary::training;
    if (trains && training_since_ == policy::never) training_since_ = status.since;
    return told;
  }

  /// The first report of a launch says with how much work it began.
  void hear(const policy::TrainingReported& report, policy::Instant at) {
    if (report.attempt != attempt_ || reported_ || training_since_ == policy::never) return;
    if (at < training_since_) return;  // of the launch before
    reported_ = true;
    const policy::Duration began =
        std::max(policy::Duration{0}, report.done - (at - training_since_));
    if (!lasts_known_) {
      from_ = began;
      from_billed_ = billed_;
      lasts_known_ = true;
    }
    lasting_ = std::max(from_, began);
    lasting_billed_ = billed_;
  }

  /// Work that lasted per time billed, of the launches of which that is known.
  std::optional<double> progress() const {
    if (!lasts_known_ || lasting_billed_ <= from_billed_) return std::nullopt;
    return static_cast<double>((lasting_ - from_).count()) /
           static_cast<double>((lasting_billed_ - from_billed_).count());
  }

 private:
  void begin_launch(policy::Instant at) {
    billed_since_ = at;
    training_since_ = policy::never;
    reported_ = false;
  }

  void end_launch(policy::Instant at) {
    const bool exact = lasts_known_ && lasting_billed_ == billed_;
    billed_ += std::max(policy::Duration{0}, at - billed_since_);
    billed_since_ = policy::never;
    if (exact && training_since_ == policy::never) lasting_billed_ = billed_;  // it did no work
  }

  policy::AttemptNumber attempt_ = 0;
  std::uint16_t interruptions_ = 0;
  bool reported_ = false;     ///< in this launch
  bool lasts_known_ = false;  ///< with how much work it began
  policy::Instant billed_since_ = policy::never;
  policy::Instant training_since_ = policy::never;  ///< of this launch
  policy::Duration billed_{0};                      ///< before this launch
  policy::Duration from_{0};                        ///< work when `from_billed_` had been billed
  policy::Duration from_billed_{0};
  policy::Duration lasting_{0};  ///< work when `lasting_billed_` had been billed
  policy::Duration lasting_billed_{0};
};

}  // namespace reeve::policies
