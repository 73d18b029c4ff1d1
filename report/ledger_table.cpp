#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "models/invoice.hpp"
#include "report/column.hpp"
#include "report/table_definition.hpp"
#include "report/words.hpp"

namespace reeve::report {
namespace {

using models::Charge;
using policy::Instant;

/// What an invoice says of ledger lines, whose own amounts are amortized.  Where it says something
/// else of any, one running sum of all is rounded, then differenced: they come to the invoice
/// exactly.  Payments come first in it, so that each is told in full.
class InvoicedCosts {
 public:
  InvoicedCosts(const RunNames& names, const models::World& world, bool any_purchase)
      : names_{names},
        differs_{any_purchase ||
                 std::any_of(world.pools.begin(), world.pools.end(), is_invoiced_otherwise)} {}

  policy::Usd paid(Charge purchase) { return come_to(purchase); }

  policy::Usd next(const models::LedgerLine& line, policy::Usd amortized) {
    if (!differs_) return amortized;
    const models::Pool& pool = names_.pool(line.pool);
    if (!is_invoiced_otherwise(pool)) return come_to(line.amount);
    if (line.instances == 0) return {};  // between windows all was paid up front
    return come_to(line.amount / pool.price.nanos * models::invoiced_hourly(pool).nanos);
  }

 private:
  static bool is_invoiced_otherwise(const models::Pool& pool) {
    return policy::is_reserved(pool.market) &&
           models::invoiced_hourly(pool).nanos != pool.price.nanos;
  }
  policy::Usd come_to(Charge amount) {
    const policy::Usd before = models::to_usd(sum_);
    sum_ += amount;
    return models::to_usd(sum_) - before;
  }

  const RunNames& names_;
  bool differs_;
  Charge sum_ = 0;
};

/// A line of the ledger, or a purchase: an up-front payment costs nothing itself, the use of what
/// it bought does.
struct CostLine {
  const RunNames& names;
  std::uint64_t number;
  const models::Pool& pool;
  policy::Usd invoiced;
  policy::Usd cost;
  bool is_purchase;
  Instant from;
  Instant until;
  std::uint64_t instances;
  std::optional<models::Use> use = std::nullopt;    ///< none: a purchase
  std::optional<policy::JobId> job = std::nullopt;  ///< none: time without a job
  policy::AttemptNumber attempt = 0;
  policy::Duration held{0};

  std::string resource() const {
    return job ? names.job(*job) + '/' + std::to_string(attempt) : pool.name;
  }
};

constexpr std::array ledger_columns{
    Column<CostLine>{run_id_field,
                     [](CsvWriter& csv, const CostLine& of) { csv.text(of.names.run()); }},
    Column<CostLine>{{"line", FieldType::integer, "", "from 1"},
                     [](CsvWriter& csv, const CostLine& of) { csv.count(of.number); }},
    Column<CostLine>{{"BilledCost", FieldType::number, "usd",
                      "as on an invoice: a Purchase in full, and no further charge for prepaid "
                      "time; sums to unblended_usd exactly"},
                     [](CsvWriter& csv, const CostLine& of) { csv.usd(of.invoiced); }},
    Column<CostLine>{
        {"EffectiveCost", FieldType::number, "usd",
         "amortized cost; sums exactly: by x_class to that column of runs, by x_job to jobs"},
        [](CsvWriter& csv, const CostLine& of) { csv.usd(of.cost); }},
    Column<CostLine>{{"BillingCurrency", FieldType::text, "", "USD"},
                     [](CsvWriter& csv, const CostLine&) { csv.text("USD"); }},
    Column<CostLine>{{"ChargeCategory", FieldType::text, "", "Usage, or Purchase: paid up front"},
                     [](CsvWriter& csv, const CostLine& of) {
                       csv.text(of.is_purchase ? "Purchase" : "Usage");
                     }},
    Column<CostLine>{{"ChargePeriodStart", FieldType::datetime, "", "start, inclusive, UTC"},
                     [](CsvWriter& csv, const CostLine& of) { csv.instant(of.from); }},
    Column<CostLine>{{"ChargePeriodEnd", FieldType::datetime, "", "end, exclusive, UTC"},
                     [](CsvWriter& csv, const CostLine& of) { csv.instant(of.until); }},
    Column<CostLine>{
        {"ResourceId", FieldType::text, "", "job/attempt, or the pool for time without a job"},
        [](CsvWriter& csv, const CostLine& of) { csv.text(of.resource()); }},
    Column<CostLine>{{"RegionId", FieldType::text, "",
                      "region of the pool; empty if the scenario does not set it"},
                     [](CsvWriter& csv, const CostLine& of) { csv.text(of.pool.region); }},
    Column<CostLine>{
        {"Tags", FieldType::object, "", "tags of the attempt; a clone may lack tags of the job"},
        [](CsvWriter& csv, const CostLine& of) {
          csv.text(of.job ? of.names.tags_json(of.names.tags(*of.job, of.attempt))
                          : std::string{"{}"});
        }},
    Column<CostLine>{{"x_job", FieldType::text, "", "job; empty for time without a job"},
                     [](CsvWriter& csv, const CostLine& of) {
                       csv.text(of.job ? of.names.job(*of.job) : std::string{});
                     }},
    Column<CostLine>{
        {"x_attempt", FieldType::integer, "", "attempt; empty for time without a job"},
        [](CsvWriter& csv, const CostLine& of) { of.job ? csv.count(of.attempt) : csv.empty(); }},
    Column<CostLine>{{"x_class", FieldType::text, "",
                      "use of the time: stalled, lost_work, ...; empty for a purchase"},
                     [](CsvWriter& csv, const CostLine& of) {
                       csv.text(of.use ? name(*of.use) : std::string_view{});
                     }},
    Column<CostLine>{{"x_instances", FieldType::integer, "instances", "instances held"},
                     [](CsvWriter& csv, const CostLine& of) { csv.count(of.instances); }},
    Column<CostLine>{{"x_instance_type", FieldType::text, "", "instance type of the pool"},
                     [](CsvWriter& csv, const CostLine& of) { csv.text(of.names.type(of.pool)); }},
    Column<CostLine>{
        {"x_market", FieldType::text, "", "on_demand, spot, reserved or capacity_block"},
        [](CsvWriter& csv, const CostLine& of) { csv.text(word(of.pool.market)); }},
    Column<CostLine>{{"x_held_s", FieldType::number, "s",
                      "time in this use within the period; of an idle pool the whole period"},
                     [](CsvWriter& csv, const CostLine& of) { csv.seconds(of.held); }},
};

CostLine line_of(const RunNames& names, std::uint64_t number, const models::LedgerLine& line,
                 policy::Usd cost, policy::Usd invoiced) {
  const bool of_job = line.attempt > 0;
  return {.names = names,
          .number = number,
          .pool = names.pool(line.pool),
          .invoiced = invoiced,
          .cost = cost,
          .is_purchase = false,
          .from = line.from,
          .until = line.until,
          .instances = line.instances,
          .use = line.use,
          .job = of_job ? std::optional{line.job} : std::nullopt,
          .attempt = line.attempt,
          .held = line.held};
}

CostLine line_of(const RunNames& names, std::uint64_t number, const models::Purchase& purchase,
                 policy::Usd paid) {
  const models::Pool& pool = names.pool(purchase.pool);
  return {.names = names,
          .number = number,
          .pool = pool,
          .invoiced = paid,
          .cost = {},
          .is_purchase = true,
          .from = purchase.at,
          .until = purchase.at,
          .instances = pool.capacity};
}

std::string write_ledger(CsvWriter& csv, const RunNames& names) {
  const RunRows& run = names.rows();
  const std::vector<policy::Usd> costs = line_costs(names);
  const std::vector<models::Purchase> purchases = models::purchases(run.world, run.record);
  InvoicedCosts invoiced{names, run.world, !purchases.empty()};
  std::vector<policy::Usd> paid;
  paid.reserve(purchases.size());
  for (const models::Purchase& purchase : purchases) paid.push_back(invoiced.paid(purchase.amount));
  for (std::size_t at = 0; at < costs.size(); ++at) {
    const models::LedgerLine& line = run.record.ledger_lines[at];
    write_row(csv, ledger_columns,
              line_of(names, at + 1, line, costs[at], invoiced.next(line, costs[at])));
  }
  for (std::size_t at = 0; at < purchases.size(); ++at) {
    write_row(csv, ledger_columns, line_of(names, costs.size() + at + 1, purchases[at], paid[at]));
  }
  return {};
}

}  // namespace

const TableDefinition& ledger_table() {
  static constexpr std::array fields = fields_of(ledger_columns);
  static constexpr TableDefinition table{
      {"ledger", "The use of every billed second (FOCUS names)", 2, fields}, write_ledger};
  return table;
}

}  // namespace reeve::report
