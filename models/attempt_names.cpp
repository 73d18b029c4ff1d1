#include "models/attempt_names.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <numeric>
#include <reeve/policy/training_job_name.hpp>
#include <set>
#include <system_error>
#include <utility>

namespace reeve::models {
namespace {

using policy::AttemptNumber;

constexpr AttemptNumber most = std::numeric_limits<AttemptNumber>::max();

std::size_t digits_behind(std::string_view name) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return static_cast<std::size_t>(std::find_if_not(name.rbegin(), name.rend(), digit) -
                                  name.rbegin());
}

/// A name such as "train-r2" without its number.
std::string_view without_number(std::string_view name) {
  name.remove_suffix(digits_behind(name));
  return name;
}

/// The number of a further attempt, written as in their names; 0: it is none.
AttemptNumber number_of(std::string_view digits) {
  AttemptNumber number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  return whole && digits.front() != '0' && number > 1 ? number : AttemptNumber{0};
}

/// What the numbers of the attempts at a job stand behind; of one whose name is longer than that
/// leaves room for, higher numbers stand behind another base than `lowest` does.
std::string base_of(std::string_view name, AttemptNumber lowest) {
  return std::string{without_number(policy::clone_name(name, lowest))};
}

constexpr std::size_t room_for_all = policy::training_job_name_max - 7;  // "-r65535"

/// The lowest number that stands behind the base of the highest.
std::uint32_t first_shortened(std::size_t size) {
  if (size <= room_for_all) return std::uint32_t{most} + 1;
  std::uint32_t number = 1;
  for (std::size_t left = room_for_all + 5; left > size; --left) number *= 10;
  return std::max<std::uint32_t>(number, 2);
}

/// Only such names are changed before a number is put behind them.
bool is_changed(std::string_view name) {
  return name.size() > room_for_all || name.ends_with('-');
}

/// The nth name that may stand for one whose attempts are called as another's.
std::string stand_in(const std::string& name, std::size_t nth) {
  const std::string hash = policy::short_hash(name + std::string(nth, '-'));
  std::string stem = name.substr(0, room_for_all - 1 - hash.size());
  while (!stem.empty() && stem.back() == '-') stem.pop_back();
  return stem.empty() ? hash : stem + "-" + hash;
}

}  // namespace

AttemptNames::AttemptNames(const Jobs& jobs) : jobs_{jobs}, by_name_(jobs.names.size()) {
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  std::sort(by_name_.begin(), by_name_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return jobs.names[a] < jobs.names[b]; });
  take_numbers();
  tell_apart();
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

void AttemptNames::take_numbers() {
  const auto take = [&](std::string_view base, AttemptNumber number) {
    if (number != 0 && base.ends_with("-r")) taken_.push_back({base, number});
  };
  for (const std::string& name : jobs_.names) {
    const std::string_view base = without_number(name);
    take(base, number_of(std::string_view{name}.substr(base.size())));
  }
  const std::string_view base = without_number(jobs_.drawn_prefix);
  const std::size_t drawn = jobs_.specs.size() - jobs_.names.size();
  for (std::size_t nth = 1; nth <= std::min<std::size_t>(drawn, most); ++nth) {
    if (!base.ends_with("-r")) break;
    const std::string digits = jobs_.drawn_prefix.substr(base.size()) + std::to_string(nth);
    take(base, number_of(digits));
  }
  std::sort(taken_.begin(), taken_.end());
}

/// Names that are not changed differ, and so do their attempts' names.  Among the others the first
/// keeps the name that it would have without the rest.
void AttemptNames::tell_apart() {
  std::vector<std::pair<std::string, std::uint32_t>> bases;
  const auto note = [&](std::uint32_t id, const std::string& name) {
    if (!is_changed(name)) return;
    const std::string shortened = base_of(name, most);
    bases.emplace_back(shortened, id);
    if (std::string whole = base_of(name, 2); whole != shortened) bases.emplace_back(whole, id);
  };
  std::uint32_t id = 0;
  for (const std::string& name : jobs_.names) note(id++, name);
  if (jobs_.drawn_prefix.size() + std::numeric_limits<std::uint32_t>::digits10 >= room_for_all) {
    for (; id < jobs_.specs.size(); ++id) note(id, jobs_.name({id}));
  }
  std::sort(bases.begin(), bases.end());
  std::set<std::string> used;
  const auto is_free = [&](const std::string& stem) {
    const std::pair<std::string, std::uint32_t> least{stem + "-r", 0};
    const auto other = std::lower_bound(bases.begin(), bases.end(), least);
    return !job(stem) && (other == bases.end() || other->first != least.first) &&
           used.insert(stem).second;
  };
  for (auto base = bases.begin(); base != bases.end();) {
    const auto next = std::find_if(base, bases.end(),
                                   [&](const auto& other) { return other.first != base->first; });
    const auto called_so = job(std::string_view{base->first}.substr(0, base->first.size() - 2));
    const std::uint32_t keeps = called_so ? called_so->index : base->second;
    for (; base != next; ++base) {
      if (base->second == keeps || apart_.contains(base->second)) continue;
      const std::string name = jobs_.name({base->second});
      std::size_t nth = 0;
      while (!is_free(stand_in(name, nth))) ++nth;
      apart_.emplace(base->second, stand_in(name, nth));
    }
  }
}

std::size_t AttemptNames::skipped(std::string_view base, std::uint32_t from, std::uint32_t to,
                                  std::uint32_t free, std::size_t passed) const {
  if (from > most || from >= to) return 0;
  const auto begin =
      std::lower_bound(taken_.begin(), taken_.end(), Taken{base, static_cast<AttemptNumber>(from)});
  const auto end =
      std::upper_bound(begin, taken_.end(), Taken{base, static_cast<AttemptNumber>(to - 1)});
  const auto first_after = std::partition_point(begin, end, [&](const Taken& taken) {
    const auto before = passed + static_cast<std::size_t>(&taken - &*begin);
    return taken.number - std::size_t{2} < free + before;
  });
  return static_cast<std::size_t>(first_after - begin);
}

std::string AttemptNames::numbered(policy::JobId job, AttemptNumber attempt) const {
  const std::string first = jobs_.name(job);
  if (attempt <= 1) return first;
  const auto apart = apart_.find(job.index);
  const std::string& stem = apart == apart_.end() ? first : apart->second;
  if (taken_.empty()) return policy::clone_name(stem, attempt);
  const std::uint32_t free = attempt - 1U;
  const std::uint32_t shortened = first_shortened(stem.size());
  std::size_t passed = skipped(base_of(stem, 2), 2, shortened, free, 0);
  passed += skipped(base_of(stem, most), shortened, std::uint32_t{most} + 1, free, passed);
  const std::size_t number = std::min<std::size_t>(attempt + passed, most);
  return policy::clone_name(stem, static_cast<AttemptNumber>(number));
}

}  // namespace reeve::models
