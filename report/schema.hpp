// What describes every exported table: header lines, datapackage.json and the reference page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace reeve::report {

/// The CSV tables, in the order of their description.
enum class TableName : std::uint8_t {
  runs,
  jobs,
  attempts,
  ledger,
  utilization,
  decisions,
  events,
  alarms,
  pools,
  spot,
  metrics,
  stops,
  queue,
  preemptions,
};
inline constexpr std::size_t table_count = 14;

/// Frictionless field types.
enum class FieldType : std::uint8_t { text, integer, number, boolean, datetime, object };

/// One column.  If reeve chose the name, the unit is also its suffix.
struct Field {
  std::string_view name;
  FieldType type;
  std::string_view unit;  ///< "s", "usd", "pct", "instances"; empty: none
  std::string_view description;
};

/// One table; its first `key` columns are the primary key.
struct TableSchema {
  std::string_view name;  ///< also the file name, without ".csv"
  std::string_view title;
  std::size_t key;
  std::span<const Field> fields;
};

const TableSchema& schema(TableName table);

/// Of compare.csv: differences between policies.
const TableSchema& comparison_schema();

/// Of speed.csv: the effect of another speed of the jobs.
const TableSchema& speed_schema();

/// Of savings.csv: what policies would have saved of a history.
const TableSchema& savings_schema();

/// Of hurt_jobs.csv: the jobs of a history that policies hurt.
const TableSchema& hurt_jobs_schema();

/// Every table that reeve writes; those of comparisons are last.
std::vector<const TableSchema*> schemas();

/// As in Frictionless: "string", "number".
std::string_view name(FieldType type);

}  // namespace reeve::report
