// What describes every exported table: header lines, datapackage.json and the reference page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace reeve::report {

/// The CSV tables, in the order in which they are described.
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

/// One column.  The unit is also the suffix of the name where reeve chose the name.
struct Field {
  std::string_view name;
  FieldType type;
  std::string_view unit;  ///< "s", "usd", "pct", "instances"; empty: none
  std::string_view description;
};

/// One table; its first `key` columns are its primary key.
struct TableSchema {
  std::string_view name;  ///< also the file's, without ".csv"
  std::string_view title;
  std::size_t key;
  std::span<const Field> fields;
};

const TableSchema& schema(TableName table);

/// Of compare.csv: the differences between policies.
const TableSchema& comparison_schema();

/// Of speed.csv: what another speed of the jobs changes.
const TableSchema& speed_schema();

/// Every table that reeve writes, those of comparisons last.
std::vector<const TableSchema*> schemas();

/// As Frictionless spells it: "string", "number".
std::string_view name(FieldType type);

}  // namespace reeve::report
