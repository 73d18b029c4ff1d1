// The cost of one host step in an M/M/100 queue: an event of a job, a start, its reply, its effect.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "host/host.hpp"

namespace {

using namespace reeve;
using policy::Instant;
using policy::JobId;

/// Starts every job it is told of.
class StartAtOnce final : public policy::Policy {
 public:
  void decide(const policy::Step& step, policy::Decisions& out) override {
    for (const policy::Observation& seen : step.observed) {
      if (const auto* event = std::get_if<policy::JobSubmitted>(&seen.fact)) {
        out.propose(policy::StartJob{event->job}, "start at once");
      }
    }
  }
};

/// Three steps a job: submitted, replied and started, completed.
class OneJobAfterTheOther final : public host::Feed, public host::Actuator {
 public:
  explicit OneJobAfterTheOther(std::uint32_t jobs) : jobs_{jobs} {}

  Instant advance(Instant deadline, host::Intake& out) override {
    if (job_ == jobs_) return deadline;
    now_ += std::chrono::milliseconds{10};
    switch (phase_++) {
      case 0: {
        policy::JobSubmitted event;
        event.job = {job_};
        event.description.submitted_at = now_;
        out.observations.push_back({now_, event});
        break;
      }
      case 1:
        out.replies.push_back({started_, 1, host::ReplyKind::done});
        out.observations.push_back(
            {now_, policy::JobChanged{
                       {job_}, 1, 1, policy::Primary::in_progress, policy::Secondary::training}});
        break;
      default:
        out.observations.push_back(
            {now_, policy::JobChanged{
                       {job_}, 1, 2, policy::Primary::completed, policy::Secondary::completed}});
        phase_ = 0;
        ++job_;
    }
    return now_;
  }
  void submit(const host::Attempt& attempt) override { started_ = attempt.action; }

 private:
  std::uint32_t jobs_;
  std::uint32_t job_ = 0;
  int phase_ = 0;
  Instant now_{};
  policy::ActionId started_;
};

/// items_per_second counts jobs, three steps each.
void host_per_job(benchmark::State& state) {
  const auto jobs = static_cast<std::uint32_t>(state.range(0));
  const policy::Directory directory{.types = {{}}, .pools = {{.name = "pool"}}};
  for (auto _ : state) {
    std::vector<host::Seat> seats;
    seats.push_back(
        {"starter", "starter", 0, host::Mode::enforce, std::make_unique<StartAtOnce>()});
    host::Journal journal;
    host::Host host{std::move(seats), host::Belief{directory, jobs}, {}, {}, journal};
    OneJobAfterTheOther world{jobs};
    host::run(host, world, world, policy::never);
    benchmark::DoNotOptimize(journal.digest());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(host_per_job)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
