#include "app/compare/study_numbers.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "app/text/quantity_text.hpp"
#include "experiments/pareto.hpp"

namespace reeve::app {

using experiments::Quantity;
using policy::Usd;

bool is_story(const Study& study) {
  return study.scenario->world.jobs.specs.size() == 1 && !study.scenario->world.drawn;
}

bool is_zero(const Number& number) {
  return !number.value || experiments::as_double(*number.value) == 0;
}

bool all_reserved(const models::World& world) {
  return std::ranges::all_of(
      world.pools, [](const models::Pool& pool) { return policy::is_reserved(pool.market); });
}

bool any_reserved(const models::World& world) {
  return std::ranges::any_of(
      world.pools, [](const models::Pool& pool) { return policy::is_reserved(pool.market); });
}

Quantity printed(const Number& number) {
  return number.estimate.samples < 2 ? *number.value : to_the_second(*number.value);
}

std::optional<Quantity> printed_difference(const Study& study, const PolicyNumbers& a,
                                           const PolicyNumbers& b, std::string_view measure) {
  const Number of_a = study.number(a, measure);
  const Number of_b = study.number(b, measure);
  if (!of_a.value || !of_b.value) return std::nullopt;
  const auto diff = study.difference(a, b, study.index(measure));
  if (diff.samples == 0) return std::nullopt;
  const std::size_t pairs = std::max(of_a.estimate.samples, of_b.estimate.samples);
  if (diff.samples < pairs) return quantity_like(*of_a.value, diff.mean);
  return shown_difference(measure, printed(of_a), printed(of_b));
}

std::string_view result_measure(const Study& study) {
  return is_story(study) ? "time_to_result" : "mean_time_to_result_s";
}

std::optional<double> result_after_s(const Study& study, const PolicyNumbers& of) {
  const Number number = study.number(of, result_measure(study));
  if (!number.value) return std::nullopt;
  return experiments::as_double(*number.value);
}

namespace {

Usd saved_by(const Study& study, const PolicyNumbers& of, const PolicyNumbers& base) {
  const auto mine = value_as<Usd>(study, of, "billed_usd");
  const auto theirs = value_as<Usd>(study, base, "billed_usd");
  return mine && theirs ? *theirs - *mine : Usd{};
}

/// Mean number of jobs with a result; the job of a story is the same under every policy or its
/// absence shows as "–".
double jobs_done(const Study& study, const PolicyNumbers& of) {
  return study.number(of, "jobs_done").estimate.mean;
}

}  // namespace

Usd guardrails_saved(const Study& study, const PolicyNumbers& of, const PolicyNumbers& base) {
  const auto saved = printed_difference(study, base, of, "guardrail_usd");
  return saved ? std::get<Usd>(*saved) : Usd{};
}

const PolicyNumbers* best_of(const Study& study, const PolicyNumbers& base) {
  const PolicyNumbers* best = nullptr;
  for (const PolicyNumbers& candidate : study.policies) {
    if (&candidate == &base || candidate.samples.empty()) continue;
    if (best == nullptr) {
      best = &candidate;
      continue;
    }
    const double more = jobs_done(study, candidate) - jobs_done(study, *best);
    const Usd gain = saved_by(study, candidate, base) - saved_by(study, *best, base);
    const auto mine = result_after_s(study, candidate);
    const auto theirs = result_after_s(study, *best);
    const bool same = study.same_jobs_done(candidate, *best);  // else their means are no times
    const bool sooner = mine && (!theirs || (same && *mine < *theirs));
    const bool leaner = mine == theirs && guardrails_saved(study, candidate, base) >
                                              guardrails_saved(study, *best, base);
    const bool cheaper = gain > Usd{} || (gain == Usd{} && (sooner || leaner));
    if (more > 0 || (more == 0 && cheaper)) best = &candidate;
  }
  return best;
}

std::vector<std::string> pareto_front(const Study& study) {
  std::vector<experiments::CostAndTime> choices;
  for (const PolicyNumbers& numbers : study.policies) {
    const Number cost = study.number(numbers, "billed_usd");
    const auto time = result_after_s(study, numbers);
    if (!cost.value || !time) return {};
    if (!study.same_jobs_done(numbers, study.policies.front())) return {};
    choices.push_back({experiments::as_double(*cost.value), *time});
  }
  std::vector<std::string> names;
  if (choices.size() < 3) return names;
  const std::vector<bool> front = experiments::on_front(choices);
  std::set<std::pair<double, double>> different;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (!front[i]) continue;
    names.push_back(study.policies[i].policy->name);
    different.emplace(choices[i].cost, choices[i].time);
  }
  if (different.size() < 2) names.clear();  // all the same: there is nothing to choose
  return names;
}

}  // namespace reeve::app
