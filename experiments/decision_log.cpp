#include "experiments/decision_log.hpp"

namespace reeve::experiments {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string_view name(policy::Outcome outcome) {
  switch (outcome) {
    case policy::Outcome::done:
      return "done";
    case policy::Outcome::partly_done:
      return "partly_done";
    case policy::Outcome::refused:
      return "refused";
    case policy::Outcome::expired:
      return "expired";
  }
  return "";
}

std::string why(const host::Refused& refused) {
  switch (refused.why) {
    case host::Why::moot:
      return "moot";
    case host::Why::conflict:
      return "conflict with " + std::to_string(refused.winner.value);
    case host::Why::guard:
      return "guard " + std::string{refused.guard};
  }
  return "";
}

}  // namespace

std::string_view name(policy::VerbKind verb) {
  switch (verb) {
    case policy::VerbKind::start_job:
      return "start_job";
    case policy::VerbKind::stop_job:
      return "stop_job";
    case policy::VerbKind::clone_job:
      return "clone_job";
    case policy::VerbKind::limit_runtime:
      return "limit_runtime";
    case policy::VerbKind::put_alarm:
      return "put_alarm";
    case policy::VerbKind::delete_alarm:
      return "delete_alarm";
    case policy::VerbKind::notify:
      return "notify";
  }
  return "";
}

template <class T>
DecisionRow& DecisionLog::add(const T& entry, std::string_view verdict) {
  DecisionRow row;
  row.id = entry.action.value;
  row.at = now_;
  row.rule = names_[entry.seat.index];
  row.mode = seats_[entry.seat.index].mode;
  row.verdict = verdict;
  row.verb = entry.verb;
  row.reason = std::string{entry.reason};
  std::visit(
      [&row](const auto& verb) {
        row.attempt = verb.attempt;
        if constexpr (requires { verb.job; }) {
          row.job = verb.job;
        } else {
          row.job = verb.alarm.job;
        }
      },
      entry.verb);
  return rows_.emplace_back(std::move(row));
}

void DecisionLog::on_entry(const host::Entry& entry) {
  std::visit(Overloaded{
                 [&](const host::SeatListed& seat) {
                   seats_.push_back(seat);
                   names_.emplace_back(seat.name);
                 },
                 [&](const host::StepBegun& step) { now_ = step.now; },
                 [&](const host::Accepted& accepted) {
                   open_[accepted.action] = rows_.size();
                   add(accepted, "accepted");
                 },
                 [&](const host::Refused& refused) { add(refused, "refused").why = why(refused); },
                 [&](const host::Shadowed& shadowed) { add(shadowed, "shadow"); },
                 [&](const host::Warned& warned) { add(warned, "warn"); },
                 [&](const host::Attempted& attempted) {
                   const auto row = open_.find(attempted.action);
                   if (row != open_.end()) ++rows_[row->second].tries;
                 },
                 [&](const host::Settled& settled) {
                   const auto row = open_.find(settled.action);
                   if (row == open_.end()) return;
                   rows_[row->second].settled_at = now_;
                   rows_[row->second].outcome = name(settled.outcome);
                   open_.erase(row);
                 },
                 [](const policy::Observation&) {},
                 [](const host::Reply&) {},
             },
             entry);
}

}  // namespace reeve::experiments
