// reeve init: a scenario of the gallery to start from, and the schema for editors.
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/docs/gallery.hpp"
#include "app/docs/schema_text.hpp"
#include "app/exit_code.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "report/table.hpp"

namespace reeve::app {
namespace {

struct InitArguments {
  std::string name = "stalled-weekend";
  std::string out;
  bool list = false;
  bool force = false;
};

int list_gallery(const Console& console) {
  if (console.json) {
    auto out = nlohmann::ordered_json::array();
    for (const GalleryScenario& scenario : gallery()) {
      out.push_back({{"name", scenario.name}, {"title", title_of(scenario)}});
    }
    console.print(out.dump(2) + '\n');
    return ExitCode::done;
  }
  report::Table table;
  table.columns = {{"name", "template", report::Align::left},
                   {"title", "what it shows", report::Align::left}};
  for (const GalleryScenario& scenario : gallery()) {
    table.rows.push_back({{report::cell(scenario.name), report::cell(title_of(scenario))}});
  }
  console.print(table);
  console.note("next: reeve init stalled-weekend\n");
  return ExitCode::done;
}

int init(const InitArguments& arguments, const Console& console) {
  if (arguments.list) return list_gallery(console);
  const GalleryScenario& scenario = gallery_scenario(arguments.name);
  const std::filesystem::path file =
      arguments.out.empty() ? std::string{scenario.name} + ".jsonc" : arguments.out;
  if (std::filesystem::exists(file) && !arguments.force) {
    throw UsageError{file.generic_string() + " already exists",
                     "use another name with -o FILE, or overwrite it with --force"};
  }
  const std::filesystem::path schema = file.parent_path() / ".reeve" / "scenario.schema.json";
  check_schema_file(schema, "init");
  write_text_file(file, scenario.text);
  write_text_file(schema, schema_text());
  console.wrote(std::array{file.generic_string(), schema.generic_string()});
  console.note("next: " + console.next("check " + shell_word(file.generic_string())) + '\n');
  return ExitCode::done;
}

}  // namespace

void add_init(Program& program, Session& session) {
  auto arguments = std::make_shared<InitArguments>();
  Command& command = add_command(program, "init", "Writes an example scenario to start from",
                                 "reeve init --list\nreeve init\n"
                                 "reeve init drawn-stalls -o week.jsonc");
  command.option("template", &arguments->name, "The example to write", {.shows_default = true});
  command.option("--list", &arguments->list, "Lists the examples");
  command.option("-o,--out", &arguments->out, "The file to write. Default: TEMPLATE.jsonc");
  command.option("--force", &arguments->force, "Overwrites an existing file");
  on_parse(command, session, [&session, arguments] { return init(*arguments, session.console); });
}

}  // namespace reeve::app
