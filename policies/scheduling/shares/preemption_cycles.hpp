// Finds jobs that take instances from each other in a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <vector>

namespace reeve::policies {

/// Notes which job preempted which last, in one round.  A round is a sequence of preemptions that
/// only follow from each other: what comes from outside and causes one begins a new round, in which
/// nothing was noted yet.  If the preemptions of a round never end, some of them close cycles,
/// whatever other jobs do: a job that preempts without end is preempted without end, so the last
/// preemptors of finitely many jobs form a cycle.  O(1) for a job that was not preempted itself;
/// else O(length of the chain).
class PreemptionCycles {
 public:
  /// Its number, above 0.
  std::uint32_t begin_round() { return ++rounds_; }

  /// `by` preempts the victim.  It closes a cycle if the victim, itself or through others, had
  /// preempted `by` before.
  void preempts(policy::JobId by, policy::JobId victim, std::uint32_t round) {
    ++walk_;
    policy::JobId job = by;
    while (job != victim) {
      Note& note = note_of(job);
      if (note.round != round || note.walk == walk_) break;
      note.walk = walk_;
      job = note.by;
    }
    const bool closes = job == victim;
    Note& note = note_of(victim);
    const int before = note.round == round ? note.closed : 0;
    const int closed = before + (closes && before < closed_max ? 1 : 0);
    note = {by, round, walk_, static_cast<std::uint8_t>(closed)};
  }

  /// Whether it was preempted in the round.
  bool takes_part(policy::JobId job, std::uint32_t round) const {
    return job.index < notes_.size() && notes_[job.index].round == round;
  }
  /// How many cycles its preemptions closed in the round; 62 at most.
  int closed(policy::JobId job, std::uint32_t round) const {
    return takes_part(job, round) ? notes_[job.index].closed : 0;
  }

 private:
  /// 2^62 ns are more than a century.
  static constexpr int closed_max = 62;

  struct Note {
    policy::JobId by;
    std::uint32_t round = 0;  ///< in which it was preempted last; 0: in none
    std::uint32_t walk = 0;   ///< which passed it last
    std::uint8_t closed = 0;
  };

  Note& note_of(policy::JobId job) {
    if (job.index >= notes_.size()) notes_.resize(std::size_t{job.index} + 1);
    return notes_[job.index];
  }

  std::vector<Note> notes_;  ///< by job
  std::uint32_t rounds_ = 0;
  std::uint32_t walk_ = 0;
};

}  // namespace reeve::policies
