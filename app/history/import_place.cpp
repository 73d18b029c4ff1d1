#include "app/history/import_place.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <reeve/policy/training_job_name.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/files/forecast_file.hpp"
#include "app/files/text_file.hpp"
#include "app/history/fetched_history.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "report/temporary_file.hpp"

namespace reeve::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished = ".util.unfinished";
/// Files of an import and its fit, which the next import removes at first.
constexpr std::array<std::string_view, 6> removed{"jobs.csv.gz", "events.csv", "import.md",
                                                  "fit.json",    "fit.md",     "forecast.jsonc"};

std::string content_checksum(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return policy::short_hash(std::string{std::istreambuf_iterator<char>{in}, {}});
}

/// Of the names and contents of all that is in a folder; empty without one.
std::string folder_checksum(const fs::path& folder) {
  std::error_code error;
  if (fs::is_symlink(folder, error)) return "a link";
  std::vector<fs::path> entries;
  for (const auto& entry : fs::recursive_directory_iterator{folder, error}) {
    entries.push_back(entry.path());
  }
  std::sort(entries.begin(), entries.end());
  std::string checksum;
  for (const fs::path& entry : entries) {
    const std::string name = entry.lexically_relative(folder).generic_string();
    const bool is_file = fs::is_regular_file(entry, error);
    checksum = policy::short_hash(checksum + name + '\n' +
                                  (is_file ? content_checksum(entry) : std::string{}));
  }
  return checksum;
}

/// What import.json says; no object if the directory has none of reeve.
nlohmann::json import_in(const fs::path& directory) {
  std::ifstream in{directory / "import.json", std::ios::binary};
  auto import = nlohmann::json::parse(in, nullptr, false);
  if (!import.is_object() || !import.contains("reeve_import")) import = nullptr;
  return import;
}

/// Without import.json, reeve does not know which files are its own.
void check_without_import(const fs::path& directory) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{directory, error}) {
    const fs::path name = entry.path().filename();
    if (name == "names.key" || name == replies_folder || report::is_temporary(name)) continue;
    throw UsageError{directory.string() + " has files that are no import of reeve",
                     "use a new or empty directory, like -o " + (directory / "history").string() +
                         "; if import.json is gone, move the other files away and keep names.key"};
  }
}

/// An older reeve kept no checksums: only the user knows what is edited.
void check_known(const fs::path& directory, const nlohmann::json& import) {
  std::error_code error;
  if (import.contains("checksums") || import.contains("incomplete")) return;
  std::string names, command = "rm -r";
  for (const auto* name : {"scenario.jsonc", "util"}) {
    if (!fs::exists(directory / name, error)) continue;
    names += (names.empty() ? "" : " and ") + std::string{name};
    command += ' ' + shell_word((directory / name).string());
  }
  if (names.empty()) return;
  throw UsageError{directory.string() +
                       " is the import of an older reeve, which did not note what " +
                       "it wrote: an edited " + names + " would be lost",
                   "without edits: " + command + ", then import again; else use another directory"};
}

void check_unedited(const fs::path& directory, const nlohmann::json& import) {
  std::error_code error;
  check_known(directory, import);
  const nlohmann::json told = import.value("checksums", nlohmann::json{});
  const auto check = [&](const std::string& name, const std::string& now) {
    if (now.empty() || (told.contains(name) && told[name] == now)) return;
    throw UsageError{(directory / name).string() + " differs from what the import wrote",
                     "use another directory, or move it"};
  };
  if (const fs::path scenario = directory / "scenario.jsonc"; fs::exists(scenario, error)) {
    check("scenario.jsonc", content_checksum(scenario));
  }
  check("util", folder_checksum(directory / "util"));
  check_forecast_file(directory / "forecast.jsonc");
}

/// What an import writes or removes.
bool is_of_import(const fs::path& name) {
  constexpr std::array<std::string_view, 3> others{"import.json", "scenario.jsonc", "names.key"};
  return report::is_temporary(name) || name == "util" || name == unfinished ||
         std::find(removed.begin(), removed.end(), name) != removed.end() ||
         std::find(others.begin(), others.end(), name) != others.end();
}

/// Names do not stay beside an import without them.
void check_names(const fs::path& directory, const nlohmann::json& import) {
  std::error_code error;
  std::string way_out = "use a new directory for --anonymize";
  if (const fs::path key = directory / "names.key"; fs::exists(key, error)) {
    way_out += ", and --key " + shell_word(key.string()) + " to keep its pseudonyms";
  }
  if (import.is_object() && !(import.contains("anonymous") && import["anonymous"] == true)) {
    throw UsageError{directory.string() + " is an import with names", way_out};
  }
  for (const auto& entry : fs::directory_iterator{directory, error}) {
    if (is_of_import(entry.path().filename())) continue;
    throw UsageError{entry.path().string() + " may have names, and an import does not remove it",
                     way_out};
  }
}

void check_content(const fs::path& directory, bool anonymous) {
  std::error_code error;
  if (!fs::exists(directory, error)) return;
  if (!fs::is_directory(directory, error)) {
    throw UsageError{directory.string() + " is a file; an import needs a directory",
                     "-o " + directory.string() + ".import"};
  }
  const auto import = import_in(directory);
  if (anonymous) check_names(directory, import);
  if (import.is_null()) return check_without_import(directory);
  check_unedited(directory, import);
}

/// `util`: the checksum of the folder that the import wrote.
void mark_incomplete(const fs::path& directory, bool anonymous, const std::string& util) {
  const nlohmann::ordered_json mark{{"reeve_import", 1},
                                    {"anonymous", anonymous},
                                    {"incomplete", true},
                                    {"checksums", {{"util", util}}}};
  write_text_file(directory / "import.json", mark.dump(2) + '\n');
}

/// Makes the directory and a file in it, and takes back what it made.
void check_writable(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> made;  // the innermost first
  for (fs::path at = fs::absolute(directory); !fs::exists(at, error); at = at.parent_path()) {
    made.push_back(at);
  }
  const auto take_back = [&] {
    std::error_code ignored;
    for (const fs::path& each : made) fs::remove(each, ignored);
  };
  fs::create_directories(directory, error);
  if (error) {
    take_back();
    throw std::runtime_error{"cannot write " + directory.string() + ": " + error.message()};
  }
  try {
    report::TemporaryFile{directory / "import.json"};
  } catch (const std::runtime_error&) {
    take_back();
    throw;
  }
  take_back();
}

}  // namespace

ImportChecksums import_checksums(const fs::path& directory, const std::string& scenario) {
  return {{"scenario.jsonc", policy::short_hash(scenario)},
          {"util", folder_checksum(directory / "util")}};
}

void check_import_place(const fs::path& directory, bool anonymous) {
  check_content(directory, anonymous);
  check_writable(directory);
}

void begin_import(const fs::path& directory, bool anonymous) {
  std::error_code error;
  fs::remove(directory / "scenario.jsonc", error);  // first: a mark beside one means an edited one
  // The files of util were checked; its checksum tells them from others until they are gone.
  mark_incomplete(directory, anonymous, folder_checksum(directory / "util"));
  for (const std::string_view file : removed) fs::remove(directory / file, error);
  fs::remove_all(directory / unfinished, error);
  fs::remove_all(directory / "util", error);
}

fs::path unfinished_util(const fs::path& directory) {
  return directory / unfinished;
}

void finish_util(const fs::path& directory, bool anonymous) {
  if (!fs::exists(directory / unfinished)) return;
  mark_incomplete(directory, anonymous, folder_checksum(directory / unfinished));
  fs::rename(directory / unfinished, directory / "util");
}

}  // namespace reeve::app
