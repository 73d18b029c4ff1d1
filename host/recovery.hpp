// Brings a host back after a crash: belief, timers and actions in flight are a fold of the journal.
#pragma once

#include <cstdint>
#include <vector>

#include "host/host.hpp"

namespace reeve::host {

/// What the caller owes the world after a recovery.
struct Recovered {
  /// Steps replayed.  The feed delivers again whatever it gave after them.
  std::uint64_t steps = 0;
  /// Attempts of the last step: they may not have been sent.  Sending them twice is harmless.
  std::vector<Attempt> attempts;
};

/// Takes away the last step if its intake is incomplete, so that `bytes` and `lines()` say how much
/// of the file a recovered host does not write again.
void drop_incomplete_step(JournalText& recorded);

/// Feeds the recorded intakes to `host`, which must be new, have the same seats and guards, and
/// write to `journal`.  Throws JournalError at the first line that comes out differently, and for
/// ids that the directory does not have.  The last step's output may be cut off anywhere.
///
/// To go on in the same file: read it, drop_incomplete_step, truncate it to `bytes`, then
/// journal.write_text_to(file, flush, recorded.lines()) before the host is made.
Recovered recover(const JournalText& recorded, Host& host, Journal& journal);

}  // namespace reeve::host
