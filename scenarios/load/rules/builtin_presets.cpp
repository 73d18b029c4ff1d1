#include "scenarios/load/rules/builtin_presets.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

/// D3 ... D17 are defects of the articles' code by the numbers of docs/how-to/article-code.md.
constexpr std::string_view naive = R"({
  "required_tags": { "keys": ["username", "model_name", "training_phase", "description"] },
  "stalled_gpu": {
    "period": "5m", "datapoints": [3, 3], "threshold": 1,
    "compare": "<=",                                    // D3: the text says "below"
    "scale": "sum",                                     // D4: of all GPUs of an instance
    "hosts": ["algo-1"],                                // D5: the other hosts have no alarm
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
    "max_resumes": -1,                                  // D14: for ever
    "handler": "not_idempotent"                         // D15: each copy of an event is acted on
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

struct Preset {
  std::string_view name;
  std::string_view summary;
  Document document;
};

const std::array<Preset, 2>& presets() {
  const auto parsed = [](std::string_view name, std::string_view summary, std::string_view text) {
    return Preset{name, summary,
                  Document::parse(SourceFile::from_text(file_of_preset(name), std::string{text}))};
  };
  static const std::array<Preset, 2> all{
      parsed("blog-naive",
             "the handlers of two articles, fixed so that they run, with their other defects",
             naive),
      parsed("blog-as-printed",
             "the handlers of two articles as printed, with errors that keep them from running",
             as_printed)};
  return all;
}

}  // namespace

std::vector<std::string_view> builtin_presets() {
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  return names;
}

std::string_view summary_of_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset.summary;
  }
  return {};
}

std::string file_of_preset(std::string_view name) {
  return fmt::format("the built-in preset \"{}\"", name);
}

std::vector<Node> rules_of_preset(std::string_view name) {
  std::vector<Node> rules;
  for (const Preset& preset : presets()) {
    if (preset.name != name) continue;
    for (const Node rule : preset.document.root().as_object()) rules.push_back(rule);
  }
  return rules;
}

std::optional<Node> builtin_preset(std::string_view name, std::string_view rule) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset.document.root().find(rule);
  }
  return std::nullopt;
}

void tell_at_use(const OptionPlaces& places, const std::optional<std::string>& use,
                 std::size_t first, Findings& findings) {
  if (!use) return;
  if (const auto node = places.seat.find("use")) {
    findings.move_to(*node, file_of_preset(*use), first);
  }
}

}  // namespace reeve::scenarios
