#include <array>
#include <vector>

#include "models/invoice.hpp"
#include "report/column.hpp"
#include "report/table_definition.hpp"
#include "report/words.hpp"

namespace reeve::report {
namespace {

using models::Charge;
using policy::Duration;
using policy::Instant;

struct PoolLine {
  const RunNames& names;
  const models::Pool& pool;
  const models::PoolRow& row;
  Charge allocated_time;
  Charge used_time;
  policy::Usd bill;
};

constexpr std::array pools_columns{
    Column<PoolLine>{run_id_field,
                     [](CsvWriter& csv, const PoolLine& of) { csv.text(of.names.run()); }},
    Column<PoolLine>{{"pool", FieldType::text, "", "name of the fleet"},
                     [](CsvWriter& csv, const PoolLine& of) { csv.text(of.pool.name); }},
    Column<PoolLine>{{"instance_type", FieldType::text, "", "type of its instances"},
                     [](CsvWriter& csv, const PoolLine& of) { csv.text(of.names.type(of.pool)); }},
    Column<PoolLine>{{"market", FieldType::text, "", "on_demand, spot, reserved or capacity_block"},
                     [](CsvWriter& csv, const PoolLine& of) { csv.text(word(of.pool.market)); }},
    Column<PoolLine>{{"zone", FieldType::text, "", "empty if the scenario does not set it"},
                     [](CsvWriter& csv, const PoolLine& of) { csv.text(of.pool.zone); }},
    Column<PoolLine>{{"capacity", FieldType::integer, "instances", "total number of instances"},
                     [](CsvWriter& csv, const PoolLine& of) { csv.count(of.pool.capacity); }},
    Column<PoolLine>{
        {"capacity_instance_s", FieldType::number, "s", "capacity times the length of the run"},
        [](CsvWriter& csv, const PoolLine& of) {
          csv.number(static_cast<double>(of.row.capacity_time) / 1e9);
        }},
    Column<PoolLine>{{"offered_instance_s", FieldType::number, "s", "available, held or not"},
                     [](CsvWriter& csv, const PoolLine& of) {
                       csv.number(static_cast<double>(of.row.offered_time) / 1e9);
                     }},
    Column<PoolLine>{
        {"allocated_instance_s", FieldType::number, "s", "held by attempts, or orphaned"},
        [](CsvWriter& csv, const PoolLine& of) {
          csv.number(static_cast<double>(of.allocated_time) / 1e9);
        }},
    Column<PoolLine>{{"used_instance_s", FieldType::number, "s", "making progress"},
                     [](CsvWriter& csv, const PoolLine& of) {
                       csv.number(static_cast<double>(of.used_time) / 1e9);
                     }},
    Column<PoolLine>{{"free_instance_s", FieldType::number, "s", "available and not held"},
                     [](CsvWriter& csv, const PoolLine& of) {
                       csv.number(static_cast<double>(of.row.free_time) / 1e9);
                     }},
    Column<PoolLine>{{"down_instance_s", FieldType::number, "s",
                      "broken instances not yet repaired or replaced"},
                     [](CsvWriter& csv, const PoolLine& of) {
                       csv.number(static_cast<double>(of.row.down_time) / 1e9);
                     }},
    Column<PoolLine>{{"interruptions", FieldType::integer, "", "interruptions of attempts"},
                     [](CsvWriter& csv, const PoolLine& of) { csv.count(of.row.interruptions); }},
    Column<PoolLine>{{"node_faults", FieldType::integer, "", "instances that broke or hung"},
                     [](CsvWriter& csv, const PoolLine& of) { csv.count(of.row.node_faults); }},
    Column<PoolLine>{
        {"node_hits", FieldType::integer, "", "times that an instance of an attempt broke or hung"},
        [](CsvWriter& csv, const PoolLine& of) { csv.count(of.row.node_hits); }},
    Column<PoolLine>{
        {"billed_usd", FieldType::number, "usd", "sums to billed_usd of runs, exactly"},
        [](CsvWriter& csv, const PoolLine& of) { csv.usd(of.bill); }},
};

std::string write_pools(CsvWriter& csv, const RunNames& names) {
  const models::Record& record = names.rows().record;
  const std::vector<policy::Usd> bills = models::pool_bills(record);
  for (std::uint32_t index = 0; index < record.pool_rows.size(); ++index) {
    write_row(csv, pools_columns,
              PoolLine{names, names.pool({index}), record.pool_rows[index],
                       record.allocated_time[index], record.used_time[index], bills[index]});
  }
  return {};
}

/// What a pool of Spot offers at what price, from one change of either to the next.
std::vector<models::OfferRow> market_rows(const RunRows& run, std::uint32_t index) {
  const models::Pool& pool = run.world.pools[index];
  std::vector<models::OfferRow> rows;
  if (pool.market != models::Market::spot) return rows;
  for (const models::OfferRow& row : run.record.offers) {
    if (row.pool.index == index) rows.push_back(row);
  }
  if (rows.empty()) return rows;
  std::vector<models::OfferRow> all;
  std::size_t next = 0;
  for (const models::PriceStep& step : pool.prices) {
    const Instant at = policy::later(run.record.start, step.at);
    if (at >= run.record.end) break;
    while (next < rows.size() && rows[next].at <= at) all.push_back(rows[next++]);
    if (!all.empty() && all.back().at < at) all.push_back({at, {index}, all.back().offered});
  }
  all.insert(all.end(), rows.begin() + static_cast<std::ptrdiff_t>(next), rows.end());
  return all;
}

struct OfferLine {
  const RunNames& names;
  std::uint64_t number;
  const models::Pool& pool;
  const models::OfferRow& row;

  double price_usd() const {
    const Duration since = row.at - names.start();
    const policy::UsdPerHour price =
        pool.prices.empty() ? pool.price : models::price_at(pool.prices, since);
    return static_cast<double>(price.nanos) / 1e9;
  }
};

constexpr std::array spot_columns{
    Column<OfferLine>{run_id_field,
                      [](CsvWriter& csv, const OfferLine& of) { csv.text(of.names.run()); }},
    Column<OfferLine>{{"seq", FieldType::integer, "", "from 1, by pool and time"},
                      [](CsvWriter& csv, const OfferLine& of) { csv.count(of.number); }},
    Column<OfferLine>{
        t_s_field,
        [](CsvWriter& csv, const OfferLine& of) { csv.since(of.names.start(), of.row.at); }},
    Column<OfferLine>{
        {"instance_type", FieldType::text, "", "instance type of the pool"},
        [](CsvWriter& csv, const OfferLine& of) { csv.text(of.names.type(of.pool)); }},
    Column<OfferLine>{{"zone", FieldType::text, "", "empty if the scenario does not set it"},
                      [](CsvWriter& csv, const OfferLine& of) { csv.text(of.pool.zone); }},
    Column<OfferLine>{
        {"available", FieldType::integer, "instances", "available instances from then on"},
        [](CsvWriter& csv, const OfferLine& of) { csv.count(of.row.offered); }},
    Column<OfferLine>{
        {"price_usd", FieldType::number, "usd", "price of an instance hour from then on"},
        [](CsvWriter& csv, const OfferLine& of) { csv.number(of.price_usd()); }},
    Column<OfferLine>{
        {"notice_s", FieldType::number, "s",
         "time from the first interruption notice to the loss; empty: no notice"},
        [](CsvWriter& csv, const OfferLine& of) { csv.seconds_or_empty(of.row.notice); }},
    Column<OfferLine>{{"nodes_hit", FieldType::integer, "instances", "instances lost at that time"},
                      [](CsvWriter& csv, const OfferLine& of) { csv.count(of.row.lost); }},
    Column<OfferLine>{{"pool", FieldType::text, "", "name of the fleet"},
                      [](CsvWriter& csv, const OfferLine& of) { csv.text(of.pool.name); }},
};

std::string write_spot(CsvWriter& csv, const RunNames& names) {
  std::uint64_t seq = 0;
  for (std::uint32_t index = 0; index < names.rows().world.pools.size(); ++index) {
    for (const models::OfferRow& row : market_rows(names.rows(), index)) {
      write_row(csv, spot_columns, OfferLine{names, ++seq, names.pool({index}), row});
    }
  }
  return {};
}

}  // namespace

const TableDefinition& pools_table() {
  static constexpr std::array fields = fields_of(pools_columns);
  static constexpr TableDefinition table{
      {"pools", "Capacity, use and faults of each fleet", 2, fields}, write_pools};
  return table;
}

const TableDefinition& spot_table() {
  static constexpr std::array fields = fields_of(spot_columns);
  static constexpr TableDefinition table{
      {"spot", "Availability, price and losses of Spot, at each change", 2, fields}, write_spot};
  return table;
}

}  // namespace reeve::report
