#include "schedule.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "desk.hpp"
#include "quota_shares.hpp"
#include "static_order.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// `override.sharing` in the order of Sharing, after "as_stated".
std::optional<Sharing> sharing_instead(const std::string& name) {
  for (std::size_t place = 0; place < sharing_names.size(); ++place) {
    if (sharing_names[place] == name) return static_cast<Sharing>(place);
  }
  return std::nullopt;
}

std::unique_ptr<Algorithm> shares_of(const Options& options) {
  QuotaModel model;
  model.victims = VictimOrder::of(options.text("victims")).value();
  model.blocked_borrower_blocks = options.text("blocked_borrower") == "blocks_others";
  model.surplus_at_once = options.text("lowered_quota") == "at_once";
  model.in_share_preemption = options.flag("override.in_share_preemption");
  model.sharing = sharing_instead(options.text("override.sharing"));
  return quota_shares(std::move(model));
}

OptionProblem check(const Options& options) {
  if (VictimOrder::of(options.text("victims"))) return {};
  return {.option = "victims",
          .message = "is no order of victims: a name in it is not known, or is there twice",
          .help =
              "names with commas between them: borrowed (only as the first), lowest_priority, "
              "latest_start, earliest_start, fewest_instances, most_instances"};
}

std::unique_ptr<Policy> make(const Options& options) {
  if (options.text("algorithm") == "quota") {
    return std::make_unique<Desk>(options.duration("retry_after"), shares_of(options));
  }
  const bool strict = options.text("backfill") == "none";
  const bool shortest = options.text("algorithm") == "sjf";
  return std::make_unique<Desk>(options.duration("retry_after"),
                                shortest ? shortest_job_first(strict) : first_in_first_out(strict));
}

std::vector<OptionSpec> order_options() {
  return {
      {.name = "algorithm",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fifo")",
       .choices = {"fifo", "sjf", "quota"},
       .help = "order of the queue: fifo by submission, sjf by the expected run time, quota "
               "by shares that lend, borrow and take back"},
      {.name = "backfill",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("none")",
       .choices = {"none", "any_fit"},
       .help = "none: the first in line blocks its pool; any_fit: any job that fits starts"},
      {.name = "retry_after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("1m")",
       .min = 1,
       .choices = {},
       .help = "wait before a refused start is asked for again; doubles to an hour"},
  };
}

std::vector<OptionSpec> quota_options() {
  return {
      {.name = "idle_assignment",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fifo")",
       .choices = {"fifo"},
       .help = "quota: who borrows idle capacity first: fifo by submission"},
      {.name = "victims",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("borrowed,lowest_priority,latest_start")",
       .choices = {},
       .help = "quota: who is preempted first, by keys with commas between them"},
      {.name = "blocked_borrower",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("waits_alone")",
       .choices = {"waits_alone", "blocks_others"},
       .help = "quota: whether a borrower that does not fit keeps later ones from "
               "borrowing"},
      {.name = "lowered_quota",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("at_once")",
       .choices = {"at_once", "when_wanted"},
       .help = "quota: when what a lowered quota leaves without cover is preempted"},
      {.name = "override.sharing",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("as_stated")",
       .choices = {"as_stated", "reserve", "lend", "lend_and_borrow"},
       .help = "quota: how all shares share, whatever they say"},
      {.name = "override.in_share_preemption",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "quota: false: in no share is anybody preempted for a higher priority"},
  };
}

std::vector<OptionSpec> all_options() {
  std::vector<OptionSpec> all = order_options();
  for (OptionSpec& option : quota_options()) all.push_back(std::move(option));
  return all;
}

}  // namespace

PolicyKind schedule_kind() {
  return {
      .name = "schedule",
      .summary = "starts queued jobs when their turn comes and machines are free",
      .source =
          "Harchol-Balter, Performance Modeling and Design of Computer Systems (2013), FCFS and "
          "SJF; AWS Batch User Guide, job queues without a scheduling policy (FIFO), quota shares",
      .options = all_options(),
      .schedules = true,
      .check = check,
      .make = make,
  };
}

}  // namespace reeve::policies
