// A trace that reeve writes is read as the same jobs, and written as the same bytes.
#include "app/files/trace_text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <map>
#include <memory>
#include <sstream>
#include <string>

namespace reeve::app {
namespace trace_text_test {

using scenarios::ImportedJob;
using scenarios::ImportedJobs;

ImportedJobs read_back(const std::string& text) {
  return scenarios::job_importers().front().read("t.csv",
                                                 std::make_unique<std::istringstream>(text));
}

std::string canonical_text(const ImportedJobs& jobs) {
  std::ostringstream text;
  write_trace(text, [&](const auto& with) {
    for (const ImportedJob& job : jobs.jobs) with(job);
  });
  return text.str();
}

std::string any_text() {
  return *rc::gen::container<std::string>(
      rc::gen::element<char>('a', 'Z', '0', ' ', ',', '"', '\n', '.', '|', ';'));
}

template <class Value, class Make>
std::optional<Value> perhaps(Make make) {
  return *rc::gen::inRange(0, 3) == 0 ? std::nullopt : std::optional<Value>{make()};
}

policy::Duration any_length() {
  return policy::Duration{*rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000'000)};
}

std::int64_t any_count() {
  return *rc::gen::inRange<std::int64_t>(0, 1'000'000);
}

policy::Usd any_amount() {
  return policy::Usd::from_micros(*rc::gen::inRange<std::int64_t>(0, 1'000'000'000'000));
}

ImportedJob any_job(std::size_t number) {
  ImportedJob job;
  job.job_id = "j" + std::to_string(number);
  job.submit = any_length();
  job.user = any_text();
  job.duration = perhaps<policy::Duration>(any_length);
  job.end_status = static_cast<scenarios::EndStatus>(*rc::gen::inRange(0, 12));
  job.instance_type = any_text();
  job.market =
      perhaps<policy::Market>([] { return static_cast<policy::Market>(*rc::gen::inRange(0, 4)); });
  job.censored = perhaps<bool>([] { return *rc::gen::arbitrary<bool>(); });
  job.max_wait = perhaps<policy::Duration>(any_length);
  job.startup = perhaps<policy::Duration>(any_length);
  job.interruptions = perhaps<std::int64_t>(any_count);
  job.restarts = perhaps<std::int64_t>(any_count);
  job.lost = perhaps<policy::Duration>(any_length);
  job.billed = perhaps<policy::Duration>(any_length);
  job.billed_usd = perhaps<policy::Usd>(any_amount);
  job.list_usd = perhaps<policy::Usd>(any_amount);
  job.end_cause = perhaps<scenarios::EndCause>(
      [] { return static_cast<scenarios::EndCause>(*rc::gen::inRange(0, 12)); });
  job.sweep = any_text();
  std::map<std::string, std::string> tags;
  for (const char* key : {"team", "cost, center", "a.b"}) {
    if (*rc::gen::arbitrary<bool>()) tags[key] = "v" + any_text();
  }
  job.tags = {tags.begin(), tags.end()};
  return job;
}

TEST(TraceText, IsReadBackAsTheSameJobs) {
  EXPECT_TRUE(rc::check("same jobs", [] {
    ImportedJobs jobs;
    const auto many = *rc::gen::inRange<std::size_t>(1, 6);
    for (std::size_t number = 0; number < many; ++number) jobs.jobs.push_back(any_job(number));
    const std::string text = canonical_text(jobs);
    const ImportedJobs again = read_back(text);
    RC_ASSERT(canonical_text(again) == text);
    RC_ASSERT(again.jobs.size() == jobs.jobs.size());
    for (std::size_t number = 0; number < many; ++number) {
      const ImportedJob& a = jobs.jobs[number];
      const ImportedJob& b = again.jobs[number];
      RC_ASSERT(a.tags == b.tags);
      RC_ASSERT(a.end_status == b.end_status);
      RC_ASSERT(a.end_cause == b.end_cause);
      RC_ASSERT(a.market == b.market);
      RC_ASSERT(a.censored == b.censored);
      RC_ASSERT(a.startup == b.startup);
      RC_ASSERT(a.lost == b.lost);
      RC_ASSERT(a.billed_usd == b.billed_usd);
      RC_ASSERT(a.sweep == b.sweep);
    }
  }));
}

TEST(TraceText, LeavesOutColumnsThatNoJobHas) {
  ImportedJobs jobs;
  jobs.jobs = {{.job_id = "a"}, {.job_id = "b"}};
  EXPECT_EQ(canonical_text(jobs).find("market"), std::string::npos);
  jobs.jobs[1].market = policy::Market::spot;
  const std::string text = canonical_text(jobs);
  EXPECT_NE(text.find(",attempts,market\n"), std::string::npos) << text;
}

}  // namespace trace_text_test
}  // namespace reeve::app
