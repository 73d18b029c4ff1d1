#include "report/timeline.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/gzip_stream.hpp"
#include "tests/unit/report/weekend_run.hpp"

namespace reeve::report {
namespace timeline_test {

using namespace std::chrono_literals;
using models::Use;

std::string timeline_of(const WeekendRun& run) {
  std::ostringstream out;
  Timeline timeline{out, "test"};
  timeline.add(run.rows());
  timeline.finish();
  return out.str();
}

/// The lines of events with that phase, without the braces of the file.
std::string events_of(const std::string& timeline, char phase) {
  std::istringstream in{timeline};
  std::string chosen;
  for (std::string line; std::getline(in, line);) {
    if (line.find(std::string{"\"ph\":\""} + phase + '"') != line.npos) chosen += line + '\n';
  }
  return chosen;
}

TEST(Timeline, HasASliceForEachUseOfAJob) {
  EXPECT_EQ(events_of(timeline_of(weekend_run()), 'X'),
            R"({"name":"productive","cat":"billed","ph":"X","ts":0,"dur":3600000000,"pid":1,)"
            R"("tid":2,"args":{"attempt":1,"instances":8,"pool":"weekend",)"
            R"("instance_type":"ml.demo.8gpu","market":"on_demand","usd":240.000000}},)"
            "\n"
            R"({"name":"stalled","cat":"billed","ph":"X","ts":3600000000,"dur":962000000,"pid":1,)"
            R"("tid":2,"args":{"attempt":1,"instances":8,"pool":"weekend",)"
            R"("instance_type":"ml.demo.8gpu","market":"on_demand","usd":64.133333}},)"
            "\n"
            R"({"name":"drain","cat":"billed","ph":"X","ts":4562000000,"dur":120000000,"pid":1,)"
            R"("tid":2,"args":{"attempt":1,"instances":8,"pool":"weekend",)"
            R"("instance_type":"ml.demo.8gpu","market":"on_demand","usd":8.000000}},)"
            "\n");
}

TEST(Timeline, HasMarksOfDecisionsAndOfAttemptsThatDidNotComplete) {
  WeekendRun run = weekend_run();
  run.decisions[0].cost_if_not = policy::Usd::from_micros(1'500'000);
  run.record.preemptions.push_back({.at = run.world.start + 10s,
                                    .job = {0},
                                    .cause = policy::PreemptCause::reclaim,
                                    .to = {0},
                                    .instances = 8});
  EXPECT_EQ(events_of(timeline_of(run), 'i'),
            R"({"name":"preemption","cat":"event","ph":"i","s":"t","ts":10000000,"pid":1,)"
            R"("tid":2,"args":{"attempt":1,"instances":8,"cause":"reclaim"}},)"
            "\n"
            R"({"name":"stop_job","cat":"decision","ph":"i","s":"t","ts":4560000000,"pid":1,)"
            R"("tid":2,"args":{"rule":"stalled_gpu","mode":"enforce","verdict":"accepted",)"
            R"("attempt":1,"reason":"GPUs idle","outcome":"done","cost_if_not_usd":1.500000}},)"
            "\n"
            R"({"name":"stop_job","cat":"decision","ph":"i","s":"t","ts":4560000000,"pid":1,)"
            R"("tid":2,"args":{"rule":"stalled_gpu","mode":"enforce","verdict":"refused",)"
            R"("attempt":1,"reason":"GPUs idle","refused_by":"moot"}},)"
            "\n"
            R"({"name":"Stopped","cat":"event","ph":"i","s":"t","ts":4682000000,"pid":1,)"
            R"("tid":2,"args":{"attempt":1}},)"
            "\n");
}

TEST(Timeline, CountsInstancesOncePerInstant) {
  EXPECT_EQ(events_of(timeline_of(weekend_run()), 'C'),
            R"({"name":"weekend","ph":"C","ts":0,"pid":1,"tid":0,)"
            R"("args":{"capacity":8,"allocated":8,"used":8}},)"
            "\n"
            R"({"name":"weekend","ph":"C","ts":3600000000,"pid":1,"tid":0,)"
            R"("args":{"capacity":8,"allocated":8,"used":0}},)"
            "\n"
            R"({"name":"weekend","ph":"C","ts":4682000000,"pid":1,"tid":0,)"
            R"("args":{"capacity":8,"allocated":0,"used":0}})"
            "\n");
}

TEST(Timeline, HasOneProcessForEachPolicyAndBeginsAsItsFilesAreRecognized) {
  std::ostringstream out;
  Timeline timeline{out, "test"};
  WeekendRun first = weekend_run();
  timeline.add(first.rows());
  WeekendRun second = weekend_run();
  second.info.policy = "none";
  timeline.add(second.rows());
  timeline.finish();
  EXPECT_TRUE(out.str().starts_with(timeline_begins));
  const auto json = nlohmann::json::parse(out.str());
  std::vector<std::string> processes;
  for (const auto& event : json["traceEvents"]) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"gpu-alarm", "none"}));
  EXPECT_EQ(json["displayTimeUnit"], "ms");
}

TEST(Timeline, EscapesHostileNames) {
  WeekendRun run = weekend_run();
  run.record.jobs.names = {"a\"},{\\\n\x01\xff\xe2\x80\xae"};
  run.info.policy = "\"]}";
  run.world.pools[0].name = "p\t\"";
  const auto json = nlohmann::json::parse(timeline_of(run));
  std::vector<std::string> names;
  for (const auto& event : json["traceEvents"]) {
    if (event["name"].get<std::string>().ends_with("_name")) names.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "\"]}", "a\"},{\\\n\x01\xef\xbf\xbd\xe2\x80\xae"}));  // U+FFFD: no UTF-8
}

TEST(Timeline, NamesTimeWithoutInstancesByWhatCameBefore) {
  WeekendRun run = weekend_run();
  const policy::Instant start = run.world.start;
  run.record.attempts[0].requested = start - 60s;  // then it is pending
  run.record.attempts[0].end = start + 5000s;      // from 4682 s on it holds nothing
  run.record.attempts.push_back({.job = {0},
                                 .number = 2,
                                 .requested = start + 5000s,
                                 .billed_from = policy::never,
                                 .end = start + 6000s,
                                 .reason = models::EndReason::horizon});
  run.record.preemptions.push_back(
      {.at = start + 4562s, .job = {0}, .attempt = 1, .to = {0}, .instances = 8});
  const RunRows rows = run.rows();
  const RunNames names{rows};
  std::vector<std::string> waits;
  for (const JobSlice& slice : JobTimes{names}.of({0})) {
    if (slice.billed) continue;
    waits.push_back(std::string{slice.name} + ' ' + std::to_string((slice.from - start) / 1s) +
                    ' ' + std::to_string((slice.until - start) / 1s));
  }
  EXPECT_EQ(waits, (std::vector<std::string>{"pending -60 0", "requeue_wait 4682 5000",
                                             "preempted 5000 6000"}));
}

/// Work for 50 minutes and checkpoints of ten; the last quarter of an hour of work is lost.  In
/// between the job stalls.
WeekendRun interrupted_training() {
  WeekendRun run = weekend_run();
  run.record.ledger = {};
  run.record.ledger_lines.clear();
  const auto bill = [&](Use use, policy::Duration from, policy::Duration until,
                        policy::Duration held) {
    run.bill(use, from, from + held);
    run.record.ledger_lines.back().until = run.world.start + until;
  };
  bill(Use::stalled, 20min, 30min, 10min);
  bill(Use::productive, 0min, 70min, 35min);
  bill(Use::checkpoint, 0min, 70min, 10min);
  bill(Use::lost_work, 0min, 70min, 15min);
  return run;
}

TEST(JobTimes, LaysOutTrainingAroundStalls) {
  const WeekendRun run = interrupted_training();
  const RunRows rows = run.rows();
  const RunNames names{rows};
  std::vector<std::string> slices;
  policy::Usd usd;
  for (const JobSlice& slice : JobTimes{names}.of({0})) {
    if (!slice.billed) continue;
    slices.push_back(std::string{slice.name} + ' ' +
                     std::to_string((slice.from - run.world.start) / 1min) + ' ' +
                     std::to_string((slice.until - run.world.start) / 1min));
    usd += slice.usd;
    EXPECT_EQ(slice.lane, 0u);
  }
  EXPECT_EQ(slices,
            (std::vector<std::string>{"productive 0 20", "stalled 20 30", "productive 30 45",
                                      "checkpoint 45 55", "lost_work 55 70"}));
  EXPECT_EQ(usd, models::to_usd(run.record.ledger.billed()));
}

TEST(JobTimes, AddsUpPartsOfAGangAndGivesOrphansARowOfTheirOwn) {
  WeekendRun run = weekend_run();
  run.record.ledger = {};
  run.record.ledger_lines.clear();
  run.bill(Use::productive, 0min, 60min, 6);
  run.bill(Use::orphan, 30min, 90min, 2);
  run.bill(Use::productive, 0min, 60min, 2);
  const RunRows rows = run.rows();
  const RunNames names{rows};
  const std::vector<JobSlice> slices = JobTimes{names}.of({0});
  std::vector<std::pair<std::string, std::uint32_t>> rows_and_instances;
  for (const JobSlice& slice : slices) {
    if (slice.billed)
      rows_and_instances.emplace_back(slice.name, slice.instances + 100 * slice.lane);
  }
  EXPECT_EQ(rows_and_instances, (std::vector<std::pair<std::string, std::uint32_t>>{
                                    {"productive", 8}, {"orphan", 102}}));
}

TEST(GzipStream, WritesWhatZlibReads) {
  std::string text;
  for (int line = 0; line < 100'000; ++line) text += std::to_string(line) + '\n';
  std::ostringstream out;
  GzipStream gzip{out, "timeline"};
  gzip << text;
  gzip.finish();
  EXPECT_TRUE(gzip);
  const std::string packed = out.str();
  EXPECT_TRUE(packed.starts_with(gzip_begins("timeline")));
  EXPECT_LT(packed.size(), text.size() / 2);
  const std::string file = ::testing::TempDir() + "timeline_test.gz";
  std::ofstream{file, std::ios::binary} << packed;
  gzFile in = gzopen(file.c_str(), "rb");
  std::string read(text.size() + 1, '\0');
  EXPECT_EQ(gzread(in, read.data(), static_cast<unsigned>(read.size())),
            static_cast<int>(text.size()));
  gzclose(in);
  read.pop_back();
  EXPECT_EQ(read, text);
}

TEST(GzipStream, FailsIfTheStreamBehindItFails) {
  std::ostringstream out;
  GzipStream gzip{out, "timeline"};
  gzip << "text";
  out.setstate(std::ios::badbit);
  gzip.finish();
  EXPECT_FALSE(gzip);
}

}  // namespace timeline_test
}  // namespace reeve::report
