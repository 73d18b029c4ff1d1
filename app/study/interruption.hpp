// Ctrl-C: the first requests an orderly end, the second ends the program at once.
#pragma once

#include <atomic>

namespace reeve::app {

/// SIGINT and SIGTERM end the program at once with exit code 130, and leave no temporary files.
/// A file that grows beyond a limit becomes an error instead of a signal.
void catch_signals();

/// True from the first SIGINT or SIGTERM on.  From the first call on, that signal only requests an
/// orderly end.  A second one ends the program at once, unless it follows within 100 ms.  If
/// note_interruption() does not follow within a second, the program ends.
const std::atomic<bool>& interruption();

/// The orderly end has begun, or what runs looks at interruption() often.
void note_interruption();
/// From here on, interruption() may again stay unseen.
void forget_interruption();

}  // namespace reeve::app
