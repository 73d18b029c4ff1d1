// reeve demo: the weekend that cost $17,280, told by four policies.
#include <memory>

#include "app/command.hpp"
#include "app/compare/compare_study.hpp"
#include "app/docs/gallery.hpp"
#include "app/files/output_place.hpp"
#include "app/files/report_page.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/shell_word.hpp"
#include "report/page_name.hpp"
#include "scenarios/load.hpp"

namespace reeve::app {
namespace {

constexpr std::string_view story = "stalled-weekend";

int demo(const std::filesystem::path& directory, const Console& console) {
  const GalleryScenario& text = gallery_scenario(story);
  const std::filesystem::path file = directory / (std::string{story} + ".jsonc");
  check_output_directory(directory);
  check_report_place(directory / report::page_file);
  check_output_copy(file, text.text, "-o");  // the scenario may have been worked on
  write_text_file(file, text.text);
  scenarios::Scenario scenario = scenarios::load(scenarios::SourceFile::from_text(
                                                     file.generic_string(), std::string{text.text}),
                                                 directory)
                                     .scenario;
  scenario.file = file;
  StudyPlan plan = plan_study(scenario, {});
  plan.out = directory;
  plan.every_measure = console.json;
  const Study study = run_study(scenario, plan, console);
  std::string next = "reeve explain big-train -p gpu-alarm";
  if (directory != "out/demo")
    next = "reeve explain big-train " + shell_word(file.generic_string()) + " -p gpu-alarm";
  const int exit_code =
      show_comparison(study, {.baseline = {}, .next = next, .markdown = false}, console);
  const std::filesystem::path page = directory / report::page_file;
  write_report(directory, page, {});
  console.note("wrote " + directory.generic_string() +
               ": the scenario, its tables as CSV, datapackage.json\n");
  console.note("report: " + page.generic_string() + '\n');
  return exit_code;
}

}  // namespace

void add_demo(Program& program, Session& session) {
  auto directory = std::make_shared<std::string>("out/demo");
  Command& command = add_command(program, "demo",
                                 "Compares four policies on the stalled-weekend scenario ($17,280)",
                                 "reeve demo\nreeve demo -o /tmp/weekend");
  command.option("-o,--out", directory.get(), "The directory for the scenario and its tables",
                 {.shows_default = true});
  on_parse(command, session, [&session, directory] { return demo(*directory, session.console); });
}

}  // namespace reeve::app
