#include "scenarios/load/resolved/loading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace reeve::scenarios {

Loading::Loading(Document parsed, std::filesystem::path traces_in, const LoadLimits& limited,
                 Findings& told)
    : Resolved{std::move(parsed)}, folder{std::move(traces_in)}, limits{limited}, findings{told} {
  interned.tags.emplace(std::vector<policy::Tag>{}, policy::TagSetId{0});
}

void Loading::error(const Node& node, std::string_view code, std::string message, std::string label,
                    std::string help) {
  findings.error(node, code, std::move(message), std::move(label), std::move(help));
}

void Loading::warning(const Node& node, std::string_view code, std::string message,
                      std::string label, std::string help) {
  findings.warning(node, code, std::move(message), std::move(label), std::move(help));
}

policy::TagSetId Loading::intern(std::vector<policy::Tag> tags) {
  std::sort(tags.begin(), tags.end());
  auto& sets = world().directory.tag_sets;
  const auto [known, added] =
      interned.tags.try_emplace(tags, policy::TagSetId{static_cast<std::uint32_t>(sets.size())});
  if (added) sets.push_back(std::move(tags));
  return known->second;
}

std::optional<Duration> stepped(Duration base, Duration step, std::uint64_t times) {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(step.count(), times, &product)) return std::nullopt;
  if (__builtin_add_overflow(base.count(), product, &sum)) return std::nullopt;
  return Duration{sum};
}

std::optional<policy::JobId> KnownNames::job(std::string_view name) const {
  const auto known = std::lower_bound(
      jobs.begin(), jobs.end(), name,
      [](const auto& each, std::string_view wanted) { return each.first < wanted; });
  if (known == jobs.end() || known->first != name) return {};
  return known->second;
}

std::optional<std::uint64_t> drawn_number(std::string_view name,
                                          const models::DrawnWorkload& drawn) {
  if (!name.starts_with(drawn.prefix) || name.size() == drawn.prefix.size()) return std::nullopt;
  const std::string_view digits = name.substr(drawn.prefix.size());
  const char* end = digits.data() + digits.size();
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end || digits.front() == '0') return std::nullopt;
  if (number < 1 || number > drawn.jobs) return std::nullopt;
  return number;
}

void check_order(const std::vector<models::TimeSpan>& intervals, const Node& list,
                 Findings& findings) {
  if (list.size() != intervals.size()) return;  // a wrong one is reported already
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    if (intervals[i].first >= intervals[i - 1].second) continue;
    findings.error(list[i], "E0227", "intervals must be in order and must not overlap",
                   fmt::format("begins before {}, the end of the previous one",
                               show(intervals[i - 1].second)));
    return;
  }
}

host::TagPattern tag_pattern(const Resolved& resolved, const std::string& text, const Node& node,
                             Findings& findings) {
  const std::string key = text.substr(0, text.find('='));
  host::TagPattern pattern{text};
  if (key.empty()) {
    findings.error(node, "E0229", "a tag needs a key", "\"key\" or \"key=value\"");
    return pattern;
  }
  // Broken jobs may hide theirs, and those of a trace are none of the set.
  if (findings.errors() > 0 || resolved.input.live) return pattern;
  std::vector<std::string> known;
  for (const auto& tags : resolved.world().directory.tag_sets) {
    for (const policy::Tag& tag : tags) {
      if (tag.first == key && (text.size() == key.size() || text == key + "=" + tag.second)) {
        return pattern;
      }
      known.push_back(text.size() == key.size() ? tag.first : tag.first + "=" + tag.second);
    }
  }
  const std::vector<std::string_view> names{known.begin(), known.end()};
  findings.warning(node, "W0520", fmt::format("no job has the tag {}", in_quotes(text)),
                   "it matches no job", did_you_mean(text, names));
  return pattern;
}

std::optional<policy::PoolId> fleet_named(const Resolved& resolved, const std::string& name,
                                          const Node& node, Findings& findings) {
  const policy::Directory& directory = resolved.world().directory;
  const auto pool = directory.pool_named(name);
  if (pool) return pool;
  std::vector<std::string_view> names;
  for (const policy::PoolFacts& facts : directory.pools) names.push_back(facts.name);
  findings.error(node, "E0212", fmt::format("unknown fleet {}", in_quotes(name)),
                 "no fleet of this name", did_you_mean(name, names));
  return std::nullopt;
}

}  // namespace reeve::scenarios
