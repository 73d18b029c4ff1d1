#include "max_instances.hpp"

#include <cmath>

#include "compliance.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kMaxInstancesReason = "asks for more than a job may";

class MaxInstances final : public ComplianceRule {
 public:
  explicit MaxInstances(const Options& options)
      : ComplianceRule{options, kMaxInstancesReason},
        limit_{options.integer("limit")},
        hours_{options.number("instance_hours")} {}

 private:
  std::string defect(JobId job, const FleetView& fleet) const override {
    const JobDescription& description = fleet.description(job);
    const std::string size = std::to_string(description.instances) + " instances";
    if (description.instances > limit_) return size + ", not " + std::to_string(limit_);
    if (hours_ == 0) return {};
    // In whole microseconds: 3 times 6 minutes are 0.3 hours, which no sum of doubles is.
    const std::int64_t most = std::llround(hours_ * 3.6e9);
    using std::chrono::microseconds;
    const auto run = std::chrono::ceil<microseconds>(description.max_runtime).count();
    if (run <= most / std::int64_t{description.instances}) return {};
    return size + " for up to " + length_text(description.max_runtime) + ", not " +
           number_text(hours_) + " instance-hours";
  }

  std::int64_t limit_;
  double hours_;
};

std::unique_ptr<Policy> make_max_instances(const Options& options) {
  return std::make_unique<MaxInstances>(options);
}

}  // namespace

PolicyKind max_instances_kind() {
  return {
      .name = "max_instances",
      .summary = "stops or reports a job that starts with too many instances or instance-hours",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), compliance of instance counts",
      .options = with_compliance_options({
          {.name = "limit",
           .type = OptionType::integer,
           .unit = "instances",
           .default_json = "",
           .min = 1,
           .max = 4294967295.0,
           .choices = {},
           .help = "maximum number of instances of a job",
           .vary = Vary::up},
          {.name = "instance_hours",
           .type = OptionType::number,
           .unit = "instance-hours",
           .default_json = "0",
           .min = 0,
           .max = 1e9,
           .choices = {},
           .help = "maximum of instances x the job's max_runtime; 0: no limit",
           .vary = Vary::up},
      }),
      .verbs = ladder_verbs,
      .make = make_max_instances,
  };
}

}  // namespace reeve::policies
