#include "scenarios/builtin_presets.hpp"

#include <array>
#include <string>
#include <utility>

namespace reeve::scenarios {
namespace {

/// D3 ... D17 are defects of the articles' code by the numbers of docs/blog-naive.md.
constexpr std::string_view naive = R"({
  "required_tags": { "keys": ["username", "model_name", "training_phase", "description"] },
  "stalled_gpu": {
    "period": "5m", "datapoints": [3, 3], "threshold": 1,
    "compare": "<=",                                    // D3: the text says "below"
    "scale": "sum",                                     // D4: of all GPUs of an instance
    "hosts": ["algo-1"],                                // D5: nobody looks at the others
    "missing": "notBreaching",                          // D6: lost metrics look healthy
    "disarm_on": ["Completed", "Failed", "Stopped"],    // D7: two ends leave the alarm behind
    "action": { "stop": true, "found_by": "alarm_name" } // D8: names with GPUUtil are not found
  },
  "resume": {
    "when": ["failed"],                                 // D16: no stop; D17: no time-out
    "min_runtime": "2h",
    "measure": "seconds_field",                         // D9: whole days are left out
    "since": "creation",                                // D10: the queue counts as run time
    "loses": ["CheckpointConfig", "Environment", "RetryStrategy", "ExperimentConfig",
              "DebugHookConfig", "ProfilerConfig"],     // D12: what is not copied
    "naming": "appended",                               // D13: too long after a few clones
    "max_resumes": -1                                   // D14: for ever
  },
  "spot_fallback": {
    "interruptions_above": 3,
    "clone_keeps_checkpoint": false                     // D12
  },
  "relaunch": {}
})";

constexpr std::string_view as_printed = R"({
  "required_tags": { "keys": ["username", "model_name", "training_phase", "description"] },
  "stalled_gpu": { "handler": "actions_not_a_list" },   // D1, and behind it D2
  "resume": { "handler": "syntax_error" },              // D18, and behind it D11
  "spot_fallback": { "interruptions_above": 3, "clone_keeps_checkpoint": false },  // D12
  "relaunch": { "handler": "list_of_nothing" }          // D21
})";

constexpr std::array<std::pair<std::string_view, std::string_view>, 2> presets{
    {{"blog-naive", naive}, {"blog-as-printed", as_printed}}};

}  // namespace

std::vector<std::string_view> builtin_presets() {
  std::vector<std::string_view> names;
  for (const auto& [name, text] : presets) names.push_back(name);
  return names;
}

std::optional<Node> builtin_preset(std::string_view name, std::string_view rule) {
  static const std::array documents{
      Document::parse(SourceFile::from_text("blog-naive", std::string{naive})),
      Document::parse(SourceFile::from_text("blog-as-printed", std::string{as_printed}))};
  for (std::size_t i = 0; i < presets.size(); ++i) {
    if (presets[i].first == name) return documents[i].root().find(rule);
  }
  return std::nullopt;
}

std::string_view builtin_preset_text(std::string_view name) {
  for (const auto& [known, text] : presets) {
    if (known == name) return text;
  }
  return {};
}

}  // namespace reeve::scenarios
