#include "schedule.hpp"

#include <memory>

#include "desk.hpp"
#include "static_order.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

std::unique_ptr<Policy> make(const Options& options) {
  const bool strict = options.text("backfill") == "none";
  const bool shortest = options.text("algorithm") == "sjf";
  return std::make_unique<Desk>(options.duration("retry_after"),
                                shortest ? shortest_job_first(strict) : first_in_first_out(strict));
}

}  // namespace

PolicyKind schedule_kind() {
  return {
      .name = "schedule",
      .summary = "starts queued jobs when their turn comes and machines are free",
      .source =
          "Harchol-Balter, Performance Modeling and Design of Computer Systems (2013), FCFS and "
          "SJF; AWS Batch User Guide, job queues without a scheduling policy (FIFO)",
      .options =
          {
              {.name = "algorithm",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("fifo")",
               .choices = {"fifo", "sjf"},
               .help = "order of the queue: fifo by submission, sjf by the expected run time"},
              {.name = "backfill",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("none")",
               .choices = {"none", "any_fit"},
               .help =
                   "none: the first in line blocks its pool; any_fit: any job that fits starts"},
              {.name = "retry_after",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("1m")",
               .min = 1,
               .choices = {},
               .help = "wait before a refused start is asked for again; doubles to an hour"},
          },
      .schedules = true,
      .check = nullptr,
      .make = make,
  };
}

}  // namespace reeve::policies
