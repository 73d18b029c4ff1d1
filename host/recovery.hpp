// Restores a host after a crash: belief, timers and actions in flight follow from the journal.
#pragma once

#include <cstdint>
#include <vector>

#include "host/host.hpp"

namespace reeve::host {

/// What the caller must do after a recovery.
struct Recovered {
  /// Steps replayed.  The feed must deliver everything after them again.
  std::uint64_t steps = 0;
  /// Attempts of the last step, which may not have been sent.  Sending them twice is harmless.
  std::vector<Attempt> attempts;
};

/// Removes the last step if its intake is incomplete.  Then `bytes` and `lines()` give the part of
/// the file that a recovered host does not write again.
void drop_incomplete_step(JournalText& recorded);

/// Replays the recorded intakes to `host`, which must be new, have the same seats and guards, and
/// write to `journal`.  Throws JournalError at the first line that differs, and for ids that the
/// directory lacks.  The output of the last step may be cut off anywhere.
///
/// To continue in the same file: read it, call drop_incomplete_step, truncate it to `bytes`, then
/// call journal.write_text_to(file, flush, recorded.lines()) before creating the host.
Recovered recover(const JournalText& recorded, Host& host, Journal& journal);

}  // namespace reeve::host
