#include "app/live/confirm.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/action_journal_file.hpp"
#include "app/live/proposal_tables.hpp"
#include "app/live/rule_run.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "live/journal/answer_file.hpp"
#include "report/display_width.hpp"
#include "report/table.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using live::Answer;
using scenarios::in_quotes;

bool is_database(const std::string& file) {
  constexpr std::string_view begins = "SQLite format 3";
  std::ifstream in{file, std::ios::binary};
  std::string head(begins.size(), '\0');
  return in.read(head.data(), static_cast<std::streamsize>(head.size())) && head == begins;
}

/// The journal of actions that `live run` uses by default with this configuration.
std::string journal_named_by(const std::string& file, const Console& console) {
  if (is_database(file)) return file;
  const scenarios::Scenario configuration = load_live_configuration(file, console);
  const scenarios::LiveSpec& live = *configuration.live;
  if (live.account.empty() || live.region.empty()) {
    throw UsageError{file + " does not say which account and region it is for",
                     "name the journal of actions: the first line of live run names it"};
  }
  return action_journal_file(std::nullopt, live.account, live.region);
}

std::string user() {
  const passwd* known = getpwuid(getuid());
  return known != nullptr ? std::string{known->pw_name} : fmt::format("user {}", getuid());
}

UsageError unusable(const live::Failure& failure) {
  return UsageError{failure.message, "run it as the user of live run, or as root"};
}

/// What waits, and what was answered and no run has taken yet.
class Waiting {
 public:
  explicit Waiting(const std::string& journal)
      : log_{read_action_log(journal)}, file_{journal}, name_{journal} {
    for (const auto& [id, standing] : log_.standing()) {
      if (log_.waits_for_person(id)) ids_.push_back(id);
    }
    auto read = file_.read_new();
    if (const live::Failure* failure = live::failure_of(read)) throw unusable(*failure);
    for (Answer& answer : std::get<std::vector<Answer>>(read)) {
      std::string id = answer.action;
      if (log_.waits_for_person(id)) answered_.emplace(std::move(id), std::move(answer));
    }
    std::stable_sort(ids_.begin(), ids_.end(),
                     [&](const auto& a, const auto& b) { return standing(a).at < standing(b).at; });
  }

  report::Table table() const;
  std::vector<std::string> unanswered() const {
    std::vector<std::string> ids;
    std::copy_if(ids_.begin(), ids_.end(), std::back_inserter(ids),
                 [&](const std::string& id) { return !answered_.contains(id); });
    return ids;
  }
  /// Throws UsageError.
  void check(const std::string& id) const {
    const std::string lists = "reeve live confirm " + shell_word(name_) + " lists what waits";
    if (std::find(ids_.begin(), ids_.end(), id) == ids_.end()) {
      throw UsageError{"no action " + in_quotes(id) + " waits for confirmation", lists};
    }
    const auto answered = answered_.find(id);
    if (answered == answered_.end()) return;
    throw UsageError{fmt::format("action {} was {} by {}", in_quotes(id),
                                 answered->second.confirms ? "confirmed" : "refused",
                                 report::printable(answered->second.by)),
                     lists};
  }
  /// Throws UsageError if they cannot be written.
  void answer(const std::vector<std::string>& ids, const std::vector<std::string>& refused) const {
    const policy::Instant now = std::chrono::floor<std::chrono::milliseconds>(
        std::chrono::time_point_cast<policy::Duration>(std::chrono::system_clock::now()));
    std::vector<Answer> answers;
    for (const std::string& id : ids) answers.push_back({id, true, user(), now});
    for (const std::string& id : refused) answers.push_back({id, false, user(), now});
    if (const auto failure = file_.append(answers)) {
      throw unusable(*failure);
    }
  }
  const live::ActionLog::Standing& standing(const std::string& id) const {
    return log_.standing().at(id);
  }

 private:
  live::ActionLog log_;
  live::AnswerFile file_;
  std::string name_;
  std::vector<std::string> ids_;
  std::map<std::string, Answer> answered_;
};

report::Table Waiting::table() const {
  report::Table table;
  table.name = name_;
  table.columns = {{"id", "id", report::Align::left},
                   {"time", "time", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"action", "action", report::Align::left},
                   {"training_job", "training job", report::Align::left},
                   {"answer", "answer", report::Align::left},
                   {"reason", "reason", report::Align::left}};
  table.names = 5;
  for (const std::string& id : ids_) {
    const auto& held = standing(id);
    const auto found = answered_.find(id);
    std::string answer;
    if (found != answered_.end()) {
      answer = (found->second.confirms ? "confirmed by " : "refused by ") + found->second.by;
    }
    table.rows.push_back({.cells = {report::cell(id), time_cell(held.at), report::cell(held.rule),
                                    report::cell(held.action), report::cell(held.job),
                                    report::cell(answer), report::cell(held.reason)}});
  }
  return table;
}

}  // namespace

int confirm(const ConfirmArguments& arguments, const Console& console) {
  const Waiting waiting{journal_named_by(arguments.file, console)};
  const bool lists = arguments.ids.empty() && arguments.refused.empty() && !arguments.all;
  if (lists) {
    const report::Table table = waiting.table();
    if (table.rows.empty() && !console.json) {
      console.note("nothing waits for confirmation\n");
    } else {
      console.print(table);
    }
    return ExitCode::done;
  }
  for (const auto* some : {&arguments.ids, &arguments.refused}) {
    for (const std::string& id : *some) waiting.check(id);
  }
  std::vector<std::string> confirmed = arguments.ids;
  if (arguments.all) confirmed = waiting.unanswered();
  std::erase_if(confirmed, [&](const std::string& id) {
    return std::find(arguments.refused.begin(), arguments.refused.end(), id) !=
           arguments.refused.end();
  });
  waiting.answer(confirmed, arguments.refused);
  const auto say = [&](const std::string& id, std::string_view word) {
    console.note(fmt::format("{} {}: {} of {}\n", word, id, waiting.standing(id).action,
                             report::printable(waiting.standing(id).job)));
  };
  for (const std::string& id : confirmed) say(id, "confirmed");
  for (const std::string& id : arguments.refused) say(id, "refused");
  return ExitCode::done;
}

}  // namespace reeve::app
