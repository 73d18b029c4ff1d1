// Ctrl-C: the first requests an orderly end, the second ends the program at once.
#pragma once

#include <atomic>

namespace reeve::app {

/// True from the first SIGINT or SIGTERM on.  Catches them from the first call.
const std::atomic<bool>& interruption();

}  // namespace reeve::app
