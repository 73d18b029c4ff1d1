// An account that makes its events when they are requested: a queue, and a listing of its jobs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>

#include "live/aws/transport.hpp"
#include "live/events/write_event.hpp"

namespace reeve::bench {

using namespace std::chrono_literals;
using nlohmann::json;
using policy::Duration;
using policy::Instant;

inline Instant now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

/// The events of a number of jobs at a time, which take turns.
struct Traffic {
  std::uint64_t events = 0;
  std::uint64_t jobs_at_a_time = 1'000;
  bool jobs_end = true;   ///< else they are interrupted and go on
  double per_second = 0;  ///< 0: all wait in the queue
};

struct Status {
  policy::Primary primary;
  policy::Secondary secondary;
  const char* word;
};
inline constexpr Status of_ending[] = {
    {policy::Primary::in_progress, policy::Secondary::starting, "Starting"},
    {policy::Primary::in_progress, policy::Secondary::downloading, "Downloading"},
    {policy::Primary::in_progress, policy::Secondary::training, "Training"},
    {policy::Primary::in_progress, policy::Secondary::uploading, "Uploading"},
    {policy::Primary::completed, policy::Secondary::completed, "Completed"}};
inline constexpr Status of_interrupted[] = {
    {policy::Primary::in_progress, policy::Secondary::starting, "Starting"},
    {policy::Primary::in_progress, policy::Secondary::training, "Training"},
    {policy::Primary::in_progress, policy::Secondary::interrupted, "Interrupted"}};

inline live::FleetEvent event_of(const Traffic& traffic, std::uint64_t number, Instant at) {
  const std::uint64_t turn = number / traffic.jobs_at_a_time;
  const std::uint64_t place = number % traffic.jobs_at_a_time;
  const std::uint64_t generation = traffic.jobs_end ? turn / std::size(of_ending) : 0;
  const Status& status = traffic.jobs_end ? of_ending[turn % std::size(of_ending)]
                                          : of_interrupted[turn % std::size(of_interrupted)];
  live::TrainingJobState job;
  job.name = fmt::format("team-a-model-{}-{}", generation, place);
  job.primary = status.primary;
  job.secondary = status.secondary;
  job.secondary_word = status.word;
  job.tags = {{"model_name", "llm"}, {"owner", fmt::format("user-{}", place % 50)}};
  job.instance_type = "gpu";
  job.instances = 1;
  job.created = at - 1min;
  job.modified = at;
  job.transitions = {{status.secondary, status.word, at, std::nullopt, {}}};
  return {.id = std::to_string(number),
          .account = "123456789012",
          .region = "us-east-1",
          .kind = "SageMaker Training Job State Change",
          .time = at,
          .detail = job};
}

/// A queue that makes its messages when they are requested, and a listing of known jobs.
class EventTraffic final : public live::Transport {
 public:
  /// `on_idle`: called for a wait in which no message comes.
  explicit EventTraffic(Traffic traffic, std::function<void(Duration)> on_idle = {})
      : traffic_{traffic}, on_idle_{std::move(on_idle)} {}

  std::variant<live::Response, live::TransportFailure> send(const live::Request& request) override {
    return respond(request);
  }
  live::Response respond(const live::Request& request) {
    const std::string* target = live::find_header(request.headers, "x-amz-target");
    if (target == nullptr) throw std::runtime_error("a call without a target");
    const json asked = json::parse(request.body);
    json answer = json::object();
    if (target->ends_with("ReceiveMessage")) {
      answer = receive(std::chrono::seconds{asked.value("WaitTimeSeconds", std::int64_t{0})});
    } else if (target->ends_with("ListTrainingJobs")) {
      answer = list(asked);
    } else {
      for (const json& entry : asked.at("Entries"))
        answer["Successful"].push_back({{"Id", entry["Id"]}});
    }
    return {200, {{"Content-Type", "application/x-amz-json-1.0"}}, answer.dump()};
  }
  /// When a message can be received first.
  Instant due(std::uint64_t number) const {
    if (traffic_.per_second == 0) return begin_;
    return begin_ + Duration{static_cast<std::int64_t>(1e9 * static_cast<double>(number) /
                                                       traffic_.per_second)};
  }
  const Traffic& load() const { return traffic_; }
  bool is_empty() const { return next_ == traffic_.events; }
  std::uint64_t pages() const { return pages_; }
  /// CPU time of the process since the listing of changed jobs began, this account's own included.
  double listing_cpu_s() const {
    return static_cast<double>(std::clock() - listing_began_) / CLOCKS_PER_SEC;
  }

 private:
  json receive(Duration wait) {
    json answer = json::object();
    if (is_empty()) {
      if (on_idle_) on_idle_(wait);
      return answer;
    }
    const Instant first = due(next_);
    if (first > now()) std::this_thread::sleep_for(std::min<Duration>(first - now(), wait));
    constexpr std::size_t most = 10;
    while (!is_empty() && due(next_) <= now() && answer["Messages"].size() < most) {
      const std::string id = std::to_string(next_);
      answer["Messages"].push_back(
          {{"MessageId", id},
           {"ReceiptHandle", "receipt-" + id},
           {"Body", live::written_event(event_of(traffic_, next_, due(next_))).dump()}});
      ++next_;
    }
    return answer;
  }
  /// First no job runs, then all have changed.
  json list(const json& asked) {
    if (++pages_ == 3) listing_began_ = std::clock();
    json answer{{"TrainingJobSummaries", json::array()}};
    if (asked.contains("StatusEquals")) return answer;
    const std::uint64_t first = std::stoull(asked.value("NextToken", "0"));
    const std::uint64_t last = std::min(first + 100, traffic_.jobs_at_a_time);
    for (std::uint64_t job = first; job < last; ++job) {
      const auto event = event_of(traffic_, job, due(job));
      json summary =
          live::written_description(event, std::get<live::TrainingJobState>(event.detail));
      for (const char* key : {"SecondaryStatusTransitions", "ResourceConfig", "StoppingCondition"})
        summary.erase(key);
      answer["TrainingJobSummaries"].push_back(std::move(summary));
    }
    if (last < traffic_.jobs_at_a_time) answer["NextToken"] = std::to_string(last);
    return answer;
  }

  Traffic traffic_;
  std::function<void(Duration)> on_idle_;
  Instant begin_ = now();
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> pages_{0};
  std::clock_t listing_began_ = 0;
};

}  // namespace reeve::bench
