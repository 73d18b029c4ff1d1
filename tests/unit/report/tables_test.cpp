#include "report/tables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <sstream>

#include "csv_text.hpp"
#include "report/hash_chain.hpp"
#include "weekend_run.hpp"

namespace reeve::report {
namespace tables_test {

using namespace std::chrono_literals;
using models::Use;

std::string written(TableName table, const RunRows& run) {
  std::ostringstream out;
  CsvWriter csv{out, "test"};
  write_header(csv, table);
  write_rows(csv, table, run);
  csv.flush();
  return out.str();
}

/// Rows by column name.
std::vector<std::map<std::string, std::string>> read(TableName table, const RunRows& run) {
  const CsvRows rows = parse_csv(written(table, run));
  std::vector<std::map<std::string, std::string>> out;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    out.emplace_back();
    for (std::size_t cell = 0; cell < rows[row].size(); ++cell) {
      out.back()[rows[0][cell]] = rows[row][cell];
    }
  }
  return out;
}

std::int64_t micros(std::string cell) {
  EXPECT_EQ(cell.size() - cell.find('.'), 7u) << cell;
  cell.erase(cell.find('.'), 1);
  return std::stoll(cell);
}

TEST(Tables, HaveTheColumnsOfTheProductDescription) {
  const std::map<TableName, std::string> headers{
      {TableName::runs,
       "run_id,scenario,policy,rep,seed,digest,engine_version,price_book,billed_usd,"
       "productive_usd,wasted_usd,startup_usd,checkpoint_usd,stalled_usd,lost_work_usd,drain_usd,"
       "orphan_usd,idle_reserved_usd,guardrail_usd,residual_usd,makespan_s,jobs_done,jobs_failed,"
       "false_stops,missed_stalls,peak_instances,mean_allocated_pct,mean_used_pct,partial,"
       "false_stop_usd,peak_allocated_pct,peak_used_pct\n"},
      {TableName::jobs,
       "run_id,job,share,queue,tier,owner,project,tags_json,instance_type,instances,submit_s,"
       "first_start_s,end_s,wait_s,time_to_result_s,status,attempts,interruptions,preemptions,"
       "work_s,progress_s,billed_usd,wasted_usd,exit_code,log_ref,code_ref,wait_again_s,"
       "not_in_data\n"},
      {TableName::attempts,
       "run_id,job,attempt,start_s,end_s,market,instance_type,resumed_from_s,end_reason,"
       "failure_class,billed_s,billable_s,log_ref\n"},
      {TableName::ledger,
       "run_id,line,BilledCost,EffectiveCost,BillingCurrency,ChargeCategory,ChargePeriodStart,"
       "ChargePeriodEnd,ResourceId,RegionId,Tags,x_job,x_attempt,x_class,x_instances,"
       "x_instance_type,x_market,x_held_s\n"},
      {TableName::utilization,
       "run_id,t_s,scope,name,capacity,allocated,used,quota,borrowed,lent,runnable,gpu_util_pct\n"},
      {TableName::decisions,
       "run_id,decision_id,t_s,job,rule,mode,verdict,action,inputs_json,threshold,"
       "alternatives_json,dedupe_key,latency_s,cost_if_not_usd,outcome,prev_hash,hash\n"},
      {TableName::events,
       "run_id,seq,t_s,source,job,primary,secondary,duplicate_of,delivered_s,failure_reason,"
       "status_message\n"},
      {TableName::alarms, "run_id,alarm,job,created_s,deleted_s,fired_s,state,orphan\n"},
      {TableName::pools,
       "run_id,pool,instance_type,market,zone,capacity,capacity_instance_s,offered_instance_s,"
       "allocated_instance_s,used_instance_s,free_instance_s,down_instance_s,interruptions,"
       "node_faults,node_hits,billed_usd\n"},
      {TableName::spot,
       "run_id,seq,t_s,instance_type,zone,available,price_usd,notice_s,nodes_hit,pool\n"},
      {TableName::metrics, "run_id,metric,unit,value\n"},
      {TableName::stops,
       "run_id,seq,seat,rule,mode,job,attempt,verdict,onset_s,decided_s,delay_s,usd\n"},
      {TableName::queue,
       "run_id,t_s,pool,position,queue,job,attempt,share,priority,instances,state,reason,"
       "waited_s,starts_s\n"},
      {TableName::preemptions,
       "run_id,seq,t_s,job,attempt,share,instances,cause,for_job,for_share,requeued,"
       "lost_work_usd\n"}};
  ASSERT_EQ(headers.size(), table_count);
  for (const auto& [table, header] : headers) {
    std::ostringstream out;
    CsvWriter csv{out, "test"};
    write_header(csv, table);
    csv.flush();
    EXPECT_EQ(out.str(), header);
  }
}

TEST(Tables, RunsOfTheWeekend) {
  const WeekendRun run = weekend_run();
  const std::string text = written(TableName::runs, run.rows());
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "gpu-alarm/0,stalled-weekend,gpu-alarm,0,1,4be1c90a,0.1.0,inline,312.133333,240.000000,"
            "72.133333,0.000000,0.000000,64.133333,0.000000,8.000000,0.000000,0.000000,0.000000,"
            "0.000000,4682,0,0,0,0,8,100,76.890218,false,0.000000,100,100\n");
}

TEST(Tables, JobsOfTheWeekend) {
  WeekendRun run = weekend_run();
  auto jobs = read(TableName::jobs, run.rows());
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0]["job"], "big-train");
  EXPECT_EQ(jobs[0]["owner"], "johndoe");
  EXPECT_EQ(jobs[0]["project"], "search");
  EXPECT_EQ(jobs[0]["tags_json"], R"({"note":"say \"hi\", now","project":"search"})");
  EXPECT_EQ(jobs[0]["wait_s"], "0");
  EXPECT_EQ(jobs[0]["end_s"], "4682");
  EXPECT_EQ(jobs[0]["time_to_result_s"], "");  // stopped: there is no result
  EXPECT_EQ(jobs[0]["status"], "Stopped");
  EXPECT_EQ(jobs[0]["work_s"], "259200");
  EXPECT_EQ(jobs[0]["progress_s"], "3600");
  EXPECT_EQ(jobs[0]["billed_usd"], "312.133333");
  EXPECT_EQ(jobs[0]["wasted_usd"], "72.133333");
  for (const char* unknown : {"share", "queue", "tier", "preemptions", "exit_code", "code_ref"}) {
    EXPECT_EQ(jobs[0][unknown], "") << unknown;
  }
  EXPECT_EQ(jobs[0]["log_ref"], "big-train");
  run.record.job_rows[0].status = policy::Primary::completed;
  run.record.jobs.specs[0].submit += 82s;
  jobs = read(TableName::jobs, run.rows());
  EXPECT_EQ(jobs[0]["time_to_result_s"], "4600");
  EXPECT_EQ(jobs[0]["submit_s"], "82");
}

/// F89: what else a table of experiments has is known where the job says it: which code it ran.
TEST(Tables, TheCodeOfAJobIsItsTag) {
  WeekendRun run = weekend_run();
  run.world.profiles[0].tags = run.world.directory.intern({{"code", "trainer@4be1c90"}});
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["code_ref"], "trainer@4be1c90");
}

/// F89, D20: a table that compares a text with the number 0 calls it FAILED.
TEST(Tables, AnExitOfZeroIsSuccess) {
  WeekendRun run = weekend_run();
  models::JobRow& row = run.record.job_rows[0];
  row.attempts = 3;
  const auto job = [&](policy::Primary status, policy::FailureClass failure) {
    row.status = status;
    row.failure = failure;
    return read(TableName::jobs, run.rows())[0];
  };
  using policy::FailureClass;
  using policy::Primary;
  auto cells = job(Primary::completed, FailureClass::none);
  EXPECT_EQ(cells["status"], "Completed");
  EXPECT_EQ(cells["exit_code"], "0");
  EXPECT_EQ(cells["log_ref"], "big-train-r3");
  cells = job(Primary::failed, FailureClass::code);
  EXPECT_EQ(cells["status"], "Failed");
  EXPECT_EQ(cells["exit_code"], "1");
  EXPECT_EQ(job(Primary::failed, FailureClass::infrastructure)["exit_code"], "");
  EXPECT_EQ(job(Primary::failed, FailureClass::hardware)["exit_code"], "");
  EXPECT_EQ(job(Primary::failed, FailureClass::quota)["exit_code"], "");
  EXPECT_EQ(job(Primary::stopped, FailureClass::none)["exit_code"], "");
}

TEST(Tables, ALogIsNamedAsItsAttempt) {
  WeekendRun run = weekend_run();
  run.record.job_rows[0].attempts = 3;
  DecisionRow clone;
  clone.action = "clone_job";
  clone.attempt = 3;
  clone.outcome = "done";
  run.decisions = {clone};
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["log_ref"], "big-train-r3");
  run.decisions[0].appends_to_name = true;
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["log_ref"], "big-traincloneclone");
  run.decisions[0].attempt = 2;  // a person has asked for the third
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["log_ref"], "big-train-r3");
}

TEST(Tables, MachinesAreThoseOfTheAttemptNotThoseAskedFor) {
  WeekendRun run = weekend_run();
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["instance_type"], "ml.demo.8gpu");
  run.world.directory.types.push_back({"ml.demo.4gpu", 4, {20'000'000'000}});
  run.world.directory.pools.push_back({.name = "night"});
  run.world.pools.push_back({"night", {1}, policy::Market::spot, 8, {20'000'000'000}});
  models::AttemptRow second = run.record.attempts[0];
  second.number = 2;
  second.pool = {1};
  run.record.attempts.insert(run.record.attempts.begin(), second);
  auto attempts = read(TableName::attempts, run.rows());
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0]["instance_type"] + ' ' + attempts[0]["market"], "ml.demo.4gpu spot");
  EXPECT_EQ(attempts[1]["instance_type"] + ' ' + attempts[1]["market"], "ml.demo.8gpu on_demand");
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["instance_type"], "ml.demo.4gpu");  // the newest
  run.record.attempts[0].billed_from = policy::never;  // that only waited for them
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["instance_type"], "ml.demo.8gpu");
  run.record.attempts.clear();
  EXPECT_EQ(read(TableName::jobs, run.rows())[0]["instance_type"], "ml.demo.8gpu");
}

TEST(Tables, AJobThatNeverStartedHasNoTimes) {
  WeekendRun run = weekend_run();
  run.record.job_rows[0] = {.first_start = policy::never, .end = policy::never};
  auto jobs = read(TableName::jobs, run.rows());
  EXPECT_EQ(jobs[0]["first_start_s"] + jobs[0]["end_s"] + jobs[0]["wait_s"], "");
  EXPECT_EQ(jobs[0]["status"], "Queued");
  EXPECT_EQ(read(TableName::runs, run.rows())[0]["makespan_s"], "");
}

TEST(Tables, AnUnfinishedJobCountsUntilTheEndOfTheRun) {
  WeekendRun run = weekend_run();
  run.record.job_rows[0].end = policy::never;
  EXPECT_EQ(read(TableName::runs, run.rows())[0]["makespan_s"], "604800");
}

TEST(Tables, AttemptsOfTheWeekend) {
  const WeekendRun run = weekend_run();
  const std::string text = written(TableName::attempts, run.rows());
  EXPECT_EQ(
      text.substr(text.find('\n') + 1),
      "gpu-alarm/0,big-train,1,0,4682,on_demand,ml.demo.8gpu,0,stopped,none,4682,4682,big-train\n");
}

TEST(Tables, LedgerOfTheWeekend) {
  WeekendRun run = weekend_run();
  const auto lines = read(TableName::ledger, run.rows());
  ASSERT_EQ(lines.size(), 3u);
  auto line = lines[1];
  EXPECT_EQ(line["line"], "2");
  EXPECT_EQ(line["BilledCost"], "64.133333");
  EXPECT_EQ(line["EffectiveCost"], "64.133333");
  EXPECT_EQ(line["BillingCurrency"], "USD");
  EXPECT_EQ(line["ChargeCategory"], "Usage");
  EXPECT_EQ(line["ChargePeriodStart"], "2026-05-22T23:00:00Z");
  EXPECT_EQ(line["ChargePeriodEnd"], "2026-05-22T23:16:02Z");
  EXPECT_EQ(line["ResourceId"], "big-train/1");
  EXPECT_EQ(line["Tags"], R"({"note":"say \"hi\", now","project":"search"})");
  EXPECT_EQ(line["x_class"], "stalled");
  EXPECT_EQ(line["x_instances"], "8");
  EXPECT_EQ(line["x_market"], "on_demand");
}

TEST(Tables, TimeOfThePoolBelongsToNoJob) {
  WeekendRun run = weekend_run();
  run.bill(Use::idle_reserved, 2h, 3h);
  run.record.ledger_lines.back().attempt = 0;
  auto line = read(TableName::ledger, run.rows()).back();
  EXPECT_EQ(line["ResourceId"], "weekend");
  EXPECT_EQ(line["x_job"], "");
  EXPECT_EQ(line["x_attempt"], "");
  EXPECT_EQ(line["Tags"], "{}");
}

TEST(Tables, LedgerLinesAndUsesSumToTheBillToTheMicroDollar) {
  const bool held = rc::check("sums", [] {
    WeekendRun run = weekend_run();
    run.world.pools[0].price.nanos = *rc::gen::inRange<std::int64_t>(1, 100'000'000'000);
    run.record.ledger = {};
    run.record.ledger_lines.clear();
    const auto lines = *rc::gen::inRange(1, 60);
    for (int line = 0; line < lines; ++line) {
      const auto use = static_cast<Use>(*rc::gen::inRange<std::size_t>(0, models::use_count));
      const auto held_ns = *rc::gen::inRange<std::int64_t>(0, 10'000'000'000);
      run.bill(use, 0s, policy::Duration{held_ns}, *rc::gen::inRange<std::uint32_t>(1, 100));
    }
    std::int64_t sum = 0;
    for (auto& line : read(TableName::ledger, run.rows())) sum += micros(line["EffectiveCost"]);
    auto row = read(TableName::runs, run.rows())[0];
    RC_ASSERT(sum == micros(row["billed_usd"]));
    RC_ASSERT(sum == micros(row["productive_usd"]) + micros(row["startup_usd"]) +
                         micros(row["checkpoint_usd"]) + micros(row["wasted_usd"]));
    RC_ASSERT(micros(row["residual_usd"]) == 0);
  });
  EXPECT_TRUE(held);
}

TEST(Tables, RoundingNeverHidesAResidual) {
  WeekendRun run = weekend_run();
  run.record.ledger.bill(1);
  EXPECT_EQ(read(TableName::runs, run.rows())[0]["residual_usd"], "0.000001");
}

TEST(TablesDeathTest, LedgerLinesThatMissTheBillAbort) {
  WeekendRun run = weekend_run();
  run.record.ledger_lines.pop_back();
  EXPECT_DEATH(written(TableName::ledger, run.rows()), "do not sum to its bill");
}

TEST(Tables, UtilizationHasOneRowPerInstantAndPool) {
  const WeekendRun run = weekend_run();
  const std::string text = written(TableName::utilization, run.rows());
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "gpu-alarm/0,0,pool,weekend,8,8,8,,,,0,\n"
            "gpu-alarm/0,3600,pool,weekend,8,8,0,,,,0,\n"
            "gpu-alarm/0,4682,pool,weekend,8,0,0,,,,0,\n");
}

TEST(Tables, DecisionsFormAChainThatAnybodyCanCheck) {
  const WeekendRun run = weekend_run();
  const CsvRows rows = parse_csv(written(TableName::decisions, run.rows()));
  ASSERT_EQ(rows.size(), 3u);
  std::string previous(64, '0');
  for (std::size_t row = 1; row < rows.size(); ++row) {
    std::string bytes;
    for (std::size_t cell = 0; cell + 1 < rows[row].size(); ++cell) {
      bytes += std::to_string(rows[row][cell].size()) + ':' + rows[row][cell];
    }
    EXPECT_EQ(rows[row][rows[row].size() - 2], previous);
    previous = rows[row].back();
    EXPECT_EQ(previous, sha256(bytes));
  }
  EXPECT_EQ(rows[1][8], R"({"attempt":1,"reason":"GPUs idle","tries":1})");
  EXPECT_EQ(rows[1][9], "1");
  EXPECT_EQ(rows[1][12], "2");
  EXPECT_EQ(rows[2][8], R"({"attempt":1,"reason":"GPUs idle","refused_by":"moot"})");
  EXPECT_EQ(rows[2][9] + rows[2][12] + rows[2][14], "");
}

TEST(HashChain, IsSha256) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(HashChain, TellsRowsApartThatJoinAlike) {
  HashChain one;
  HashChain other;
  one.append(std::vector<std::string>{"ab", "c"});
  other.append(std::vector<std::string>{"a", "bc"});
  EXPECT_NE(one.head(), other.head());
}

TEST(Tables, AFailureSaysWhy) {
  WeekendRun run = weekend_run();
  run.record.events.back().reason = "ClientError: \"a, b\"";
  const auto events = read(TableName::events, run.rows());
  EXPECT_EQ(events.back().at("failure_reason"), "ClientError: \"a, b\"");
  EXPECT_EQ(events.front().at("failure_reason"), "");
}

TEST(Tables, EventsNameWhatTheyRepeat) {
  const WeekendRun run = weekend_run();
  const std::string text = written(TableName::events, run.rows());
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "gpu-alarm/0,1,0,sagemaker-training,big-train,InProgress,Training,,0,,\n"
            "gpu-alarm/0,2,0,sagemaker-training,big-train,InProgress,Training,1,0.5,,\n"
            "gpu-alarm/0,3,4682,sagemaker-training,big-train,Stopped,Stopped,,,,\n");
}

TEST(Tables, AlarmsPutAnewGetNamesOfTheirOwn) {
  WeekendRun run = weekend_run();
  run.record.alarms.push_back(run.record.alarms[0]);
  run.record.alarms[1].deleted = policy::never;
  run.record.alarms[1].orphan = true;
  const std::string text = written(TableName::alarms, run.rows());
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "gpu-alarm/0,big-train/1/algo-1/stalled_gpu,big-train,0,4683,4560,ALARM,false\n"
            "gpu-alarm/0,big-train/1/algo-1/stalled_gpu#2,big-train,0,,4560,ALARM,true\n");
}

TEST(Tables, OffersAndPricesOfSpotStandTogether) {
  WeekendRun run = weekend_run();
  models::Pool& pool = run.world.pools[0];
  pool.market = policy::Market::spot;
  pool.zone = "us-east-1a";
  pool.prices = {{0h, {9'000'000'000}}, {2h, {12'500'000'000}}, {900h, {1}}};
  const policy::Instant start = run.record.start;
  run.record.offers = {{start, {0}, 8}, {start + 3h, {0}, 5, 4, 2min}};
  const auto rows = read(TableName::spot, run.rows());
  ASSERT_EQ(rows.size(), 3u) << "a price after the end is none of the run";
  const auto is = [&](std::size_t at, const char* t_s, const char* available, const char* price,
                      const char* notice, const char* hit) {
    auto row = rows[at];
    EXPECT_EQ(row["t_s"], t_s);
    EXPECT_EQ(row["available"], available);
    EXPECT_EQ(row["price_usd"], price);
    EXPECT_EQ(row["notice_s"], notice);
    EXPECT_EQ(row["nodes_hit"], hit);
    EXPECT_EQ(row["zone"], "us-east-1a");
  };
  is(0, "0", "8", "9", "", "0");
  is(1, "7200", "8", "12.5", "", "0");
  is(2, "10800", "5", "12.5", "120", "4");
}

TEST(Tables, WhatFleetsWereBilledSumsToTheBill) {
  WeekendRun run = weekend_run();
  run.world.pools.resize(3, run.world.pools[0]);
  run.record.pool_rows.resize(3);
  run.record.allocated_time.resize(3);
  run.record.used_time.resize(3);
  const auto third = models::Charge{3'600'000'000} * 1'000'000'000 / 3 * 1'000;  // $1/3
  for (models::PoolRow& row : run.record.pool_rows) row.billed = third;
  run.record.pool_rows[1].down_time = models::Charge{90'000'000'000};
  auto rows = read(TableName::pools, run.rows());
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1]["down_instance_s"], "90");
  EXPECT_EQ(
      micros(rows[0]["billed_usd"]) + micros(rows[1]["billed_usd"]) + micros(rows[2]["billed_usd"]),
      1'000'000);
}

}  // namespace tables_test
}  // namespace reeve::report
