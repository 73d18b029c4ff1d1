// Numbers of a study as tables and sentences show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/study/study.hpp"

namespace reeve::app {

/// Whether the scenario has a single job, whose story the table tells.
bool is_story(const Study& study);

bool is_zero(const Number& number);

/// Whether every fleet is paid for anyway.
bool all_reserved(const models::World& world);
bool any_reserved(const models::World& world);

/// Means of durations are printed to the second.
experiments::Quantity printed(const Number& number);

/// a - b, as what is printed of the two says, unless runs that only one of them counts spoil it.
std::optional<experiments::Quantity> printed_difference(const Study& study, const PolicyNumbers& a,
                                                        const PolicyNumbers& b,
                                                        std::string_view measure);

/// The exact value if there is one, else the mean.
template <class T>
std::optional<T> value_as(const Study& study, const PolicyNumbers& of, std::string_view measure) {
  const Number number = study.number(of, measure);
  if (!number.value || !std::holds_alternative<T>(*number.value)) return std::nullopt;
  return std::get<T>(*number.value);
}

/// The measure of when results are there.
std::string_view result_measure(const Study& study);
std::optional<double> result_after_s(const Study& study, const PolicyNumbers& of);

/// The policy that finishes most jobs (a policy that stops every job saves most); then the one that
/// saves most, has its results first, spends least on guardrails, is named first.
const PolicyNumbers* best_of(const Study& study, const PolicyNumbers& base);

/// What alarms, calls and messages cost less under `of`.
policy::Usd guardrails_saved(const Study& study, const PolicyNumbers& of,
                             const PolicyNumbers& base);

/// Policies that none beats in both cost and time, where all get the same jobs done; fewer than
/// three leave nothing to choose.
std::vector<std::string> pareto_front(const Study& study);

}  // namespace reeve::app
