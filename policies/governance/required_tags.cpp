#include "required_tags.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "compliance.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kRequiredTagsReason =
    "a required tag is missing or has a value that is not allowed";

class RequiredTags final : public ComplianceRule {
 public:
  explicit RequiredTags(const Options& options)
      : ComplianceRule{options, kRequiredTagsReason},
        keys_{options.texts("keys")},
        allowed_{options.text_map("allowed")},
        patterns_{options.pattern_map("matching")} {
    std::sort(allowed_.begin(), allowed_.end());
  }

 private:
  std::string defect(JobId job, const FleetView& fleet) const override {
    for (const std::string& key : keys_) {
      if (!fleet.tag(job, key)) return "no tag " + key;
    }
    for (const auto& [key, pattern] : patterns_) {
      const auto value = fleet.tag(job, key);
      if (value && !matches_any(key, *value)) return wrong(key, *value);
    }
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
      const std::string& key = allowed_[i].first;
      if (i > 0 && allowed_[i - 1].first == key) continue;
      const auto value = fleet.tag(job, key);
      if (value && !allows(key, *value)) return wrong(key, *value);
    }
    return {};
  }

  static std::string wrong(const std::string& key, std::string_view value) {
    return "tag " + key + " is " + (value.empty() ? "empty" : std::string{value});
  }

  bool allows(std::string_view key, std::string_view value) const {
    return std::any_of(allowed_.begin(), allowed_.end(),
                       [&](const Tag& tag) { return tag.first == key && tag.second == value; });
  }

  bool matches_any(std::string_view key, std::string_view value) const {
    return std::any_of(patterns_.begin(), patterns_.end(), [&](const KeyPattern& pattern) {
      return pattern.first == key && pattern.second.matches(value);
    });
  }

  std::vector<std::string> keys_;
  std::vector<Tag> allowed_;  ///< sorted
  std::vector<KeyPattern> patterns_;
};

OptionProblem check_required_tags(const Options& options) {
  const bool restricts =
      !options.text_map("allowed").empty() || !options.pattern_map("matching").empty();
  if (options.texts("keys").empty() && !restricts) {
    return {.option = "keys",
            .message = "no tag is required and no value is restricted: the rule can never act",
            .help = R"(name at least one key, as in "keys": ["model_name"])"};
  }
  const std::vector<std::string>& keys = options.texts("keys");
  const auto nothing = std::find(keys.begin(), keys.end(), "");
  if (nothing != keys.end()) {
    return {.option = "keys",
            .message = "must not contain an empty tag key",
            .help = R"(as in "keys": ["model_name"])",
            .element = static_cast<std::size_t>(nothing - keys.begin())};
  }
  return {};
}

std::unique_ptr<Policy> make_required_tags(const Options& options) {
  return std::make_unique<RequiredTags>(options);
}

}  // namespace

PolicyKind required_tags_kind() {
  return {
      .name = "required_tags",
      .summary = "stops or reports a job that starts without its required tags",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), tag compliance at the start of a job",
      .options = with_compliance_options({
          {.name = "keys",
           .type = OptionType::texts,
           .unit = "",
           .default_json = "",
           .choices = {},
           .help = "tag keys that each job must have"},
          {.name = "allowed",
           .type = OptionType::text_map,
           .unit = "",
           .default_json = "{}",
           .choices = {},
           .help = "allowed values per tag key; other keys may have any value"},
          {.name = "matching",
           .type = OptionType::pattern_map,
           .unit = "",
           .default_json = "{}",
           .choices = {},
           .help = "regular expressions per tag key; one must match the whole value"},
      }),
      .schedules = false,
      .check = check_required_tags,
      .verbs = ladder_verbs,
      .make = make_required_tags,
  };
}

}  // namespace reeve::policies
