// A shadow run: how long an event takes to its decision, how many events it takes per second, what
// it keeps of them in memory, and what a listing of known jobs costs.
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/cost.hpp"
#include "bench/event_traffic.hpp"
#include "bench/figures.hpp"
#include "experiments/run.hpp"
#include "live/alarms/local_alarms.hpp"
#include "live/aws/client.hpp"
#include "live/aws/credentials.hpp"
#include "live/aws/curl_transport.hpp"
#include "live/aws/system_surroundings.hpp"
#include "live/feed/queue_feed.hpp"
#include "live/http/server.hpp"
#include "scenarios/load.hpp"

namespace {

using namespace reeve;
using bench::EventTraffic;
using bench::Traffic;
using policy::Duration;
using policy::Instant;

constexpr const char* configuration = R"jsonc({
  "reeve": 1,
  "live": { "account": "123456789012", "region": "us-east-1" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "gpu", "instance_type": "gpu", "capacity": 10000 } ],
  "policies": { "guardrails": [
    { "rule": "required_tags", "keys": ["model_name"], "mode": "shadow" },
    { "rule": "startup_limit", "limit": "1h", "mode": "shadow" } ] }
})jsonc";

/// Waiting takes no time.
class JumpingClock final : public live::Clock {
 public:
  Instant now() override { return now_; }
  void sleep(Duration wait) override { now_ += wait; }
  Duration longest_nap() override { return std::chrono::hours{1}; }

 private:
  Instant now_ = bench::now();
};

/// Takes the time from when an event can be received until a host has decided about it.
class Stopwatch final : public host::Feed {
 public:
  explicit Stopwatch(host::Feed& feed) : feed_{feed} {}

  Instant advance(Instant deadline, host::Intake& out) override {
    const Instant now = bench::now();
    for (const Instant due : given_) took_.push_back(now - due);
    given_.clear();
    return feed_.advance(deadline, out);
  }
  void give(Instant due) { given_.push_back(due); }
  /// The time that so many events in a thousand do not exceed.
  double milliseconds(std::size_t per_mille) {
    std::sort(took_.begin(), took_.end());
    const Duration took = took_.at((took_.size() - 1) * per_mille / 1'000);
    return std::chrono::duration<double, std::milli>(took).count();
  }

 private:
  host::Feed& feed_;
  std::vector<Instant> given_;
  std::vector<Duration> took_;
};

/// A shadow run about one traffic, with the journal as text.
class ShadowRun {
 public:
  ShadowRun(EventTraffic& traffic, live::Transport& transport, live::Clock& clock,
            const std::string& endpoint, Duration reconcile_every)
      : traffic_{traffic},
        scenario_{
            scenarios::load(scenarios::SourceFile::from_text("observe.jsonc", configuration), ".")
                .scenario},
        client_{{environment_, transport, clock, live::system_random}, key_, {"us-east-1", 3}},
        roster_{scenario_.world.directory, "", "",
                [](std::string_view name) {
                  return policy::InstanceType{std::string{name}, 0, {}};
                }},
        feed_{client_,
              clock,
              roster_,
              {endpoint + "/queue", reconcile_every},
              {.interrupted = [this] { return is_over(); },
               .on_trouble = [](const live::FailedCall& failed) { fail(failed.error.message); },
               .on_unreadable = [](const std::string&, const std::string& why) { fail(why); }}} {
    ::setenv("AWS_ENDPOINT_URL", endpoint.c_str(), 1);
    if (traffic.load().per_second == 0) return;
    roster_.set_listener([this](const live::FleetEvent& event, Instant) {
      if (!event.is_description) watch_.give(traffic_.due(std::stoull(event.id)));
    });
  }

  void run() {
    host::Journal journal;
    std::ofstream text{"/dev/null"};
    journal.write_text_to(text);
    const auto host = experiments::make_host(scenario_, scenario_.policies.front(), journal);
    live::LocalAlarms alarms{watch_, roster_, nullptr, {}};
    host::run(*host, alarms, alarms, policy::never);
    if (feed_.counts().messages != traffic_.load().events) fail("events were lost");
  }
  Stopwatch& watch() { return watch_; }
  /// Ends once so many pages were listed, and the queue is empty.
  void list_pages(std::uint64_t pages) { pages_ = pages; }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw std::runtime_error(why); }
  bool is_over() const { return traffic_.is_empty() && traffic_.pages() >= pages_; }

  EventTraffic& traffic_;
  std::uint64_t pages_ = 0;
  live::SystemEnvironment environment_;
  live::FixedCredentials key_{
      {{"AKIDEXAMPLE", live::Secret{std::string{"secret"}}, {}}, {}, "benchmark"}};
  scenarios::Scenario scenario_;
  live::Client client_;
  live::Roster roster_;
  live::QueueFeed feed_;
  Stopwatch watch_{feed_};
};

/// Over HTTP on loopback; reeve and the account share one core.
void over_http(const Traffic& load, bench::Figures* figures) {
  cpu_set_t one_core;
  CPU_ZERO(&one_core);
  CPU_SET(0, &one_core);
  if (::sched_setaffinity(0, sizeof one_core, &one_core) != 0) throw std::runtime_error("affinity");
  EventTraffic traffic{load};
  auto listening = live::HttpServer::listen(
      0, [&](const live::Request& request) { return traffic.respond(request); });
  auto& server = std::get<std::unique_ptr<live::HttpServer>>(listening);
  std::atomic<bool> is_over{false};
  std::jthread serving{[&] { server->serve([&] { return is_over.load(); }); }};
  live::SystemClock clock;
  const live::SystemEnvironment environment;
  auto transport = live::CurlTransport::create(environment);
  if (const auto* failure = live::failure_of(transport)) throw std::runtime_error(failure->message);
  ShadowRun run{traffic,
                *std::get<std::unique_ptr<live::CurlTransport>>(transport),
                clock,
                "http://127.0.0.1:" + std::to_string(server->port()),
                {}};
  const Instant begin = bench::now();
  run.run();
  const std::chrono::duration<double> took = bench::now() - begin;
  is_over = true;
  if (load.per_second == 0) {
    figures->add("observe/events_per_s", static_cast<double>(load.events) / took.count());
    return;
  }
  figures->add("observe/p50_ms", run.watch().milliseconds(500));
  figures->add("observe/p99_ms", run.watch().milliseconds(990));
}

void in_process(const Traffic& load) {
  EventTraffic traffic{load};
  JumpingClock clock;
  ShadowRun{traffic, traffic, clock, "http://127.0.0.1:1", {}}.run();
}

/// The peak grows by what an event, or its job, leaves behind.
double bytes_each(Traffic load, std::uint64_t few, std::uint64_t many) {
  const auto peak = [&](std::uint64_t events) {
    load.events = events;
    return bench::cost_of([&] { in_process(load); }).peak_bytes;
  };
  const double base = peak(few);
  return (peak(many) - base) / static_cast<double>(many - few);
}

double listing_cpu_s(std::uint64_t jobs) {
  JumpingClock clock;
  EventTraffic traffic{{.events = jobs, .jobs_at_a_time = jobs},
                       [&](Duration wait) { clock.sleep(wait); }};
  ShadowRun run{traffic, traffic, clock, "http://127.0.0.1:1", std::chrono::minutes{5}};
  run.list_pages(jobs / 100 + 2);
  run.run();
  return traffic.listing_cpu_s();
}

}  // namespace

int main(int count, char** arguments) {
  bench::Figures figures;
  over_http({.events = 4'000, .per_second = 200}, &figures);
  over_http({.events = 100'000}, &figures);
  figures.add("observe/bytes_per_event", bytes_each({.jobs_end = false}, 100'000, 1'000'000));
  figures.add("observe/bytes_per_ended_job",
              static_cast<double>(std::size(bench::of_ending)) * bytes_each({}, 50'000, 250'000));
  figures.add("observe/listing_of_50000_jobs_cpu_s", listing_cpu_s(50'000));
  return figures.finish(count, arguments);
}
