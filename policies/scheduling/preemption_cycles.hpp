// Finds jobs that take instances from each other in a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <vector>

namespace reeve::policies {

/// Notes which job preempted which last, as long as nothing else changes.  Under strict priorities
/// no cycle exists.  If preemptions never end, some of them close cycles: a job that preempts
/// without end is preempted without end, so the last preemptors of finitely many jobs form a cycle.
/// O(1) for a job that was not preempted itself; else O(length of the chain of preemptors).
class PreemptionCycles {
 public:
  /// A job came or ended, or a priority, a quota or the capacity changed: a later preemption has
  /// another reason than earlier ones.
  void something_changed() { ++epoch_; }

  /// `by` preempts the victim.  Returns whether the victim, itself or through others, had preempted
  /// `by` before.
  bool closes(policy::JobId victim, policy::JobId by) {
    ++walk_;
    for (policy::JobId job = by; job != victim; job = note_of(job).by) {
      Note& note = note_of(job);
      if (note.epoch != epoch_ || note.walk == walk_) {
        note_of(victim) = {by, epoch_, walk_};
        return false;
      }
      note.walk = walk_;
    }
    note_of(victim) = {by, epoch_, walk_};
    return true;
  }

 private:
  struct Note {
    policy::JobId by;
    std::uint32_t epoch = 0;  ///< in which it was preempted last; 0: never
    std::uint32_t walk = 0;   ///< which passed it last
  };

  Note& note_of(policy::JobId job) {
    if (job.index >= notes_.size()) notes_.resize(std::size_t{job.index} + 1);
    return notes_[job.index];
  }

  std::vector<Note> notes_;  ///< by job
  std::uint32_t epoch_ = 1;
  std::uint32_t walk_ = 0;
};

}  // namespace reeve::policies
