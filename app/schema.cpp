// reeve schema: the JSON Schema of scenario files, for editors.
#include <array>
#include <memory>

#include "app/command.hpp"
#include "app/docs/schema_text.hpp"
#include "app/exit_code.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"

namespace reeve::app {
namespace {

constexpr std::string_view place = ".reeve/scenario.schema.json";

int schema(bool write, const Console& console) {
  if (!write) {
    console.print(schema_text());
    return ExitCode::done;
  }
  check_schema_file(place, "--write");
  write_text_file(place, schema_text());
  console.wrote(std::array{std::string{place}});
  console.note("next: name it in a scenario, \"$schema\": \"./" + std::string{place} + "\"\n");
  return ExitCode::done;
}

}  // namespace

void add_schema(Program& program, Session& session) {
  auto write = std::make_shared<bool>(false);
  Command& command = add_command(program, "schema", "Prints the JSON Schema of scenario files",
                                 "reeve schema --write\nreeve schema > scenario.schema.json");
  command.option("--write", write.get(), "Writes .reeve/scenario.schema.json here");
  on_parse(command, session, [&session, write] { return schema(*write, session.console); });
}

}  // namespace reeve::app
