// From the words of a command line to a command and an exit code.
#pragma once

namespace reeve::app {

/// The whole program.  Never throws; catches InputError (3), wrong usage (64), all else (1).
int run_command_line(int argc, const char* const* argv);

}  // namespace reeve::app
