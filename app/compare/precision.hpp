// How many replications a comparison needs until its headline is precise enough.
#pragma once

#include <cstdint>
#include <string>

#include "app/console.hpp"
#include "app/study/study.hpp"

namespace reeve::app {

/// "5%" as 0.05.  Throws UsageError unless it is above 0 and at most 100 %.
double precision_of(const std::string& written);

/// The headline: what the best policy saves against the baseline, else what the only one is billed.
/// The answer is half the width of its interval as a share of its mean; infinite if that is 0, and
/// 0 if nothing is random.
double relative_width(const Study& study, const std::string& baseline);

/// Runs the study until the headline is within `precision`, at most 20,000 replications: first as
/// many as the scenario has, then as many as the spread of these requires.  Of a scenario without
/// randomness, its own number.  The tables of the plan are not written.
std::uint32_t runs_for(const scenarios::Scenario& scenario, const StudyPlan& plan,
                       const std::string& baseline, double precision, const Console& console);

}  // namespace reeve::app
