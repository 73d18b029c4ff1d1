// A packed job is unpacked as it was, whichever of its members are set.
#include "scenarios/history/data/packed_jobs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace reeve::scenarios {
namespace packed_jobs_test {

using policy::Duration;
using policy::Instant;

template <class Value, class Make>
std::optional<Value> perhaps(Make make) {
  return *rc::gen::inRange(0, 2) == 0 ? std::nullopt : std::optional<Value>{make()};
}

std::int64_t any_number() {
  const auto bits = *rc::gen::inRange(0, 64);
  return *rc::gen::arbitrary<std::int64_t>() >> bits;
}

/// Of whole seconds, of milliseconds, or any.
Duration any_length() {
  const std::int64_t tick = *rc::gen::element<std::int64_t>(1, 1'000'000, 1'000'000'000);
  return Duration{any_number() / tick * tick};
}

Instant any_instant() {
  return Instant{any_length()};
}

/// Few texts, some of them long or with bytes of any kind.
std::string any_text() {
  const auto number = *rc::gen::inRange(0, 8);
  if (number == 0) return {};
  if (number == 1) return *rc::gen::arbitrary<std::string>();
  if (number == 2) return std::string(*rc::gen::element<std::size_t>(256, 257, 100'000), 'x');
  return "text-" + std::to_string(number);
}

bool any_bool() {
  return *rc::gen::arbitrary<bool>();
}

template <class Enum>
Enum any_choice(int count) {
  return static_cast<Enum>(*rc::gen::inRange(0, count));
}

ImportedJob any_record() {
  ImportedJob job;
  job.submit = any_length();
  job.line = *rc::gen::arbitrary<std::uint64_t>();
  for (auto* text : {&job.job_id, &job.user, &job.queue, &job.gpu_type, &job.failure_reason,
                     &job.instance_type, &job.sweep}) {
    *text = any_text();
  }
  for (auto* number :
       {&job.nodes, &job.gpus_per_node, &job.gpus_total, &job.gpu_milli, &job.priority,
        &job.attempts, &job.weight, &job.interruptions, &job.restarts}) {
    *number = perhaps<std::int64_t>(any_number);
  }
  for (auto* length : {&job.duration, &job.observed_wait, &job.estimate, &job.time_limit,
                       &job.max_wait, &job.startup, &job.lost, &job.stalled, &job.billed}) {
    *length = perhaps<Duration>(any_length);
  }
  job.end_status = any_choice<EndStatus>(12);
  job.gpu_util_mean = perhaps<double>([] { return static_cast<double>(any_number()) / 7; });
  job.preemptible = perhaps<bool>(any_bool);
  job.censored = perhaps<bool>(any_bool);
  job.market = perhaps<policy::Market>([] { return any_choice<policy::Market>(4); });
  job.end_cause = perhaps<EndCause>([] { return any_choice<EndCause>(12); });
  for (auto* amount : {&job.billed_usd, &job.list_usd}) {
    *amount = perhaps<policy::Usd>([] { return policy::Usd::from_micros(any_number()); });
  }
  for (int tags = *rc::gen::inRange(0, 4); tags > 0; --tags) {
    job.tags.emplace_back(any_text(), any_text());
  }
  return job;
}

HistoryJob any_history_job() {
  HistoryJob job;
  job.record = any_record();
  job.submitted = any_instant();
  for (auto* at : {&job.started, &job.ended, &job.described, &job.seen}) {
    *at = perhaps<Instant>(any_instant);
  }
  for (auto* text :
       {&job.source, &job.file, &job.resource, &job.runs_as, &job.reused_by, &job.stopped_by}) {
    *text = any_text();
  }
  if (any_bool()) job.resource = "arn:aws:sagemaker:r:1:training-job/" + job.record.job_id;
  for (int stretches = *rc::gen::inRange(0, 4); stretches > 0; --stretches) {
    job.work.push_back({any_instant(), perhaps<Instant>(any_instant)});
  }
  for (auto* length :
       {&job.waited_at_least, &job.waited_at_most, &job.queued, &job.held, &job.warm}) {
    *length = perhaps<Duration>(any_length);
  }
  for (int types = *rc::gen::inRange(0, 3); types > 0; --types) {
    job.beside[any_text()] = any_number();
  }
  for (bool* yes : {&job.reason_cut, &job.sliced, &job.work_at_most, &job.saves_checkpoints}) {
    *yes = any_bool();
  }
  return job;
}

using Jobs = std::vector<HistoryJob>;

Jobs any_jobs() {
  Jobs jobs;
  for (int count = *rc::gen::inRange(0, 12); count > 0; --count) jobs.push_back(any_history_job());
  return jobs;
}

PackedJobs packed(const Jobs& jobs) {
  PackedJobs all;
  for (const HistoryJob& job : jobs) all.add(job);
  return all;
}

Jobs unpacked(const PackedJobs& jobs) {
  Jobs all;
  for (const HistoryJob& job : jobs) all.push_back(job);
  return all;
}

TEST(PackedJobs, AreUnpackedAsTheyWere) {
  EXPECT_TRUE(rc::check("the same jobs", [] {
    const Jobs jobs = any_jobs();
    const PackedJobs all = packed(jobs);
    RC_ASSERT(all.size() == jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      RC_ASSERT(all.at(i) == jobs[i]);
      RC_ASSERT(all.name(i) == jobs[i].record.job_id);
    }
    RC_ASSERT(unpacked(all) == jobs);
  }));
}

TEST(PackedJobs, ChangesOfOneJobLeaveTheOthers) {
  EXPECT_TRUE(rc::check("changed as a list of jobs is", [] {
    Jobs jobs = any_jobs();
    PackedJobs all = packed(jobs);
    for (int changes = *rc::gen::inRange(0, 20); changes > 0 && !jobs.empty(); --changes) {
      const auto place = *rc::gen::inRange<std::size_t>(0, jobs.size());
      jobs[place] = any_history_job();
      all.replace(place, jobs[place]);
    }
    RC_ASSERT(unpacked(all) == jobs);
    std::vector<HistoryJob> kept;
    std::size_t place = 0;
    all.rewrite([&](HistoryJob& job) {
      RC_ASSERT(job == jobs[place++]);
      const auto done = *rc::gen::element(JobPass::left_as_is, JobPass::changed, JobPass::left_out);
      if (done == JobPass::changed) job = any_history_job();
      if (done != JobPass::left_out) kept.push_back(job);
      return done;
    });
    jobs = std::move(kept);
    RC_ASSERT(unpacked(all) == jobs);
    const auto size = *rc::gen::inRange<std::size_t>(0, jobs.size() + 1);
    jobs.resize(size);
    all.cut(size);
    RC_ASSERT(unpacked(all) == jobs);
  }));
}

TEST(PackedJobs, AreSortedBySubmissionThenByName) {
  EXPECT_TRUE(rc::check("sorted", [] {
    Jobs jobs = any_jobs();
    for (HistoryJob& job : jobs) {
      job.submitted = Instant{std::chrono::seconds{*rc::gen::inRange(0, 3)}};
    }
    PackedJobs all = packed(jobs);
    std::stable_sort(jobs.begin(), jobs.end(), [](const HistoryJob& a, const HistoryJob& b) {
      return std::tie(a.submitted, a.record.job_id) < std::tie(b.submitted, b.record.job_id);
    });
    all.sort();
    RC_ASSERT(unpacked(all) == jobs);
  }));
}

/// A job as sacct tells it.
HistoryJob usual_job(std::size_t number) {
  HistoryJob job;
  job.submitted = Instant{std::chrono::seconds{1'780'000'000 + 3 * number}};
  job.started = job.submitted + std::chrono::seconds{number * 7919 % 7200};
  job.ended = *job.started + std::chrono::seconds{60 + number * 104'729 % 90'000};
  job.seen = Instant{std::chrono::seconds{1'790'000'000}};
  job.source = "slurm";
  job.file = "exports/sacct.txt";
  job.resource = "cluster/" + std::to_string(5'000'000 + number);
  ImportedJob& record = job.record;
  record.job_id = std::to_string(5'000'000 + number);
  record.line = number;
  record.submit = job.submitted - Instant{std::chrono::seconds{1'780'000'000}};
  record.user = "user" + std::to_string(number % 1000);
  record.queue = "partition" + std::to_string(number % 10);
  record.gpu_type = "h100";
  record.nodes = 1 + static_cast<std::int64_t>(number % 4);
  record.gpus_total = 8 * *record.nodes;
  record.gpus_per_node = 8;
  record.duration = *job.ended - *job.started;
  record.observed_wait = *job.started - job.submitted;
  record.time_limit = std::chrono::hours{24};
  record.censored = false;
  record.end_status = EndStatus::completed;
  record.tags = {{"account", "account" + std::to_string(number % 50)}};
  return job;
}

TEST(PackedJobs, TakeAboutAHundredBytesEach) {
  constexpr std::size_t many = 20'000;
  PackedJobs all;
  for (std::size_t number = 0; number < many; ++number) all.add(usual_job(number));
  EXPECT_LT(all.bytes(), 100 * many);
  // Memory of jobs that change or go is used again.
  for (int turn = 0; turn < 10; ++turn) {
    all.rewrite([&](HistoryJob& job) {
      job.record.failure_reason = std::string(static_cast<std::size_t>(turn) + 1, 'x');
      return JobPass::changed;
    });
  }
  EXPECT_LT(all.bytes(), 130 * many);
  all.rewrite([](const HistoryJob& job) {
    return job.record.line < many / 10 ? JobPass::left_as_is : JobPass::left_out;
  });
  EXPECT_LT(all.bytes(), 30 * many);
}

}  // namespace packed_jobs_test
}  // namespace reeve::scenarios
