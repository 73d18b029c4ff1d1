// Plays a journal's recorded intakes again, step by step.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "host/journal.hpp"

namespace reeve::host {

/// Throws the JournalError of an entry, by its index.
[[noreturn]] void fail_at_entry(std::size_t entry, const std::string& message);

/// Walks the recorded steps.  The entries must outlive the tape.
class Tape {
 public:
  explicit Tape(std::span<const Entry> entries) : entries_{entries} {}

  /// Goes to the next step whose intake is complete; false if there is none.  Throws JournalError
  /// where entries stand in an order that no host writes.
  bool next();

  policy::Instant now() const { return now_; }
  const Intake& intake() const { return intake_; }
  /// After the intake of the current step: index of the first entry that the host wrote itself.
  /// After next() said false: index of the entry that begins the incomplete step, or the number
  /// of entries.
  std::size_t position() const { return position_; }

 private:
  std::span<const Entry> entries_;
  std::size_t position_ = 0;
  policy::Instant now_ = policy::Instant::min();
  Intake intake_;
};

/// A world that says again what was said before, and is over then.  Throws JournalError if the
/// host asks to be woken before the recorded step: it is not the host that wrote the journal.
class TapeFeed final : public Feed {
 public:
  explicit TapeFeed(std::span<const Entry> entries) : tape_{entries} {}
  policy::Instant advance(policy::Instant deadline, Intake& out) override;

 private:
  Tape tape_;
};

/// Leaves every attempt unanswered: on a tape the replies are recorded.
class Nobody final : public Actuator {
 public:
  void submit(const Attempt&) override {}
};

}  // namespace reeve::host
