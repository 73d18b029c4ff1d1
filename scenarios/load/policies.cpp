// Policies: each rule with its options, from its own keys and the preset it uses.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "policies/registry.hpp"
#include "scenarios/load/builtin_presets.hpp"
#include "scenarios/load/condition.hpp"
#include "scenarios/load/loading.hpp"
#include "scenarios/load/rule_options.hpp"
#include "scenarios/load/seat_needs.hpp"
#include "scenarios/load/share_reach.hpp"
#include "scenarios/load/standing.hpp"

namespace reeve::scenarios {
namespace {

using policy::OptionSpec;
using policy::PolicyKind;

class Policies {
 public:
  explicit Policies(Loading& loading) : loading_{loading} {}

  void load() {
    for (const auto& [name, seats] : loading_.input.policies) load_policy(name, seats);
    const bool none = !loading_.input.written->find("policies");
    if (none) {
      loading_.scenario.policies.push_back({"none", {}});
      loading_.written_policies.emplace_back();
    }
    if (none && has_ticks(loading_.world())) {
      check_tick_policy(loading_, loading_.scenario.policies.back(), *loading_.input.written);
    }
    for (const auto& [name, preset] : loading_.input.presets) {
      check_own_name(name, *preset.written);
      if (used_.contains(name) || loading_.findings.errors() > 0) continue;
      loading_.findings.add(at_key(*preset.written, "W0401",
                                   fmt::format("no rule uses the preset {}", in_quotes(name)),
                                   "never used", Severity::warning));
    }
  }

 private:
  /// A preset of the file wins over the built-in one of its name, for each kind of rule.
  void check_own_name(const std::string& name, const Node& written) {
    if (summary_of_preset(name).empty()) return;
    loading_.findings.add(
        at_key(written, "W0407",
               fmt::format("your preset hides the built-in preset {}", in_quotes(name)),
               "every \"use\" of this name means this preset", Severity::warning)
            .with_help("use another name, unless this is intended"));
  }

  void load_policy(const std::string& name, const std::vector<SeatInput>& seats) {
    PolicySpec policy;
    policy.name = name;
    const Node written = *loading_.input.written->find("policies")->find(name);
    if (name != "*") {
      check_file_name(name, "the name of a policy", written, loading_.findings);
    } else {
      loading_.findings.add(at_key(written, "E0229",
                                   fmt::format("{} is not a valid policy name", in_quotes(name)),
                                   "\"*\" stands for every policy in `expect`"));
    }
    loading_.written_policies.emplace_back();
    for (const SeatInput& seat : seats) {
      const std::size_t first = loading_.findings.count();
      load_seat(policy, seat);
      tell_at_use({*seat.written, seat.options, {}}, seat.use, first, loading_.findings);
    }
    check_references(policy, seats);
    check_moves(policy, seats);
    for (const SeatInput& seat : seats) check_condition(seat, seats);
    if (has_ticks(loading_.world())) check_tick_policy(loading_, policy, written);
    loading_.written_policies.back().whole = policy.seats.size() == seats.size();
    loading_.scenario.policies.push_back(std::move(policy));
  }

  void load_seat(PolicySpec& policy, const SeatInput& input) {
    const PolicyKind* kind = policies::find_kind(input.rule);
    if (kind == nullptr) return;
    const OptionPlaces places{*input.written, input.options, preset_of(input)};
    const auto options = read_options(*kind, places, loading_.findings);
    SeatSpec seat;
    seat.label = input.name.value_or(input.rule);
    seat.kind = kind;
    seat.priority = input.priority;
    seat.mode = input.mode;
    seat.scope = scope_of(seat, input);
    check_place_in(policy, seat, input);
    if (!options) return;
    seat.options = *options;
    report_doubt(*kind, *options, loading_.world().directory, places, loading_.findings);
    check_tick_rule(loading_, seat, places);
    check_alarm(seat, places);
    check_shadow(seat, places);
    check_fleets(seat, places);
    if (check_reach(seat, places)) {
      check_room(seat, places);
      check_fallback(seat, places);
    }
    check_alternatives(seat, places);
    check_relaunch(seat, places);
    check_saves(seat, places);
    check_limit(seat, places);
    check_signal(seat, places);
    check_hosts(seat, places);
    check_tag_key(seat, places);
    check_clone(seat, places);
    policy.seats.push_back(std::move(seat));
    loading_.written_policies.back().seats.push_back({places, input.use});
  }

  std::optional<Node> preset_of(const SeatInput& input) {
    if (!input.use) return std::nullopt;
    std::vector<std::string_view> names;
    for (const auto& [name, preset] : loading_.input.presets) {
      names.push_back(name);
      if (name != *input.use) continue;
      used_.insert(name);
      return preset.written;
    }
    if (const auto builtin = builtin_preset(*input.use, input.rule)) return builtin;
    for (const std::string_view name : builtin_presets()) {
      names.push_back(name);
      if (name != *input.use) continue;
      loading_.error(*input.written->find("use"), "E0214",
                     fmt::format("preset {} has no options for {}", in_quotes(name), input.rule),
                     "the articles do not contain this rule");
      return std::nullopt;
    }
    loading_.error(*input.written->find("use"), "E0214",
                   fmt::format("unknown preset {}", in_quotes(*input.use)), "not one of `rules`",
                   did_you_mean(*input.use, names));
    return std::nullopt;
  }

  host::Scope scope_of(const SeatSpec& seat, const SeatInput& input) {
    const auto written = input.written->find("scope");
    if (!written || !written->is_object()) return {};
    // `alternatives` must know who else holds, or was sent for, the machines that it sees.
    const bool lists = has_option(*seat.kind, "fleets") && has_option(*seat.kind, "after");
    if (seat.kind->schedules || seat.kind->places || seat.kind->moves || lists) {
      loading_.error(*written, "E0249",
                     fmt::format("{} applies to all jobs: it has no scope", in_quotes(seat.label)),
                     "it must see all pending jobs and all allocations");
      return {};
    }
    std::vector<host::TagPattern> tags;
    std::vector<policy::PoolId> fleets;
    const auto tag_list = written->find("tags");
    for (std::size_t i = 0; i < input.scope.tags.size() && i < tag_list->size(); ++i) {
      tags.push_back(tag_pattern(loading_, input.scope.tags[i], (*tag_list)[i]));
    }
    const auto fleet_list = written->find("fleets");
    for (std::size_t i = 0; i < input.scope.fleets.size() && i < fleet_list->size(); ++i) {
      const auto fleet = fleet_named(loading_, input.scope.fleets[i], (*fleet_list)[i]);
      if (fleet) fleets.push_back(*fleet);
    }
    return {std::move(tags), std::move(fleets)};
  }

  static bool enforced(const SeatSpec& seat) { return seat.mode == host::Mode::enforce; }

  void check_place_in(const PolicySpec& policy, const SeatSpec& seat, const SeatInput& input) {
    for (const SeatSpec& other : policy.seats) {
      const bool both_on = other.mode != host::Mode::off && seat.mode != host::Mode::off;
      if (other.kind->schedules && seat.kind->schedules && both_on) {
        loading_.error(*input.written->find("rule"), "E0215",
                       fmt::format("policy {} has a second scheduler", in_quotes(policy.name)),
                       "only one rule can order the queue");
      } else if (other.kind->moves && seat.kind->moves && enforced(other) && enforced(seat)) {
        loading_.error(
            *input.written->find("rule"), "E0215",
            fmt::format("policy {} has a second rule that moves jobs", in_quotes(policy.name)),
            "only one rule can choose where they run");
      } else if (other.label == seat.label) {
        loading_.error(input.written->find("name").value_or(*input.written->find("rule")), "E0216",
                       fmt::format("policy {} has a second rule with the name {}",
                                   in_quotes(policy.name), in_quotes(seat.label)),
                       "rule names must be unique in a policy",
                       fmt::format("add \"name\": \"{}-2\"", seat.label));
      }
    }
  }

  /// `stopped_by:RULE` must name a rule of the same policy.
  void check_references(const PolicySpec& policy, const std::vector<SeatInput>& seats) {
    static constexpr std::string_view prefix = "stopped_by:";
    for (const SeatInput& input : seats) {
      const OptionPlaces places{*input.written, input.options,
                                input.use ? preset_of(input) : std::nullopt};
      const auto when = places.find(input.rule == "notify" ? "events" : "when");
      if (!when || !when->is_array()) continue;
      for (const Node end : when->as_array()) {
        if (!end.is_text() || !end.as_text().starts_with(prefix)) continue;
        const std::string_view rule = end.as_text().substr(prefix.size());
        std::vector<std::string_view> names;
        for (const SeatInput& other : seats) {
          names.push_back(other.rule);
          if (other.name) names.push_back(*other.name);
        }
        if (std::find(names.begin(), names.end(), rule) != names.end()) continue;
        loading_.warning(
            end, "W0408",
            fmt::format("policy {} has no rule {}", in_quotes(policy.name), in_quotes(rule)),
            "this end never occurs", suggestion(rule, names));
      }
    }
  }

  /// A share that may have nothing of a fleet to which another rule sends its jobs.
  void check_moves(const PolicySpec& policy, const std::vector<SeatInput>& seats) {
    if (policy.seats.size() != seats.size()) return;  // one is not understood
    for (std::size_t i = 0; i < seats.size(); ++i) {
      const SeatSpec& mover = policy.seats[i];
      if (mover.kind->name != "alternatives" || mover.mode == host::Mode::off) continue;
      const OptionPlaces places{*seats[i].written, seats[i].options, preset_of(seats[i])};
      for (const SeatSpec& scheduler : policy.seats) check_move(mover, scheduler, places);
    }
  }

  void check_move(const SeatSpec& mover, const SeatSpec& scheduler, const OptionPlaces& places) {
    const policy::Directory& directory = loading_.world().directory;
    for (const std::string& fleet : mover.options.texts("fleets")) {
      const auto pool = directory.pool_named(fleet);
      for (std::uint32_t share = 0; pool && share < directory.shares.size(); ++share) {
        const auto most =
            reach(loading_.world(), scheduler, {.share = policy::ShareId{share}}, *pool);
        if (!most || *most > 0) continue;
        loading_.warning(places.find("fleets").value_or(places.seat), "W0544",
                         fmt::format("share {} can have no instances of fleet {}",
                                     in_quotes(directory.shares[share].name), in_quotes(fleet)),
                         "its jobs never start after a move there",
                         "add a quota of that fleet, or use another fleet");
      }
    }
  }

  /// What a condition compares with a name must be there to be found.
  void check_condition(const SeatInput& input, const std::vector<SeatInput>& seats) {
    const PolicyKind* kind = policies::find_kind(input.rule);
    if (kind == nullptr || loading_.findings.errors() > 0) return;
    const OptionPlaces places{*input.written, input.options, preset_of(input)};
    for (const OptionSpec& spec : kind->options) {
      const auto when = places.find(spec.name);
      if (spec.type != policy::OptionType::condition || !when) continue;
      for (const Node test : tests_in(*when)) check_names(test, input, seats);
    }
  }

  void check_names(const Node& test, const SeatInput& input, const std::vector<SeatInput>& seats) {
    const auto field = policy::condition_field_named(test.find("field")->as_text());
    const auto value = test.find("value");
    if (!field || !value || test.find("op")->as_text() == "matches") return;
    std::vector<std::string_view> names;
    std::vector<std::string_view> others;  // what a rule itself stops it is not told of as meant
    std::string_view none;
    const auto add = [&](const SeatInput& seat, std::string_view name) {
      names.push_back(name);
      if (&seat != &input) others.push_back(name);
    };
    if (*field == policy::ConditionField::stopped_by_name) {
      for (const SeatInput& seat : seats) add(seat, seat.name ? *seat.name : seat.rule);
      none = "no rule of this policy has this name";
    } else if (*field == policy::ConditionField::stopped_by) {
      for (const SeatInput& seat : seats) add(seat, seat.rule);
      none = "no rule of this policy has this kind";
    } else if (*field == policy::ConditionField::fleet) {
      for (const policy::PoolFacts& pool : pools()) names.push_back(pool.name);
      none = "no fleet of this name";
    } else if (*field == policy::ConditionField::instance_type) {
      for (const policy::PoolFacts& pool : pools()) {
        names.push_back(loading_.world().directory.types[pool.type.index].name);
      }
      none = "no fleet has instances of this type";
    } else {
      return;
    }
    const bool of_rules = none.find("rule") != std::string_view::npos;
    const auto check = [&](const Node& name) {
      if (std::find(names.begin(), names.end(), name.as_text()) != names.end()) return;
      loading_.warning(name, "W0530", fmt::format("{} matches nothing", in_quotes(name.as_text())),
                       std::string{none}, did_you_mean(name.as_text(), of_rules ? others : names));
    };
    if (value->is_text()) return check(*value);
    for (const Node one : value->as_array()) check(one);
  }

  const std::vector<policy::PoolFacts>& pools() const { return loading_.world().directory.pools; }

  static std::string suggestion(std::string_view rule, std::span<const std::string_view> names) {
    if (const auto meant = nearest_of(rule, names)) {
      return fmt::format("did you mean \"stopped_by:{}\"?", *meant);
    }
    std::vector<std::string_view> kinds;
    for (const policy::PolicyKind& kind : policies::kinds()) kinds.push_back(kind.name);
    const auto kind = nearest_of(rule, kinds);
    return kind ? fmt::format("the rule {} exists, but this policy does not use it",
                              in_quotes(*kind))
                : std::string{};
  }

  /// Fleets that a rule moves attempts to must be some of the file.
  void check_fleets(const SeatSpec& seat, const OptionPlaces& places) {
    if (has_option(*seat.kind, "override.fleet")) {
      const std::string& fleet = seat.options.text("override.fleet");
      if (!fleet.empty())
        check_fleet(seat, fleet, places.find("override.fleet").value_or(places.seat));
    }
    if (!has_option(*seat.kind, "fleets")) return;
    const std::vector<std::string>& fleets = seat.options.texts("fleets");
    const auto written = places.find("fleets");
    std::vector<Node> elements;
    if (written && written->is_array()) {
      for (const Node element : written->as_array()) elements.push_back(element);
    }
    for (std::size_t i = 0; i < fleets.size(); ++i) {
      const auto here = fleets.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::find(fleets.begin(), here, fleets[i]) != here) continue;  // told already
      check_fleet(seat, fleets[i], i < elements.size() ? elements[i] : places.seat);
    }
  }

  /// Whether the rule may ever send such a job elsewhere: it is told of it, and acts on what is
  /// where the job is.
  bool may_send(const SeatSpec& seat, const models::JobProfile& profile) const {
    const models::World& world = loading_.world();
    if (!may_hold(seat, profile, {}, world)) return false;
    const policy::PoolFacts& pool = world.directory.pools[profile.pool.index];
    if (has_option(*seat.kind, "interruptions_above")) return pool.market == policy::Market::spot;
    if (!has_option(*seat.kind, "when")) return true;
    if (is_stated(*seat.kind)) {
      const auto known = [&](const policy::Condition& test) -> std::optional<bool> {
        const auto market = policy::market_names[static_cast<std::size_t>(pool.market)];
        if (test.field == policy::ConditionField::market) return holds_of_text(test, market);
        if (test.field == policy::ConditionField::fleet) return holds_of_text(test, pool.name);
        return std::nullopt;
      };
      return holds_where(seat.options.condition("when"), known) != false;
    }
    const std::vector<std::string>& ends = seat.options.texts("when");
    const bool waits_alone = std::all_of(ends.begin(), ends.end(), [](const std::string& end) {
      return end == "max_wait_time_exceeded";
    });
    return !waits_alone || profile.max_wait != policy::Duration::max();
  }

  /// A rule that sends jobs by market or type to fleets of which none is large enough for one.
  void check_room(const SeatSpec& seat, const OptionPlaces& places) {
    if (seat.kind->reaches == nullptr || seat.kind->schedules || seat.mode == host::Mode::off)
      return;
    std::optional<Node> place;
    for (const char* option : {"override.market", "override.instance_type", "market", "use"}) {
      if (!place) place = places.find(option);
    }
    const bool by_default = has_option(*seat.kind, "interruptions_above");
    if (!place && !by_default) return;
    const models::World& world = loading_.world();
    for (std::size_t id = 0; id < world.profiles.size() && id < loading_.largest.size(); ++id) {
      const models::JobProfile& profile = world.profiles[id];
      const policy::TypeId type = world.pools[profile.pool.index].type;
      const auto pools = seat.kind->reaches(seat.options, world.directory, type);
      const auto fits = [&](policy::PoolId pool) {
        return loading_.largest[id] <= world.pools[pool.index].capacity;
      };
      if (pools.empty() || std::any_of(pools.begin(), pools.end(), fits)) continue;
      if (!may_send(seat, profile)) continue;
      return too_small(pools.front(), loading_.largest[id],
                       place.value_or(places.seat.find("rule").value_or(places.seat)));
    }
  }

  void too_small(policy::PoolId pool, std::uint32_t needed, const Node& place) {
    const models::World& world = loading_.world();
    loading_.warning(place, "W0428",
                     fmt::format("fleet {} has {}; the largest job needs {}",
                                 in_quotes(world.directory.pools[pool.index].name),
                                 counted(world.pools[pool.index].capacity, "instance"), needed),
                     "jobs that do not fit there continue where they ran");
  }

  /// A rule that sends jobs to a market where none of them has a fleet: false.
  bool check_reach(const SeatSpec& seat, const OptionPlaces& places) {
    const bool overrides = has_option(*seat.kind, "override.market") &&
                           seat.options.text("override.market") != "as_before";
    const bool by_market =
        has_option(*seat.kind, "market") || has_option(*seat.kind, "use") || overrides;
    if (seat.kind->reaches == nullptr || !by_market) return true;
    const models::World& world = loading_.world();
    for (const models::JobProfile& profile : world.profiles) {
      const policy::TypeId type = world.pools[profile.pool.index].type;
      if (!seat.kind->reaches(seat.options, world.directory, type).empty()) return true;
    }
    if (world.profiles.empty()) return true;
    if (overrides) {
      const bool told = has_option(*seat.kind, "override.instance_type") &&
                        !seat.options.text("override.instance_type").empty();
      if (told) return true;  // by the rule's own doubt
      loading_.warning(places.find("override.market").value_or(places.seat), "W0500",
                       "no fleet in the override's market has the jobs' instance types",
                       "the override has no effect", "a clone runs where the previous attempt ran");
      return true;
    }
    loading_.warning(places.find("use").value_or(places.find("market").value_or(places.seat)),
                     "W0476", fmt::format("{} has no effect here", in_quotes(seat.label)),
                     "no fleet in that market has the jobs' instance types");
    return false;
  }

  /// Whether an attempt may fail because nobody has machines for it.
  bool may_lack_machines() const {
    const models::World& world = loading_.world();
    const auto& queues = world.directory.queues;
    const auto ends_waits = [](const policy::QueueFacts& queue) {
      return queue.runnable_limit != Duration::max();
    };
    if (std::any_of(queues.begin(), queues.end(), ends_waits)) return true;
    if (!models::is_unmanaged(world.platform.model)) return false;
    return !world.platform.unmanaged.waits_for_capacity || one_time_spot();
  }

  /// Whether what Spot takes is over, and not made again.
  bool one_time_spot() const {
    const models::World& world = loading_.world();
    if (!models::is_unmanaged(world.platform.model)) return false;
    if (world.platform.unmanaged.spot_request != models::SpotRequest::one_time) return false;
    return std::any_of(world.pools.begin(), world.pools.end(), [](const models::Pool& pool) {
      return pool.market == policy::Market::spot;
    });
  }

  bool any_stated_lack() const {
    constexpr auto lack = policy::FailureClass::capacity;
    const auto stated = [](const models::Fault& fault) { return fault.failure == lack; };
    const auto drawn = [](const models::DrawnFault& fault) {
      return std::any_of(fault.classes.begin(), fault.classes.end(),
                         [](const auto& of) { return of.first == lack; });
    };
    const auto& profiles = loading_.world().profiles;
    return std::any_of(profiles.begin(), profiles.end(), [&](const models::JobProfile& profile) {
      return std::any_of(profile.faults.begin(), profile.faults.end(), stated) ||
             std::any_of(profile.drawn_faults.begin(), profile.drawn_faults.end(), drawn);
    });
  }

  void no_effect_of(const SeatSpec& seat, const Node& place, std::string why,
                    std::string help = {}) {
    loading_.warning(place, "W0476", fmt::format("{} has no effect here", in_quotes(seat.label)),
                     std::move(why), std::move(help));
  }

  /// A rule that waits longer than the clock, or knows no fleet but the jobs' own.  What failed for
  /// lack of machines it sends on at once, wherever there are some.
  void check_alternatives(const SeatSpec& seat, const OptionPlaces& places) {
    const bool lists = has_option(*seat.kind, "fleets") && has_option(*seat.kind, "after");
    if (!lists || seat.mode == host::Mode::off || may_lack_machines() || any_stated_lack()) return;
    const models::World& world = loading_.world();
    if (world.end != policy::never && seat.options.duration("after") >= world.end - world.start) {
      no_effect_of(seat, places.find("after").value_or(places.seat),
                   fmt::format("the clock ends after {}", show(world.end - world.start)));
    }
    for (const models::JobProfile& profile : world.profiles) {
      for (const std::string& name : seat.options.texts("fleets")) {
        if (world.directory.pool_named(name) != profile.pool) return;
      }
    }
    if (world.profiles.empty()) return;
    no_effect_of(seat, places.find("fleets").value_or(places.seat),
                 "all jobs already wait for this fleet", "name another fleet");
  }

  /// Where the platform itself brings machines back, no attempt ends for lack of them.
  void check_relaunch(const SeatSpec& seat, const OptionPlaces& places) {
    if (!seat.kind->relaunches || seat.mode == host::Mode::off) return;
    if (may_lack_machines() || any_stated_lack() || has_ticks(loading_.world())) return;
    no_effect_of(seat, places.seat.find("rule").value_or(places.seat),
                 "attempts wait for instances and never fail for lack of them",
                 "use \"model\": \"ec2\" or \"gcp\" with \"spot_request\": \"one-time\"");
  }

  /// What asks jobs to save, where no job listens, or when a loss is told, where none is.
  void check_saves(const SeatSpec& seat, const OptionPlaces& places) {
    const bool stated = states_save(seat);
    if (!stated && !asks_to_save(seat)) return;
    const models::World& world = loading_.world();
    const auto told = [&](const models::Pool& pool) {
      const models::Platform& platform = world.platform;
      if (pool.market == policy::Market::capacity_block) {
        return seat.options.flag("block_end") && pool.end_warning > policy::Duration{0};
      }
      if (pool.market != policy::Market::spot) return false;
      const bool signals = platform.unmanaged.rebalance.probability > 0;
      return platform.notice.lead > policy::Duration{0} ||
             (signals && seat.options.flag("rebalance"));
    };
    const bool any_told = stated || std::any_of(world.pools.begin(), world.pools.end(), told);
    const auto listens = [](const models::JobProfile& profile) {
      return profile.checkpoint.on_request.has_value();
    };
    const bool any_listens = std::any_of(world.profiles.begin(), world.profiles.end(), listens) ||
                             world.profiles.empty();
    if (any_told && any_listens) return;
    const Node place = places.seat.find("rule").value_or(places.seat);
    loading_.warning(place, "W0468",
                     any_told ? "no job saves on request" : "no loss of instances is announced",
                     any_told ? "each request is rejected" : "no job receives a save request",
                     any_told ? "\"checkpoint\": { \"on_request\": { \"save\": \"90s\" } }"
                              : "use \"model\": \"ec2\", or a capacity block with `end_warning`");
  }

  /// MaxWait is a job's own.
  void check_time_outs(const SeatSpec& seat, const OptionPlaces& places) {
    const models::World& world = loading_.world();
    constexpr auto of_wait = policy::Secondary::max_wait_time_exceeded;
    const bool told_so = world.platform.pending_ends_as == of_wait;
    const auto waits = [&](const models::JobProfile& profile) {
      return profile.max_wait != policy::Duration::max() ||
             (told_so && profile.max_pending != policy::Duration::max());
    };
    const auto& profiles = world.profiles;
    if (!minds_waits(seat) || profiles.empty()) return;
    if (std::any_of(profiles.begin(), profiles.end(), waits)) return;
    for (const std::string_view option : {"timeouts", "after_max_wait"}) {
      const auto written = places.find(option);
      if (!written) continue;
      loading_.warning(*written, "W0476", fmt::format("{} has no effect here", in_quotes(option)),
                       "no job has a \"max_wait\"");
    }
  }

  /// Who listens for a sign that no job gives never hears any, and watches nobody.
  void check_signal(const SeatSpec& seat, const OptionPlaces& places) {
    const auto& profiles = loading_.world().profiles;
    if (!has_option(*seat.kind, "signal") || !seat.kind->reads_reports || profiles.empty()) return;
    if (seat.mode == host::Mode::off) return;
    const std::string& signal = seat.options.text("signal");
    const auto gives = [&](const models::JobProfile& profile) {
      if (profile.reports == nullptr) return false;
      if (signal == "steps") return profile.reports->steps;
      const policy::Sign sign = signal == "log_lines" ? policy::Sign::log_lines
                                : signal == "network" ? policy::Sign::network
                                                      : policy::Sign::power;
      return policy::has_sign(profile.reports->signs, sign);
    };
    if (std::any_of(profiles.begin(), profiles.end(), gives)) return;
    loading_.warning(
        places.find("signal").value_or(places.seat), "W0498",
        fmt::format("no job reports the signal {}", signal),
        "the rule receives no signal and watches no job",
        fmt::format("add \"reports\": {{ \"every\": \"1m\", \"signals\": [\"{}\"] }} to jobs",
                    signal));
  }

  /// Only reports of training say how much of the work lasts.
  void check_progress(const SeatSpec& seat, const OptionPlaces& places) {
    const auto& profiles = loading_.world().profiles;
    if (!measures_progress(seat) || profiles.empty()) return;
    if (std::any_of(profiles.begin(), profiles.end(),
                    [](const models::JobProfile& profile) { return profile.reports != nullptr; })) {
      return;
    }
    loading_.warning(places.find("min_progress").value_or(places.seat), "W0467",
                     "no job reports its training, so lasting progress is unknown",
                     "this test never moves a job off Spot",
                     "add \"reports\": { \"every\": \"1m\" } to jobs on Spot");
  }

  /// A one-time request is over with its first loss: no attempt is interrupted and goes on.
  void check_fallback(const SeatSpec& seat, const OptionPlaces& places) {
    const bool counts = has_option(*seat.kind, "interruptions_above");
    if (!counts || seat.mode == host::Mode::off) return;
    check_progress(seat, places);
    check_time_outs(seat, places);
    if (!one_time_spot() || minds_waits(seat)) return;
    no_effect_of(seat, places.seat.find("rule").value_or(places.seat),
                 "requests are one-time: an interrupted attempt fails with class capacity",
                 "use `relaunch`, `alternatives`, or `resume` with \"when\": [\"failed:capacity\"] "
                 "and \"override\": { \"fleet\": ... }");
  }

  /// The largest of the jobs that the rule may send elsewhere.
  std::uint32_t largest_sent(const SeatSpec& seat) const {
    const auto& profiles = loading_.world().profiles;
    if (loading_.largest.size() < profiles.size()) return largest_job(loading_);
    std::uint32_t largest = 0;
    for (std::size_t id = 0; id < profiles.size(); ++id) {
      if (may_send(seat, profiles[id])) largest = std::max(largest, loading_.largest[id]);
    }
    return largest;
  }

  void check_fleet(const SeatSpec& seat, const std::string& fleet, const Node& place) {
    const auto pool = fleet_named(loading_, fleet, place);
    if (!pool) return;
    const std::uint32_t largest = largest_sent(seat);
    if (largest > loading_.world().pools[pool->index].capacity) too_small(*pool, largest, place);
  }

  /// Only a managed platform ends attempts by itself.
  void check_limit(const SeatSpec& seat, const OptionPlaces& places) {
    if (!models::is_unmanaged(loading_.world().platform.model)) return;
    const auto warn = [&](std::string_view option, std::string help) {
      loading_.warning(places.find(option).value_or(places.seat), "W0462",
                       "the platform enforces no run-time limit on self-managed instances",
                       "it rejects each request", std::move(help));
    };
    const auto chosen = [&](std::string_view option, std::string_view word) {
      return has_option(*seat.kind, option) && seat.options.text(option) == word;
    };
    if (chosen("enforce_by", "platform")) warn("enforce_by", "\"enforce_by\": \"clock\"");
    if (chosen("do", "limit_runtime"))
      warn("do", "use \"do\": \"stop\" when training_time is higher");
  }

  /// A clone without the checkpoint begins again (F61: dearer and slower than on demand alone).
  void check_clone(const SeatSpec& seat, const OptionPlaces& places) {
    constexpr std::string_view keeps = "clone_keeps_checkpoint";
    constexpr std::string_view loses = "loses";
    std::string_view option;
    if (has_option(*seat.kind, keeps) && !seat.options.flag(keeps)) option = keeps;
    if (has_option(*seat.kind, loses)) {
      const std::vector<std::string>& fields = seat.options.texts(loses);
      if (std::find(fields.begin(), fields.end(), "CheckpointConfig") != fields.end())
        option = loses;
    }
    const bool begins_anew =
        has_option(*seat.kind, loses) && seat.options.text("from") == "scratch";
    if (option.empty() && begins_anew) option = "from";
    const models::World& world = loading_.world();
    const std::vector<Duration> works = longest_works(world);
    const auto saves = [&](const models::JobProfile& profile) {
      const models::Checkpoint& own = profile.checkpoint;
      const auto id = static_cast<std::size_t>(&profile - world.profiles.data());
      const bool in_time = own.every > Duration{0} && own.every < works[id];
      const bool some = in_time || own.on_notice || own.on_request || own.on_stop;
      return some && own.sync != models::Sync::none;
    };
    const auto kept_before = [&](const models::JobProfile& profile) {
      return saves(profile) && may_hold(seat, profile, {}, world);
    };
    const auto& profiles = world.profiles;
    const bool kept = std::any_of(profiles.begin(), profiles.end(), kept_before);
    if (option.empty() || !kept || seat.mode == host::Mode::off) return;
    loading_.warning(places.find(option).value_or(places.seat), "W0430",
                     "the clone loses the job's checkpoint and starts from scratch",
                     "the finished work is billed twice",
                     "keep the checkpoint, unless you study this case");
  }

  static bool has_alarm(const PolicyKind& kind) {
    return has_option(kind, "metric") && has_option(kind, "period") &&
           has_option(kind, "threshold") && has_option(kind, "scale");
  }

  /// Whether there is an alarm; one that is described all the same is named.
  bool puts_alarm(const SeatSpec& seat, const OptionPlaces& places) {
    if (!is_stated(*seat.kind)) return has_alarm(*seat.kind);
    if (acts_on_alarms(seat)) return true;
    if (const auto written = places.find("alarm")) {
      loading_.warning(
          *written, "W0531", "the condition does not use the alarm", "it is never created",
          "add { \"field\": \"alarm\", \"op\": \"==\", \"value\": \"alarm\" } to \"when\"");
    }
    return false;
  }

  /// What a rule that puts alarms asks of metrics as this platform has them.
  void check_alarm(const SeatSpec& seat, const OptionPlaces& places) {
    if (!puts_alarm(seat, places)) return;
    const models::Metrics& metrics = loading_.world().platform.metrics;
    const Duration period = seat.options.duration(of_alarm(seat, "period"));
    constexpr Duration minute = std::chrono::minutes{1};
    const bool samples_fit =
        metrics.period % minute == Duration{0} || minute % metrics.period == Duration{0};
    if (period % metrics.period != Duration{0} || !samples_fit) {
      loading_.error(places.find(of_alarm(seat, "period")).value_or(places.seat), "E0218",
                     fmt::format("a period of {} does not fit the metric's period, {}",
                                 show(period), show(metrics.period)),
                     "datapoints would hold unequal numbers of samples");
    }
    check_threshold(seat, places);
    if (loading_.world().platform.model == models::PlatformModel::ideal) {
      loading_.warning(places.seat, "W0419",
                       "the ideal platform has no metrics, so an alarm there never fires",
                       "it receives no data");
    }
  }

  /// What is sent to nobody puts no alarm, and without one such a rule never finds anything.
  void check_shadow(const SeatSpec& seat, const OptionPlaces& places) {
    if (seat.mode != host::Mode::shadow || !acts_on_alarms(seat)) return;
    const auto there_is_none = [](const policy::Condition& test) -> std::optional<bool> {
      if (test.field != policy::ConditionField::alarm) return std::nullopt;
      return holds_of_text(test, {});
    };
    const bool may_act = is_stated(*seat.kind) &&
                         holds_where(seat.options.condition("when"), there_is_none) != false;
    if (may_act) return;
    loading_.warning(
        places.seat.find("mode").value_or(places.seat), "W0459",
        fmt::format("{} creates no alarm in shadow, so it never acts", in_quotes(seat.label)),
        "its decisions cannot be seen here",
        "use \"mode\": \"warn\": it creates the alarm and notifies");
  }

  /// A rule that counts by a tag that no job has counts nothing.
  void check_tag_key(const SeatSpec& seat, const OptionPlaces& places) {
    if (!has_option(*seat.kind, "tag") || seat.options.text("tag").empty()) return;
    tag_pattern(loading_, seat.options.text("tag"), places.find("tag").value_or(places.seat));
  }

  /// A host that no job has is watched in vain.
  void check_hosts(const SeatSpec& seat, const OptionPlaces& places) {
    const std::string option = of_alarm(seat, "hosts");
    if (!has_option(*seat.kind, option)) return;
    const std::uint32_t largest = largest_job(loading_);
    constexpr std::string_view prefix = "algo-";
    for (const std::string_view host : seat.options.texts(option)) {
      if (largest == 0 || !host.starts_with(prefix)) continue;
      std::uint32_t number = 0;
      std::from_chars(host.data() + prefix.size(), host.data() + host.size(), number);
      if (number <= largest) continue;
      loading_.warning(places.find(option).value_or(places.seat), "W0418",
                       fmt::format("no job has a host {}: the largest has {}", in_quotes(host),
                                   counted(largest, "instance")),
                       "it watches nothing there");
    }
  }

  /// Of an instance that the rule may watch: of one GPU, if it watches none.
  std::uint32_t most_gpus(const SeatSpec& seat) const {
    const models::World& world = loading_.world();
    const bool moves = rules_move(loading_.input);
    std::uint32_t most = 1;
    for (std::uint32_t id = 0; id < world.pools.size(); ++id) {
      const auto runs_there = [&](const models::JobProfile& profile) {
        return profile.pool.index == id && may_hold(seat, profile, {}, world);
      };
      const auto& profiles = world.profiles;
      const bool used = moves || std::any_of(profiles.begin(), profiles.end(), runs_there);
      if (used) most = std::max(most, world.directory.types[world.pools[id].type.index].gpus);
    }
    return most;
  }

  void check_threshold(const SeatSpec& seat, const OptionPlaces& places) {
    if (seat.mode == host::Mode::off) return;
    const bool per_gpu = seat.options.text(of_alarm(seat, "scale")) == "per_gpu";
    const bool sum = loading_.world().platform.metrics.gpu_sum;
    const std::uint32_t gpus = most_gpus(seat);
    const double threshold = seat.options.number(of_alarm(seat, "threshold"));
    const double top = sum && !per_gpu ? 100.0 * gpus : 100.0;
    const Node place = places.find(of_alarm(seat, "threshold")).value_or(places.seat);
    if (threshold > top) {
      loading_.warning(
          place, "W0411",
          fmt::format("threshold {} is above the metric's range 0..{}", threshold, top),
          "every datapoint is on the same side of it");
      return;
    }
    // So little of each GPU is what a person means who writes the sum of all.
    if (per_gpu || !sum || gpus == 1 || threshold < 5.0 * gpus || threshold > 100) return;
    Diagnostic finding = at(place, "W0412",
                            fmt::format("threshold {} is compared with a sum over {} GPUs (0..{})",
                                        threshold, gpus, top),
                            "", Severity::warning);
    loading_.findings.add(std::move(finding).with_note(
        fmt::format("this is {} % per GPU. For {} % write {}, or \"scale\": \"per_gpu\"",
                    threshold / gpus, threshold, threshold * gpus)));
  }

  Loading& loading_;
  std::set<std::string, std::less<>> used_;
};

}  // namespace

std::optional<policy::PoolId> fleet_named(Loading& loading, const std::string& name,
                                          const Node& node) {
  const policy::Directory& directory = loading.world().directory;
  const auto pool = directory.pool_named(name);
  if (pool) return pool;
  std::vector<std::string_view> names;
  for (const policy::PoolFacts& facts : directory.pools) names.push_back(facts.name);
  loading.error(node, "E0212", fmt::format("unknown fleet {}", in_quotes(name)),
                "no fleet of this name", did_you_mean(name, names));
  return std::nullopt;
}

void load_policies(Loading& loading) {
  Policies{loading}.load();
}

}  // namespace reeve::scenarios
