#include "clone_terms.hpp"

#include <algorithm>
#include <reeve/policy/clone_fields.hpp>
#include <utility>

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kAsBefore = "as_before";  // of the market

std::optional<TypeId> type_named(std::string_view name, const Directory& directory) {
  for (std::uint32_t type = 0; type < directory.types.size(); ++type) {
    if (directory.types[type].name == name) return TypeId{type};
  }
  return std::nullopt;
}

/// The options were checked: each name is one.
std::uint16_t lost_fields(const Options& options) {
  std::uint16_t bits = 0;
  for (const std::string& name : options.texts("loses")) {
    const auto loss = clone_loss_named(name);
    if (loss) bits = static_cast<std::uint16_t>(bits | static_cast<std::uint16_t>(*loss));
  }
  return bits;
}

}  // namespace

CloneTerms::CloneTerms(const Options& options)
    : from_{options.text("from") == "scratch" ? ResumeFrom::scratch : ResumeFrom::last_checkpoint},
      keeps_tags_{options.flag("keep_tags")},
      fleet_{options.text("override.fleet")},
      market_{options.text("override.market")},
      type_{options.text("override.instance_type")},
      max_runtime_{options.duration("override.max_runtime")},
      loses_{lost_fields(options)},
      naming_{options.text("naming") == "appended" ? CloneNaming::appended
                                                   : CloneNaming::numbered} {}

CloneJob CloneTerms::request(JobId job, AttemptNumber attempt, const FleetView& fleet) const {
  return {job, attempt, from_, keeps_tags_, other_pool(job, fleet), max_runtime_, loses_, naming_};
}

bool CloneTerms::goes_elsewhere() const {
  return !fleet_.empty() || !type_.empty() || market_named(market_).has_value();
}

/// Nothing: the pool of the attempt before, and so where the job does not fit in the other one.
std::optional<PoolId> CloneTerms::other_pool(JobId job, const FleetView& fleet) const {
  const auto pool = wanted_pool(job, fleet);
  if (!pool) return std::nullopt;
  const bool fits = fleet.directory().pools[pool->index].size >= fleet.description(job).instances;
  return fits ? pool : std::nullopt;
}

/// What is not overridden stays: a type in the market of before, a market with the type of
/// before.
std::optional<PoolId> CloneTerms::wanted_pool(JobId job, const FleetView& fleet) const {
  const Directory& directory = fleet.directory();
  const auto market = market_named(market_);
  if (!market && type_.empty()) return directory.pool_named(fleet_);
  const JobDescription& before = fleet.description(job);
  const auto type = type_.empty() ? std::optional{before.type} : type_named(type_, directory);
  if (!type) return std::nullopt;
  return directory.pool_of(*type, market.value_or(directory.pools[before.pool.index].market));
}

Duration backed_off(Duration first, std::int64_t clones) {
  Duration wait = first;
  for (; clones > 0 && wait > Duration{0}; --clones) {
    if (wait > Duration::max() / 2) return Duration::max();
    wait *= 2;
  }
  return wait;
}

OptionProblem check_clone_terms(const Options& options) {
  const bool by_name = !options.text("override.fleet").empty();
  for (const std::string_view other : {"override.market", "override.instance_type"}) {
    const std::string& word = options.text(other);
    if (!by_name || word.empty() || word == kAsBefore) continue;
    return {.option = other,
            .message = "conflicts with override.fleet",
            .help = "set only one of the two",
            .against = "override.fleet"};
  }
  const std::vector<std::string>& loses = options.texts("loses");
  for (std::size_t index = 0; index < loses.size(); ++index) {
    if (clone_loss_named(loses[index])) continue;
    std::string names;
    for (const CloneField& field : clone_fields) {
      names += (names.empty() ? "" : ", ") + std::string{field.name};
    }
    return {.option = "loses",
            .message = "'" + loses[index] + "' is not a field that a clone copies",
            .help = names,
            .element = index};
  }
  return {};
}

OptionProblem doubt_clone_terms(const Options& options, const Directory& directory) {
  const std::string& name = options.text("override.instance_type");
  if (name.empty()) return {};
  const auto type = type_named(name, directory);
  const auto market = market_named(options.text("override.market"));
  const bool any =
      type &&
      std::any_of(directory.pools.begin(), directory.pools.end(), [&](const PoolFacts& pool) {
        return pool.type == *type && (!market || pool.market == *market);
      });
  if (any) return {};
  return {.option = "override.instance_type",
          .message = market ? "no fleet of that market has instances of this type"
                            : "no fleet has instances of this type",
          .help = "a clone runs where the previous attempt ran"};
}

/// A clone goes to the first fleet of its type and market; one that keeps the market of before may
/// come from any in which there are machines of the type of before.
std::vector<PoolId> reached_by_clones(const Options& options, const Directory& directory,
                                      TypeId type) {
  const std::string& other = options.text("override.instance_type");
  const auto market = market_named(options.text("override.market"));
  if (other.empty() && !market) {
    const auto pool = directory.pool_named(options.text("override.fleet"));
    return pool ? std::vector{*pool} : std::vector<PoolId>{};
  }
  std::vector<PoolId> pools;
  const auto wanted = other.empty() ? std::optional{type} : type_named(other, directory);
  const auto add = [&](Market of) {
    const auto pool = directory.pool_of(*wanted, of);
    if (pool && std::find(pools.begin(), pools.end(), *pool) == pools.end()) pools.push_back(*pool);
  };
  if (wanted && market) add(*market);
  for (const PoolFacts& facts : directory.pools) {
    if (wanted && !market && facts.type == type) add(facts.market);
  }
  return pools;
}

std::string_view stated_clone_option(const Options& options) {
  if (options.text("from") != "last_checkpoint") return "from";
  if (!options.flag("keep_tags")) return "keep_tags";
  if (!options.texts("loses").empty()) return "loses";
  if (options.duration("backoff") > Duration{0}) return "backoff";
  if (options.duration("override.max_runtime") > Duration{0}) return "override.max_runtime";
  if (!options.text("override.fleet").empty()) return "override.fleet";
  if (options.text("override.market") != kAsBefore) return "override.market";
  if (!options.text("override.instance_type").empty()) return "override.instance_type";
  return options.text("naming") == "numbered" ? std::string_view{} : "naming";
}

/// What a new attempt asks for that the one before did not.
static std::vector<OptionSpec> override_options() {
  return {
      {.name = "override.max_runtime",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "run-time limit of the new attempt; 0s: as submitted"},
      {.name = "override.fleet",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("")",
       .choices = {},
       .help = "fleet of the new attempt, if it fits there; empty: as before"},
      {.name = "override.market",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("as_before")",
       .choices = {kAsBefore, market_names[0], market_names[1], market_names[2], market_names[3]},
       .help = "market of the new attempt, if it fits there"},
      {.name = "override.instance_type",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("")",
       .choices = {},
       .help = "instance type of the new attempt, if it fits there; empty: as before"},
  };
}

std::vector<OptionSpec> clone_options() {
  std::vector<OptionSpec> all{
      {.name = "from",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("last_checkpoint")",
       .choices = {"last_checkpoint", "scratch"},
       .help = "starting point of the new attempt"},
      {.name = "keep_tags",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "copy the tags of the previous attempt"},
      {.name = "loses",
       .type = OptionType::texts,
       .unit = "",
       .default_json = "[]",
       .choices = {},
       .help = "fields that the new attempt lacks: CheckpointConfig, InputDataConfig, VpcConfig, "
               "RetryStrategy, Tags, ..."},
      {.name = "backoff",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "wait after the end before the first new attempt; doubles with each further one"},
      {.name = "naming",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("numbered")",
       .choices = {"numbered", "appended"},
       .help = "numbered: NAME-r2, cut to 63 characters; appended: NAMEclone as in the article, "
               "refused beyond 63 characters"},
  };
  for (OptionSpec& row : override_options()) all.push_back(std::move(row));
  return all;
}

}  // namespace reeve::policies
