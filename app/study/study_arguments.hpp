// The arguments that commands which simulate have in common, and what they mean for a scenario.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/study/study.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

struct Command;

/// As typed.
struct StudyArguments {
  std::string file;
  std::vector<std::string> policies;  ///< empty: all
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> runs;
  std::optional<unsigned> threads;
  std::optional<std::string> out;
  std::optional<std::string> queue_every;
  std::optional<std::string> by;
  std::optional<std::string> timeline;
};

/// Adds FILE, -p, --seed, --runs, --threads.
void add_study_options(Command& command, StudyArguments& arguments);
/// Adds --seed, --runs, --threads.
void add_run_options(Command& command, StudyArguments& arguments);
void add_baseline_option(Command& command, std::string& baseline);
void add_seed_option(Command& command, StudyArguments& arguments);
/// Adds -o, --out.
void add_out_option(Command& command, StudyArguments& arguments);
/// Adds --by.
void add_group_option(Command& command, StudyArguments& arguments);
/// Adds --queue-every, beside the option that names the directory of results.
void add_queue_option(Command& command, StudyArguments& arguments);
/// Adds --timeline.
void add_timeline_option(Command& command, StudyArguments& arguments);
void add_threads_option(Command& command, std::optional<unsigned>& threads);

/// The scenario with seed and runs as requested; its warnings are shown on stderr.
/// Throws InputError, and UsageError for a directory.
scenarios::Scenario load_scenario(const StudyArguments& arguments, const Console& console);

/// What to run: the policies by name (throws UsageError with the nearest), runs, threads.
StudyPlan plan_study(const scenarios::Scenario& scenario, const StudyArguments& arguments);

/// As requested, else one per core.
unsigned threads_of(const StudyArguments& arguments);

/// Where one policy stands in the file; throws UsageError with the nearest name.
const scenarios::PolicySpec& policy_named(const scenarios::Scenario& scenario,
                                          const std::string& name);

/// The policy of a command that takes one: the one named, or the only one of the file.  Throws
/// UsageError if several are named, or if none is and the file has several.
const scenarios::PolicySpec& only_policy(const scenarios::Scenario& scenario,
                                         const std::vector<std::string>& named);

/// Shows warnings on stderr, in short unless -v requests more.
void show_warnings(const Console& console, const std::vector<scenarios::Diagnostic>& warnings);

}  // namespace reeve::app
