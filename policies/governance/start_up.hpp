// Since when an attempt starts up, as statuses tell.
#pragma once

#include <reeve/policy/policy.hpp>

namespace reeve::policies {

/// Startup begins with Starting or, if that was never told, with Downloading; an interruption
/// begins it anew.  A wait for capacity in Starting counts, and the Starting that ends it does not
/// begin it anew.
class StartUp {
 public:
  policy::Instant since() const { return since_; }  ///< `never`: it does not start up

  void follow(const policy::JobStatus& status) {
    using policy::Secondary;
    if (status.attempt != attempt_) {
      since_ = policy::never;
      lacked_capacity_ = false;
    }
    attempt_ = status.attempt;
    const bool runs = status.primary == policy::Primary::in_progress;
    const bool starts = runs && status.secondary == Secondary::starting;
    const bool downloads = runs && status.secondary == Secondary::downloading;
    if (starts) {
      const bool goes_on = lacked_capacity_ || status.since == entered_;
      if (since_ == policy::never || !goes_on) since_ = status.since;
      entered_ = status.since;
    } else if (downloads && since_ == policy::never) {
      since_ = status.since;
    } else if (!downloads) {
      since_ = policy::never;
    }
    lacked_capacity_ = starts && status.lacks_capacity;
  }

 private:
  policy::AttemptNumber attempt_ = 0;
  policy::Instant since_ = policy::never;
  policy::Instant entered_ = policy::never;  ///< the newest Starting
  bool lacked_capacity_ = false;             ///< when last followed
};

}  // namespace reeve::policies
