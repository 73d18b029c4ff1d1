#include "host/recovery.hpp"

#include <string>
#include <variant>

#include "host/check.hpp"
#include "host/tape.hpp"

namespace reeve::host {

namespace {

/// Compares what the recovering host writes with what was written before the crash.
class RecordedEntries final : public Journal::Listener {
 public:
  explicit RecordedEntries(const std::vector<Entry>& recorded) : recorded_{recorded} {}

  void on_entry(const Entry& entry) override {
    if (next_ < recorded_.size()) {
      const std::string line = print(entry);
      if (line != print(recorded_[next_]))
        fail_at_entry(next_, "the recovering host writes: " + line);
    }
    ++next_;
  }
  /// The recording must not go on where the host has stopped.
  void expect_at(std::size_t entry) const {
    if (next_ < entry) fail_at_entry(next_, "the recovering host does not write this");
  }

 private:
  const std::vector<Entry>& recorded_;
  std::size_t next_ = 0;
};

/// Listens for as long as it lives, also if recovery throws.
class Listening {
 public:
  Listening(Journal& journal, Journal::Listener& listener) : journal_{journal} {
    journal_.set_listener(&listener);
  }
  ~Listening() { journal_.set_listener(nullptr); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  Journal& journal_;
};

/// A damaged journal must not make belief index past the directory, or grow without end.
void check_ids(const Intake& intake, std::size_t first, std::size_t jobs_max,
               const policy::Directory& directory) {
  for (std::size_t i = 0; i < intake.observations.size(); ++i) {
    const policy::Fact& fact = intake.observations[i].fact;
    bool known = true;
    if (const auto* submitted = std::get_if<policy::JobSubmitted>(&fact)) {
      known = submitted->job.index < jobs_max &&
              submitted->description.pool.index < directory.pools.size() &&
              submitted->description.type.index < directory.types.size() &&
              submitted->description.tags.index < directory.tag_sets.size() &&
              submitted->description.terms < directory.terms.size();
    } else if (const auto* changed = std::get_if<policy::JobChanged>(&fact)) {
      known = changed->job.index < jobs_max;
    } else if (const auto* placed = std::get_if<policy::JobPlaced>(&fact)) {
      known = placed->job.index < jobs_max && placed->pool.index < directory.pools.size();
    } else if (const auto* progress = std::get_if<policy::ProgressReported>(&fact)) {
      known = progress->job.index < jobs_max && progress->pool.index < directory.pools.size();
    } else if (const auto* notice = std::get_if<policy::SpotNotice>(&fact)) {
      known = notice->job.index < jobs_max;
    } else if (const auto* lost = std::get_if<policy::NodesLost>(&fact)) {
      known = lost->job.index < jobs_max;
    } else if (const auto* left = std::get_if<policy::MachinesLeft>(&fact)) {
      known = left->job.index < jobs_max;
    } else if (const auto* report = std::get_if<policy::TrainingReported>(&fact)) {
      known = report->job.index < jobs_max;
    } else if (const auto* signs = std::get_if<policy::SignsSeen>(&fact)) {
      known = signs->job.index < jobs_max;
    } else if (const auto* quota = std::get_if<policy::QuotaChanged>(&fact)) {
      known = quota->share.index < directory.shares.size() &&
              quota->pool.index < directory.pools.size();
    } else if (const auto* priority = std::get_if<policy::PriorityChanged>(&fact)) {
      known = priority->job.index < jobs_max;
    } else if (const auto* blocked = std::get_if<policy::QueueBlocked>(&fact)) {
      known = blocked->job.index < jobs_max && blocked->queue.index < directory.queues.size();
    } else if (const auto* capacity = std::get_if<policy::CapacityChanged>(&fact)) {
      known = capacity->pool.index < directory.pools.size();
    } else if (const auto* alarm = std::get_if<policy::AlarmChanged>(&fact)) {
      known = alarm->alarm.job.index < jobs_max;
    } else if (std::holds_alternative<policy::TimerFired>(fact) ||
               std::holds_alternative<policy::ActionSettled>(fact)) {
      fail_at_entry(first + i, "an observation that only the host itself creates");
    }
    if (!known) fail_at_entry(first + i, "an id that the directory does not have");
  }
}

}  // namespace

void drop_incomplete_step(JournalText& recorded) {
  Tape tape{recorded.entries};
  while (tape.next()) {
  }
  while (recorded.entries.size() > tape.position()) {
    recorded.bytes -= print(recorded.entries.back()).size() + 1;
    recorded.entries.pop_back();
  }
}

Recovered recover(const JournalText& recorded, Host& host, Journal& journal) {
  REEVE_CHECK(host.steps() == 0, "a host is recovered before its first step");
  constexpr std::size_t jobs_not_told_of = 1'000'000;  // dense ids, in whatever order events arrive
  RecordedEntries comparison{recorded.entries};
  for (std::uint32_t index = 0; index < host.seats().size(); ++index) {
    const Seat& seat = host.seats()[index];
    comparison.on_entry(SeatListed{{index}, seat.name, seat.rule, seat.priority, seat.mode});
  }
  const Listening listening{journal, comparison};
  Recovered result;
  Tape tape{recorded.entries};
  while (tape.next()) {
    const std::size_t inputs = tape.intake().observations.size() + tape.intake().replies.size();
    const std::size_t begun = tape.position() - inputs - 1;
    comparison.expect_at(begun);
    check_ids(tape.intake(), begun + 1, recorded.entries.size() + jobs_not_told_of,
              host.belief().directory());
    const auto attempts = host.step(tape.now(), tape.intake());
    result.attempts.assign(attempts.begin(), attempts.end());
    ++result.steps;
  }
  comparison.expect_at(tape.position());
  return result;
}

}  // namespace reeve::host
