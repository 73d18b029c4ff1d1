#include "models/attempt_names.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <reeve/policy/training_job_name.hpp>
#include <system_error>

namespace reeve::models {
namespace {

/// Whether a number, or more of one, behind it may make it a name such as "train-r2".
bool ends_as_numbered(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("-r");
}

/// A numbered name without its number.
std::string base_of(std::string numbered) {
  while (!numbered.empty() && numbered.back() >= '0' && numbered.back() <= '9') numbered.pop_back();
  return numbered;
}

/// Whether some job's name begins as numbered names do that have this base.
bool may_meet(const Jobs& jobs, const std::vector<std::uint32_t>& by_name, std::string_view base) {
  const auto next = std::lower_bound(
      by_name.begin(), by_name.end(), base,
      [&](std::uint32_t id, std::string_view wanted) { return jobs.names[id] < wanted; });
  if (next != by_name.end() && jobs.names[*next].starts_with(base)) return true;
  const std::string_view drawn = jobs.drawn_prefix;
  return jobs.specs.size() > jobs.names.size() &&
         (drawn.starts_with(base) || base.starts_with(drawn));
}

}  // namespace

AttemptNames::AttemptNames(const Jobs& jobs) : jobs_{jobs}, by_name_(jobs.names.size()) {
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return jobs.names[a] < jobs.names[b]; });
  may_meet_ = ends_as_numbered(jobs.drawn_prefix) ||
              std::any_of(jobs.names.begin(), jobs.names.end(), ends_as_numbered);
}

std::optional<policy::JobId> AttemptNames::job(std::string_view name) const {
  const auto known = std::lower_bound(
      by_name_.begin(), by_name_.end(), name,
      [&](std::uint32_t id, std::string_view wanted) { return jobs_.names[id] < wanted; });
  if (known != by_name_.end() && jobs_.names[*known] == name) return policy::JobId{*known};
  if (!name.starts_with(jobs_.drawn_prefix)) return std::nullopt;
  const std::string_view digits = name.substr(jobs_.drawn_prefix.size());
  std::uint32_t nth = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), nth);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  const std::size_t drawn = jobs_.specs.size() - jobs_.names.size();
  if (!whole || digits.front() == '0' || nth == 0 || nth > drawn) return std::nullopt;
  return policy::JobId{static_cast<std::uint32_t>(jobs_.names.size()) + nth - 1};
}

std::string AttemptNames::numbered(policy::JobId job, policy::AttemptNumber attempt) const {
  const std::string first = jobs_.name(job);
  if (attempt <= 1) return first;
  std::string name = policy::clone_name(first, attempt);
  if (!may_meet_) return name;
  // Numbers of more digits may need a shorter base.
  constexpr policy::AttemptNumber most = std::numeric_limits<policy::AttemptNumber>::max();
  const bool meets = may_meet(jobs_, by_name_, base_of(policy::clone_name(first, 2))) ||
                     may_meet(jobs_, by_name_, base_of(policy::clone_name(first, most)));
  if (!meets) return name;
  policy::AttemptNumber number = 1;
  for (policy::AttemptNumber left = attempt; left > 1 && number < most;) {
    name = policy::clone_name(first, ++number);
    if (!this->job(name)) --left;
  }
  return name;
}

}  // namespace reeve::models
