// reeve report: the HTML page of a directory of results.
#include <array>
#include <filesystem>
#include <memory>
#include <string>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/report_page.hpp"
#include "app/session.hpp"
#include "app/usage_error.hpp"
#include "report/page_name.hpp"

namespace reeve::app {
namespace {

struct ReportArguments {
  std::string directory;
  std::string title;
  std::string out;
};

int write_page(const ReportArguments& arguments, const Console& console) {
  namespace fs = std::filesystem;
  const fs::path directory{arguments.directory};
  if (!fs::is_directory(directory)) {
    throw UsageError{arguments.directory + " is not a directory of results",
                     "reeve compare FILE -o DIR writes one"};
  }
  const fs::path file =
      arguments.out.empty() ? directory / report::page_file : fs::path{arguments.out};
  check_report_place(file);
  write_report(directory, file, arguments.title);
  const std::string name = file.generic_string();
  if (console.json) {
    console.wrote(std::array{name});
  } else {
    console.print(name + '\n');
  }
  return ExitCode::done;
}

}  // namespace

void add_report(Program& program, Session& session) {
  auto arguments = std::make_shared<ReportArguments>();
  Command& command =
      add_command(program, "report", "Writes the HTML report of a directory of results",
                  "reeve compare week.jsonc -o out/week\n"
                  "reeve report out/week\n"
                  "reeve report out/week --title \"Idle GPUs in May\" -o may.html");
  command.option("DIR", &arguments->directory,
                 "The directory that reeve compare, run or sweep wrote with -o",
                 {.required = true});
  command.option("--title", &arguments->title, "The title. Default: the title of the scenario");
  command.option("-o,--out", &arguments->out, "The file to write. Default: DIR/index.html");
  on_parse(command, session,
           [&session, arguments] { return write_page(*arguments, session.console); });
}

}  // namespace reeve::app
