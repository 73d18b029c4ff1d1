#include "app/history/import_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "app/usage_error.hpp"
#include "report/csv.hpp"
#include "scenarios/history/anonymize.hpp"
#include "scenarios/history/join.hpp"
#include "scenarios/history/readers.hpp"

namespace reeve::app {
namespace {

using report::CsvWriter;
using scenarios::History;

void header(CsvWriter& csv, std::initializer_list<std::string_view> columns) {
  for (const std::string_view column : columns) csv.text(column);
  csv.end_row();
}

void write_bill(CsvWriter& csv, const History& history) {
  header(csv, {"job_id", "resource", "instance_type", "market", "region", "use", "instance_hours",
               "cost_usd", "list_usd"});
  for (const auto& use : history.bill.uses) {
    for (const auto* text :
         {&use.job, &use.resource, &use.instance_type, &use.market, &use.region, &use.use}) {
      csv.text(*text);
    }
    csv.number(use.instance_hours);
    csv.verbatim(exact_dollars(use.cost.nanos));
    csv.verbatim(exact_dollars(use.list.nanos));
    csv.end_row();
  }
  const auto apart = [&](std::string_view what, scenarios::NanoUsd money) {
    if (money.nanos == 0) return;
    for (int column = 0; column < 5; ++column) csv.empty();
    csv.text(what);
    csv.empty();
    csv.verbatim(exact_dollars(money.nanos));
    csv.empty();
    csv.end_row();
  };
  for (const auto& [what, money] : history.bill.apart) apart(what, money);
  apart("unused commitment", history.bill.unused_commitment);
  apart("ignored", history.bill.ignored);
}

void write_series(CsvWriter& csv, const History& history) {
  header(csv, {"job_id", "host", "gpu", "at", "gpu_util_pct", "is_sum"});
  for (const auto& series : history.series) {
    const std::string names = CsvWriter::prepared({series.job, series.host, series.gpu});
    for (const auto& sample : series.samples) {
      csv.repeat(names, 3);
      csv.instant(sample.at);
      csv.number(sample.percent);
      csv.boolean(series.is_sum);
      csv.end_row();
    }
  }
}

void write_events(CsvWriter& csv, const History& history) {
  header(csv,
         {"at", "event", "job_id", "instance", "instance_type", "zone", "region", "account", "by"});
  for (const auto& event : history.events) {
    csv.instant(event.at);
    csv.text(name_of(event.kind));
    for (const auto* text : {&event.job, &event.instance, &event.instance_type, &event.zone,
                             &event.region, &event.account, &event.by}) {
      csv.text(*text);
    }
    csv.end_row();
  }
}

void write_prices(CsvWriter& csv, const History& history) {
  header(csv, {"at", "instance_type", "zone", "product", "usd_per_hour"});
  for (const auto& price : history.spot_prices) {
    csv.instant(price.at);
    csv.text(price.instance_type);
    csv.text(price.zone);
    csv.text(price.product);
    csv.verbatim(exact_dollars(price.price.nanos));
    csv.end_row();
  }
}

void write_runs(CsvWriter& csv, const History& history) {
  header(csv, {"run_id", "job_id", "state", "started", "ended", "last_heartbeat"});
  for (const auto& run : history.runs) {
    csv.text(run.id);
    csv.text(run.job);
    csv.text(run.state);
    for (const auto& time : {run.started, run.ended, run.last_heartbeat}) {
      time ? csv.instant(*time) : csv.empty();
    }
    csv.end_row();
  }
}

struct Part {
  std::string_view what;
  std::size_t (*count)(const History&);
  void (*write)(CsvWriter&, const History&);
};
constexpr std::array parts = std::to_array<Part>({
    {"uses of a bill", [](const History& all) { return all.bill.uses.size(); }, write_bill},
    {"series", [](const History& all) { return all.series.size(); }, write_series},
    {"events", [](const History& all) { return all.events.size(); }, write_events},
    {"prices", [](const History& all) { return all.spot_prices.size(); }, write_prices},
    {"runs", [](const History& all) { return all.runs.size(); }, write_runs},
});

Imported table_of(const std::string& kind, History history) {
  const auto all = std::make_shared<const History>(std::move(history));
  for (const Part& part : parts) {
    const std::size_t count = part.count(*all);
    if (count == 0) continue;
    Imported product;
    product.write = [all, write = part.write](std::ostream& to) {
      CsvWriter csv{to, "the table"};
      write(csv, *all);
      csv.flush();
    };
    product.summary.name = kind;
    product.summary.columns = {{"what", "what", report::Align::left}, {"count", "count"}};
    product.summary.rows.push_back({{report::cell(part.what), report::cell(std::uint64_t{count})}});
    return product;
  }
  throw UsageError{"the files say nothing that reeve uses", "reeve help import"};
}

}  // namespace

bool is_history_kind(std::string_view kind) {
  return scenarios::history_reader(kind) != nullptr;
}

ReadKind read_kind(const std::string& kind, const std::vector<std::string>& files,
                   const HistoryArguments& arguments, bool anonymize,
                   std::vector<scenarios::Diagnostic>& found) {
  auto options = history_options(arguments);
  options.as = kind;
  History history = scenarios::read_history(files, options);
  for (const auto& file : history.files) {
    found.insert(found.end(), file.warnings.begin(), file.warnings.end());
  }
  if (!arguments.key.empty() || (anonymize && history.jobs.empty())) {
    throw UsageError{"--key and tables without names are only for a whole history",
                     "reeve import history FILE --anonymize -o DIR"};
  }
  if (history.jobs.empty()) return {{}, {}, true, table_of(kind, std::move(history))};
  scenarios::JoinedHistory joined = join_history(history, options.as_of);
  found.insert(found.end(), joined.warnings.begin(), joined.warnings.end());
  if (anonymize) {
    scenarios::NameKey key;
    scenarios::anonymize(joined, key, arguments.tags);
  }
  const bool by_nodes = joined.by_nodes;
  auto all = std::make_shared<const scenarios::PackedJobs>(std::move(joined.jobs));
  EachJob jobs = [all = std::move(all), by_nodes](const auto& with) {
    all->for_each_copy([&](scenarios::HistoryJob& job) {
      // Only what the source writes.
      if (!by_nodes || job.record.instance_type == "node") job.record.instance_type.clear();
      with(job.record);
    });
  };
  return {std::move(jobs), joined.zero, by_nodes, {}};
}

}  // namespace reeve::app
