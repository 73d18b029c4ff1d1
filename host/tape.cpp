#include "host/tape.hpp"

#include <string>
#include <variant>

namespace reeve::host {

void fail_at_entry(std::size_t entry, const std::string& message) {
  throw JournalError{entry + 2, 1, message};
}

bool Tape::next() {
  while (position_ < entries_.size() && !std::holds_alternative<StepBegun>(entries_[position_])) {
    const Entry& entry = entries_[position_];
    if (std::holds_alternative<policy::Observation>(entry) ||
        std::holds_alternative<Reply>(entry)) {
      fail_at_entry(position_, "more observations or replies than the step announced");
    }
    if (std::holds_alternative<SeatListed>(entry) != (now_ == policy::Instant::min())) {
      fail_at_entry(position_, "seats come before the first step, everything else after");
    }
    ++position_;
  }
  if (position_ == entries_.size()) return false;
  const auto& begun = std::get<StepBegun>(entries_[position_]);
  if (begun.now < now_) fail_at_entry(position_, "the step lies before the one before it");
  intake_.clear();
  std::size_t at = position_ + 1;
  for (; intake_.observations.size() < begun.observations; ++at) {
    if (at == entries_.size()) return false;
    const auto* seen = std::get_if<policy::Observation>(&entries_[at]);
    if (seen == nullptr) fail_at_entry(at, "expected an observation of the step");
    intake_.observations.push_back(*seen);
  }
  for (; intake_.replies.size() < begun.replies; ++at) {
    if (at == entries_.size()) return false;
    const auto* reply = std::get_if<Reply>(&entries_[at]);
    if (reply == nullptr) fail_at_entry(at, "expected a reply of the step");
    intake_.replies.push_back(*reply);
  }
  now_ = begun.now;
  position_ = at;
  return true;
}

policy::Instant TapeFeed::advance(policy::Instant deadline, Intake& out) {
  if (!tape_.next()) return policy::never;
  if (tape_.now() > deadline)
    fail_at_entry(tape_.position() - 1, "the replayed host wants to be woken earlier");
  out = tape_.intake();
  return tape_.now();
}

}  // namespace reeve::host
