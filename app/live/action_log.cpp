#include "app/live/action_log.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/exit_code.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::app {
namespace {

using live::ActionJournal;
using live::JournalKind;
using nlohmann::ordered_json;

std::unique_ptr<ActionJournal> opened(const std::string& file, ActionJournal::Access access) {
  auto journal = ActionJournal::open(file, access);
  if (const live::Failure* failure = live::failure_of(journal)) {
    throw UsageError{failure->message, "name another file with --journal"};
  }
  return std::get<std::unique_ptr<ActionJournal>>(std::move(journal));
}

/// XDG Base Directory Specification: `$XDG_STATE_HOME`, else `~/.local/state`.
std::string default_file(const std::string& account, const std::string& region) {
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
  return folder / fmt::format("{}-{}.db", account, region);
}

std::string written(const ordered_json& body) {
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

ActionLog::ActionLog(const std::optional<std::string>& file, const std::string& account,
                     const std::string& region)
    : file_{file ? *file : default_file(account, region)},
      journal_{opened(file_, ActionJournal::Access::write)} {
  if (const auto broken = journal_->broken()) {
    throw UsageError{
        fmt::format("{}: entry {} was changed: {}", file_, broken->number, broken->why),
        "keep it as evidence, and name another file with --journal"};
  }
  journal_->for_each([&](const live::JournalEntry& entry) {
    const auto body = ordered_json::parse(entry.body, nullptr, false);
    Standing& standing = standing_[entry.action];
    standing.at = entry.at;
    if (entry.kind == JournalKind::planned) standing.job = body.value("training_job", "");
    standing.outcome = entry.kind == JournalKind::settled ? body.value("outcome", "") : "";
  });
}

std::string ActionLog::id_of(const PlannedAction& action) {
  constexpr std::size_t digits = 16;
  return live::sha256_hex(
             fmt::format("{}\n{}\n{}", action.action, action.job, live::iso_date(action.created)))
      .substr(0, digits);
}

bool ActionLog::is_done(const std::string& action) const {
  const auto found = standing_.find(action);
  return found != standing_.end() && found->second.outcome == host::name_of(policy::Outcome::done);
}

std::uint32_t ActionLog::done_within_hour(policy::Instant now) const {
  std::uint32_t done = 0;
  for (const auto& [id, standing] : standing_) {
    // One that was settled after now was settled just now, by a clock that was set back since.
    if (is_done(id) && standing.at > now - std::chrono::hours{1}) ++done;
  }
  return done;
}

void ActionLog::plan(policy::Instant at, const PlannedAction& action,
                     const std::string& plan_digest) {
  const std::string id = id_of(action);
  journal_->append(at, JournalKind::planned, id,
                   written({{"plan", plan_digest},
                            {"rule", action.rule},
                            {"action", action.action},
                            {"training_job", action.job},
                            {"created", live::iso_date(action.created)},
                            {"reason", action.reason},
                            {"basis", action.basis}}));
  standing_[id] = {action.job, {}, at};
}

void ActionLog::send(policy::Instant at, const std::string& action, std::uint32_t number) {
  journal_->append(at, JournalKind::sent, action,
                   written({{"try", number}, {"call", "sagemaker:StopTrainingJob"}}));
}

void ActionLog::settle(policy::Instant at, const std::string& action, const live::ActionEnd& end) {
  const std::string outcome{host::name_of(end.outcome)};
  journal_->append(at, JournalKind::settled, action,
                   written({{"outcome", outcome},
                            {"code", end.code},
                            {"detail", end.detail},
                            {"tries", end.tries}}));
  standing_[action].outcome = outcome;
  standing_[action].at = at;
}

int verify_action_log(const std::string& file, const Console& console) {
  const auto journal = opened(file, ActionJournal::Access::read);
  std::uint64_t entries = 0;
  journal->for_each([&](const live::JournalEntry&) { ++entries; });
  const auto broken = journal->broken();
  if (broken) {
    console.print(fmt::format("broken: entry {}: {}\n", broken->number, broken->why));
    return ExitCode::failed;
  }
  console.print(fmt::format("whole: {} {}\n", entries, entries == 1 ? "entry" : "entries"));
  return ExitCode::done;
}

}  // namespace reeve::app
