// A scenario file as written: what its tables decode into, before names are resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/world.hpp"
#include "scenarios/load/keys/call_prices.hpp"
#include "scenarios/load/keys/fleet_input.hpp"
#include "scenarios/load/keys/job_input.hpp"
#include "scenarios/load/keys/platform_input.hpp"
#include "scenarios/load/keys/queue_input.hpp"
#include "scenarios/load/keys/raw_input.hpp"
#include "scenarios/load/keys/rules_input.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::scenarios {

/// `horizon`: a duration, or "until_done".
struct ClockInput {
  Instant start;
  std::optional<Duration> horizon;  ///< none: until everything is done
  std::string timezone;
};

struct RandomInput {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1;
};

struct InstanceTypeInput {
  std::optional<Node> written;
  UsdPerHour price;
  std::optional<UsdPerHour> spot_price;
  std::optional<double> savings;        ///< percent of the price that Spot saves
  std::optional<UsdPerHour> ec2_price;  ///< of the same instance without the managed service
  std::uint32_t gpus = 0;
  bool managed = true;
};

struct PricesInput {
  std::optional<Node> written;
  std::string book;
  std::vector<std::pair<std::string, InstanceTypeInput>> instances;
  Usd alarm_per_month;
  Usd ops_per_month;
  CallPrices calls;
};

struct ScenarioInput {
  std::optional<Node> written;
  std::string schema;
  std::uint32_t version = 0;
  std::string name;
  std::string title;
  std::string source;
  ClockInput clock;
  RandomInput random;
  PricesInput prices;
  std::vector<PoolInput> fleet;
  std::vector<ShocksInput> shocks;
  std::vector<OutageInput> outages;
  PlatformInput platform;
  std::vector<EnvironmentInput> environments;
  std::vector<ShareInput> shares;
  std::vector<QueueInput> queues;
  RawInput job_defaults;
  RawInput jobs;  ///< read after job_defaults, wherever the two stand
  std::optional<WorkloadInput> workload;
  std::optional<HistoryFactsInput> history;
  std::vector<HumanInput> humans;
  models::KillSwitch kill_switch;
  Duration late_after{0};
  GuardsInput guards;
  std::vector<std::pair<std::string, std::vector<SeatInput>>> policies;
  std::vector<std::pair<std::string, RawInput>> presets;  ///< of `rules`
  std::vector<AlertInput> alerts;
  std::vector<ExpectInput> expect;
  std::optional<LiveInput> live;
};

/// The file as a whole, and the tables of its parts.
const ObjectTable<ScenarioInput>& scenario_table();
const ObjectTable<LiveInput>& live_table();
const ObjectTable<HistoryFactsInput>& history_table();
const ObjectTable<PlatformInput>& platform_table();
const ObjectTable<TicksInput>& ticks_table();
const ObjectTable<AlertInput>& alert_table();
const ObjectTable<ProfileInput>& profile_table();
const ObjectTable<JobInput>& text_table();
const ObjectTable<JobInput>& job_defaults_table();  ///< the same keys but for `name`; none required
const ObjectTable<PricesInput>& prices_table();
const ObjectTable<PoolInput>& pool_table();
const ObjectTable<GuardsInput>& guards_table();
const ObjectTable<MarketInput>& market_table();
const ObjectTable<NodeFaultsInput>& node_faults_table();
const ObjectTable<ShocksInput>& shocks_table();
const ObjectTable<UnmanagedInput>& unmanaged_table();
const ObjectTable<GpuUtilInput>& gpu_util_table();
const ObjectTable<GpuPhaseInput>& gpu_phase_table();
const ObjectTable<ManagedInput>& managed_table();
const ObjectTable<ManagedJobInput>& managed_text_table();
const ObjectTable<EnvironmentInput>& environment_table();
const ObjectTable<ShareInput>& share_table();
const ObjectTable<QueueInput>& queue_table();
const ObjectTable<TermsInput>& terms_table();
const ObjectTable<PriorityChangeInput>& priority_change_table();
const ObjectTable<OutageInput>& outage_table();
const ObjectTable<BrownOutInput>& brownout_table();
const ObjectTable<models::AlarmLink>& alarm_link_table();
const ObjectTable<models::Watchdog>& watchdog_table();
const ObjectTable<CheckpointInput>& checkpoint_table();
const ObjectTable<TrainingInput>& training_table();
/// AWS's names of the calls that reeve makes.
const std::vector<Choice<policy::VerbKind>>& api_calls();
Codec<CallRates> call_rates();
Codec<policy::FailureClass> failure_class();
Codec<SeatInput> seat();
Codec<models::DurationLaw> law(bool above_zero);
Codec<WorkloadInput> workload();
Codec<std::vector<policy::Tag>> tags();
Codec<policy::Market> market_choice();

}  // namespace reeve::scenarios
