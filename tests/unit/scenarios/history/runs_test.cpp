// Runs of Weights & Biases and of MLflow: which job they belong to, and when they last lived.
#include "cases.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace runs_history_test {

using namespace history_cases;
using nlohmann::json;

std::string run_iso(policy::Instant at) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count() % 1000;
  std::string text = show(at);
  if (ms == 0) return text;
  text.pop_back();
  char fraction[8];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(ms));
  return text + fraction;
}

json run_value(const TrackedRun& run, const std::string& key) {
  if (key == "job") return run.job.empty() ? json{} : json(run.job);
  if (key == "state") return run.state;
  if (key == "start") return run.started ? json(run_iso(*run.started)) : json{};
  if (key == "end") return run.ended ? json(run_iso(*run.ended)) : json{};
  if (key == "last_heartbeat") {
    return run.last_heartbeat ? json(run_iso(*run.last_heartbeat)) : json{};
  }
  return {};
}

const TrackedRun* run_named(const History& history, const std::string& id) {
  for (const TrackedRun& run : history.runs) {
    if (run.id == id) return &run;
  }
  return nullptr;
}

TEST(RunsHistory, CasesReadAsExpected) {
  const json cases = expected("runs");
  if (cases.is_null()) GTEST_SKIP() << "no ../shared/cases/history here";
  for (const auto& [file, wanted] : cases.items()) {
    const History history = read(folder_of("runs") / file);
    EXPECT_EQ(history.runs.size(), wanted["runs"].size()) << file;
    EXPECT_TRUE(codes(history).empty()) << file;
    for (const auto& [id, values] : wanted["runs"].items()) {
      const TrackedRun* run = run_named(history, id);
      ASSERT_NE(run, nullptr) << file << ' ' << id;
      for (const auto& [key, value] : values.items()) {
        EXPECT_EQ(run_value(*run, key), value) << file << ' ' << id << ' ' << key;
      }
    }
  }
}

struct RunOddity {
  std::string what, text, join, key;
  json value;
};

TEST(RunsHistory, Oddities) {
  const std::string wandb = R"({"id": "r", "state": "finished", "createdAt": "2026-08-03T09:00:00",
    "heartbeatAt": "2026-08-03T10:00:00", "config": )";
  const std::string info = R"({"runs": [{"info": {"run_id": "r", "experiment_id": "1",
    "status": "FAILED", "start_time": 1785748320125, "end_time": "1785748380125"}, "data": )";
  const std::vector<RunOddity> oddities = {
      {"a value in a wrapper", wandb + R"({"TrainingJobName": {"value": "a", "desc": null}}})", "",
       "job", "a"},
      {"a configuration as text", wandb + R"("{\"SM_TRAINING_JOB_NAME\": {\"value\": \"a\"}}"})",
       "", "job", "a"},
      {"a setting inside of another", wandb + R"({"env": {"ours": "a"}}})", "config.env.ours",
       "job", "a"},
      {"without the group", wandb + R"({"ours": "a"}})", "ours", "job", "a"},
      {"the name of the platform goes before other names",
       wandb + R"({"job_name": "b", "training_job_name": "a"}})", "", "job", "a"},
      {"a job id as a number", wandb + R"({"slurm_job_id": 5030}})", "", "job", "5030"},
      {"a finished run ends with its last heartbeat", wandb + "{}}", "", "end",
       "2026-08-03T10:00:00Z"},
      {"an answer of GraphQL",
       R"({"data": {"project": {"runs": {"edges": [{"node": {"id": "UnVu", "name": "r",
          "state": "killed", "heartbeatAt": "2026-08-03T10:00:00Z",
          "config": "{\"job_name\": {\"value\": \"a\"}}"}}]}}}})",
       "", "job", "a"},
      {"runs in an array", "[" + wandb + R"({"job_name": "a"}}])", "", "job", "a"},
      {"a table of the page",
       "\"ID\",\"Name\",\"State\",\"Created\",\"Runtime\",\"job_name\"\n"
       "\"r\",\"x, y\",\"crashed\",\"2026-08-03T09:00:00.000Z\",\"60\",\"a\"\n",
       "", "last_heartbeat", "2026-08-03T09:01:00Z"},
      {"a crashed run has no end",
       "\"ID\",\"Name\",\"State\",\"Created\",\"Runtime\",\"job_name\"\n"
       "\"r\",\"x\",\"crashed\",\"2026-08-03T09:00:00.000Z\",\"60\",\"a\"\n",
       "", "end", json{}},
      {"a preempted run is killed",
       R"({"id": "r", "state": "preempted", "heartbeatAt": "2026-08-03T10:00:00"})", "", "state",
       "killed"},
      {"milliseconds as text", info + "{}}]}", "", "end", "2026-08-03T09:13:00.125Z"},
      {"a tag in a list", info + R"({"tags": [{"key": "sagemaker_job", "value": "a"}]}}]})", "",
       "job", "a"},
      {"a parameter", info + R"({"params": [{"key": "ours", "value": "a"}]}}]})", "params.ours",
       "job", "a"},
      {"the last value of a metric is a sign of life",
       info + R"({"metrics": [{"key": "loss", "value": 1.5, "timestamp": 1785748350125}]}}]})", "",
       "last_heartbeat", "2026-08-03T09:12:30.125Z"},
      {"a scheduled run", "run_id,experiment_id,status,start_time\nr,1,SCHEDULED,1785748320125\n",
       "", "state", "running"},
      {"2^64 nanoseconds after a time of 2026",
       "run_id,experiment_id,status,start_time\nr,1,RUNNING,20232492393835\n", "", "start", json{}},
      {"a column with the name of a group",
       "run_id,experiment_id,status,params,tags.job_name\nr,1,KILLED,b,a\n", "", "job", "a"},
      {"a group in the name of a column",
       "run_id,experiment_id,status,params.training_job_name\nr,1,KILLED,a\n", "", "job", "a"},
  };
  for (const RunOddity& oddity : oddities) {
    HistoryOptions options;
    options.join = oddity.join;
    const History history = read_text(oddity.text, options);
    const TrackedRun* run = run_named(history, "r");
    ASSERT_NE(run, nullptr) << oddity.what;
    EXPECT_EQ(run_value(*run, oddity.key), oddity.value) << oddity.what;
  }
}

TEST(RunsHistory, RunsThatNameNoJobAreTold) {
  const std::string text =
      R"({"id": "r", "state": "running", "heartbeatAt": "2026-08-03T10:00:00",
          "config": {"job": 1}})";
  EXPECT_EQ(codes(read_text(text)), std::vector<std::string>{"W0644"});
  HistoryOptions options;
  options.join = "config.jop";
  EXPECT_EQ(error_of([&] { read_text(text, options); }), "E0411");
  options.join = "config.job";
  EXPECT_EQ(read_text(text, options).runs.at(0).job, "1");
}

TEST(RunsHistory, RunsThatCannotBeUsedAreTold) {
  const auto warnings = [](const std::string& text) {
    return codes(read_text("run_id,experiment_id,status,tags.job_name\nr,1,RUNNING,a\n" + text));
  };
  EXPECT_EQ(warnings(",1,RUNNING,a\n"), std::vector<std::string>{"W0632"});
  EXPECT_EQ(warnings("s,1,AWAY,a\n"), std::vector<std::string>{"W0632"});
  EXPECT_EQ(warnings("s,1,RUNNING\n"), std::vector<std::string>{"W0632"});
}

TEST(RunsHistory, AMissingPageIsTold) {
  const std::string text = R"({"runs": [{"info": {"run_id": "r", "experiment_id": "1",
    "status": "RUNNING"}, "data": {"tags": [{"key": "job_name", "value": "a"}]}}],
    "next_page_token": "x"})";
  EXPECT_EQ(codes(read_text(text)), std::vector<std::string>{"W0631"});
}

}  // namespace runs_history_test
}  // namespace reeve::scenarios
