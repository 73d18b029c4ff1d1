#include "app/files/import_products.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "report/csv.hpp"
#include "report/format.hpp"
#include "scenarios/records/market_trace.hpp"

namespace reeve::app {
namespace {

using policy::Duration;
using report::Align;
using report::cell;
using scenarios::ImportedJob;
using scenarios::JobImporter;

constexpr std::string_view nodes_name = "openb-nodes";
constexpr std::string_view market_name = "spot-traces";

/// Median and mean in whole seconds.
struct Lengths {
  Duration mean{}, median{};
};

Lengths lengths_of(JobTotals& totals) {
  auto& durations = totals.durations;
  if (durations.empty()) return {};
  const auto middle = durations.begin() + static_cast<std::ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return {std::chrono::round<std::chrono::seconds>(std::chrono::duration<double>{
              totals.seconds / static_cast<double>(durations.size())}),
          *middle};
}

}  // namespace

std::string exact_dollars(std::int64_t nanos) {
  const auto size = static_cast<std::uint64_t>(nanos < 0 ? -nanos : nanos);
  return fmt::format("{}{}.{:09}", nanos < 0 ? "-" : "", size / 1'000'000'000,
                     size % 1'000'000'000);
}

void JobTotals::note(const ImportedJob& job) {
  columns.note(job);
  if (jobs++ == 0) first = job.submit;
  last = std::max(last, job.submit);
  if (job.gpus_total.value_or(0) > 0) ++with_gpus;
  if (!job.user.empty()) users.of(job.user);
  if (!job.queue.empty()) queues.of(job.queue);
  if (!job.duration) return;
  const double length = std::chrono::duration<double>{*job.duration}.count();
  durations.push_back(*job.duration);
  seconds += length;
  gpu_hours += length / 3600 * static_cast<double>(job.gpus_total.value_or(0)) *
               static_cast<double>(job.gpu_milli.value_or(1000)) / 1000;
}

Imported jobs_product(const JobImporter& importer, EachJob jobs, JobTotals totals,
                      std::optional<policy::Instant> zero, bool by_nodes) {
  const Lengths lengths = lengths_of(totals);
  Imported product;
  product.write = [jobs = std::move(jobs), columns = totals.columns](std::ostream& out) {
    write_trace(out, columns, jobs);
  };
  product.next = "in a scenario: \"workload\": { \"trace\": ";
  if (by_nodes) product.beside = ", \"instances_from\": \"nodes\"";
  report::Table& table = product.summary;
  table.name = importer.name;
  table.facts = {{std::string{importer.what}}};
  if (zero) table.facts.push_back({"submitted from " + report::instant(*zero)});
  table.columns = {{"jobs", "jobs"},
                   {"with_gpus", "with GPUs"},
                   {"gpu_hours", "GPU-hours"},
                   {"span_s", "submitted within"},
                   {"mean_s", "mean duration"},
                   {"median_s", "median"},
                   {"users", "users"},
                   {"queues", "queues"}};
  table.rows.push_back(
      {{cell(totals.jobs), cell(totals.with_gpus),
        cell(totals.gpu_hours, fmt::format("{:.4f}", totals.gpu_hours)),
        cell(totals.last - totals.first), cell(lengths.mean), cell(lengths.median),
        cell(std::uint64_t{totals.users.size()}), cell(std::uint64_t{totals.queues.size()})}});
  if (!importer.inferred.empty()) {
    table.notes.push_back("not in the log, assumed: " + std::string{importer.inferred});
  }
  return product;
}

Imported nodes_product(const std::string& file) {
  const auto counts = scenarios::import_nodes(file);
  Imported product;
  std::ostringstream out;
  report::CsvWriter csv{out, "the list"};
  for (const auto* column : {"gpu_type", "gpus_per_node", "nodes", "gpus"}) csv.text(column);
  csv.end_row();
  report::Table& table = product.summary;
  table.name = nodes_name;
  table.columns = {{"gpu_type", "GPU", Align::left},
                   {"gpus_per_node", "GPUs per node"},
                   {"nodes", "nodes"},
                   {"gpus", "GPUs"}};
  std::uint64_t nodes = 0, gpus = 0;
  for (const auto& kind : counts) {
    const std::uint64_t there = kind.nodes * static_cast<std::uint64_t>(kind.gpus_per_node);
    nodes += kind.nodes;
    gpus += there;
    csv.text(kind.gpu_type);
    csv.integer(kind.gpus_per_node);
    csv.count(kind.nodes);
    csv.count(there);
    csv.end_row();
    table.rows.push_back(
        {{kind.gpu_type.empty() ? report::no_cell() : cell(kind.gpu_type),
          cell(static_cast<std::uint64_t>(kind.gpus_per_node)), cell(kind.nodes), cell(there)}});
  }
  table.rows.push_back({{cell("all"), report::no_cell(), cell(nodes), cell(gpus)}, true});
  csv.flush();
  product.write = [text = out.str()](std::ostream& to) { to << text; };
  return product;
}

Imported market_product(const MarketArguments& arguments,
                        std::vector<scenarios::Diagnostic>& found) {
  scenarios::OfferOptions options;
  for (const auto& [name, value] : scenarios::offer_formats()) {
    if (name == arguments.format) options.format = value;
  }
  options.assumed = arguments.format.empty();
  options.series = arguments.series;
  for (const auto& [name, value] : scenarios::conventions()) {
    if (name == arguments.convention) options.convention = value;
  }
  const auto trace = scenarios::read_offers(arguments.file, options);
  found = trace.warnings;
  Imported product;
  product.next = "in a fleet: \"availability\": { \"format\": \"csv\", \"trace\": ";
  std::ostringstream out;
  report::CsvWriter csv{out, "the market"};
  const bool priced = !trace.prices.empty();
  csv.text("t_s");
  csv.text("instances");
  if (priced) csv.text("usd_per_hour");
  csv.end_row();
  Duration up{};
  std::uint32_t offered = 0;
  std::size_t price = 0;
  std::map<Duration, bool> changes;  // of either
  for (const auto& step : trace.offers) changes[step.at] = true;
  for (const auto& step : trace.prices) changes[step.at] = true;
  // The last row says how long the trace is.
  const std::size_t closing = changes.try_emplace(trace.length, false).second ? 1 : 0;
  std::size_t offer = 0;
  for (auto change = changes.begin(); change != changes.end(); ++change) {
    while (offer < trace.offers.size() && trace.offers[offer].at <= change->first) {
      offered = trace.offers[offer++].instances;
    }
    while (price + 1 < trace.prices.size() && trace.prices[price + 1].at <= change->first) ++price;
    csv.seconds(change->first);
    csv.count(offered);
    if (priced) csv.text(exact_dollars(trace.prices[price].price.nanos));
    csv.end_row();
    const auto next = std::next(change);
    const Duration until = next == changes.end() ? trace.length : next->first;
    if (offered > 0) up += until - change->first;
  }
  csv.flush();
  product.write = [text = out.str()](std::ostream& to) { to << text; };
  report::Table& table = product.summary;
  table.name = market_name;
  table.columns = {{"length_s", "length"}, {"changes", "changes"}, {"available_pct", "available"}};
  const double share = 100.0 * static_cast<double>(up.count()) /
                       static_cast<double>(std::max<std::int64_t>(1, trace.length.count()));
  table.rows.push_back({{cell(trace.length), cell(std::uint64_t{changes.size() - closing - 1}),
                         cell(share, fmt::format("{:.2f} %", share))}});
  return product;
}

}  // namespace reeve::app
