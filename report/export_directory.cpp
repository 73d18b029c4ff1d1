#include "report/export_directory.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "report/json_text.hpp"
#include "report/page_name.hpp"
#include "report/tables.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view package_file = "datapackage.json";
constexpr std::string_view manifest_file = "manifest.json";

void take_away(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (error) {
    throw std::runtime_error{"cannot remove " + path.string() + ": " + error.message()};
  }
}

/// Whether reeve wrote it: a report of results that these replace.
bool is_report_page(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) return false;
  std::ifstream in{file, std::ios::binary};
  std::string start(page_begins.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == page_begins;
}

}  // namespace

void remove_page(const std::filesystem::path& directory) {
  if (is_report_page(directory / page_file)) take_away(directory / page_file);
}

namespace {

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

/// Of a table that is not of the runs.
ordered_json added_resource_json(const TableSchema& table, std::uint64_t bytes) {
  ordered_json fields = ordered_json::array();
  for (const Field& field : table.fields) {
    fields.push_back(
        {{"name", field.name}, {"type", name(field.type)}, {"description", field.description}});
  }
  auto key = ordered_json::array();
  for (const Field& field : table.fields.first(table.key)) key.push_back(field.name);
  return {{"name", table.name},
          {"path", std::string{table.name} + ".csv"},
          {"title", table.title},
          {"profile", "tabular-data-resource"},
          {"format", "csv"},
          {"mediatype", "text/csv"},
          {"encoding", "utf-8"},
          {"bytes", bytes},
          {"schema", {{"fields", fields}, {"primaryKey", std::move(key)}}}};
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

std::filesystem::path file_of(const std::filesystem::path& directory, const TableSchema& table) {
  return directory / (std::string{table.name} + ".csv");
}

void write_file(TemporaryFile& file, std::string_view text) {
  file.stream() << text;
  file.close();
}

/// Removes temporary files of a process that was killed.  Call it with the lock held.
void remove_temporary_files(const std::filesystem::path& directory) {
  std::error_code error;
  std::vector<std::filesystem::path> abandoned;
  for (const auto& entry : std::filesystem::directory_iterator{directory, error}) {
    const std::filesystem::path becomes = becomes_of(entry.path());
    const bool journal = becomes.extension() == ".journal" && is_journal(entry.path());
    if (is_export_file(becomes) || journal) abandoned.push_back(entry.path());
  }
  for (const auto& path : abandoned) std::filesystem::remove(path, error);
}

nlohmann::json read_package(const std::filesystem::path& directory) {
  std::ifstream in{directory / package_file, std::ios::binary};
  const auto package = nlohmann::json::parse(in, nullptr, false);
  const bool ours =
      package.is_object() && package.contains("x_reeve") && package["x_reeve"].is_object();
  return ours ? package["x_reeve"] : nlohmann::json::object();
}

}  // namespace

bool is_export_file(const std::filesystem::path& file) {
  if (file == package_file || file == manifest_file || file == page_file) return true;
  const std::vector<const TableSchema*> tables = schemas();
  return file.extension() == ".csv" &&
         std::any_of(tables.begin(), tables.end(),
                     [&](const TableSchema* table) { return file.stem() == table->name; });
}

bool is_incomplete(const std::filesystem::path& directory) {
  return read_package(directory).value("incomplete", nlohmann::json{}) == true;
}

/// One table being written.
class ExportDirectory::File {
 public:
  File(const std::filesystem::path& directory, const TableSchema& of)
      : schema_{of},
        temporary_{file_of(directory, of)},
        csv_{temporary_.stream(), temporary_.becomes().string()} {
    write_header(csv_, schema_);
  }
  File(const std::filesystem::path& directory, TableName table)
      : File{directory, reeve::report::schema(table)} {
    table_ = table;
  }

  const TableSchema& schema() const { return schema_; }
  TableName table() const { return *table_; }
  CsvWriter& csv() { return csv_; }
  void close() {
    csv_.flush();
    temporary_.close();
  }
  void place() { temporary_.put_in_place(); }

 private:
  const TableSchema& schema_;
  std::optional<TableName> table_;  ///< none: added
  TemporaryFile temporary_;
  CsvWriter csv_;
};

ExportDirectory::ExportDirectory(std::filesystem::path directory, const ExportTables& tables)
    : directory_{std::move(directory)}, made_{directory_}, lock_{directory_} {
  remove_temporary_files(directory_);
  earlier_journals_ = listed_journals();
  if (!std::filesystem::exists(directory_ / package_file)) {
    mark_.emplace(directory_ / package_file);
    mark_incomplete();
  }
  for (std::size_t index = 0; index < table_count; ++index) {
    const auto table = static_cast<TableName>(index);
    if (is_written(table, tables)) files_.push_back(std::make_unique<File>(directory_, table));
  }
}

ExportDirectory::~ExportDirectory() = default;

/// Those that lie in the directory itself.
std::vector<ExportDirectory::ListedJournal> ExportDirectory::listed_journals() const {
  std::vector<ListedJournal> found;
  const nlohmann::json listed = read_package(directory_).value("journals", nlohmann::json{});
  if (!listed.is_array()) return found;
  for (const auto& entry : listed) {
    if (!entry.is_object() || !entry.contains("path") || !entry["path"].is_string()) continue;
    std::string name = entry["path"];
    if (std::filesystem::path{name}.filename() != name) continue;
    found.push_back({std::move(name), std::nullopt});
    if (entry.contains("bytes") && entry["bytes"].is_number_unsigned()) {
      found.back().bytes = entry["bytes"].get<std::uintmax_t>();
    }
  }
  return found;
}

/// Whether the file is still the journal that the export wrote, and not another one.
bool ExportDirectory::is_unchanged(const ListedJournal& journal) const {
  const std::filesystem::path file = directory_ / journal.name;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  return !error && is_journal(file) && bytes == journal.bytes.value_or(bytes);
}

ExportDirectory::Mark::~Mark() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove(name_.path(), ignored);
}

/// Of the journals that lie in the directory itself.
std::vector<std::string> ExportDirectory::journal_names() const {
  std::vector<std::string> names;
  for (const auto& journal : journals_) {
    std::string name = journal->name_in(directory_);
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

/// Readers, and the next run, then know that the tables are not to be used.  The next run removes
/// the journals, whichever of them this one leaves.
void ExportDirectory::mark_incomplete() {
  TemporaryFile mark{directory_ / package_file};
  ordered_json state{{"incomplete", true}, {"partial", true}};
  for (const ListedJournal& journal : earlier_journals_) {
    ordered_json entry{{"path", journal.name}};
    if (journal.bytes) entry["bytes"] = *journal.bytes;
    state["journals"].push_back(std::move(entry));
  }
  for (const std::string& name : journal_names()) state["journals"].push_back({{"path", name}});
  const ordered_json package{{"profile", "tabular-data-package"},
                             {"name", "incomplete"},
                             {"title",
                              "Not finished: the program ended before all tables were "
                              "in place"},
                             {"resources", ordered_json::array()},
                             {"x_reeve", std::move(state)}};
  write_file(mark, json_text(package, 2) + '\n');
  mark.put_in_place();
}

void ExportDirectory::add(const RunRows& run) {
  Run entry{run.info, run.record.partial, {}};
  for (const auto& file : files_) {
    std::string hash = write_rows(file->csv(), file->table(), run);
    if (file->table() == TableName::decisions) entry.decisions_hash = std::move(hash);
  }
  runs_.push_back(std::move(entry));
}

void ExportDirectory::add_table(const TableSchema& table,
                                const std::function<void(CsvWriter&)>& rows) {
  rows(added_.emplace_back(std::make_unique<File>(directory_, table))->csv());
}

void ExportDirectory::add_journal(std::unique_ptr<JournalFile> journal) {
  journals_.push_back(std::move(journal));
}

std::string description_of(const std::string& name, const std::vector<WrittenTable>& tables) {
  ordered_json described{{"profile", "tabular-data-package"}, {"name", package_name(name)}};
  auto& resources = described["resources"] = ordered_json::array();
  for (const WrittenTable& table : tables) {
    resources.push_back(added_resource_json(*table.schema, table.bytes));
  }
  return json_text(described, 2) + '\n';
}

std::string ExportDirectory::description(const PackageInfo& package) const {
  ordered_json described{{"profile", "tabular-data-package"},
                         {"name", package_name(package.scenario)},
                         {"title", package.title.empty() ? package.scenario : package.title}};
  if (!package.source.empty()) {
    described["sources"] = ordered_json::array({{{"title", package.source}}});
  }
  auto& resources = described["resources"] = ordered_json::array();
  for (const auto& file : files_) {
    resources.push_back(resource_json(file->schema(), file->csv().bytes(), file->csv().rows()));
  }
  for (const auto& file : added_) {
    resources.push_back(added_resource_json(file->schema(), file->csv().bytes()));
  }
  described["x_reeve"] = {{"scenario", package.scenario}, {"partial", package.partial}};
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
  for (const auto& journal : journals_) {
    const std::string name = journal->name_in(directory_);
    if (name.empty()) continue;
    described["x_reeve"]["journals"].push_back({{"path", name}, {"bytes", journal->bytes()}});
  }
  return json_text(described, 2) + '\n';
}

void ExportDirectory::finish(const PackageInfo& package, const std::string& manifest) {
  for (const auto& file : files_) file->close();
  for (const auto& file : added_) file->close();
  TemporaryFile described{directory_ / package_file};
  write_file(described, description(package));
  std::optional<TemporaryFile> beside;
  if (!manifest.empty()) write_file(beside.emplace(directory_ / manifest_file), manifest);
  put_all_in_place(described, beside ? &*beside : nullptr);
}

void ExportDirectory::put_all_in_place(TemporaryFile& description, TemporaryFile* manifest) {
  // Over the description of an earlier export, or a mark that does not list the journals.
  if (!mark_ || !journals_.empty()) mark_incomplete();
  if (mark_) mark_->keep();  // from here on it stays, whatever happens
  mark_.reset();
  for (const ListedJournal& journal : earlier_journals_) {
    if (is_unchanged(journal)) take_away(directory_ / journal.name);
  }
  for (const TableSchema* table : schemas()) take_away(file_of(directory_, *table));
  take_away(directory_ / manifest_file);
  remove_page(directory_);
  for (const auto& file : files_) file->place();
  for (const auto& file : added_) file->place();
  for (const auto& journal : journals_) journal->put_in_place();
  if (manifest != nullptr) manifest->put_in_place();
  description.put_in_place();
  lock_.reset();
}

}  // namespace reeve::report
