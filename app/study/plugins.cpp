#include "app/study/plugins.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <filesystem>
#include <memory>
#include <reeve/policy/plugin.hpp>
#include <stdexcept>
#include <utility>

#include "app/study/shared_object.hpp"
#include "app/study/trial_call.hpp"
#include "host/policy_call.hpp"
#include "policies/registry.hpp"
#include "policies/weekly_options.hpp"
#include "scenarios/load/keys/rule_options.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::app {
namespace {

using policy::Plugin;
using policy::PolicyKind;

/// One rule of a plug-in, in the order of loading.
struct Loaded {
  const Plugin* plugin = nullptr;
  const PolicyKind* kind = nullptr;  ///< as the plug-in has it
};

/// During its lifetime the watchdog watches this thread, which is in code of a plug-in.
class PluginCall {
 public:
  explicit PluginCall(const std::string& name)
      : call_{host::WatchedName{std::string{plugin_call} + scenarios::in_quotes(name)}, held_} {}

 private:
  policy::HeldMemory held_;
  host::PolicyCall call_;
};

constexpr std::size_t rules_max = 64;
std::vector<Loaded>& loaded() {
  static std::vector<Loaded> all;
  return all;
}

/// What a rule of a plug-in throws, thrown again on this side.
class PluginPolicy final : public policy::Policy {
 public:
  PluginPolicy(const Plugin& plugin, policy::Policy* made) : plugin_{plugin}, made_{made} {}
  PluginPolicy(const PluginPolicy&) = delete;
  PluginPolicy& operator=(const PluginPolicy&) = delete;
  ~PluginPolicy() override { plugin_.destroy(made_); }

  void decide(const policy::Step& step, policy::Decisions& out) override {
    std::string problem;
    plugin_.decide(*made_, step, out, policy::metered, problem);
    if (!problem.empty()) throw std::runtime_error{problem};
  }

 private:
  const Plugin& plugin_;
  policy::Policy* made_;
};

/// Of a rule that could not be made: its seat is muted as soon as it is asked, the others go on.
class UnmadePolicy final : public policy::Policy {
 public:
  explicit UnmadePolicy(std::string problem) : problem_{std::move(problem)} {}
  void decide(const policy::Step&, policy::Decisions&) override {
    throw std::runtime_error{problem_};
  }

 private:
  std::string problem_;
};

/// A kind of rule names its functions by plain pointers, which cannot say whose they are: each
/// place in the list has its own.
template <std::size_t Nth>
std::unique_ptr<policy::Policy> make_nth(const policy::Options& options) {
  const Loaded& rule = loaded()[Nth];
  const PluginCall call{std::string{rule.kind->name}};
  std::string problem;
  policy::Policy* made = rule.plugin->make(*rule.kind, options, problem);
  if (made == nullptr) {
    return std::make_unique<UnmadePolicy>(problem.empty() ? "`make` returned nothing" : problem);
  }
  return std::make_unique<PluginPolicy>(*rule.plugin, made);
}

/// `call`: one of the exports that return a problem.
template <class Call>
policy::OptionProblem problem_of(const Loaded& rule, const Call& call) {
  const PluginCall watched{std::string{rule.kind->name}};
  std::string thrown;
  policy::OptionProblem found = call(thrown);
  if (thrown.empty()) return found;
  throw std::runtime_error{fmt::format("plug-in rule {}: {}", rule.kind->name, thrown)};
}

template <std::size_t Nth>
policy::OptionProblem check_nth(const policy::Options& options) {
  const Loaded& rule = loaded()[Nth];
  return problem_of(
      rule, [&](std::string& thrown) { return rule.plugin->check(*rule.kind, options, thrown); });
}

template <std::size_t Nth>
policy::OptionProblem idle_nth(const policy::Options& options, const policy::ScenarioFacts& facts) {
  const Loaded& rule = loaded()[Nth];
  return problem_of(rule, [&](std::string& thrown) {
    return rule.plugin->idle(*rule.kind, options, facts, thrown);
  });
}

struct Functions {
  decltype(PolicyKind::make) make;
  decltype(PolicyKind::check) check;
  decltype(PolicyKind::idle) idle;
};

template <std::size_t... Nth>
constexpr auto functions(std::index_sequence<Nth...>) {
  return std::array<Functions, sizeof...(Nth)>{{{make_nth<Nth>, check_nth<Nth>, idle_nth<Nth>}...}};
}
constexpr auto by_place = functions(std::make_index_sequence<rules_max>{});

[[noreturn]] void refuse_plugin(const std::string& path, std::string_view code, std::string message,
                                std::string help = {}) {
  scenarios::Diagnostic problem;
  problem.code = code;
  problem.message = std::move(message);
  problem.file = path;
  throw scenarios::InputError{std::move(problem).with_help(std::move(help))};
}

/// The function of that name.  A variable of that name is no function.
void* function_in(void* object, const char* name) {
  void* const address = dlsym(object, name);
  if (address == nullptr) return nullptr;
  Dl_info found{};
  void* more = nullptr;
  if (dladdr1(address, &found, &more, RTLD_DL_SYMENT) == 0 || more == nullptr) return nullptr;
  const auto type = ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(more)->st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC ? address : nullptr;
}

bool has_all_calls(const Plugin& plugin) {
  return plugin.kinds != nullptr && plugin.make != nullptr && plugin.decide != nullptr &&
         plugin.destroy != nullptr && plugin.check != nullptr && plugin.idle != nullptr;
}

void* open_object(const std::string& path) {
  // A name without a slash would be looked for elsewhere.
  const std::string file = std::filesystem::absolute(path).string();
  if (is_cut_off(file)) {
    refuse_plugin(path, "E0295", "cannot be loaded: its headers refer to bytes after its end",
                  "copy the whole file: this one is truncated");
  }
  void* const object = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    refuse_plugin(path, "E0295", fmt::format("cannot be loaded: {}", dlerror()),
                  "use a shared object built by reeve_policy_plugin() of the installed package");
  }
  return object;
}

using Entry = const Plugin* (*)();

/// All that loading calls in the plug-in, once.
void try_to_load(const std::string& path) {
  const auto entry = reinterpret_cast<Entry>(function_in(open_object(path), policy::plugin_entry));
  const Plugin* plugin = entry == nullptr ? nullptr : entry();
  if (plugin == nullptr || plugin->contract == nullptr || plugin->kinds == nullptr) return;
  if (std::string_view{plugin->contract} != policy::contract_text) return;
  std::string problem;
  plugin->kinds(problem);
}

const Plugin& open_plugin(const std::string& path) {
  scenarios::require_file(path);
  if (const std::string crash = crash_of([&] { try_to_load(path); }); !crash.empty()) {
    refuse_plugin(path, "E0295", fmt::format("cannot be loaded: it crashes ({})", crash),
                  "debug it, or use another version");
  }
  const auto entry = reinterpret_cast<Entry>(function_in(open_object(path), policy::plugin_entry));
  if (entry == nullptr) {
    refuse_plugin(path, "E0295",
                  fmt::format("has no function {}: it is not a plug-in", policy::plugin_entry),
                  "add REEVE_POLICY_PLUGIN(...) once, at global scope");
  }
  const Plugin* plugin = entry();
  if (plugin == nullptr || plugin->contract == nullptr ||
      std::string_view{plugin->contract} != policy::contract_text) {
    refuse_plugin(
        path, "E0296",
        fmt::format("was built for \"{}\", but this is \"{}\"",
                    plugin == nullptr || plugin->contract == nullptr ? "nothing" : plugin->contract,
                    policy::contract_text),
        "rebuild it with the package that was installed with this reeve");
  }
  if (!has_all_calls(*plugin)) {
    refuse_plugin(path, "E0295", "lacks functions that a plug-in must have",
                  "let REEVE_POLICY_PLUGIN(...) define reeve_policy_plugin");
  }
  return *plugin;
}

/// A rule as files may name it, with defaults that are of their types.
void check_kind(const std::string& path, const PolicyKind& kind) {
  if (kind.name.empty() || kind.make == nullptr) {
    refuse_plugin(path, "E0297", "has a rule without a name, or without `make`");
  }
  if (policies::find_kind(kind.name) != nullptr) {
    refuse_plugin(path, "E0297",
                  fmt::format("a rule named {} already exists", scenarios::in_quotes(kind.name)),
                  "use another name");
  }
  if (kind.keeps_hours && !policies::has_weekly_options(kind)) {
    refuse_plugin(path, "E0297",
                  fmt::format("rule {} keeps hours, but lacks the options of weekly hours",
                              scenarios::in_quotes(kind.name)),
                  "add `days`, `from`, `to` and `utc_offset_h` with their types");
  }
  const std::string problem = scenarios::problem_of_options(kind);
  if (!problem.empty()) {
    refuse_plugin(path, "E0297",
                  fmt::format("rule {}: {}", scenarios::in_quotes(kind.name), problem));
  }
}

}  // namespace

void load_plugins(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const PluginCall call{path};
    const Plugin& plugin = open_plugin(path);
    std::string problem;
    const auto kinds = plugin.kinds(problem);
    if (!problem.empty()) refuse_plugin(path, "E0297", "cannot list its rules: " + problem);
    for (const PolicyKind& kind : kinds) {
      check_kind(path, kind);
      if (loaded().size() == rules_max) refuse_plugin(path, "E0297", "more than 64 plug-in rules");
      const Functions& own = by_place[loaded().size()];
      loaded().push_back({&plugin, &kind});
      PolicyKind known = kind;
      known.make = own.make;
      known.check = own.check;
      known.idle = own.idle;
      known.is_plugin = true;
      known.doubt = nullptr;    // of scenarios as they are decoded here
      known.reaches = nullptr;  // likewise
      policies::add_kind(std::move(known));
    }
  }
}

std::span<const scenarios::ErrorCode> plugin_errors() {
  static constexpr std::array rows = std::to_array<scenarios::ErrorCode>({
      {"E0295", "a plug-in that cannot be loaded",
       "The file is not a shared object, lacks a dependency, or does not export "
       "reeve_policy_plugin.",
       "--plugin notes.txt",
       "--plugin build/my_rule.so, built as docs/how-to/write-a-plugin.md says"},
      {"E0296", "a plug-in built for another contract version",
       "A plug-in and reeve must share the headers of the contract, the pointer size and the "
       "standard library. Otherwise they misread the same data.",
       "a plug-in that was built against an older package", "the same plug-in, rebuilt"},
      {"E0297", "a plug-in with an invalid rule",
       "The rule has no name, the name of another rule, or a default that does not match its "
       "option's type.",
       ".name = \"resume\"", ".name = \"my_resume\""},
  });
  return rows;
}

}  // namespace reeve::app
