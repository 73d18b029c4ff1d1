#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/column.hpp"
#include "report/pool_use.hpp"
#include "report/table_definition.hpp"

namespace reeve::report {
namespace {

using policy::Instant;

struct UtilizationLine {
  using Count = std::optional<std::uint64_t>;

  const RunNames& names;
  Instant at;
  std::string_view scope;
  std::string name;
  Count capacity = std::nullopt;
  Count allocated = std::nullopt;
  Count used = std::nullopt;
  Count quota = std::nullopt;
  Count borrowed = std::nullopt;
  Count lent = std::nullopt;
  Count runnable = std::nullopt;
  std::optional<double> gpu_util_pct = std::nullopt;
};

constexpr std::array utilization_columns{
    Column<UtilizationLine>{
        run_id_field, [](CsvWriter& csv, const UtilizationLine& of) { csv.text(of.names.run()); }},
    Column<UtilizationLine>{
        t_s_field,
        [](CsvWriter& csv, const UtilizationLine& of) { csv.since(of.names.start(), of.at); }},
    Column<UtilizationLine>{
        {"scope", FieldType::text, "",
         "pool; share, in one pool; host, of a job with a trace or phases; drawn_host, from a "
         "distribution"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.text(of.scope); }},
    Column<UtilizationLine>{
        {"name", FieldType::text, "",
         "name of the pool, SHARE/POOL or JOB/algo-N; the row holds until its next one"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.text(of.name); }},
    Column<UtilizationLine>{
        {"capacity", FieldType::integer, "instances",
         "available instances, held or not, plus held ones beyond that; for shares: empty"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.count_or_empty(of.capacity); }},
    Column<UtilizationLine>{
        {"allocated", FieldType::integer, "instances", "instances held by attempts"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.count_or_empty(of.allocated); }},
    Column<UtilizationLine>{
        {"used", FieldType::integer, "instances",
         "instances that make progress; for shares: empty"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.count_or_empty(of.used); }},
    Column<UtilizationLine>{
        {"quota", FieldType::integer, "instances", "for shares: quota"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.count_or_empty(of.quota); }},
    Column<UtilizationLine>{
        {"borrowed", FieldType::integer, "instances", "for shares: held beyond their quota"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.count_or_empty(of.borrowed); }},
    Column<UtilizationLine>{
        {"lent", FieldType::integer, "instances",
         "for shares: unused quota that others have borrowed"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.count_or_empty(of.lent); }},
    Column<UtilizationLine>{
        {"runnable", FieldType::integer, "instances", "instances that pending attempts request"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.count_or_empty(of.runnable); }},
    Column<UtilizationLine>{
        {"gpu_util_pct", FieldType::number, "pct",
         "for hosts: percent of one GPU, empty where the metric is missing; for pools: empty"},
        [](CsvWriter& csv, const UtilizationLine& of) { csv.number_or_empty(of.gpu_util_pct); }},
};

void write_pool_use(CsvWriter& csv, const RunNames& names) {
  const auto& rows = names.rows().record.utilization;
  // Of several changes of a pool at one instant the last counts: (run, time, pool) is the key.
  const std::vector<bool> replaced =
      replaced_pool_rows(names.rows().record, names.rows().world.pools.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (replaced[row]) continue;
    write_row(csv, utilization_columns,
              UtilizationLine{.names = names,
                              .at = rows[row].at,
                              .scope = "pool",
                              .name = names.pool(rows[row].pool).name,
                              .capacity = rows[row].there,
                              .allocated = rows[row].allocated,
                              .used = rows[row].used,
                              .runnable = rows[row].runnable});
  }
}

void write_share_use(CsvWriter& csv, const RunNames& names) {
  for (const models::ShareUseRow& row : names.rows().record.share_use) {
    write_row(csv, utilization_columns,
              UtilizationLine{
                  .names = names,
                  .at = row.at,
                  .scope = "share",
                  .name = fmt::format("{}/{}", names.share(row.share), names.pool(row.pool).name),
                  .allocated = row.used,
                  .quota = row.quota,
                  .borrowed = row.borrowed,
                  .lent = row.lent});
  }
}

/// What the hosts of jobs with a trace, a distribution or phases read.
void write_host_readings(CsvWriter& csv, const RunNames& names) {
  for (const models::HostReadingRow& row : names.rows().record.host_readings) {
    write_row(csv, utilization_columns,
              UtilizationLine{.names = names,
                              .at = row.at,
                              .scope = row.drawn ? "drawn_host" : "host",
                              .name = fmt::format("{}/algo-{}", names.job(row.job), row.host),
                              .gpu_util_pct = row.percent});
  }
}

std::string write_utilization(CsvWriter& csv, const RunNames& names) {
  write_pool_use(csv, names);
  write_share_use(csv, names);
  write_host_readings(csv, names);
  return {};
}

}  // namespace

const TableDefinition& utilization_table() {
  static constexpr std::array fields = fields_of(utilization_columns);
  static constexpr TableDefinition table{
      {"utilization", "Capacity in use, at each change", 4, fields}, write_utilization};
  return table;
}

}  // namespace reeve::report
