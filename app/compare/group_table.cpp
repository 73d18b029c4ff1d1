#include "app/compare/group_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "app/text/quantity_text.hpp"
#include "app/usage_error.hpp"
#include "experiments/measures.hpp"
#include "scenarios/load/keys/metric_names.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

/// `tag.KEY.VALUE.WHAT` or `owner.NAME.WHAT`, and the head of its column.
constexpr std::array group_numbers{
    NumberColumn{"tag.KEY.VALUE.jobs", "jobs"},
    NumberColumn{"tag.KEY.VALUE.mean_wait_s", "mean wait"},
    NumberColumn{"tag.KEY.VALUE.p99_wait_s", "p99 wait"},
    NumberColumn{"tag.KEY.VALUE.mean_wait_again_s", "requeue wait", false},
    NumberColumn{"tag.KEY.VALUE.mean_slowdown", "mean slowdown"},
    NumberColumn{"tag.KEY.VALUE.worst_finish_time_fairness", "worst ρ"},
    NumberColumn{"tag.KEY.VALUE.billed_usd", "billed"},
    NumberColumn{"tag.KEY.VALUE.wasted_usd", "wasted"},
};

std::string prefix_of(const std::string& by) {
  return by == by_owner ? std::string{"owner."}
                        : "tag." + scenarios::in_metric_name(by, true) + '.';
}

/// The groups of a policy, found by name: there may be as many as jobs.
class GroupIndex {
 public:
  explicit GroupIndex(std::vector<GroupNumbers>& groups) : groups_{groups} {
    for (std::size_t i = 0; i < groups.size(); ++i) places_.emplace(groups[i].group, i);
  }

  GroupNumbers& group(std::string_view name) {
    const auto [known, added] = places_.try_emplace(std::string{name}, groups_.size());
    if (!added) return groups_[known->second];
    return groups_.emplace_back(
        GroupNumbers{std::string{name}, std::vector<ShareNumbers::Sum>(group_numbers.size())});
  }

 private:
  std::vector<GroupNumbers>& groups_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// The mean over the runs in which it came to be.
report::Cell group_mean_cell(std::string_view what, const ShareNumbers::Sum& sum) {
  if (sum.runs == 0) return report::no_cell();
  const double mean = sum.sum / sum.runs;
  if (!what.ends_with("_usd")) return quantity_cell(what, mean);
  return quantity_cell(what, quantity_like(policy::Usd{}, mean));
}

/// By owner the table has no counts of jobs and no dollars.
std::vector<std::size_t> shown_columns(const std::string& by,
                                       const std::vector<const PolicyNumbers*>& policies) {
  std::vector<std::size_t> shown =
      app::shown_columns(group_numbers, policies, &PolicyNumbers::groups);
  std::erase_if(shown, [&by](std::size_t i) {
    return by == by_owner &&
           (group_numbers[i].what() == "jobs" || group_numbers[i].what().ends_with("_usd"));
  });
  return shown;
}

}  // namespace

std::span<const NumberColumn> group_columns() {
  return group_numbers;
}

std::optional<std::string> grouping(const scenarios::Scenario& scenario, const std::string& by) {
  if (by == by_owner) return by;
  const bool has_shares = !scenario.world.directory.shares.empty();
  if (by == by_share && has_shares) return std::nullopt;
  std::set<std::string> keys{std::string{by_owner}};
  for (const auto& set : scenario.world.directory.tag_sets) {
    for (const policy::Tag& tag : set) keys.insert(tag.first);
  }
  if (keys.contains(by)) return by;
  if (has_shares) keys.emplace(by_share);
  throw UsageError{"--by " + scenarios::in_quotes(by) + ": no job has such a tag",
                   scenarios::did_you_mean(by, keys)};
}

void add_groups(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                const std::string& by, PolicyNumbers& numbers) {
  const std::string prefix = prefix_of(by);
  GroupIndex groups{numbers.groups};
  for (const experiments::Measure& measure : experiments::named_measures(scenario, result)) {
    const std::string_view name = measure.name;
    if (!name.starts_with(prefix)) continue;
    const std::size_t dot = name.rfind('.');
    const std::string_view what = name.substr(dot + 1);
    if (dot + 1 == prefix.size()) add_evenness(measure, numbers.evenness);
    const auto* const column =
        std::find_if(group_numbers.begin(), group_numbers.end(),
                     [&](const NumberColumn& of) { return of.what() == what; });
    if (column == group_numbers.end()) continue;
    GroupNumbers& group = groups.group(name.substr(prefix.size(), dot - prefix.size()));
    if (!measure.value) continue;
    ShareNumbers::Sum& sum = group.sums[static_cast<std::size_t>(column - group_numbers.begin())];
    sum.sum += experiments::as_double(*measure.value);
    ++sum.runs;
  }
}

void add_evenness(const experiments::Measure& index, ShareNumbers::Sum& evenness) {
  if (!index.value) return;
  evenness.sum += experiments::as_double(*index.value);
  ++evenness.runs;
}

void note_evenness(const std::string& policy, const ShareNumbers::Sum& evenness,
                   report::Table& table) {
  if (evenness.runs == 0) return;
  table.notes.push_back(fmt::format("{}: Jain's index of the mean slowdowns is {:.3f}", policy,
                                    evenness.sum / evenness.runs));
}

std::optional<report::Table> group_table(const std::string& by,
                                         const std::vector<const PolicyNumbers*>& policies) {
  const std::vector<std::size_t> shown = shown_columns(by, policies);
  report::Table table;
  table.name = "groups";
  table.names = 2;
  table.columns = {{"policy", "policy", report::Align::left}, {by, by, report::Align::left}};
  for (const std::size_t i : shown) {
    table.columns.push_back(
        {std::string{group_numbers[i].what()}, std::string{group_numbers[i].title}});
  }
  for (const PolicyNumbers* of : policies) {
    for (const GroupNumbers& group : of->groups) {
      report::TableRow row;
      row.cells = {report::cell(std::string_view{of->policy->name}),
                   report::cell(std::string_view{group.group})};
      for (const std::size_t i : shown) {
        const ShareNumbers::Sum& sum = group.sums[i];
        row.cells.push_back(group_mean_cell(group_numbers[i].what(), sum));
      }
      table.rows.push_back(std::move(row));
    }
    note_evenness(of->policy->name, of->evenness, table);
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace reeve::app
