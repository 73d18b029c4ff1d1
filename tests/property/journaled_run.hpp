// Runs whose journal is kept, replayed, or cut by a crash: what the property tests compare.
#pragma once

#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "experiments/run.hpp"
#include "host/recovery.hpp"
#include "host/tape.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::tests {

inline constexpr models::Keep everything{true, true, true, true, true};

/// A run with its journal.
struct Taped {
  experiments::RunResult result;
  std::string journal;
};

inline Taped run_taped(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy) {
  std::ostringstream journal;
  Taped taped{experiments::run(scenario, policy, 0,
                               {.keep = everything, .decisions = true, .journal = &journal}),
              {}};
  taped.journal = journal.str();
  return taped;
}

/// A journal, or a line of one, without the texts of that field (`reason`, `basis`).
inline std::string without_texts(std::string text, const std::string& field) {
  const std::string opening = ' ' + field + "=\"";
  for (std::size_t at = text.find(opening); at != text.npos; at = text.find(opening, at)) {
    std::size_t end = at + opening.size();
    while (text[end] != '"') end += text[end] == '\\' ? 2U : 1U;
    text.erase(at, end + 1 - at);
  }
  return text;
}

/// The journal, and its digest, of a fresh host that is told what the journal says.
inline std::pair<std::string, std::string> replay(const scenarios::Scenario& scenario,
                                                  const scenarios::PolicySpec& policy,
                                                  const std::string& written) {
  std::istringstream recorded{written};
  const host::JournalText tape = host::read_journal(recorded);
  std::ostringstream replayed;
  host::Journal journal;
  journal.write_text_to(replayed);
  const auto host = experiments::make_host(scenario, policy, journal);
  host::TapeFeed feed{tape.entries};
  host::NullActuator actuator;
  host::run(*host, feed, actuator, scenario.world.end);
  journal.flush_text();
  return {replayed.str(), journal.digest().hex()};
}

/// Hands over what the fleet says, and keeps what the journal may not have, to say it again.
class Redelivering final : public host::Feed, public host::Actuator {
 public:
  explicit Redelivering(models::Simulation& fleet) : fleet_{fleet} {}
  policy::Instant advance(policy::Instant deadline, host::Intake& out) override {
    if (next_ < given_.size()) {
      out = given_[next_].intake;
      return given_[next_++].now;
    }
    const policy::Instant now = fleet_.advance(deadline, out);
    given_.push_back({now, out});
    next_ = given_.size();
    return now;
  }
  /// A call that was made before the crash is on its way: making it again changes nothing.
  void submit(const host::Attempt& attempt) override {
    if (sent_.insert({attempt.action, attempt.number}).second) fleet_.submit(attempt);
  }
  std::size_t steps() const { return next_; }
  void back_to(std::size_t step) { next_ = step; }

 private:
  struct Given {
    policy::Instant now;
    host::Intake intake;
  };
  models::Simulation& fleet_;
  std::vector<Given> given_;
  std::set<std::pair<policy::ActionId, std::uint32_t>> sent_;
  std::size_t next_ = 0;
};

/// Runs until the journal has `lines` lines, loses the host and whatever it had not written, and
/// goes on from the journal alone.
inline std::string run_with_crash(const scenarios::Scenario& scenario,
                                  const scenarios::PolicySpec& policy, std::uint64_t lines,
                                  const std::string& whole) {
  const auto fleet = models::simulate(scenario.world, 0, experiments::admission(policy),
                                      models::Keep{}, experiments::needs_reports(policy));
  Redelivering world{*fleet};
  std::size_t at = 0;
  for (std::uint64_t line = 0; line < lines; ++line) at = whole.find('\n', at) + 1;
  const std::string cut = whole.substr(0, at);
  {
    std::ostringstream ignored;
    host::Journal journal;
    journal.write_text_to(ignored, host::Journal::Flush::each_step);
    const auto host = experiments::make_host(scenario, policy, journal);
    host::run(*host, world, world, scenario.world.end, [&] {
      journal.flush_text();
      return static_cast<std::size_t>(ignored.tellp()) >= at;
    });
  }
  std::istringstream recorded{cut};
  host::JournalText text = host::read_journal(recorded);
  host::drop_incomplete_step(text);
  std::ostringstream continued;
  host::Journal journal;
  journal.write_text_to(continued, host::Journal::Flush::each_step, text.lines());
  const auto host = experiments::make_host(scenario, policy, journal);
  const host::Recovered recovered = host::recover(text, *host, journal);
  world.back_to(recovered.steps);
  for (const host::Attempt& attempt : recovered.attempts) world.submit(attempt);
  host::run(*host, world, world, scenario.world.end);
  journal.flush_text();
  return cut.substr(0, text.bytes) + continued.str();
}

}  // namespace reeve::tests
