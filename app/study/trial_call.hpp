// Calls foreign code in a process of its own first, so that a crash is an error and not an end.
#pragma once

#include <functional>
#include <string>

namespace reeve::app {

/// Makes a call in a child process whose output is dropped.  Returns how it crashed ("signal 11,
/// Segmentation fault") or ended the process ("exit status 0"); empty: neither.  The child ends
/// with this process.
std::string crash_of(const std::function<void()>& call);

}  // namespace reeve::app
