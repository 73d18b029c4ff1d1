#include "app/live/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/proposal_tables.hpp"
#include "app/live/shadow_record.hpp"
#include "app/usage_error.hpp"
#include "report/display_width.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

std::string text_in(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? report::printable(found->get<std::string>())
                                                     : std::string{};
}

std::vector<std::string> texts_in(const ordered_json& object, const char* key) {
  std::vector<std::string> texts;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return texts;
  for (const ordered_json& text : *found) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

bool is_at_work(const ordered_json& status) {
  const auto process = status.find("process");
  if (process == status.end() || !process->is_number_unsigned()) return false;
  const auto number = process->get<std::uint64_t>();
  const auto start = status.find("process_start");
  if (start == status.end() || !start->is_number_unsigned()) return false;
  return number != 0 && process_start(number) == start->get<std::uint64_t>();
}

/// "killed": it says that it runs, and its process is gone.
std::string state_of(const ordered_json& status) {
  std::string state = text_in(status, "state");
  const bool goes_on = state == "running" || state == "starting";
  return goes_on && !is_at_work(status) ? "killed" : state;
}

/// "3 training, 1 starting"
std::string jobs_text(const ordered_json& status) {
  std::string text;
  const auto jobs = status.find("jobs");
  if (jobs == status.end() || !jobs->is_object()) return "no jobs yet";
  for (const auto& [name, count] : jobs->items()) {
    if (!count.is_number_unsigned()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count.get<std::uint64_t>(),
                        report::printable(name));
  }
  return text.empty() ? "no jobs" : "jobs: " + text;
}

}  // namespace

int live_status(const std::string& directory, const Console& console) {
  const RecordedShadow record = read_shadow_record(directory);
  const ordered_json& status = record.status;
  const std::string state = state_of(status);
  report::Table table = rules_table(texts_in(status, "rules"), record.proposals);
  table.name = text_in(status, "configuration") + '/' + text_in(status, "policy") + "/status";
  table.facts = {{text_in(status, "configuration"), text_in(status, "policy"), "shadow: " + state},
                 {text_in(status, "from") + " to " + text_in(status, "to")},
                 {jobs_text(status), text_in(status, "intake")},
                 {"status of " + text_in(status, "written")}};
  if (const auto trouble = status.find("last_trouble"); trouble != status.end()) {
    table.notes.push_back(fmt::format("last failed call: {} at {}: {} {}",
                                      text_in(*trouble, "action"), text_in(*trouble, "at"),
                                      text_in(*trouble, "code"), text_in(*trouble, "message")));
  }
  if (state == "killed") {
    table.closing.push_back(
        {"the process ended before it wrote its last status: the other files may hold more",
         report::Tone::bad});
  }
  console.print(table);
  console.note("each proposal: reeve live log " + directory + '\n');
  return state == "killed" || state == "failed" ? ExitCode::failed : ExitCode::done;
}

bool LogFilter::takes(const std::string& rule, const std::string& job) const {
  const auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  return is_among(rules, rule) && is_among(jobs, job);
}

int live_log(const std::string& directory, const LogFilter& filter, const Console& console) {
  const RecordedShadow record = read_shadow_record(directory);
  const std::vector<std::string> rules = texts_in(record.status, "rules");
  for (const std::string& rule : filter.rules) {
    if (std::find(rules.begin(), rules.end(), rule) != rules.end()) continue;
    throw UsageError{"the run has no rule " + scenarios::in_quotes(rule),
                     rules.empty() ? "reeve live status " + directory : "--rule " + rules.front()};
  }
  std::vector<Proposal> chosen;
  std::copy_if(record.proposals.begin(), record.proposals.end(), std::back_inserter(chosen),
               [&](const Proposal& row) { return filter.takes(row.rule, row.name); });
  report::Table table = proposals_table(chosen, !console.json);
  table.name = text_in(record.status, "configuration") + '/' + text_in(record.status, "policy") +
               "/proposals";
  if (chosen.empty() && !console.json) {
    console.note("no proposals\n");
    return ExitCode::done;
  }
  console.print(table);
  return ExitCode::done;
}

}  // namespace reeve::app
