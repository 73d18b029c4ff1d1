// Slurm's accounting in JSON, and times on the clocks of a zone.
#include "slurm_cases.hpp"

namespace reeve::scenarios {
namespace slurm_history_test {

std::string slurm_json_job(const std::string& more) {
  return R"({"meta": {}, "jobs": [{"job_id": 9, "user": "ana", "cluster": "c1",
    "partition": "gpu", "account": "nlp", "allocation_nodes": 2,
    "state": {"current": ["COMPLETED"]},
    "time": {"submission": 1786060800, "start": 1786064400, "end": 1786068000, "elapsed": 3600,
      "limit": {"set": true, "infinite": false, "number": 120}},
    "tres": {"allocated": [{"type": "gres", "name": "gpu:a100", "id": 1002, "count": 16}],
             "requested": []}, "steps": [{"state": "FAILED", "time": {"elapsed": 1}}])" +
         more + R"(}], "errors": []})";
}

TEST(SlurmHistory, OdditiesOfJson) {
  std::vector<SlurmOddity> oddities = {
      {"a limit that is set", "", "9", "limit_s", 7200},
      {"steps are no jobs", "", "9", "status", "completed"},
      {"typed GPUs only", "", "9", "gpu_type", "a100"},
      {"a task of an array",
       R"(, "array": {"job_id": 4, "task_id": {"set": true, "infinite": false, "number": 2}})",
       "4_2", "sweep", "4"},
      {"a task of an array in 21.08", R"(, "array": {"job_id": 4, "task_id": 2, "task": null})",
       "4_2", "gpus", 16},
      {"pending tasks", R"(, "array": {"job_id": 4, "task_id": {"set": false, "number": 0},
         "task": "3-4%1"}, "state": {"current": ["PENDING"]})",
       "4_4", "status", "pending"},
      {"the leader of a heterogeneous job", R"(, "het": {"job_id": 9, "job_offset": null})", "9",
       "nodes", 2},
      {"flags beside the state", R"(, "state": {"current": ["RUNNING", "COMPLETING"]})", "9",
       "status", "running"},
      {"a requeue among the flags", R"(, "state": {"current": ["COMPLETED", "REQUEUED"]})", "9",
       "status", "preempted"},
      {"an account without a user", R"(, "user": null, "association": {"user": "eli"})", "9",
       "user", "eli"},
      {"who cancelled it", R"(, "state": {"current": ["CANCELLED"]}, "kill_request_user": "ben")",
       "9", "stopped_by", "ben"},
      {"a signal", R"(, "state": {"current": ["FAILED"]}, "exit_code": {"return_code": {"set": true,
         "infinite": false, "number": 0}, "signal": {"id": {"set": true, "infinite": false,
         "number": 11}, "name": "SEGV"}})",
       "9", "reason", "signal 11"},
      {"jobstats", R"(, "comment": {"administrator": "JS1:Short"})", "9", "gpu_util_mean", json{}},
      {"restarts", R"(, "restart_cnt": 0)", "9", "attempts", 1},
  };
  for (SlurmOddity& oddity : oddities) oddity.text = slurm_json_job(oddity.text);
  expect_oddities(oddities);
}

TEST(SlurmHistory, AnErrorOfSacctIsTold) {
  std::string text = slurm_json_job("");
  text.replace(text.find("\"errors\": []"), 12, R"("errors": [{"error": "slurmdbd is away"}])");
  EXPECT_EQ(codes(read_text(text)), std::vector<std::string>{"W0630"});
}

TEST(SlurmHistory, TextAndJsonOfOneJobAgree) {
  const History json_history = read_text(slurm_json_job(""));
  const History text_history = read_text(
      "JobID|User|Cluster|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|"
      "AllocTRES\n9|ana|c1|gpu|COMPLETED|1786060800|1786064400|1786068000|3600|120|2|"
      "gres/gpu:a100=16\n");
  for (const char* key : {"submit", "end", "wait_s", "work_s", "limit_s", "status", "gpus", "nodes",
                          "gpu_type", "user", "resource", "censored"}) {
    EXPECT_EQ(slurm_value(json_history.jobs.at(0), key), slurm_value(text_history.jobs.at(0), key))
        << key;
  }
}

TEST(TimeZones, ClocksAreReadInBothOfTheirHours) {
  struct Row {
    std::string zone, submit, wanted;
  };
  const std::vector<Row> table = {
      {"UTC", "2026-08-03T01:00:00", "2026-08-03T01:00:00Z"},
      {"Europe/Berlin", "2026-08-03T01:00:00", "2026-08-02T23:00:00Z"},
      {"Europe/Berlin", "2026-12-03T01:00:00", "2026-12-03T00:00:00Z"},
      {"Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z"},  // twice: the first
      {"Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T01:30:00Z"},  // skipped
      {"America/New_York", "2026-08-03T01:00:00", "2026-08-03T05:00:00Z"},
      {"Asia/Kolkata", "2026-08-03T01:00:00", "2026-08-02T19:30:00Z"},
  };
  for (const Row& each : table) {
    HistoryOptions options;
    options.timezone = each.zone;
    const History history = read_text(
        "JobID|State|Submit|Elapsed\n7|COMPLETED|" + each.submit + "|00:10:00\n", options);
    EXPECT_EQ(show(history.jobs.at(0).submitted), each.wanted) << each.zone << ' ' << each.submit;
  }
}

}  // namespace slurm_history_test
}  // namespace reeve::scenarios
