#include "allowed_types.hpp"

#include <algorithm>

#include "compliance.hpp"
#include "glob.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kAllowedTypesReason = "runs on an instance type that is not allowed";

class AllowedTypes final : public ComplianceRule {
 public:
  explicit AllowedTypes(const Options& options)
      : ComplianceRule{options, kAllowedTypesReason},
        allow_{options.texts("allow")},
        deny_{options.texts("deny")} {}

 private:
  std::string defect(JobId job, const FleetView& fleet) const override {
    const std::string& type = fleet.directory().types[fleet.description(job).type.index].name;
    const auto names = [&type](const std::string& glob) { return matches_glob(glob, type); };
    const bool allowed = std::any_of(allow_.begin(), allow_.end(), names) &&
                         std::none_of(deny_.begin(), deny_.end(), names);
    return allowed ? std::string{} : "its type is " + type;
  }

  std::vector<std::string> allow_;
  std::vector<std::string> deny_;
};

OptionProblem check_allowed_types(const Options& options) {
  for (const std::string_view option : {"allow", "deny"}) {
    const std::vector<std::string>& globs = options.texts(option);
    const auto nothing = std::find(globs.begin(), globs.end(), "");
    if (nothing == globs.end()) continue;
    return {.option = option,
            .message = "must not contain an empty type name",
            .help = R"(as in "allow": ["ml.g5*"])",
            .element = static_cast<std::size_t>(nothing - globs.begin())};
  }
  const std::vector<std::string>& allow = options.texts("allow");
  const auto any = [](const std::string& glob) {
    return glob.find_first_not_of('*') == std::string::npos;
  };
  if (allow.empty()) {
    return {.option = "allow",
            .message = "is empty: every job would be stopped",
            .help = R"(as in "allow": ["ml.g5*"])"};
  }
  if (options.texts("deny").empty() && std::any_of(allow.begin(), allow.end(), any)) {
    return {.option = "allow",
            .message = "every type is allowed and none denied: the rule can never act",
            .help = R"(as in "allow": ["ml.g5*"], or with "deny": ["ml.p5*"])"};
  }
  return {};
}

OptionProblem doubt_allowed_types(const Options& options, const Directory& directory) {
  for (const std::string_view option : {"allow", "deny"}) {
    const std::vector<std::string>& globs = options.texts(option);
    const auto set = std::find_if(globs.begin(), globs.end(), [](const std::string& glob) {
      return glob.find_first_of("[]{}") != std::string::npos;
    });
    if (set == globs.end()) continue;
    return {.option = option,
            .message = "no instance type matches: only * and ? are wildcards",
            .help = "write one entry for each type",
            .element = static_cast<std::size_t>(set - globs.begin())};
  }
  const std::vector<std::string>& allow = options.texts("allow");
  const std::vector<std::string>& deny = options.texts("deny");
  const auto allows = [&](const PoolFacts& pool) {
    const std::string& type = directory.types[pool.type.index].name;
    return std::any_of(allow.begin(), allow.end(),
                       [&](const std::string& glob) { return matches_glob(glob, type); });
  };
  const auto denies = [&](const PoolFacts& pool) {
    const std::string& type = directory.types[pool.type.index].name;
    return std::any_of(deny.begin(), deny.end(),
                       [&](const std::string& glob) { return matches_glob(glob, type); });
  };
  const auto lets_run = [&](const PoolFacts& pool) { return allows(pool) && !denies(pool); };
  if (std::any_of(directory.pools.begin(), directory.pools.end(), lets_run)) return {};
  if (std::any_of(directory.pools.begin(), directory.pools.end(), allows)) {
    return {.option = "deny",
            .message = "all allowed types of the fleets are denied: every job would be stopped",
            .help = "deny fewer types",
            .against = "allow"};
  }
  return {
      .option = "allow",
      .message = "no fleet has an allowed type: every job would be stopped",
      .help = "the first fleet has " + directory.types[directory.pools.front().type.index].name};
}

std::unique_ptr<Policy> make_allowed_types(const Options& options) {
  return std::make_unique<AllowedTypes>(options);
}

}  // namespace

PolicyKind allowed_types_kind() {
  return {
      .name = "allowed_types",
      .summary = "stops or reports a job that starts on an instance type that is not allowed",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), compliance of instance types",
      .options = with_compliance_options({
          {.name = "allow",
           .type = OptionType::texts,
           .unit = "",
           .default_json = "",
           .choices = {},
           .help = "allowed instance types; * matches any text, ? one character"},
          {.name = "deny",
           .type = OptionType::texts,
           .unit = "",
           .default_json = "[]",
           .choices = {},
           .help = "instance types that are not allowed even if `allow` matches them"},
      }),
      .check = check_allowed_types,
      .doubt = doubt_allowed_types,
      .verbs = ladder_verbs,
      .make = make_allowed_types,
  };
}

}  // namespace reeve::policies
