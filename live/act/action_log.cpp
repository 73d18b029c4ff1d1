#include "live/act/action_log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view done = "done";
constexpr std::string_view stop_job = "stop_job";

std::string written(const ordered_json& body) {
  return body.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string short_hash_of(const std::string& text) {
  constexpr std::size_t digits = 16;
  return sha256_hex(text).substr(0, digits);
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
  if (entry.kind == JournalKind::planned) {
    standing = {body.value("rule", ""),
                body.value("action", ""),
                body.value("training_job", ""),
                body.value("new_job", ""),
                false,
                {},
                entry.at,
                entry.at};
  }
  if (entry.kind == JournalKind::sent) standing.is_sent = true;
  if (entry.kind != JournalKind::settled) standing.acted = entry.at;
  standing.outcome = entry.kind == JournalKind::settled ? body.value("outcome", "") : "";
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

bool ActionLog::is_done(const std::string& action) const {
  const auto found = standing_.find(action);
  return found != standing_.end() && found->second.outcome == done;
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
  ordered_json body{{"rule", action.rule}, {"action", action.action}, {"training_job", action.job}};
  body.update(action.details);
  journal_->append(at, JournalKind::planned, action.id, written(body));
  standing_[action.id] = {
      action.rule, action.action, action.job, action.details.value("new_job", ""), false, {}, at,
      at};
}

void ActionLog::send(policy::Instant at, const std::string& action, std::uint32_t number,
                     std::string_view call) {
  journal_->append(at, JournalKind::sent, action, written({{"try", number}, {"call", call}}));
  Standing& standing = standing_[action];
  standing.is_sent = true;
  standing.at = at;
  standing.acted = at;
}

void ActionLog::settle(policy::Instant at, const std::string& action, const ActionEnd& end) {
  const std::string outcome = name_of(end.outcome);
  journal_->append(at, JournalKind::settled, action,
                   written({{"outcome", outcome},
                            {"code", end.code},
                            {"detail", end.detail},
                            {"tries", end.tries}}));
  Standing& standing = standing_[action];
  standing.outcome = outcome;
  standing.at = at;
}

Verified verify(ActionJournal& journal) {
  Verified verified;
  verified.broken = journal.for_each([&](const JournalEntry&) { ++verified.entries; });
  return verified;
}

}  // namespace reeve::live
