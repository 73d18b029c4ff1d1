// Finds jobs that take instances from each other in a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <vector>

namespace reeve::policies {

/// Notes which job preempted which last, until one of them ends.  Under strict priorities no cycle
/// exists.  If preemptions never end, some of them close cycles, whatever other jobs do: a job that
/// preempts without end is preempted without end, so the last preemptors of finitely many jobs form
/// a cycle.  O(1) for a job that was not preempted itself; else O(length of the chain).
class PreemptionCycles {
 public:
  /// The job ended, or lost its instances otherwise than to another job.
  void ended(policy::JobId job) {
    if (job.index < notes_.size()) notes_[job.index].noted = false;
  }

  /// `by` preempts the victim.  Returns whether the victim, itself or through others, had preempted
  /// `by` before.
  bool closes(policy::JobId victim, policy::JobId by) {
    ++walk_;
    policy::JobId job = by;
    while (job != victim) {
      Note& note = note_of(job);
      if (!note.noted || note.walk == walk_) break;
      note.walk = walk_;
      job = note.by;
    }
    note_of(victim) = {by, true, walk_};
    return job == victim;
  }

 private:
  struct Note {
    policy::JobId by;
    bool noted = false;
    std::uint32_t walk = 0;  ///< which passed it last
  };

  Note& note_of(policy::JobId job) {
    if (job.index >= notes_.size()) notes_.resize(std::size_t{job.index} + 1);
    return notes_[job.index];
  }

  std::vector<Note> notes_;  ///< by job
  std::uint32_t walk_ = 0;
};

}  // namespace reeve::policies
