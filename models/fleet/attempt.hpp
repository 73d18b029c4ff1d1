// The state of an attempt that holds instances, and of its present launch.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/fault_plan.hpp"
#include "models/ledger.hpp"
#include "models/utilization.hpp"
#include "models/world.hpp"

namespace reeve::models {

/// Where an attempt is stored while it runs.
using Slot = std::uint32_t;
inline constexpr Slot no_slot = ~Slot{0};
inline constexpr std::uint32_t no_row = ~std::uint32_t{0};

/// Where an attempt that holds instances is.
enum class Stage : std::uint8_t {
  provisioning,  ///< waits for instances, unbilled unless they are reserved
  startup,       ///< image and data download
  training,
  stalled,  ///< no progress: `fault` says why
  away,     ///< interrupted; the platform has the instances
  uploading,
  draining,  ///< SIGTERM was sent
};

/// How fast the instances of a launch are, and how busy: millionths.
struct Pace {
  std::uint32_t fed = full_speed;        ///< of what it were if its loaders kept up
  std::uint32_t even = full_speed;       ///< of what it were if no host were a straggler
  std::uint32_t busy = full_speed;       ///< share of the time in which a host computes
  std::uint32_t busy_slow = full_speed;  ///< likewise, a straggler
  std::uint32_t slow = 0;  ///< which hosts are stragglers: place in the sets of GangSpeeds
};

/// What the metrics of the attempt's hosts read from `from` on.
struct Level {
  Instant from;
  bool running = false;    ///< false: no host sends anything
  bool advancing = false;  ///< the work makes progress: its clock goes on
  std::uint32_t hosts = 0;
  UtilClock clock = {};  ///< at `from`
  Pace pace = {};
  std::vector<std::uint32_t> troubles;  ///< stalls and losses under way then (plan indices)
};

/// A stall or a loss of metrics that an attempt is in.  Several may overlap.
struct Trouble {
  std::uint32_t fault = 0;  ///< plan index
  Instant until;
};

/// A stretch of time.
struct Stretch {
  Instant from;
  Instant until;
};

/// Whose instances, and how many.
struct Holding {
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::PoolId pool;
  std::uint32_t instances = 1;
  bool redoes_start = false;  ///< of an attempt that was stopped wrongly
};

/// What instances did that may turn out to be free.
struct Unsettled {
  Use use;
  std::uint32_t instances;
  Duration held;
  Stretch stretch;
  policy::UsdPerHour price;
  bool in_memory = false;     ///< lost work, unless it is saved yet
  bool redoes_start = false;  ///< as of Holding
};

/// Lost work on the books that is productive once it is saved.
struct InMemory {
  Holding of;
  Use use = Use::lost_work;
  Charge amount;
  Charge time;
  std::size_t line;  ///< in Record::ledger_lines, if those are kept
};

/// Work of theirs that loaders or stragglers held up.
struct HeldUp {
  std::uint32_t instances;
  Instant from;
  Charge starved;  ///< of one of them
  Charge straggled;
};

/// Instances of a launch that came after its first.
struct Joined {
  std::uint32_t instances = 0;
  Instant from;
};

/// A part of an attempt's instances that will be taken, after others.
struct LaterLoss {
  Instant at;
  std::uint32_t instances = 0;
  Instant tell = policy::never;     ///< when it is to be told, if it is
  Instant noticed = policy::never;  ///< when it was
};

/// The present instances of an attempt, where more is to be known of them.
struct Launch {
  Instant loss = policy::never;      ///< when they will be taken, as is known by now
  Instant noticed = policy::never;   ///< when that was told
  Instant tell = policy::never;      ///< when it is to be told, if it is
  bool foreseen = false;             ///< `loss` has been decided on
  bool resizing = false;             ///< all of them re-rendezvous
  std::uint32_t losing = 0;          ///< how many will be taken at `loss`; 0: all
  std::vector<LaterLoss> then;       ///< what is known to go after `loss`, by time
  std::vector<Unsettled> unsettled;  ///< while the launch may be free
  std::vector<HeldUp> held_up;       ///< likewise, of the overlays
  Pace pace = {};
  std::uint32_t report = 0;                ///< the number of the one to come
  policy::Instant futile = policy::never;  ///< since a report showed that it learns no more
  Duration uploaded{0};  ///< instance time of work that got away while the run stood still
  Instant save_due = policy::never;   ///< when what was requested is saved
  std::vector<std::uint32_t> lost;    ///< hosts that are gone
  std::vector<std::uint32_t> zones;   ///< instances in each zone of the pool
  std::vector<std::uint32_t> nodes;   ///< instances by number, where they break; by host
  std::vector<bool> straggles;        ///< by host, where any may
  std::vector<Joined> joined;         ///< in the order in which they came
  bool keeps = false;                 ///< what is booked as lost is held in memory
  Duration in_memory{0};              ///< work that the others hold, and save while they meet
  std::vector<InMemory> unsaved;      ///< likewise, what it cost
  std::uint64_t small_as = 0;         ///< its key in the pool's `small`, while it lacks instances
  std::vector<std::uint32_t> stalls;  ///< in Record::stalls, while the launch may be free
  std::uint32_t stop = no_row;        ///< in Record::stops, likewise
};

/// MaxRuntime and its clock.
struct RuntimeLimit {
  Duration max = Duration::max();
  Instant from = policy::never;    ///< when the clock began
  Instant paused = policy::never;  ///< when an interruption stopped it, if one did
  Instant at = policy::never;      ///< when it ends the attempt
};

/// What an attempt was billed so far.
struct BilledSoFar {
  Instant from;        ///< when billing of the present launch began; `never`: none is billed
  Instant first;       ///< when billing of the first one began
  Duration held{0};    ///< of all that ended
  Charge charged = 0;  ///< what it held, at its price
  Charge scaled = 0;   ///< on the bill, where that is in whole seconds
};

/// How often an attempt got other instances.
struct Restarts {
  std::uint16_t interruptions = 0;
  std::uint16_t retries = 0;  ///< by the platform
  std::uint16_t repairs = 0;  ///< of its cluster
  std::uint16_t changes = 0;  ///< of instances within a launch
  std::uint32_t all() const { return std::uint32_t{interruptions} + retries + repairs + changes; }
};

/// An attempt that was granted instances and has not ended.
struct Running {
  policy::JobId job;
  policy::AttemptNumber number = 1;
  policy::Origin origin = policy::Origin::person;
  Stage stage = Stage::provisioning;
  policy::Secondary ends_as = policy::Secondary::completed;  ///< once drained or uploaded
  bool wrongly_stopped = false;
  bool redoes_start = false;  ///< its startup, of an attempt that was stopped wrongly
  bool progressing = false;   ///< counted in the pool's `used`
  std::uint32_t stamp = 0;
  std::uint32_t launch_stamp = 0;
  std::uint32_t held_as = 0;    ///< its key in the pool's `holders`
  std::uint32_t instances = 1;  ///< that it holds, or would hold if it had them
  std::uint32_t speed_ppm = full_speed;
  policy::PoolId pool;
  std::int32_t fault = -1;  ///< plan index of the interruption it is in; -1: its pool's
  Instant requested, stage_since;
  Instant launched;                    ///< when the instances it has began to run, or will
  Instant wait_limit = policy::never;  ///< end by MaxWaitTime
  RuntimeLimit runtime;
  BilledSoFar bill;
  Restarts restarts;
  Instant due = policy::never;        ///< of the pending attempt_due event
  Duration resumed_from{0};           ///< durable work when the attempt began
  Duration losing{0};                 ///< training that the log says was lost, and is still to come
  Duration active{0};                 ///< training time of the present run before stage_since
  Instant run_since = policy::never;  ///< when the present run began to train
  Duration provisioning{0};           ///< of the instances it has
  Duration startup{0};                ///< of the instances it has
  std::vector<Stretch> trained;       ///< of the present run; only where the price changes
  FaultCursor faults;
  std::vector<Trouble> troubles;  ///< under way, by onset
  std::vector<Level> levels;
  std::uint32_t open_stall = no_row;  ///< in Record::stalls
  std::unique_ptr<Launch> launch;     ///< null if nothing measures it
  Holding holding() const { return {job, number, pool, instances, redoes_start}; }
  bool retried = false;              ///< by the platform, and has not trained since
  Instant watchdog = policy::never;  ///< when its own watchdog ends it, if it still stands then
  Duration upload{0};                ///< of this ending
  bool warm = false;                 ///< its instances were another's before
};

/// Addresses the draws of the attempt's present launch.
inline std::uint32_t launch_of(const Running& run) {
  return std::uint32_t{run.number} << 16 | (run.restarts.all() & 0xffffu);
}

}  // namespace reeve::models
