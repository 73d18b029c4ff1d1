#include "app/live/action_journal_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/proposal_tables.hpp"
#include "app/usage_error.hpp"
#include "live/journal/sqlite_journal.hpp"
#include "report/table.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {
namespace {

using live::ActionJournal;
using live::SqliteJournal;

std::unique_ptr<ActionJournal> opened(const std::string& file, SqliteJournal::Access access) {
  auto journal = SqliteJournal::open(file, access);
  if (const live::Failure* failure = live::failure_of(journal)) {
    const bool is_in_use = failure->message.starts_with("another reeve");
    throw UsageError{failure->message, is_in_use ? "wait for its end: guards hold for one journal"
                                                 : "name another file with --journal"};
  }
  return std::get<std::unique_ptr<ActionJournal>>(std::move(journal));
}

/// A journal that is only read.
struct ReadJournal {
  explicit ReadJournal(const std::string& place) {
    if (place.starts_with(table_prefix)) {
      account.emplace(scenarios::LiveSpec{});
      journal = table_journal(place.substr(table_prefix.size()), *account);
    } else {
      journal = opened(place, SqliteJournal::Access::read);
    }
  }
  std::optional<Account> account;  ///< of a table
  std::unique_ptr<ActionJournal> journal;
};

/// XDG Base Directory Specification: `$XDG_STATE_HOME`, else `~/.local/state`.
std::string default_file(const std::string& account, const std::string& region,
                         std::string_view of) {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state != nullptr && *state != '\0') {
    folder = state;
  } else if (home != nullptr && *home != '\0') {
    folder = std::filesystem::path{home} / ".local" / "state";
  } else {
    throw UsageError{"the journal of actions has no place: HOME is not set",
                     "--journal actions.db"};
  }
  folder /= "reeve";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw UsageError{folder.string() + " cannot be created: " + error.message(),
                     "--journal actions.db"};
  }
  return folder / fmt::format("{}-{}{}{}.db", account, region, of.empty() ? "" : "-", of);
}

}  // namespace

std::string action_journal_file(const std::optional<std::string>& file, const std::string& account,
                                const std::string& region, std::string_view of) {
  return file ? *file : default_file(account, region, of);
}

NamedLog open_action_log(const std::optional<std::string>& place, Account& account,
                         std::string_view of) {
  if (place && place->starts_with(table_prefix)) {
    return open_table_log(place->substr(table_prefix.size()), account);
  }
  const std::string file = action_journal_file(place, account.id(), account.region(), of);
  NamedLog journal{file, live::ActionLog{opened(file, SqliteJournal::Access::write)}};
  check_chain(journal);
  return journal;
}

live::ActionLog read_action_log(const std::string& file) {
  return live::ActionLog{opened(file, SqliteJournal::Access::read)};
}

int print_action_log(const std::string& place, const LogFilter& filter, const Console& console) {
  ReadJournal read{place};
  const live::ActionLog log{std::move(read.journal)};
  std::vector<const live::ActionLog::Standing*> chosen;
  for (const auto& [id, standing] : log.standing()) {
    if (filter.takes(standing.rule, standing.job)) chosen.push_back(&standing);
  }
  std::stable_sort(chosen.begin(), chosen.end(),
                   [](const auto* a, const auto* b) { return a->at < b->at; });
  report::Table table;
  table.name = place;
  table.columns = {{"time", "time", report::Align::left},
                   {"training_job", "training job", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"action", "action", report::Align::left},
                   {"outcome", "outcome", report::Align::left},
                   {"reason", "reason", report::Align::left},
                   {"code", "code", report::Align::left},
                   {"new_job", "new job", report::Align::left},
                   {"resource", "resource", report::Align::left}};
  table.names = 4;
  for (const auto* standing : chosen) {
    std::string outcome = standing->outcome;
    if (outcome.empty()) outcome = standing->is_sent ? "in flight" : "not sent";
    if (!standing->guard.empty() && outcome == "held") outcome += " by " + standing->guard;
    const std::string resource =
        standing->service_job.empty() ? standing->resource : "service job " + standing->service_job;
    table.rows.push_back({.cells = {time_cell(standing->at), report::cell(standing->job),
                                    report::cell(standing->rule), report::cell(standing->action),
                                    report::cell(outcome), report::cell(standing->reason),
                                    report::cell(standing->code), report::cell(standing->new_job),
                                    report::cell(resource)}});
  }
  if (table.rows.empty() && !console.json) {
    console.note("no actions\n");
  } else {
    console.print(table);
  }
  return ExitCode::done;
}

int verify_action_log(const std::string& place, const Console& console) {
  const ReadJournal read{place};
  const auto [entries, broken] = live::verify(*read.journal);
  if (broken) {
    console.print(fmt::format("broken: entry {}: {}\n", broken->number, broken->why));
    return ExitCode::failed;
  }
  console.print(fmt::format("whole: {} {}\n", entries, entries == 1 ? "entry" : "entries"));
  return ExitCode::done;
}

}  // namespace reeve::app
