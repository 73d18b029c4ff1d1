#include "app/compare/share_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "app/compare/group_table.hpp"
#include "app/docs/modelled.hpp"
#include "app/text/quantity_text.hpp"
#include "experiments/measures.hpp"

namespace reeve::app {
namespace {

/// `share.NAME.WHAT`, and the head of its column.
constexpr std::array share_numbers{
    NumberColumn{"share.NAME.mean_wait_s", "mean wait"},
    NumberColumn{"share.NAME.p99_wait_s", "p99 wait"},
    NumberColumn{"share.NAME.mean_wait_again_s", "requeue wait", false},
    NumberColumn{"share.NAME.mean_slowdown", "mean slowdown"},
    NumberColumn{"share.NAME.worst_finish_time_fairness", "worst ρ"},
    NumberColumn{"share.NAME.borrowed_instance_hours", "borrowed instance-h"},
    NumberColumn{"share.NAME.lent_instance_hours", "lent instance-h"},
    NumberColumn{"share.NAME.lost_work_instance_hours", "lost-work instance-h"},
    NumberColumn{"share.NAME.preemptions", "times preempted"},
};

}  // namespace

std::span<const NumberColumn> share_columns() {
  return share_numbers;
}

void add_shares(const scenarios::Scenario& scenario, const experiments::RunResult& result,
                std::vector<ShareNumbers>& shares) {
  const auto& facts = scenario.world.directory.shares;
  if (shares.empty()) {
    for (const policy::ShareFacts& share : facts) {
      shares.push_back({share.name, std::vector<ShareNumbers::Sum>(share_numbers.size())});
    }
  }
  if (shares.empty()) return;
  std::map<std::string, experiments::Quantity> values;
  for (experiments::Measure& measure : experiments::measures_of_shares(scenario, result)) {
    if (measure.value) values.emplace(std::move(measure.name), *measure.value);
  }
  for (ShareNumbers& share : shares) {
    for (std::size_t i = 0; i < share_numbers.size(); ++i) {
      const auto value =
          values.find("share." + share.share + '.' + std::string{share_numbers[i].what()});
      if (value == values.end()) continue;
      share.sums[i].sum += experiments::as_double(value->second);
      ++share.sums[i].runs;
    }
  }
}

std::optional<report::Table> share_table(const std::vector<const PolicyNumbers*>& policies) {
  report::Table table;
  table.name = "shares";
  table.names = 2;
  table.columns = {{"policy", "policy", report::Align::left},
                   {"share", "share", report::Align::left}};
  const std::vector<std::size_t> shown =
      shown_columns(share_numbers, policies, &PolicyNumbers::shares);
  for (const std::size_t i : shown) {
    table.columns.push_back(
        {std::string{share_numbers[i].what()}, std::string{share_numbers[i].title}});
  }
  for (const PolicyNumbers* of : policies) {
    for (const ShareNumbers& share : of->shares) {
      report::TableRow row;
      row.cells = {report::cell(std::string_view{of->policy->name}),
                   report::cell(std::string_view{share.share})};
      for (const std::size_t i : shown) {
        const ShareNumbers::Sum& sum = share.sums[i];
        row.cells.push_back(sum.runs == 0
                                ? report::no_cell()
                                : quantity_cell(share_numbers[i].what(), sum.sum / sum.runs));
      }
      table.rows.push_back(std::move(row));
    }
    note_evenness(of->policy->name, of->shares_evenness, table);
    std::string note = modelled_note(*of->policy);
    if (!note.empty() && !of->shares.empty()) table.closing.push_back({std::move(note)});
  }
  if (table.rows.empty()) return std::nullopt;
  return table;
}

}  // namespace reeve::app
