// Takes out of a joined history what a replay cannot run.
#pragma once

#include "scenarios/history/join.hpp"

namespace reeve::scenarios {

/// Drops jobs without a size or a duration, which is W0633, and characters and tags that a trace
/// cannot have.  Jobs that never started stay: they are part of the history.  Throws InputError
/// E0403 if no job is left that ran.
void keep_runnable(JoinedHistory& joined, const Bill& bill);

}  // namespace reeve::scenarios
