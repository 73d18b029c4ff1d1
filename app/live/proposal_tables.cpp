#include "app/live/proposal_tables.hpp"

#include <chrono>
#include <map>
#include <utility>

#include "host/enum_names.hpp"
#include "report/format.hpp"

namespace reeve::app {
namespace {

struct RuleSums {
  std::uint64_t stops = 0;
  std::uint64_t clones = 0;
  std::uint64_t messages = 0;
  std::uint64_t others = 0;
  std::uint64_t refused = 0;
  policy::Usd saves;
  bool has_unpriced = false;
};

std::uint64_t& count_of(RuleSums& sums, policy::VerbKind action) {
  if (action == policy::VerbKind::stop_job) return sums.stops;
  if (action == policy::VerbKind::clone_job) return sums.clones;
  return action == policy::VerbKind::notify ? sums.messages : sums.others;
}

std::map<std::string, RuleSums> sums_by_rule(const std::vector<Proposal>& proposals) {
  std::map<std::string, RuleSums> sums;
  for (const Proposal& row : proposals) {
    RuleSums& rule = sums[row.rule];
    if (!row.refused_by.empty()) {
      ++rule.refused;
      continue;
    }
    ++count_of(rule, row.action);
    if (row.saves_up_to) rule.saves += *row.saves_up_to;
    const bool stops = row.action == policy::VerbKind::stop_job;
    rule.has_unpriced = rule.has_unpriced || (stops && !row.saves_up_to);
  }
  return sums;
}

}  // namespace

report::Cell time_cell(policy::Instant at) {
  report::Cell cell = report::cell(report::instant(at));
  cell.text = report::instant(std::chrono::floor<std::chrono::seconds>(at));
  return cell;
}

report::Table rules_table(const std::vector<std::string>& rules,
                          const std::vector<Proposal>& proposals) {
  report::Table table;
  table.columns = {{"rule", "rule", report::Align::left},
                   {"would_stop", "would stop"},
                   {"would_clone", "would clone"},
                   {"would_notify", "would notify"},
                   {"would_do_else", "other"},
                   {"refused", "refused by guards"},
                   {"saves_up_to_usd", "saves up to"}};
  const auto sums = sums_by_rule(proposals);
  bool has_unpriced = false;
  for (const std::string& name : rules) {
    const auto found = sums.find(name);
    const RuleSums rule = found == sums.end() ? RuleSums{} : found->second;
    report::Cell saves = rule.stops == 0 ? report::no_cell() : report::cell(rule.saves);
    if (rule.has_unpriced) saves = report::marked(std::move(saves), 1);
    has_unpriced = has_unpriced || rule.has_unpriced;
    table.rows.push_back(
        {.cells = {report::cell(name), report::cell(rule.stops), report::cell(rule.clones),
                   report::cell(rule.messages), report::cell(rule.others),
                   report::cell(rule.refused), std::move(saves)}});
  }
  if (has_unpriced) {
    table.footnotes.push_back(
        "without stops of attempts that have no max_runtime, no known price or reserved instances");
  }
  return table;
}

report::Table proposals_table(const std::vector<Proposal>& proposals, bool for_people) {
  report::Table table;
  table.columns = {{"time", "time", report::Align::left},
                   {"training_job", "training job", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"action", "would", report::Align::left},
                   {"reason", "because", report::Align::left}};
  if (!for_people) table.columns.push_back({"basis", "basis", report::Align::left});
  table.columns.push_back({"refused_by", "refused by", report::Align::left});
  table.columns.push_back({"saves_up_to_usd", "saves up to"});
  table.names = 4;
  for (const Proposal& row : proposals) {
    const bool shows_basis = for_people && !row.basis.empty();
    report::TableRow line{.cells = {time_cell(row.at), report::cell(row.name),
                                    report::cell(row.rule), report::cell(host::name_of(row.action)),
                                    report::cell(shows_basis ? row.basis : row.reason)}};
    if (!for_people) line.cells.push_back(report::cell(row.basis));
    line.cells.push_back(report::cell(row.refused_by));
    line.cells.push_back(row.saves_up_to ? report::cell(*row.saves_up_to) : report::no_cell());
    table.rows.push_back(std::move(line));
  }
  return table;
}

}  // namespace reeve::app
