// reeve policies: the kinds of rules there are and the options of each.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.hpp"
#include "app/docs/option_text.hpp"
#include "app/exit_code.hpp"
#include "app/session.hpp"
#include "app/usage_error.hpp"
#include "policies/registry.hpp"
#include "report/table.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

ordered_json kind_json(const policy::PolicyKind& kind) {
  ordered_json out{{"name", kind.name}, {"summary", kind.summary}, {"source", kind.source}};
  auto& options = out["options"] = ordered_json::array();
  for (const policy::OptionSpec& option : kind.options) {
    options.push_back({{"name", option.name},
                       {"type", type_text(option.type)},
                       {"unit", option.unit},
                       {"default", default_text(option)},
                       {"range", range_text(option)},
                       {"help", option.help}});
  }
  return out;
}

report::Table kinds_table() {
  report::Table table;
  table.columns = {{"name", "rule", report::Align::left},
                   {"summary", "what it does", report::Align::left}};
  for (const policy::PolicyKind& kind : policies::kinds()) {
    table.rows.push_back({{report::cell(kind.name), report::cell(kind.summary)}});
  }
  table.closing.push_back({"next: reeve policies stalled_gpu", report::Tone::faint});
  return table;
}

/// A value that a required option may have.
std::string example_value(const policy::OptionSpec& option, std::string_view duration) {
  using policy::OptionType;
  if (!option.choices.empty()) return fmt::format("\"{}\"", option.choices.front());
  switch (option.type) {
    case OptionType::flag:
      return "true";
    case OptionType::integer:
    case OptionType::number:
      return fmt::format("{:.15g}", std::max(option.min, 1.0));
    case OptionType::duration:
      return fmt::format("\"{}\"", duration);
    case OptionType::choice:
    case OptionType::text:
      return "\"team\"";
    case OptionType::texts:
      return "[\"team\"]";
    case OptionType::integers:
      return "[1]";
    case OptionType::text_map:
      return "{ \"team\": [\"research\"] }";
    case OptionType::pattern_map:
      return "{ \"team\": [\"r.*\"] }";
    case OptionType::condition:
      return R"({ "field": "age", "op": ">=", "value": "2d" })";
  }
  return {};
}

/// The rule with what it cannot do without, and the world if it needs one of its own.
std::string example_of(const policy::PolicyKind& kind) {
  const std::string_view duration = kind.moves ? "10m" : "24h";
  const std::string world = kind.moves
                                ? fmt::format(
                                      "\"platform\": {{ \"model\": \"ticks\", \"tick\": \"{0}\", "
                                      "\"restart_overhead\": \"{0}\" }}, ",
                                      duration)
                                : std::string{};
  std::string out =
      fmt::format("{}\"policies\": {{ \"mine\": [ {{ \"rule\": \"{}\"", world, kind.name);
  for (const policy::OptionSpec& option : kind.options) {
    if (!option.default_json.empty()) continue;
    out += fmt::format(", \"{}\": {}", option.name, example_value(option, duration));
  }
  return out + " } ] }";
}

std::string describe_kind(const policy::PolicyKind& kind) {
  std::string out = fmt::format("{}: {}\nfrom: {}\n", kind.name, kind.summary, kind.source);
  for (const policy::OptionSpec& option : kind.options) {
    out +=
        fmt::format("\n  {}\n      {}\n      {}", option.name, option.help, type_text(option.type));
    if (!option.unit.empty()) out += fmt::format(", {}", option.unit);
    out += fmt::format("; default {}", default_text(option));
    if (const std::string range = range_text(option); !range.empty()) out += "; " + range;
    out += '\n';
  }
  return out + fmt::format("\nIn a scenario: {}\n", example_of(kind));
}

int show_kinds(const std::string& name, const Console& console) {
  if (name.empty()) {
    if (!console.json) {
      console.print(kinds_table());
      return ExitCode::done;
    }
    auto all = ordered_json::array();
    for (const policy::PolicyKind& kind : policies::kinds()) all.push_back(kind_json(kind));
    console.print(all.dump(2) + '\n');
    return ExitCode::done;
  }
  const policy::PolicyKind* kind = policies::find_kind(name);
  if (kind == nullptr) {
    std::vector<std::string_view> names;
    for (const policy::PolicyKind& known : policies::kinds()) names.push_back(known.name);
    throw UsageError{"there is no rule " + scenarios::in_quotes(name),
                     scenarios::did_you_mean(name, names)};
  }
  console.print(console.json ? kind_json(*kind).dump(2) + '\n' : describe_kind(*kind));
  return ExitCode::done;
}

}  // namespace

void add_policies(Program& program, Session& session) {
  auto name = std::make_shared<std::string>();
  Command& command = add_command(program, "policies", "Lists the rules and their options",
                                 "reeve policies\nreeve policies stalled_gpu\n"
                                 "reeve policies --json");
  command.option("NAME", name.get(), "A rule. Prints all its options");
  on_parse(command, session, [&session, name] { return show_kinds(*name, session.console); });
}

}  // namespace reeve::app
