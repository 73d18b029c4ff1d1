#include "experiments/decision_log.hpp"

#include <functional>
#include <mutex>

#include "host/enum_names.hpp"
#include "host/target.hpp"

namespace reeve::experiments {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

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

/// The same text for the life of the process: labels and reasons are few, rows may be millions.
std::string_view kept_for_good(std::string_view text) {
  static std::mutex one_at_a_time;
  static std::set<std::string, std::less<>> all;
  const std::lock_guard lock{one_at_a_time};
  return *all.emplace(text).first;
}

}  // namespace

std::string_view DecisionLog::kept(std::string_view text) {
  const auto known = kept_.find(text);
  return known != kept_.end() ? *known : *kept_.insert(kept_for_good(text)).first;
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
  row.reason = kept(entry.reason);
  row.basis = std::string{entry.basis};
  const host::Target about = host::target(entry.verb);
  row.job = about.job;
  row.attempt = about.attempt;
  return rows_.emplace_back(std::move(row));
}

void DecisionLog::on_entry(const host::Entry& entry) {
  std::visit(Overloaded{
                 [&](const host::SeatListed& seat) {
                   seats_.push_back(seat);
                   names_.push_back(kept(seat.name));
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
                   rows_[row->second].outcome = host::name_of(settled.outcome);
                   open_.erase(row);
                 },
                 [](const host::SeatMuted&) {},
                 [](const policy::Observation&) {},
                 [](const host::Reply&) {},
             },
             entry);
}

}  // namespace reeve::experiments
