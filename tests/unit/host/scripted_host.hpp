// A host whose seats run lambdas, driven one step at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "host/host.hpp"

namespace reeve::host {

using namespace std::chrono_literals;
using policy::AttemptNumber;
using policy::Duration;
using policy::Instant;
using policy::JobId;
using policy::Observation;
using policy::Outcome;
using policy::Primary;
using policy::Secondary;

inline Instant at(Duration since_epoch) {
  return Instant{since_epoch};
}

class Scripted final : public policy::Policy {
 public:
  using Script = std::function<void(const policy::Step&, policy::Decisions&)>;
  explicit Scripted(Script script) : script_{std::move(script)} {}
  void decide(const policy::Step& step, policy::Decisions& out) override { script_(step, out); }

 private:
  Script script_;
};

inline Seat seat(std::string name, Scripted::Script script, Mode mode = Mode::enforce,
                 std::int32_t priority = 0) {
  Seat made{name, name + "_rule", priority, mode, nullptr};
  made.policy = std::make_unique<Scripted>(std::move(script));
  return made;
}

/// What every seat hears and no test is about: who has nothing to be told is not asked.
inline Observation nudge(Duration when) {
  return {at(when), policy::CapacityChanged{{0}, 0}};
}

/// A seat that proposes what is in `wishes` and then empties it, and keeps what it saw last.
struct Puppet {
  std::vector<policy::Decision> wishes;
  std::vector<policy::Decisions::Timer> timers;
  std::vector<Observation> saw;
  std::function<void(const policy::Step&)> look;

  Seat in(std::string name, Mode mode = Mode::enforce, std::int32_t priority = 0) {
    return seat(
        std::move(name),
        [this](const policy::Step& step, policy::Decisions& out) {
          saw.clear();
          std::copy_if(step.observed.begin(), step.observed.end(), std::back_inserter(saw),
                       [](const Observation& seen) {
                         return !std::holds_alternative<policy::CapacityChanged>(seen.fact);
                       });
          if (look) look(step);
          for (const auto& wish : wishes) out.propose(wish.verb, wish.reason);
          for (const auto& timer : timers) out.wake_at(timer.key, timer.at);
          wishes.clear();
          timers.clear();
        },
        mode, priority);
  }
  void wants(const policy::Verb& verb, std::string_view reason = "test") {
    wishes.push_back({verb, reason});
  }
  std::vector<policy::ActionSettled> settled() const {
    std::vector<policy::ActionSettled> found;
    for (const Observation& seen : saw) {
      if (const auto* fact = std::get_if<policy::ActionSettled>(&seen.fact)) found.push_back(*fact);
    }
    return found;
  }
  std::vector<std::uint64_t> fired() const {
    std::vector<std::uint64_t> keys;
    for (const Observation& seen : saw) {
      if (const auto* fact = std::get_if<policy::TimerFired>(&seen.fact)) keys.push_back(fact->key);
    }
    return keys;
  }
};

inline Observation submitted(std::uint32_t job, Duration when = 0s, AttemptNumber attempt = 1) {
  policy::JobSubmitted news;
  news.job = {job};
  news.attempt = attempt;
  news.description.submitted_at = at(when);
  return {at(when), news};
}

inline Observation changed(std::uint32_t job, std::uint16_t revision, Primary primary,
                           Secondary secondary, Duration when = 0s, AttemptNumber attempt = 1) {
  return {at(when), policy::JobChanged{{job}, attempt, revision, primary, secondary}};
}
inline Observation training(std::uint32_t job, Duration when = 0s, AttemptNumber attempt = 1) {
  return changed(job, 1, Primary::in_progress, Secondary::training, when, attempt);
}
inline Observation stopping(std::uint32_t job, Duration when = 0s, AttemptNumber attempt = 1) {
  return changed(job, 2, Primary::stopping, Secondary::stopping, when, attempt);
}
inline Observation stopped(std::uint32_t job, Duration when = 0s, AttemptNumber attempt = 1) {
  return changed(job, 3, Primary::stopped, Secondary::stopped, when, attempt);
}
inline Observation failed(std::uint32_t job, Duration when = 0s, AttemptNumber attempt = 1) {
  return changed(job, 3, Primary::failed, Secondary::failed, when, attempt);
}

/// Steps a host and keeps its journal as text.
class Rig {
 public:
  explicit Rig(std::vector<Seat> seats, Guards guards = {}, Retry retry = {})
      : directory{.types = {{}},
                  .pools = {{.name = "pool"}},
                  .tag_sets = {{}, {{"reeve:protect", "yes"}}}} {
    journal.write_text_to(text);
    host = std::make_unique<Host>(std::move(seats), Belief{directory}, retry, std::move(guards),
                                  journal);
  }

  std::vector<Attempt> step(Duration now, std::vector<Observation> observations = {},
                            std::vector<Reply> replies = {}) {
    if (observations.empty()) observations.push_back(nudge(now));
    const auto sent = host->step(at(now), Intake{std::move(observations), std::move(replies)});
    return {sent.begin(), sent.end()};
  }
  std::string lines() {
    journal.flush_text();
    return text.str();
  }
  const policy::JobStatus& status(std::uint32_t job) const { return host->belief().status({job}); }

  policy::Directory directory;
  std::ostringstream text;
  Journal journal;
  std::unique_ptr<Host> host;
};

inline Guards guards_of(std::unique_ptr<Guard> guard) {
  Guards guards;
  guards.push_back(std::move(guard));
  return guards;
}

inline constexpr policy::ActionId action(std::uint64_t id) {
  return {id};
}

inline std::vector<Seat> only(Seat seat) {
  std::vector<Seat> seats;
  seats.push_back(std::move(seat));
  return seats;
}
inline std::vector<Seat> both(Seat first, Seat second) {
  std::vector<Seat> seats;
  seats.push_back(std::move(first));
  seats.push_back(std::move(second));
  return seats;
}
inline Reply reply(std::uint64_t id, ReplyKind kind, std::uint32_t number = 1) {
  return {{id}, number, kind};
}

}  // namespace reeve::host
