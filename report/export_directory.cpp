#include "report/export_directory.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "report/csv.hpp"
#include "report/schema.hpp"
#include "report/tables.hpp"
#include "report/temporary_file.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view package_file = "datapackage.json";

void take_away(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) {
    throw std::runtime_error{"cannot remove " + path.string() + ": " + error.message()};
  }
}

bool is_written(TableName table, const ExportTables& tables) {
  switch (table) {
    case TableName::runs:
    case TableName::jobs:
    case TableName::alarms:
    case TableName::pools:
    case TableName::metrics:
    case TableName::stops:
    case TableName::preemptions:
      return true;
    case TableName::attempts:
      return tables.keep.attempts;
    case TableName::ledger:
      return tables.keep.ledger;
    case TableName::utilization:
    case TableName::spot:
      return tables.keep.utilization;
    case TableName::events:
      return tables.keep.events;
    case TableName::decisions:
      return tables.decisions;
    case TableName::queue:
      return tables.queue;
  }
  __builtin_unreachable();
}

ordered_json fields_json(const TableSchema& table) {
  auto fields = ordered_json::array();
  for (const Field& field : table.fields) {
    ordered_json entry{{"name", field.name}, {"type", name(field.type)}};
    if (field.type == FieldType::datetime) entry["format"] = "any";  // fractions of a second
    if (!field.unit.empty()) entry["unit"] = field.unit;
    entry["description"] = field.description;
    fields.push_back(std::move(entry));
  }
  return fields;
}

ordered_json schema_json(const TableSchema& table) {
  auto keys = ordered_json::array();
  for (const Field& field : table.fields.first(table.key)) keys.push_back(field.name);
  ordered_json schema{
      {"fields", fields_json(table)}, {"missingValues", {""}}, {"primaryKey", std::move(keys)}};
  if (table.name != "runs") {
    auto foreign = ordered_json::array();
    foreign.push_back(
        {{"fields", "run_id"}, {"reference", {{"resource", "runs"}, {"fields", "run_id"}}}});
    schema["foreignKeys"] = std::move(foreign);
  }
  return schema;
}

ordered_json resource_json(const TableSchema& table, std::uint64_t bytes, std::uint64_t rows) {
  return {{"name", table.name},
          {"title", table.title},
          {"path", std::string{table.name} + ".csv"},
          {"profile", "tabular-data-resource"},
          {"format", "csv"},
          {"mediatype", "text/csv"},
          {"encoding", "utf-8"},
          {"dialect", {{"lineTerminator", "\n"}, {"doubleQuote", true}, {"header", true}}},
          {"bytes", bytes},
          {"x_rows", rows},
          {"schema", schema_json(table)}};
}

/// Frictionless allows lower case letters, digits and ".-_/" in a package's name.
std::string package_name(std::string_view scenario) {
  std::string name;
  for (const char character : scenario) {
    const bool upper = character >= 'A' && character <= 'Z';
    const bool plain = (character >= 'a' && character <= 'z') ||
                       (character >= '0' && character <= '9') || character == '.' ||
                       character == '_';
    name += upper ? static_cast<char>(character - 'A' + 'a') : plain ? character : '-';
  }
  return name.empty() ? "reeve" : name;
}

}  // namespace

/// One table being written.
class ExportDirectory::File {
 public:
  File(const std::filesystem::path& directory, TableName table)
      : table_{table},
        temporary_{directory / (std::string{schema(table).name} + ".csv")},
        stream_{temporary_.name(), std::ios::binary | std::ios::trunc},
        csv_{stream_, temporary_.becomes().string()} {
    if (!stream_) throw std::runtime_error{"cannot write " + temporary_.becomes().string()};
    write_header(csv_, table_);
  }

  TableName table() const { return table_; }
  CsvWriter& csv() { return csv_; }
  void close() {
    csv_.flush();
    stream_.close();
    if (!stream_) throw std::runtime_error{"cannot write " + temporary_.becomes().string()};
  }
  void place() const { temporary_.put_in_place(); }

 private:
  TableName table_;
  TemporaryFile temporary_;
  std::ofstream stream_;
  CsvWriter csv_;
};

ExportDirectory::ExportDirectory(std::filesystem::path directory, const ExportTables& tables)
    : directory_{std::move(directory)}, made_{directory_} {
  for (std::size_t index = 0; index < table_count; ++index) {
    const auto table = static_cast<TableName>(index);
    if (is_written(table, tables)) files_.push_back(std::make_unique<File>(directory_, table));
  }
}

ExportDirectory::~ExportDirectory() = default;

void ExportDirectory::add(const RunRows& run) {
  Run entry{run.info, run.record.partial, {}};
  for (const auto& file : files_) {
    std::string hash = write_rows(file->csv(), file->table(), run);
    if (file->table() == TableName::decisions) entry.decisions_hash = std::move(hash);
  }
  runs_.push_back(std::move(entry));
}

void ExportDirectory::finish(const PackageInfo& package) {
  ordered_json described{{"profile", "tabular-data-package"},
                         {"name", package_name(package.scenario)},
                         {"title", package.title.empty() ? package.scenario : package.title}};
  if (!package.source.empty()) {
    described["sources"] = ordered_json::array({{{"title", package.source}}});
  }
  described["resources"] = ordered_json::array();
  for (const auto& file : files_) {
    file->close();
    described["resources"].push_back(
        resource_json(schema(file->table()), file->csv().bytes(), file->csv().rows()));
  }
  described["x_reeve"] = {{"scenario", package.scenario}, {"partial", false}};
  auto& runs = described["x_reeve"]["runs"] = ordered_json::array();
  for (const Run& run : runs_) {
    if (run.partial) described["x_reeve"]["partial"] = true;
    ordered_json entry{
        {"run_id", run_id(run.info)},        {"policy", run.info.policy},
        {"rep", run.info.replication},       {"seed", run.info.seed},
        {"digest", run.info.digest},         {"engine_version", run.info.engine_version},
        {"price_book", run.info.price_book}, {"partial", run.partial}};
    if (!run.decisions_hash.empty()) entry["decisions_hash"] = run.decisions_hash;
    runs.push_back(std::move(entry));
  }
  const std::filesystem::path described_at = directory_ / package_file;
  const TemporaryFile temporary{described_at};
  std::ofstream out{temporary.name(), std::ios::binary | std::ios::trunc};
  out << described.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
  out.close();
  if (!out) throw std::runtime_error{"cannot write " + described_at.string()};

  if (std::filesystem::exists(described_at)) {  // an export was here: take all of it away
    take_away(described_at);
    for (std::size_t index = 0; index < table_count; ++index) {
      take_away(directory_ / (std::string{schema(static_cast<TableName>(index)).name} + ".csv"));
    }
  }
  for (const auto& file : files_) file->place();
  temporary.put_in_place();
}

}  // namespace reeve::report
