// Names the `reeve explain` command that tells most about a study, to be run from the same folder.
#pragma once

#include <string>

#include "app/study/study.hpp"
#include "app/study/study_arguments.hpp"

namespace reeve::app {

/// "explain JOB FILE -p POLICY", under the policy with rules that wastes least.  JOB is the
/// unfinished job that wasted most; if all are finished, the job with the costliest decision.  FILE
/// is the directory of results if there is one, as that keeps the seed; else the scenario, with
/// `--seed` if one was requested.
std::string explain_command(const Study& study, const StudyArguments& arguments);

}  // namespace reeve::app
