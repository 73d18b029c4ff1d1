// reeve explain: what a code or key means, and why a job was stopped.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.hpp"
#include "app/docs/error_codes.hpp"
#include "app/exit_code.hpp"
#include "app/explain/at.hpp"
#include "app/explain/job.hpp"
#include "app/explain/key.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/study/study_export.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "policies/registry.hpp"
#include "report/export_directory.hpp"
#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

struct ExplainArguments {
  std::string id;
  StudyArguments study;
  std::uint32_t replication = 0;
  std::optional<std::string> at;  ///< none: of the run as a whole
};

int explain_code(const ErrorCode& code, const Console& console) {
  if (console.json) {
    console.print(ordered_json{{"code", code.code},
                               {"title", code.title},
                               {"text", code.text},
                               {"wrong", code.wrong},
                               {"right", code.right}}
                      .dump(2) +
                  '\n');
    return ExitCode::done;
  }
  std::string out = fmt::format("{}: {}\n{}\n", code.code, code.title, code.text);
  if (!code.wrong.empty()) {
    out += fmt::format("\n  instead of  {}\n  write       {}\n", code.wrong, code.right);
  }
  console.print(out);
  return ExitCode::done;
}

int show_key(const KeyHelp& key, const Console& console) {
  if (console.json) {
    ordered_json json{{"key", key.path},         {"help", key.help},         {"type", key.type},
                      {"default", key.standard}, {"required", key.required}, {"keys", key.keys},
                      {"also", key.also}};
    if (!key.source.empty()) json["source"] = key.source;
    for (const auto& [name, help] : key.columns) {
      json[key.list].push_back({{"name", name}, {"help", help}});
    }
    for (const auto& [name, text] : key.facts) json[name] = text;
    console.print(json.dump(2) + '\n');
    return ExitCode::done;
  }
  std::string out = fmt::format("{}: {}\n  type     {}\n", key.path, key.help, key.type);
  if (!key.standard.empty()) out += fmt::format("  default  {}\n", key.standard);
  if (key.required) out += "  required\n";
  if (!key.source.empty()) out += fmt::format("  from     {}\n", key.source);
  if (!key.keys.empty()) out += fmt::format("  keys     {}\n", fmt::join(key.keys, ", "));
  std::size_t widest = 0;
  for (const auto& [name, help] : key.columns) widest = std::max(widest, name.size());
  if (widest > 0) out += fmt::format("  {}\n", key.list);
  for (const auto& [name, help] : key.columns) {
    out += fmt::format("    {:<{}}  {}\n", name, widest, help);
  }
  if (!key.also.empty()) out += fmt::format("  also     {}\n", fmt::join(key.also, "; "));
  for (const auto& [name, text] : key.facts) out += fmt::format("  {:<8} {}\n", name, text);
  console.print(out);
  return ExitCode::done;
}

std::string upper_case(std::string_view text) {
  std::string out{text};
  for (char& character : out) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
  }
  return out;
}

/// E or W and digits, any number of them: "E203" is meant as a code too.
bool looks_like_code(std::string_view id) {
  return id.size() >= 2 && id.size() <= 6 && (id[0] == 'E' || id[0] == 'W') &&
         id.find_first_not_of("0123456789", 1) == id.npos;
}

/// The key, metric, field, preset, rule or, of a key's last part, the key whose name is nearest;
/// empty: none is near.
std::string nearest_key(std::string_view id) {
  const std::vector<std::string> keys = known_keys();
  if (std::string hint = scenarios::did_you_mean(id, keys); !hint.empty()) return hint;
  std::vector<std::string> last;
  last.reserve(keys.size());
  for (const std::string& key : keys) last.push_back(key.substr(key.rfind('.') + 1));
  if (std::string hint = scenarios::did_you_mean(id, last); !hint.empty()) return hint;
  std::vector<std::string_view> rules;
  for (const policy::PolicyKind& kind : policies::kinds()) rules.push_back(kind.name);
  return scenarios::did_you_mean(id, rules);
}

/// The newest manifest of out/ itself and of the directories in it.
std::optional<Manifest> last_manifest() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  std::optional<Manifest> newest;
  fs::file_time_type written;
  const auto consider = [&](const fs::path& directory) {
    const auto manifest = read_manifest(directory);
    if (!manifest) return;
    const auto at = fs::last_write_time(directory / "manifest.json", ignored);
    if (newest && at <= written) return;
    newest = manifest;
    written = at;
  };
  consider("out");
  for (const auto& entry : fs::directory_iterator{"out", ignored}) consider(entry.path());
  return newest;
}

/// Whether the word names a scenario or a directory of results rather than a job.
bool looks_like_place(const std::string& word) {
  std::error_code ignored;
  const std::filesystem::path path{word};
  return path.extension() == ".jsonc" || path.extension() == ".json" ||
         (word.find('/') != word.npos && std::filesystem::exists(path, ignored)) ||
         std::filesystem::is_regular_file(path, ignored);
}

/// A file where the job belongs: says the right order.
void refuse_swapped(const ExplainArguments& arguments) {
  const std::string& id = arguments.id;
  const std::string& file = arguments.study.file;
  if (!looks_like_place(id) || looks_like_place(file)) return;
  std::string right = "explain " + (file.empty() ? "JOB" : shell_word(file)) + ' ' + shell_word(id);
  right += arguments.study.policies.empty() ? " -p POLICY"
                                            : " -p " + shell_word(arguments.study.policies[0]);
  throw UsageError{scenarios::in_quotes(id) + " is a file: the job comes first, then the file",
                   "reeve " + right};
}

/// The scenario named, of the directory named, or of the last results.
scenarios::Scenario scenario_of(StudyArguments study, const Console& console) {
  std::optional<Manifest> manifest;
  if (study.file.empty()) {
    manifest = last_manifest();
    if (!manifest) throw UsageError{"which scenario?", "reeve explain JOB FILE -p POLICY"};
  } else if (std::filesystem::is_directory(study.file)) {
    manifest = read_manifest(study.file);
    if (!manifest && report::is_incomplete(study.file)) {
      throw UsageError{study.file + " is incomplete: the run that wrote it was stopped",
                       "run it again with -o " + shell_word(study.file)};
    }
    if (!manifest) throw UsageError{study.file + " holds no results of reeve"};
  }
  if (manifest) {
    check_scenario_of(*manifest);
    study.file = manifest->scenario.generic_string();
    if (!study.seed) study.seed = manifest->seed;
    if (!study.runs) study.runs = manifest->runs;
  }
  Console silent = console;
  silent.quiet = true;
  return load_scenario(study, silent);
}

UsageError no_code(const std::string& code) {
  std::vector<std::string_view> codes;
  for (const ErrorCode& known : error_codes()) codes.push_back(known.code);
  return UsageError{"there is no code " + code, scenarios::did_you_mean(code, codes)};
}

/// "71:36:00" as hours, minutes and seconds; empty for any other text.
std::optional<policy::Duration> clock_of(std::string_view text) {
  std::array<std::int64_t, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string_view part = text.substr(0, i == 2 ? text.npos : text.find(':'));
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), parts[i]);
    const std::int64_t most = i == 0 ? 999'999 : 59;
    if (error != std::errc{} || end != part.data() + part.size()) return std::nullopt;
    if (parts[i] < 0 || parts[i] > most) return std::nullopt;
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return std::chrono::hours{parts[0]} + std::chrono::minutes{parts[1]} +
         std::chrono::seconds{parts[2]};
}

/// "8h" or "08:00:00" after the start of the clock, or an instant.
std::optional<policy::Duration> read_time(const std::string& text,
                                          const scenarios::Scenario& scenario) {
  if (const auto clock = clock_of(text)) return *clock;
  if (const auto length = scenarios::parse_duration(text)) return *length;
  if (const auto at = scenarios::parse_instant(text); at && *at >= scenario.world.start) {
    return *at - scenario.world.start;
  }
  return std::nullopt;
}

policy::Duration time_of(const std::string& text, const scenarios::Scenario& scenario) {
  const auto at = read_time(text, scenario);
  const models::World& world = scenario.world;
  if (!at) {
    throw UsageError{"--at " + scenarios::in_quotes(text) + " is no time of the run",
                     "--at 8h, --at 08:00:00 after the start of the clock, or an instant"};
  }
  if (world.end != policy::never && *at > world.end - world.start) {
    throw UsageError{"--at " + scenarios::in_quotes(text) + " is after the end of the clock",
                     "it ends after " + report::short_duration(world.end - world.start)};
  }
  return *at;
}

int explain(const ExplainArguments& arguments, const Console& console) {
  const std::string& id = arguments.id;
  refuse_swapped(arguments);
  const bool of_job = !arguments.study.file.empty() || !arguments.study.policies.empty() ||
                      arguments.at.has_value();
  if (!of_job) {
    const std::string code = upper_case(id);
    if (const ErrorCode* known = find_error_code(code)) return explain_code(*known, console);
    if (looks_like_code(code)) throw no_code(code);
    if (const auto key = explain_key(id)) return show_key(*key, console);
    if (id.find_first_of("./") != id.npos || !last_manifest()) {
      throw UsageError{
          "there is no code, key, metric, field, rule or preset " + scenarios::in_quotes(id),
          nearest_key(id)};
    }
  }
  const scenarios::Scenario scenario = scenario_of(arguments.study, console);
  if (arguments.replication >= scenario.runs) {
    throw UsageError{fmt::format("there is no replication {}", arguments.replication),
                     fmt::format("--rep counts from 0 to {}", scenario.runs - 1)};
  }
  const bool is_job = has_job(scenario, id, arguments.replication);
  if (arguments.at && (is_job || has_line(scenario, id))) {
    return explain_at(scenario,
                      {.id = id,
                       .instant = {.policy = &only_policy(scenario, arguments.study.policies),
                                   .replication = arguments.replication,
                                   .at = time_of(*arguments.at, scenario)}},
                      console);
  }
  if (!is_job) {
    if (has_line(scenario, id)) {
      throw UsageError{scenarios::in_quotes(id) + " is a queue or a fleet: add a time", "--at 8h"};
    }
    const models::World& world = scenario.world;
    const bool is_forecast = world.resampling && world.resampling->forecast;
    const models::Jobs drawn =
        is_forecast ? models::materialize(world, arguments.replication) : models::Jobs{};
    std::vector<std::string_view> names;
    for (const std::string_view job : is_forecast ? drawn.names : world.jobs.names) {
      names.push_back(job);
    }
    if (arguments.at) {
      for (const auto& queue : scenario.world.directory.queues) names.push_back(queue.name);
      for (const auto& pool : scenario.world.pools) names.push_back(pool.name);
    }
    const std::string near_job = scenarios::did_you_mean(id, names);
    const std::string what =
        of_job ? "there is no job " : "there is no code, key, metric, field, rule, preset or job ";
    throw UsageError{what + scenarios::in_quotes(id) + " in " + scenario.file.generic_string(),
                     near_job.empty() && !of_job ? nearest_key(id) : near_job};
  }
  return explain_job(scenario,
                     {.job = id,
                      .policy = &only_policy(scenario, arguments.study.policies),
                      .replication = arguments.replication},
                     console);
}

}  // namespace

void add_explain(Program& program, Session& session) {
  auto arguments = std::make_shared<ExplainArguments>();
  Command& command = add_command(
      program, "explain", "Explains why a job was stopped or waits, or what a code or key means",
      "reeve explain big-train -p gpu-alarm\n"
      "reeve explain big-train stalled-weekend.jsonc -p none\n"
      "reeve explain big-train week.jsonc -p fifo --at 8h\n"
      "reeve explain E0203\n"
      "reeve explain platform.stop_grace\n"
      "reeve explain rules.stalled_gpu.period\n"
      "reeve explain training_time\n"
      "reeve explain blog-naive");
  command.option("ID", &arguments->id,
                 "A job, queue, fleet, code, key, metric, condition field or preset",
                 {.required = true});
  command.option("FILE", &arguments->study.file,
                 "For a job: its scenario (week.jsonc) or a directory of results (out/week). "
                 "Default: the newest results in out. A code or a key needs no file");
  // One word each time, so that what follows it is the file.
  command.option("-p,--policy", &arguments->study.policies, "Which policy", {.takes = Takes::one});
  add_seed_option(command, arguments->study);
  command.option("--rep", &arguments->replication, "Which replication, from 0",
                 {.whole_in = WholeNumbers{0, 999'999}});
  command.option("--at", &arguments->at,
                 "Why the job waits at this time and what would let it run. For a queue or fleet: "
                 "all pending jobs (8h or 08:00:00 after the start of the clock, or an instant)");
  on_parse(command, session,
           [&session, arguments] { return explain(*arguments, session.console); });
}

}  // namespace reeve::app
