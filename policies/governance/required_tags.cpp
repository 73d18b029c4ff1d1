#include "required_tags.hpp"

#include <algorithm>
#include <regex>
#include <utility>

#include "compliance.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "a required tag is missing or has a value that is not allowed";

/// The whole value of a tag must match.  Without back references, so that matching takes time
/// proportional to text times pattern and no tag can stall the rule.
std::regex compiled(const std::string& pattern) {
  return std::regex{pattern, std::regex::ECMAScript | std::regex_constants::__polynomial};
}

class RequiredTags final : public ComplianceRule {
 public:
  explicit RequiredTags(const Options& options)
      : ComplianceRule{options, kReason},
        keys_{options.texts("keys")},
        allowed_{options.text_map("allowed")} {
    std::sort(allowed_.begin(), allowed_.end());
    for (const auto& [key, pattern] : options.text_map("matching")) {
      patterns_.emplace_back(key, compiled(pattern));
    }
  }

 private:
  bool complies(JobId job, const FleetView& fleet) const override {
    for (const std::string& key : keys_) {
      if (!fleet.tag(job, key)) return false;
    }
    for (const auto& [key, pattern] : patterns_) {
      const auto value = fleet.tag(job, key);
      if (value && !matches_any(key, *value)) return false;
    }
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
      const std::string& key = allowed_[i].first;
      if (i > 0 && allowed_[i - 1].first == key) continue;
      const auto value = fleet.tag(job, key);
      if (value && !allows(key, *value)) return false;
    }
    return true;
  }

  bool allows(std::string_view key, std::string_view value) const {
    return std::any_of(allowed_.begin(), allowed_.end(),
                       [&](const Tag& tag) { return tag.first == key && tag.second == value; });
  }

  bool matches_any(std::string_view key, std::string_view value) const {
    return std::any_of(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
      return pattern.first == key && std::regex_match(value.begin(), value.end(), pattern.second);
    });
  }

  std::vector<std::string> keys_;
  std::vector<Tag> allowed_;  ///< sorted
  std::vector<std::pair<std::string, std::regex>> patterns_;
};

OptionProblem check(const Options& options) {
  for (const auto& [key, pattern] : options.text_map("matching")) {
    try {
      compiled(pattern);
    } catch (const std::regex_error&) {
      return {.option = "matching",
              .message = "\"" + pattern + "\" is not a regular expression",
              .help = "ECMAScript's, without back references; the whole value must match"};
    }
  }
  const bool restricts =
      !options.text_map("allowed").empty() || !options.text_map("matching").empty();
  if (options.texts("keys").empty() && !restricts) {
    return {.option = "keys",
            .message = "no tag is required and no value is restricted: the rule can never act",
            .help = R"(name at least one key, as in "keys": ["model_name"])"};
  }
  return {};
}

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<RequiredTags>(options);
}

}  // namespace

PolicyKind required_tags_kind() {
  return {
      .name = "required_tags",
      .summary = "stops (or reports) a job that starts without the tags it must carry",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), tag compliance at the start of a job",
      .options = with_compliance_options({
          {.name = "keys",
           .type = OptionType::texts,
           .unit = "",
           .default_json = "",
           .choices = {},
           .help = "tag keys every job must carry"},
          {.name = "allowed",
           .type = OptionType::text_map,
           .unit = "",
           .default_json = "{}",
           .choices = {},
           .help = "for a key, the values it may have; other keys may have any value"},
          {.name = "matching",
           .type = OptionType::text_map,
           .unit = "",
           .default_json = "{}",
           .choices = {},
           .help = "for a key, regular expressions (ECMAScript) of which one must match its value"},
      }),
      .schedules = false,
      .check = check,
      .make = make,
  };
}

}  // namespace reeve::policies
