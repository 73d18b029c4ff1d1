#include "app/history/import_tables.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "report/format.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

using report::Align;
using report::cell;
using scenarios::NanoUsd;

report::Cell hours(double number) {
  return cell(number, fmt::format("{:.1f}", number));
}

report::Cell price_cell(std::optional<policy::UsdPerHour> price) {
  if (!price) return report::no_cell();
  const double dollars = static_cast<double>(price->nanos) / 1e9;
  return cell(dollars, fmt::format("${:.4f}", dollars));
}

/// The warnings of all files and of the join; without the names of files if `anonymous`.
std::vector<scenarios::Diagnostic> all_warnings(const scenarios::History& history,
                                                const scenarios::JoinedHistory& joined,
                                                bool anonymous) {
  std::vector<scenarios::Diagnostic> all;
  if (!anonymous) {
    for (const auto& file : history.files) {
      all.insert(all.end(), file.warnings.begin(), file.warnings.end());
    }
  }
  all.insert(all.end(), joined.warnings.begin(), joined.warnings.end());
  return all;
}

}  // namespace

report::Table files_table(const scenarios::History& history, bool anonymous) {
  report::Table table;
  table.name = "files";
  table.columns = {{"file", "file", anonymous ? Align::right : Align::left},
                   {"kind", "kind", Align::left},
                   {"records", "records"},
                   {"used", "used"},
                   {"warnings", "warnings"}};
  for (const auto& file : history.files) {
    const std::uint64_t number = table.rows.size() + 1;
    table.rows.push_back(
        {{anonymous ? cell(number) : cell(file.file), cell(file.kind), cell(file.records),
          cell(file.used), cell(std::uint64_t{file.warnings.size()})}});
  }
  return table;
}

report::Table kinds_table(const scenarios::History& history) {
  report::Table table;
  table.name = "files";
  table.columns = {{"kind", "kind", Align::left},
                   {"files", "files"},
                   {"records", "records"},
                   {"used", "used"},
                   {"warnings", "warnings"}};
  struct Sums {
    std::uint64_t files = 0, records = 0, used = 0, warnings = 0;
  };
  std::map<std::string, Sums> by_kind;
  for (const auto& file : history.files) {
    Sums& sums = by_kind[file.kind];
    ++sums.files;
    sums.records += file.records;
    sums.used += file.used;
    sums.warnings += file.warnings.size();
  }
  for (const auto& [kind, sums] : by_kind) {
    table.rows.push_back(
        {{cell(kind), cell(sums.files), cell(sums.records), cell(sums.used), cell(sums.warnings)}});
  }
  return table;
}

report::Table machines_table(const scenarios::JoinedHistory& joined,
                             scenarios::HistoryPrices prices) {
  report::Table table;
  table.name = "instances";
  table.names = 2;
  table.columns = {{"instance_type", "type", Align::left},
                   {"market", "market", Align::left},
                   {"jobs", "jobs"},
                   {"most", "most at once"},
                   {"instance_hours", joined.by_nodes ? "instance-hours" : "GPU-hours"},
                   {"billed_hours", "billed hours"},
                   {"billed_usd", "billed"},
                   {"list_usd", "at list price"},
                   {"usd_per_hour", "price used"}};
  const auto by_type = scenarios::prices_of(joined, prices);
  for (const auto& held : joined.machines) {
    std::optional<policy::UsdPerHour> used;
    for (const auto& price : by_type) {
      if (price.instance_type != held.instance_type) continue;
      used = held.market == policy::Market::spot ? price.spot : price.on_demand;
      if (price.source == "none") used.reset();
    }
    const bool billed = held.billed_hours > 0;
    table.rows.push_back(
        {{cell(held.instance_type),
          cell(policy::market_names[static_cast<std::size_t>(held.market)]), cell(held.jobs),
          cell(static_cast<std::uint64_t>(held.most)), hours(held.instance_hours),
          billed ? hours(held.billed_hours) : report::no_cell(),
          billed ? cell(rounded(held.cost)) : report::no_cell(),
          billed ? cell(rounded(held.list)) : report::no_cell(), price_cell(used)}});
  }
  for (const auto& [type, other] : joined.not_replayed) {
    table.rows.push_back(
        {{cell(type), cell("not in the replay"), report::no_cell(), report::no_cell(),
          report::no_cell(), hours(other.hours), cell(rounded(other.cost)),
          cell(rounded(other.list)), report::no_cell()}});
  }
  return table;
}

report::Table bill_table(const scenarios::JoinedHistory& joined) {
  const auto& sums = joined.reconciliation;
  report::Table table;
  table.name = "bill";
  table.columns = {{"part", "part of the bill", Align::left}, {"usd", "dollars"}};
  const auto row = [&](std::string_view part, NanoUsd money) {
    if (money.nanos != 0) table.rows.push_back({{cell(part), cell(rounded(money))}});
  };
  row("jobs", sums.jobs);
  row("warm pools", sums.warm_pools);
  row("storage of jobs", sums.storage);
  row("unused commitment", sums.unused_commitment);
  for (const auto& [what, money] : sums.apart) row(fmt::format("of no job: {}", what), money);
  row("services that train nothing", sums.ignored);
  for (const auto& [reason, money] : sums.unmatched) {
    row(fmt::format("not matched: {}", text_of(reason)), money);
  }
  if (table.rows.empty() && sums.billed_jobs == 0) {
    table.notes.push_back("no bill: dollars are list prices, or 1 per hour where none is known");
    return table;
  }
  table.rows.push_back({{cell("bill"), cell(rounded(sums.bill))}, true});
  if (const auto matched = sums.matched_percent()) {
    table.notes.push_back(fmt::format("{:.1f} % of what instances cost matches jobs", *matched));
  }
  if (sums.unbilled_jobs > 0) {
    table.notes.push_back(
        fmt::format("{} ran without a cost on the bill: in the replay the cost is that of others",
                    scenarios::counted(sums.unbilled_jobs, "job")));
  }
  for (std::size_t i = 0; i < sums.largest_unmatched.size(); ++i) {
    const auto& use = *sums.largest_unmatched[i];
    const std::string& name = use.resource.empty() ? use.job : use.resource;
    table.notes.push_back(fmt::format("not matched: {}{}{} {}: {}", name, name.empty() ? "" : " ",
                                      use.use, cell(rounded(use.cost)).text,
                                      sums.why_unmatched[i]));
  }
  return table;
}

std::string import_page(const scenarios::History& history, const scenarios::JoinedHistory& joined,
                        scenarios::HistoryPrices prices, bool anonymous) {
  std::string page =
      fmt::format("# {}, {} to {}\n\n", scenarios::counted(joined.jobs.size(), "job"),
                  scenarios::show(joined.zero), scenarios::show(joined.until));
  const report::Table bill = bill_table(joined);
  page += "## The bill and the jobs\n\n";
  page +=
      bill.rows.empty() ? fmt::format("{}\n", fmt::join(bill.notes, "\n")) : report::markdown(bill);
  page += "\n## Instances\n\n" + report::markdown(machines_table(joined, prices));
  page +=
      "\nThe replay has as many instances of each type as were held at once. That is an "
      "assumption.\n";
  page += "\n## Files\n\n" + report::markdown(files_table(history, anonymous));
  if (anonymous) {
    page +=
        "\nThe numbers are the order of reading: files as they were named, those of a folder by "
        "path, then what was left out of it.\n";
  }
  if (!joined.missing.empty()) {
    page += "\n## What is not in the files\n\n";
    for (const std::string& what : joined.missing) page += "* " + what + "\n";
  }
  const auto warnings = all_warnings(history, joined, anonymous);
  if (!warnings.empty()) page += "\n## Warnings\n\n```\n" + scenarios::render(warnings) + "```\n";
  return page;
}

std::string import_json(const scenarios::History& history, const scenarios::JoinedHistory& joined,
                        scenarios::HistoryPrices prices, bool anonymous,
                        const ImportChecksums& checksums) {
  using nlohmann::ordered_json;
  ordered_json json;
  json["reeve_import"] = 1;
  json["anonymous"] = anonymous;
  if (!checksums.empty()) json["checksums"] = checksums;
  json["jobs"] = joined.jobs.size();
  json["from"] = scenarios::show(joined.zero);
  json["until"] = scenarios::show(joined.until);
  const auto matched = joined.reconciliation.matched_percent();
  json["bill_matched_pct"] = matched ? ordered_json(*matched) : ordered_json();
  json["bill"] = ordered_json::parse(report::json(bill_table(joined)))["rows"];
  json["instances"] = ordered_json::parse(report::json(machines_table(joined, prices)))["rows"];
  json["files"] = ordered_json::parse(report::json(files_table(history, anonymous)))["rows"];
  json["missing"] = joined.missing;
  json["warnings"] = ordered_json::array();
  for (const auto& warning : all_warnings(history, joined, anonymous)) {
    json["warnings"].push_back(scenarios::diagnostic_json(warning));
  }
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace reeve::app
