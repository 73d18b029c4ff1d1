#include "report/page/result_directory.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "report/csv.hpp"
#include "report/export_directory.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/json.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t largest_table = std::uint64_t{8} << 30;
constexpr std::size_t longest_record = std::size_t{4} << 20;

/// A pipe would never end.
void check_is_file(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file) || std::filesystem::is_regular_file(file)) return;
  throw std::runtime_error{file.generic_string() + " is not a regular file"};
}

/// Whether brackets that are open at once stay below a bound that no table of results reaches.
bool is_shallow(const std::string& text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\') ++i;
      if (i < text.size() && text[i] == '"') in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    if (text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ']' || text[i] == '}') && depth > 0) --depth;
    if (depth > scenarios::max_json_depth) return false;
  }
  return true;
}

std::unique_ptr<std::istream> opened(const std::filesystem::path& file) {
  check_is_file(file);
  auto in = std::make_unique<std::ifstream>(file, std::ios::binary);
  if (!*in) throw std::runtime_error{file.generic_string() + ": cannot be read"};
  return in;
}

ordered_json json_file(const std::filesystem::path& file, const std::string& missing) {
  check_is_file(file);
  std::ifstream in{file, std::ios::binary};
  if (!in) throw std::runtime_error{missing};
  const ordered_json json = parsed({std::istreambuf_iterator<char>{in}, {}});
  if (!json.is_object()) {
    throw std::runtime_error{file.generic_string() + ": not a JSON object; it is damaged"};
  }
  return json;
}

}  // namespace

ordered_json parsed(const std::string& text) {
  if (!is_shallow(text)) return ordered_json::value_t::discarded;
  return ordered_json::parse(text, nullptr, false);
}

ResultTable::ResultTable(const std::filesystem::path& file,
                         const std::vector<std::string_view>& columns)
    : names_{columns} {
  const std::string name = file.generic_string();
  csv_ = std::make_unique<scenarios::CsvReader>(
      name, scenarios::Inflater{name, opened(file), largest_table}, longest_record);
  if (!csv_->next()) fail("no header");
  const auto& header = csv_->fields();
  width_ = header.size();
  for (const std::string_view column : columns) {
    const auto found = std::find(header.begin(), header.end(), column);
    if (found == header.end()) fail("column " + std::string{column} + " is missing");
    places_.push_back(static_cast<std::size_t>(found - header.begin()));
  }
}

bool ResultTable::next() {
  if (!csv_->next()) return false;
  if (csv_->fields().size() != width_) fail("the row has another number of cells than the header");
  return true;
}

std::string_view ResultTable::text(std::size_t column) const {
  const std::string_view cell = csv_->fields()[places_[column]];
  // What safe_cell put before a formula.
  const bool is_escaped = cell.starts_with('\'') && !is_safe_cell(cell.substr(1));
  return is_escaped ? cell.substr(1) : cell;
}

std::optional<double> ResultTable::number(std::size_t column) const {
  const std::string_view cell = text(column);
  if (cell.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value)) {
    fail("column " + std::string{names_[column]} + ": \"" + std::string{cell} +
         "\" is not a number");
  }
  return value;
}

double ResultTable::seconds_since(std::string_view start, std::size_t column) const {
  const auto from = scenarios::parse_instant(start);
  const auto at = scenarios::parse_instant(text(column));
  if (!from || !at) {
    fail("column " + std::string{names_[column]} + ": \"" + std::string{text(column)} +
         "\" is not a date and time of UTC");
  }
  return static_cast<double>((*at - *from).count()) / 1e9;
}

void ResultTable::fail(const std::string& what) const {
  throw std::runtime_error{csv_->name() + ':' + std::to_string(csv_->line()) + ": " + what};
}

RunId run_of(std::string_view run_id) {
  const std::size_t slash = run_id.rfind('/');
  if (slash == std::string_view::npos) return {run_id, true};
  return {run_id.substr(0, slash), run_id.substr(slash + 1) == "0"};
}

ResultDirectory::ResultDirectory(std::filesystem::path directory) : path_{std::move(directory)} {
  const std::string name = path_.generic_string();
  package_ = json_file(path_ / "datapackage.json",
                       name + ": no results; reeve compare FILE -o DIR writes them");
  if (is_incomplete(path_)) {
    throw std::runtime_error{name +
                             ": the results are incomplete, because the program was ended "
                             "while it wrote them"};
  }
  manifest_ = json_file(path_ / "manifest.json",
                        name + ": no manifest.json; reeve compare FILE -o DIR writes it");
  check_tables();
  read_summary();
  if (std::filesystem::exists(path_ / "runs.csv")) count_runs();  // a sweep has none
}

void ResultDirectory::check_tables() const {
  if (!package_.contains("resources") || !package_["resources"].is_array()) return;
  for (const auto& resource : package_["resources"]) {
    const auto path = resource.is_object() ? resource.find("path") : resource.end();
    if (!resource.is_object() || path == resource.end() || !path->is_string()) continue;
    const std::filesystem::path file = path_ / path->get<std::string>();
    if (std::filesystem::exists(file)) continue;
    throw std::runtime_error{file.generic_string() + " is missing; datapackage.json lists it"};
  }
}

void ResultDirectory::read_summary() {
  const std::string name = (path_ / "manifest.json").generic_string();
  const auto summary = manifest_.find("summary");
  if (summary == manifest_.end()) {
    throw std::runtime_error{name +
                             " has no summary; it is of an earlier version, so run the "
                             "command again"};
  }
  const auto has_list = [&](const char* key) {
    return summary->contains(key) && (*summary)[key].is_array() && !(*summary)[key].empty();
  };
  bool is_whole = summary->is_object() && has_list("policies") && has_list("assumptions");
  for (const auto& policy : is_whole ? (*summary)["policies"] : ordered_json::array()) {
    const bool named = policy.is_object() && policy.contains("name") && policy["name"].is_string();
    is_whole = is_whole && named;
    if (named) policies_.push_back(policy["name"].get<std::string>());
  }
  if (!is_whole) throw std::runtime_error{name + ": the summary is damaged"};
  if (summary->contains("start") && (*summary)["start"].is_string()) start_ = (*summary)["start"];
}

void ResultDirectory::count_runs() {
  runs_.assign(policies_.size(), 0);
  ResultTable runs = table("runs", {"policy"});
  while (runs.next()) {
    if (const auto at = policy(runs.text(0))) ++runs_[*at];
  }
}

std::optional<std::size_t> ResultDirectory::policy(std::string_view name) const {
  const auto found = std::find(policies_.begin(), policies_.end(), name);
  if (found == policies_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - policies_.begin());
}

ResultTable ResultDirectory::table(std::string_view name,
                                   const std::vector<std::string_view>& columns) const {
  return {path_ / (std::string{name} + ".csv"), columns};
}

}  // namespace reeve::report
