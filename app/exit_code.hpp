// The exit codes of the program.
#pragma once

namespace reeve::app {

/// What a command came to; documented in `reeve help`.
enum ExitCode : int {
  done = 0,
  failed = 1,         ///< at run time: a file that cannot be written, a bug
  pending = 2,        ///< with --detailed-exitcode: a rule would act
  invalid = 3,        ///< a scenario, policy or trace
  cloud = 4,          ///< credentials, or a call of AWS
  refused = 5,        ///< a stale plan, or a guard
  usage = 64,         ///< a command line that makes no sense
  untrue = 99,        ///< an `expect`
  interrupted = 130,  ///< Ctrl-C
};

}  // namespace reeve::app
