#include "app/compare/precision.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "app/compare/comparison_table.hpp"
#include "app/compare/study_numbers.hpp"
#include "app/usage_error.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

constexpr std::uint32_t most_runs = 20'000;

experiments::Estimate headline(const Study& study, const std::string& baseline) {
  const PolicyNumbers& base = study.policies[baseline_of(study, baseline)];
  const PolicyNumbers* best = best_of(study, base);
  if (best == nullptr) return study.number(base, "billed_usd").estimate;
  return study.difference(base, *best, study.index("billed_usd"));
}

}  // namespace

double precision_of(const std::string& written) {
  double percent = 0;
  const char* const end = written.data() + written.size();
  const auto read = std::from_chars(written.data(), end, percent);
  const std::string rest{read.ptr, end};
  const bool is_percent = read.ec == std::errc{} && (rest == "%" || rest == " %");
  if (!is_percent || !(percent > 0 && percent <= 100)) {
    throw UsageError{
        "--precision " + scenarios::in_quotes(written) + " is no share of the headline",
        "--precision 5%"};
  }
  return percent / 100;
}

double relative_width(const Study& study, const std::string& baseline) {
  if (!study.scenario->random) return 0;  // one run is exact
  const experiments::Estimate of = headline(study, baseline);
  if (of.reach() == 0 && of.samples > 1) return 0;
  if (of.samples < 2 || of.mean == 0) return std::numeric_limits<double>::infinity();
  return of.reach() / std::abs(of.mean);
}

std::uint32_t runs_for(const scenarios::Scenario& scenario, const StudyPlan& plan,
                       const std::string& baseline, double precision, const Console& console) {
  if (!scenario.random) return plan.runs;
  const std::size_t windows = scenario.world.ticks.windows.size();
  const std::uint32_t most =
      windows > 0 ? std::min(most_runs, static_cast<std::uint32_t>(windows)) : most_runs;
  StudyPlan trial;
  trial.policies = plan.policies;
  trial.threads = plan.threads;
  constexpr std::uint32_t fewest = 10;  // less says little about the spread
  std::uint32_t runs = std::min(std::max(plan.runs, fewest), most);
  for (;;) {
    trial.runs = runs;
    const Study study = run_study(scenario, trial, console);
    const double width = relative_width(study, baseline);
    if (width <= precision || runs >= most || study.partial) return runs;
    constexpr double room = 1.1;
    const double needed = room * runs * std::pow(width / precision, 2);
    runs = needed < most ? std::max(runs + 1, static_cast<std::uint32_t>(std::ceil(needed))) : most;
  }
}

}  // namespace reeve::app
