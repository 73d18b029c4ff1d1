#include "live/act/action_log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "host/confirm_first.hpp"
#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view done = "done";
constexpr std::string_view stop_job = "stop_job";

constexpr const char* held = "held";

std::string written(const ordered_json& body) {
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string short_hash_of(const std::string& text) {
  constexpr std::size_t digits = 16;
  return sha256_hex(text).substr(0, digits);
}

ordered_json body_of(const LoggedAction& action) {
  ordered_json body{{"rule", action.rule}, {"action", action.action}, {"training_job", action.job}};
  body.update(action.details);
  return body;
}

std::string name_of(policy::Outcome outcome) {
  constexpr std::array names{"done", "partly_done", "refused", "expired"};
  return names.at(static_cast<std::size_t>(outcome));
}

}  // namespace

ActionLog::ActionLog(std::unique_ptr<ActionJournal> journal) : journal_{std::move(journal)} {
  broken_ = journal_->for_each([this](const JournalEntry& entry) { take(entry); });
}

void ActionLog::refresh() {
  const auto broken = journal_->for_each_new([this](const JournalEntry& entry) { take(entry); });
  if (!broken_) broken_ = broken;
}

void ActionLog::take(const JournalEntry& entry) {
  const auto body = ordered_json::parse(entry.body, nullptr, false);
  Standing& standing = standing_[entry.action];
  standing.at = entry.at;
  if (!body.is_object()) return;
  switch (entry.kind) {
    case JournalKind::planned:
    case JournalKind::held: {
      // What was sent before it is held may have had its effect.
      const bool was_sent = entry.kind == JournalKind::held && standing.is_sent;
      const policy::Instant first = standing.action.empty() ? entry.at : standing.first;
      standing = {.rule = body.value("rule", ""),
                  .action = body.value("action", ""),
                  .job = body.value("training_job", ""),
                  .new_job = body.value("new_job", ""),
                  .resource = body.value("resource", ""),
                  .reason = body.value("reason", ""),
                  .guard = body.value("guard", ""),
                  .parameters = body.value("parameters", ""),
                  .at = entry.at,
                  .acted = entry.at,
                  .first = first};
      if (entry.kind == JournalKind::held) standing.outcome = held;
      standing.is_sent = was_sent;
      return;
    }
    case JournalKind::sent:
      standing.is_sent = true;
      standing.service_job = body.value("service_job", "");
      standing.acted = entry.at;
      standing.outcome.clear();
      return;
    case JournalKind::settled:
      standing.outcome = body.value("outcome", "");
      standing.code = body.value("code", "");
      return;
    case JournalKind::answered:
      return take_answer({entry.action, body.value("answer", "") == "confirmed",
                          body.value("by", ""),
                          parse_iso_date(body.value("answered", "")).value_or(entry.at)});
  }
}

void ActionLog::take_answer(Answer answer) {
  standing_[answer.action].outcome = answer.confirms ? "confirmed" : "refused";
  if (answer.confirms) ++confirmed_;
  answers_.emplace(answer.action, std::move(answer));
}

std::string ActionLog::stop_id(const std::string& job, policy::Instant created) {
  return short_hash_of("stop_job\n" + job + '\n' + iso_date(created));
}

std::string ActionLog::clone_id(const std::string& new_job) {
  return short_hash_of("clone_job\n" + new_job);
}

std::string ActionLog::message_id(const std::string& rule, const std::string& job,
                                  std::uint64_t incident) {
  return short_hash_of("notify\n" + rule + '\n' + job + '\n' + std::to_string(incident));
}

std::string ActionLog::update_id(const std::string& action, const std::string& parameters,
                                 policy::Instant at) {
  return short_hash_of(action + '\n' + parameters + '\n' + iso_date(at));
}

std::string ActionLog::removal_id(const std::string& resource, policy::Instant made) {
  return short_hash_of("remove\n" + resource + '\n' + iso_date(made));
}

std::string ActionLog::notice_id(const std::string& action) {
  return short_hash_of("notice\n" + action);
}

bool ActionLog::is_done(const std::string& action) const {
  const auto found = standing_.find(action);
  // Of a message: some addresses have it, and must not get it again.
  return found != standing_.end() &&
         (found->second.outcome == done ||
          found->second.outcome == name_of(policy::Outcome::partly_done));
}

bool ActionLog::waits_for_person(const std::string& action) const {
  const auto found = standing_.find(action);
  return found != standing_.end() && found->second.outcome == held &&
         found->second.guard == host::ConfirmFirst::name && answer_about(action) == nullptr;
}

const Answer* ActionLog::answer_about(const std::string& action) const {
  const auto found = answers_.find(action);
  return found == answers_.end() ? nullptr : &found->second;
}

std::uint32_t ActionLog::stops_within_hour(policy::Instant now) const {
  return static_cast<std::uint32_t>(
      std::count_if(standing_.begin(), standing_.end(), [&](const auto& each) {
        const Standing& standing = each.second;
        const bool may_be_done =
            standing.outcome == done || (standing.outcome.empty() && standing.is_sent);
        // One that was settled after now was settled just now, by a clock that was set back since.
        return may_be_done && standing.action == stop_job &&
               standing.at > now - std::chrono::hours{1};
      }));
}

void ActionLog::plan(policy::Instant at, const LoggedAction& action) {
  append(at, JournalKind::planned, action.id, body_of(action));
}

void ActionLog::hold(policy::Instant at, const LoggedAction& action, std::string_view guard) {
  ordered_json body = body_of(action);
  body["guard"] = guard;
  append(at, JournalKind::held, action.id, body);
}

void ActionLog::answer(policy::Instant at, const Answer& answer) {
  if (answer_about(answer.action) != nullptr) return;
  append(at, JournalKind::answered, answer.action,
         {{"answer", answer.confirms ? "confirmed" : "refused"},
          {"by", answer.by},
          {"answered", iso_date(answer.at)}});
}

void ActionLog::send(policy::Instant at, const std::string& action, std::uint32_t number,
                     std::string_view call, std::string_view service_job) {
  ordered_json body{{"try", number}, {"call", call}};
  if (!service_job.empty()) body["service_job"] = service_job;
  append(at, JournalKind::sent, action, body);
}

void ActionLog::settle(policy::Instant at, const std::string& action, const ActionEnd& end) {
  append(at, JournalKind::settled, action,
         {{"outcome", name_of(end.outcome)},
          {"code", end.code},
          {"detail", end.detail},
          {"tries", end.tries}});
}

/// On the disk first.
void ActionLog::append(policy::Instant at, JournalKind kind, const std::string& action,
                       const ordered_json& body) {
  JournalEntry entry{.at = at, .kind = kind, .action = action, .body = written(body)};
  journal_->append(at, kind, action, entry.body);
  take(entry);
}

Verified verify(ActionJournal& journal) {
  Verified verified;
  verified.broken = journal.for_each([&](const JournalEntry&) { ++verified.entries; });
  return verified;
}

}  // namespace reeve::live
