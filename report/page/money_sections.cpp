#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/page/sections.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

/// Uses of billed time, as columns of runs.csv without their suffix.
constexpr std::array<std::string_view, 10> uses{
    "productive", "startup", "checkpoint",    "stalled",    "lost_work",
    "drain",      "orphan",  "idle_reserved", "false_stop", "residual"};

/// By policy: billed and wasted dollars of a group of jobs, in micro-dollars, so that sums are
/// exact.
struct Money {
  std::vector<std::int64_t> billed;
  std::vector<std::int64_t> wasted;
};

std::int64_t micros(double dollars) {
  return std::llround(dollars * 1e6);
}

ordered_json means(const std::vector<std::int64_t>& sums, const std::vector<double>& runs) {
  auto all = ordered_json::array();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (runs[i] > 0) {
      all.push_back(static_cast<double>(sums[i]) / 1e6 / runs[i]);
    } else {
      all.push_back(nullptr);
    }
  }
  return all;
}

/// Of as many policies, nothing yet.
Money no_money(std::size_t policies) {
  return {std::vector<std::int64_t>(policies), std::vector<std::int64_t>(policies)};
}

void add(Money& sum, const Money& money) {
  for (std::size_t policy = 0; policy < sum.billed.size(); ++policy) {
    sum.billed[policy] += money.billed[policy];
    sum.wasted[policy] += money.wasted[policy];
  }
}

using Groups = std::map<std::string, Money>;

/// The groups that are billed most under the first policy; the others together.
ordered_json rows_of(const Groups& groups, const std::vector<double>& runs) {
  std::vector<const Groups::value_type*> order;
  for (const auto& group : groups) order.push_back(&group);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.billed.front() > b->second.billed.front();
  });
  auto rows = ordered_json::array();
  Money others = no_money(runs.size());
  const std::size_t shown = order.size() > most_groups ? most_groups - 1 : order.size();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Money& money = order[i]->second;
    if (i < shown) {
      rows.push_back({{"value", order[i]->first.empty() ? "(untagged)" : order[i]->first},
                      {"billed_usd", means(money.billed, runs)},
                      {"wasted_usd", means(money.wasted, runs)}});
      continue;
    }
    add(others, money);
  }
  if (shown < order.size()) {
    rows.push_back({{"value", "(" + std::to_string(order.size() - shown) + " others)"},
                    {"billed_usd", means(others.billed, runs)},
                    {"wasted_usd", means(others.wasted, runs)}});
  }
  return rows;
}

/// The value of a tag as text; "" if the job lacks it.
std::string tag_of(const ordered_json& tags, const std::string& key) {
  const auto found = tags.is_object() ? tags.find(key) : tags.end();
  if (!tags.is_object() || found == tags.end()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

ordered_json bill_section(const ResultDirectory& results) {
  std::vector<std::string> names{"policy", "billed_usd", "guardrail_usd"};
  for (const std::string_view use : uses) names.push_back(std::string{use} + "_usd");
  const std::vector<std::string_view> columns{names.begin(), names.end()};
  std::vector<std::vector<std::int64_t>> sums(results.policies().size(),
                                              std::vector<std::int64_t>(columns.size()));
  ResultTable runs = results.table("runs", columns);
  while (runs.next()) {
    const auto policy = results.policy(runs.text(0));
    if (!policy) continue;
    for (std::size_t i = 1; i < columns.size(); ++i) {
      sums[*policy][i] += micros(runs.number_or(i, 0));
    }
  }
  auto bill = ordered_json::array();
  for (std::size_t policy = 0; policy < sums.size(); ++policy) {
    const double count = results.runs()[policy];
    if (count == 0) continue;
    const auto mean = [&](std::size_t i) {
      return static_cast<double>(sums[policy][i]) / 1e6 / count;
    };
    auto parts = ordered_json::array();
    for (std::size_t use = 0; use < uses.size(); ++use) {
      parts.push_back({{"use", uses[use]}, {"usd", mean(3 + use)}});
    }
    bill.push_back({{"policy", results.policies()[policy]},
                    {"billed_usd", mean(1)},
                    {"guardrail_usd", mean(2)},
                    {"parts", std::move(parts)}});
  }
  return bill;
}

ordered_json tag_section(const ResultDirectory& results) {
  const Money none = no_money(results.policies().size());
  std::map<std::string, Money> by_tags;  // jobs with equal tags are one group
  ResultTable jobs = results.table("jobs", {"run_id", "tags_json", "billed_usd", "wasted_usd"});
  while (jobs.next()) {
    const auto policy = results.policy(run_of(jobs.text(0)).policy);
    if (!policy) continue;
    Money& money = by_tags.try_emplace(std::string{jobs.text(1)}, none).first->second;
    money.billed[*policy] += micros(jobs.number_or(2, 0));
    money.wasted[*policy] += micros(jobs.number_or(3, 0));
  }
  std::vector<std::pair<ordered_json, const Money*>> sets;
  std::map<std::string, Groups> by_key;
  for (const auto& [text, money] : by_tags) {
    const auto& set = sets.emplace_back(parsed(text), &money);
    if (!set.first.is_object()) continue;
    for (const auto& [key, value] : set.first.items()) by_key[key];
  }
  auto section = ordered_json::array();
  for (auto& [key, groups] : by_key) {
    for (const auto& [tags, money] : sets) {
      add(groups.try_emplace(tag_of(tags, key), none).first->second, *money);
    }
    section.push_back({{"key", key}, {"rows", rows_of(groups, results.runs())}});
  }
  return section;
}

}  // namespace reeve::report
