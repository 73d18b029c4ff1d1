// What is said of traces of jobs and of GPU utilization.
#include <array>

#include "scenarios/records/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array trace_rows = std::to_array<ErrorCode>({
    {"E0313", "not a number", "Leave the cell of an unknown value empty.", "n/a", ""},
    {"E0314", "a negative number", "Times, sizes and counts are 0 or more.", "-1", "0"},
    {"E0315", "a number out of range", "The number is too large, or a percentage above 100.", "800",
     "100"},
    {"E0316", "not a whole number", "Counts have no decimals.", "1.5", "2"},
    {"E0317", "an empty id or submit time", "Each job needs both.", ",0,alice", "job-1,0,alice"},
    {"E0318", "a duplicate job", "Ids are unique in a trace.", "two rows of job-1",
     "job-1 and job-2"},
    {"E0319", "not a Boolean value", "Write 0 or 1, false or true.", "maybe", "1"},
    {"E0325", "an unknown end status",
     "reeve replays how each job ended, so it must know the word: completed, failed, killed, "
     "timeout, oom, node_fail, preempted, running, pending, never_started or unknown. It also "
     "knows the words of "
     "Slurm, Philly, SageMaker and Kubernetes.",
     "DONE", "completed"},
    {"E0326", "dates and seconds in one column",
     "Submission times are all dates, or all seconds after `clock.start`.",
     "0 and in the next line 2026-03-02T08:00:00Z", "dates in each row"},
    {"E0330", "times out of order", "The rows of a log must be in time order.",
     "60,4 and in the next line 5,3", "5,3 and then 60,4"},
    {"E0331", "two values at one instant", "Each instant may have one value.",
     "60,4 and in the next line 60,3", "60,3"},
    {"E0332", "a wrong unit",
     "A tick exceeds a day, a time exceeds a century, or a price exceeds $10,000 per hour or 20 "
     "times on-demand. The values may be milliseconds, cents or dates. More than 100 % of one GPU "
     "is probably a sum over GPUs.",
     "\"gap_seconds\": 600000", "\"gap_seconds\": 600"},
    {"E0335", "a page is missing",
     "AWS answers in pages, and this one names the token of the next.", "\"NextToken\": \"AbC\"",
     "\"NextToken\": \"\""},
    {"E0380", "a tag without a key", "The key of a tag is the rest of the column's name.",
     "job_id,submit_s,duration_s,tag.", "job_id,submit_s,duration_s,tag.team"},
    {"E0381", "an unknown market",
     "The column `market` has the words of a fleet: on_demand, spot, reserved or capacity_block.",
     "ondemand", "on_demand"},
    {"E0382", "an unknown end cause",
     "The column `end_cause` says why a job ended: limit, max_wait, person, rule, preempted, spot, "
     "hardware, oom, code, capacity, quota or unknown.",
     "user", "person"},
    {"E0385", "a history without length", "A fit needs jobs that are submitted at different times.",
     "all submit times are 0", "submit times of several weeks"},
    {"W0310", "gaps in a trace",
     "Some samples are more than 2.5 times the usual interval apart. Availability between them is "
     "unknown; the message states the assumption. Four or more samples at equal distances have "
     "their own interval, as CloudWatch keeps older samples at 5 minutes and 1 hour.",
     "no sample from 02:00 to 07:00", "a trace without gaps, or accepting the assumption"},
    {"W0311", "duplicate rows", "The rows are equal, so reeve drops the repetitions.", "60,4 twice",
     "60,4 once"},
    {"W0316", "fractions instead of percentages?",
     "No value is above 1, and some are fractions. reeve reads them as percent of one GPU.", "0.97",
     "97"},
    {"W0615", "a history that is too short to test",
     "`reeve fit` predicts each week from at least four weeks before it. With fewer than six whole "
     "weeks no quantity is tested, and with fewer than five the next week has no interval.",
     "a trace of three weeks", "a trace of three months"},
});

}  // namespace

std::span<const ErrorCode> trace_errors() {
  return trace_rows;
}

}  // namespace reeve::scenarios
