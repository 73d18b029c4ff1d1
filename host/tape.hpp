// Replays the recorded intakes of a journal step by step.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "host/journal.hpp"

namespace reeve::host {

/// Throws a JournalError at the entry with that index.
[[noreturn]] void fail_at_entry(std::size_t entry, const std::string& message);

/// Iterates over the recorded steps.  The entries must outlive the tape.
class Tape {
 public:
  explicit Tape(std::span<const Entry> entries) : entries_{entries} {}

  /// Goes to the next step with a complete intake; false if there is none.  Throws JournalError if
  /// the order of the entries is one that no host writes.
  bool next();

  policy::Instant now() const { return now_; }
  const Intake& intake() const { return intake_; }
  /// After the intake of the current step: index of the first entry that the host wrote itself.
  /// After next() returned false: index of the entry that begins the incomplete step, or the number
  /// of entries.
  std::size_t position() const { return position_; }

 private:
  std::span<const Entry> entries_;
  std::size_t position_ = 0;
  policy::Instant now_ = policy::Instant::min();
  Intake intake_;
};

/// A feed that repeats the recorded intakes and then ends.  Throws JournalError if the host
/// requests an earlier step than the recorded one: it is not the host that wrote the journal.
class TapeFeed final : public Feed {
 public:
  explicit TapeFeed(std::span<const Entry> entries) : tape_{entries} {}
  policy::Instant advance(policy::Instant deadline, Intake& out) override;

 private:
  Tape tape_;
};

/// Ignores every attempt: the tape contains the replies.
class NullActuator final : public Actuator {
 public:
  void submit(const Attempt&) override {}
};

}  // namespace reeve::host
