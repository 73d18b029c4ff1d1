// Acting on an account: how long a decision takes to its call, with the journal on the disk.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "bench/event_traffic.hpp"
#include "bench/figures.hpp"
#include "live/act/account_actions.hpp"
#include "live/aws/credentials.hpp"
#include "live/aws/system_surroundings.hpp"
#include "live/journal/sqlite_journal.hpp"

namespace {

using namespace reeve;
using policy::Duration;
using policy::Instant;

constexpr std::uint32_t actions_count = 5'000;

/// AWS answers at once; the time of each call is noted.
class InstantAws final : public live::Transport {
 public:
  std::variant<live::Response, live::TransportFailure> send(const live::Request&) override {
    called = bench::now();
    return live::Response{200, {}, "{}"};
  }
  Instant called;
};

class IdleFeed final : public host::Feed {
 public:
  Instant advance(Instant deadline, host::Intake&) override { return deadline; }
};

/// Of each action from its decision to its call, in milliseconds.
std::vector<double> act(const std::string& file, double& per_second) {
  auto opened = live::SqliteJournal::open(file, live::SqliteJournal::Access::write);
  if (const auto* failure = live::failure_of(opened)) throw std::runtime_error(failure->message);
  live::ActionLog log{std::get<std::unique_ptr<live::ActionJournal>>(std::move(opened))};
  InstantAws aws;
  live::SystemEnvironment environment;
  live::SystemClock clock;
  live::FixedCredentials key{
      {{"AKIDEXAMPLE", live::Secret{std::string{"secret"}}, {}}, {}, "benchmark"}};
  live::Client client{{environment, aws, clock, live::system_random}, key, {"us-east-1", 3}};
  policy::Directory directory;
  live::Roster roster{directory, "", "", [](std::string_view name) {
                        return policy::InstanceType{std::string{name}, 0, {}};
                      }};
  host::Intake intake;
  for (std::uint64_t job = 0; job < actions_count; ++job) {
    const bench::Traffic traffic{.events = actions_count, .jobs_at_a_time = actions_count};
    roster.take(bench::event_of(traffic, job, bench::now()), bench::now(), intake.observations);
  }
  IdleFeed feed;
  live::Messenger messenger{client, aws, {}};
  live::AccountActions actions{feed, client, clock, roster, log, messenger, {.apart = {}}};
  std::vector<double> took;
  const Instant begin = bench::now();
  for (std::uint32_t job = 0; job < actions_count; ++job) {
    const Instant decided = bench::now();
    const policy::ActionId id{job + 1};
    actions.submit({.action = id, .verb = policy::StopJob{.job = {job}}, .decided = decided});
    took.push_back(std::chrono::duration<double, std::milli>(aws.called - decided).count());
    actions.on_entry(host::Settled{id, policy::Outcome::done});
  }
  per_second = actions_count / std::chrono::duration<double>(bench::now() - begin).count();
  if (actions.calls() != actions_count) throw std::runtime_error("an action was not sent");
  std::sort(took.begin(), took.end());
  return took;
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder = std::filesystem::current_path() / "act_bench.journal";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  bench::Figures figures;
  double per_second = 0;
  const std::vector<double> took = act(folder / "actions.db", per_second);
  figures.add("act/p50_ms", took[took.size() / 2]);
  figures.add("act/p99_ms", took[took.size() * 99 / 100]);
  figures.add("act/actions_per_s", per_second);
  std::filesystem::remove_all(folder);
  return figures.finish(count, arguments);
}
