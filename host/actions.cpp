#include "host/actions.hpp"

#include <algorithm>
#include <functional>

#include "host/check.hpp"

namespace reeve::host {

using policy::ActionId;
using policy::Instant;

Action& Actions::add(ActionId id, policy::SeatId seat, const policy::Verb& verb) {
  if (window_.empty()) first_id_ = id.value;
  REEVE_CHECK(id.value >= first_id_ + window_.size(), "action ids must grow", id.value);
  while (first_id_ + window_.size() < id.value) window_.push_back(0);
  if (free_.empty()) {
    slots_.emplace_back();
    slots_.back().handle = static_cast<std::uint32_t>(slots_.size());
    free_.push_back(slots_.back().handle);
  }
  const std::uint32_t handle = free_.back();
  free_.pop_back();
  window_.push_back(handle);
  ++size_;
  Action& action = slots_[handle - 1];
  action = {.id = id, .verb = verb, .handle = handle, .seat = seat};
  return action;
}

void Actions::remove(Action& action) {
  window_[action.id.value - first_id_] = 0;
  while (!window_.empty() && window_.front() == 0) {
    window_.pop_front();
    ++first_id_;
  }
  --size_;
  if (action.stage == Stage::backing_off) --waiting_;
  free_.push_back(action.handle);
  action.id = {};
}

void Actions::enter(Action& action, Stage stage, Instant due) {
  if (action.stage == Stage::backing_off) --waiting_;
  if (stage == Stage::backing_off) ++waiting_;
  action.stage = stage;
  action.due = due;
  if (due == policy::never) return;
  switch (stage) {
    case Stage::issued:
      issued_.push_back({due, action.id});
      break;
    case Stage::acknowledged:
      acknowledged_.push_back({due, action.id});
      break;
    case Stage::backing_off:
      backing_off_.push_back({due, action.id});
      std::push_heap(backing_off_.begin(), backing_off_.end(), std::greater<>{});
      break;
  }
}

bool Actions::is_current(const Due& due, Stage stage) {
  const Action* action = find(due.id);
  return action != nullptr && action->stage == stage && action->due == due.at;
}

const Actions::Due* Actions::earliest() {
  if (size_ == 0) {  // the usual case of a scheduler: no need to look at what has been settled
    issued_.clear();
    acknowledged_.clear();
    backing_off_.clear();
    return nullptr;
  }
  while (!issued_.empty() && !is_current(issued_.front(), Stage::issued)) issued_.pop_front();
  while (!acknowledged_.empty() && !is_current(acknowledged_.front(), Stage::acknowledged)) {
    acknowledged_.pop_front();
  }
  while (!backing_off_.empty() && !is_current(backing_off_.front(), Stage::backing_off)) {
    std::pop_heap(backing_off_.begin(), backing_off_.end(), std::greater<>{});
    backing_off_.pop_back();
  }
  const Due* first = issued_.empty() ? nullptr : &issued_.front();
  if (!acknowledged_.empty() && (first == nullptr || acknowledged_.front() < *first)) {
    first = &acknowledged_.front();
  }
  if (!backing_off_.empty() && (first == nullptr || backing_off_.front() < *first)) {
    first = &backing_off_.front();
  }
  return first;
}

Instant Actions::next_due() {
  const Due* first = earliest();
  return first == nullptr ? policy::never : first->at;
}

Action* Actions::overdue(Instant now) {
  const Due* first = earliest();
  return first == nullptr || first->at > now ? nullptr : find(first->id);
}

}  // namespace reeve::host
