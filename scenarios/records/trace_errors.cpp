// What is said of traces of jobs and of GPU utilization.
#include <array>

#include "scenarios/records/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array trace_rows = std::to_array<ErrorCode>({
    {"E0313", "not a number", "An unknown value is an empty cell.", "n/a", ""},
    {"E0314", "a negative number", "Times, sizes and counts are 0 or more.", "-1", "0"},
    {"E0315", "a number out of range", "Too large, or a percentage above 100.", "800", "100"},
    {"E0316", "not a whole number", "Counts have no decimals.", "1.5", "2"},
    {"E0317", "an empty id or submit time", "Both are needed of every job.", ",0,alice",
     "job-1,0,alice"},
    {"E0318", "a job stands twice", "Ids are unique in a trace.", "two rows of job-1",
     "job-1 and job-2"},
    {"E0319", "neither yes nor no", "0 or 1, false or true.", "maybe", "1"},
    {"E0330", "time runs backwards", "The rows of a log are in the order of time.",
     "60,4 and in the next line 5,3", "5,3 and then 60,4"},
    {"E0331", "two values at one instant", "Which of them holds from then on?",
     "60,4 and in the next line 60,3", "60,3"},
    {"E0332", "a wrong unit",
     "A tick of more than a day, a time of more than a century, a price above $10,000 per hour "
     "or 20 times on-demand: milliseconds or cents were written, or dates. More than 100 % of "
     "one GPU: a sum over GPUs was written.",
     "\"gap_seconds\": 600000", "\"gap_seconds\": 600"},
    {"E0335", "a page is missing", "AWS answers in pages; this one names a token of the next.",
     "\"NextToken\": \"AbC\"", "\"NextToken\": \"\""},
    {"W0302", "an unknown end status", "It is read as unknown.", "DONE", "completed"},
    {"W0310", "gaps in a trace",
     "Some samples are more than 2.5 times the usual distance apart. What was on offer between "
     "is not known; the message says what is assumed.",
     "no sample from 02:00 to 07:00", "a trace without gaps, or knowing the assumption"},
    {"W0311", "rows given twice", "They say the same, so the repetitions are dropped.",
     "60,4 twice", "60,4 once"},
    {"W0316", "shares where percent are meant?",
     "No value is above 1, and some are fractions. They are read as percent of one GPU.", "0.97",
     "97"},
});

}  // namespace

std::span<const ErrorCode> trace_errors() {
  return trace_rows;
}

}  // namespace reeve::scenarios
