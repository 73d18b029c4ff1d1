// reeve docs: writes the reference pages of the documentation, or checks that they are current.
#include "app/docs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.hpp"
#include "app/docs/markdown.hpp"
#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"

namespace reeve::app {
namespace {

namespace fs = std::filesystem;

struct DocsArguments {
  std::string directory = "docs/reference";
  bool check = false;
};

std::vector<DocsPage> docs_pages(const Program& program) {
  std::vector<DocsPage> pages = rule_pages();
  pages.push_back(keys_page());
  pages.push_back(metrics_page());
  pages.push_back(tables_page());
  pages.push_back(diagnostics_page());
  pages.push_back(commands_page(program));
  std::sort(pages.begin(), pages.end(),
            [](const DocsPage& a, const DocsPage& b) { return a.path < b.path; });
  return pages;
}

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

/// A file that needs work, and why.
struct StaleFile {
  std::string file;
  std::string_view why;
};

/// Markdown files that are not a page.
std::vector<StaleFile> extra_files(const fs::path& directory, const std::vector<DocsPage>& pages) {
  std::vector<StaleFile> extra;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator{directory, error}) {
    if (entry.path().extension() != ".md") continue;
    const std::string path = entry.path().lexically_relative(directory).generic_string();
    const bool is_page = std::any_of(pages.begin(), pages.end(),
                                     [&](const DocsPage& page) { return page.path == path; });
    if (!is_page) extra.push_back({entry.path().generic_string(), "is not a page: delete it"});
  }
  std::sort(extra.begin(), extra.end(),
            [](const StaleFile& a, const StaleFile& b) { return a.file < b.file; });
  return extra;
}

int check_pages(const fs::path& directory, const std::vector<DocsPage>& pages,
                const Console& console) {
  std::vector<StaleFile> stale;
  for (const DocsPage& page : pages) {
    const fs::path file = directory / page.path;
    const auto text = text_of(file);
    if (!text) stale.push_back({file.generic_string(), "is missing"});
    if (text && *text != page.text) stale.push_back({file.generic_string(), "is not current"});
  }
  const std::vector<StaleFile> extra = extra_files(directory, pages);
  stale.insert(stale.end(), extra.begin(), extra.end());
  if (console.json) {
    auto list = nlohmann::ordered_json::array();
    for (const StaleFile& each : stale) list.push_back({{"file", each.file}, {"why", each.why}});
    console.print(nlohmann::ordered_json{{"stale", list}}.dump(2) + '\n');
  }
  for (const StaleFile& each : stale) {
    console.complain(fmt::format("reeve: {} {}\n", each.file, each.why));
  }
  if (stale.empty()) return ExitCode::done;
  console.complain(
      fmt::format("  = help: {}\n", console.next("docs " + directory.generic_string())));
  return ExitCode::failed;
}

int write_pages(const fs::path& directory, const std::vector<DocsPage>& pages,
                const Console& console) {
  for (const DocsPage& page : pages) check_output_file(directory / page.path, docs_mark, "DIR");
  std::vector<std::string> written;
  for (const DocsPage& page : pages) {
    const fs::path file = directory / page.path;
    if (text_of(file) == page.text) continue;
    write_text_file(file, page.text);
    written.push_back(file.generic_string());
  }
  console.wrote(written);
  return ExitCode::done;
}

}  // namespace

void add_docs(Program& program, Session& session) {
  auto arguments = std::make_shared<DocsArguments>();
  Command& command =
      add_command(program, "docs", "Writes the reference pages of the documentation as Markdown",
                  "reeve docs\nreeve docs --check docs/reference");
  command.option("DIR", &arguments->directory,
                 "The directory for the pages. Default: docs/reference");
  command.option("--check", &arguments->check,
                 "Writes nothing. Names each page that is not current and exits with 1");
  on_parse(command, session, [&program, &session, arguments] {
    const std::vector<DocsPage> pages = docs_pages(program);
    return arguments->check ? check_pages(arguments->directory, pages, session.console)
                            : write_pages(arguments->directory, pages, session.console);
  });
}

}  // namespace reeve::app
