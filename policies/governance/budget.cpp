#include "budget.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "held_machines.hpp"
#include "ladder.hpp"
#include "spot_price.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kSpent = "the budget is spent";
constexpr std::string_view kSoonSpent = "the budget is about to be spent";
constexpr std::string_view kNearly = "the budget is nearly spent";

/// Nano-dollars per hour times nanoseconds.
__extension__ using Charge = __int128;
constexpr Charge kOneMicroDollar = Charge{1000} * 3'600'000'000'000;

enum class Per : std::uint8_t { job, tag, share, fleet, all };
enum class Within : std::uint8_t { run, day, month };

Per per_named(std::string_view name) {
  if (name == "job") return Per::job;
  if (name == "tag") return Per::tag;
  if (name == "share") return Per::share;
  return name == "fleet" ? Per::fleet : Per::all;
}

Within within_named(std::string_view name) {
  if (name == "day") return Within::day;
  return name == "month" ? Within::month : Within::run;
}

/// What is counted together.  `spent` is of `at`, and grows by `rate` from there on.
struct Group {
  Charge spent = 0;
  Charge rate = 0;
  Instant at = Instant::min();
  Instant due = never;       ///< when it is to be looked at again
  std::set<JobId> unasked;   ///< of those that run, whose stop was not asked for
  std::set<JobId> running;   ///< whose machines are counted now
  std::uint32_t number = 0;  ///< from 0
  bool warned = false;
  bool told = false;

  void advance(Instant now) {
    if (now <= at) return;
    spent += rate * (now - at).count();
    at = now;
  }
};

/// What a job has in its group, at one price: `counted` at `at`, and growing by `rate`.
struct BudgetRow {
  HeldMachines held;
  Duration base{0};  ///< held before, and not counted
  Charge price = 0;
  Charge counted = 0;
  Charge rate = 0;  ///< the price while machines are held, else 0
  Instant at = Instant::min();
  Group* group = nullptr;
  std::uint32_t window = 0;  ///< that all this is of
  AttemptNumber asked = 0;   ///< newest attempt whose stop was asked for
  /// Messages about the group that named this job, did not get out, and may be sent again.
  bool warning_failed = false, limit_failed = false;
};

class Budget final : public LadderRule<BudgetRow> {
 public:
  explicit Budget(const Options& options)
      : LadderRule<BudgetRow>{options},
        limit_{Charge{std::llround(options.number("limit_usd") * 1e6)} * kOneMicroDollar},
        warn_{limit_ / 100 * options.integer("warn_at_pct")},
        spot_pct_{options.integer("spot_pct")},
        ahead_{options.duration("ahead")},
        tag_{options.text("tag")},
        per_{per_named(options.text("per"))},
        within_{within_named(options.text("within"))} {}

 private:
  bool tells_of_attempts() const override { return false; }

  void hear(const Observation& seen) override { starts_.hear(seen); }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    if (step.now >= window_ends_) begin_window(step.now);
    count(job, step);
    if (Group* group = jobs_[job].group; group != nullptr) review(*group, step, out);
  }

  void look_around(const Step& step, Decisions& out) override {
    while (!due_.empty() && due_.begin()->first <= step.now) {
      Group& group = *by_number_[due_.begin()->second];
      due_.erase(due_.begin());
      group.due = never;
      if (step.now >= window_ends_) begin_window(step.now);
      review(group, step, out);
    }
  }

  void begin_window(Instant now) {
    const bool first = window_ == 0;
    // What is told first has happened before: it counts from where it began.
    window_began_ = first ? beginning_of_window(now) : window_ends_;
    window_ends_ = end_of_window(first ? now : window_began_);
    while (window_ends_ <= now) {
      window_began_ = window_ends_;
      window_ends_ = end_of_window(window_began_);
    }
    zero_at_ = first ? now : window_began_;
    ++window_;
    for (auto& [key, group] : groups_) {
      group.spent = 0;
      group.at = zero_at_;
      group.warned = group.told = false;
      for (const JobId job : group.running) begin_window(jobs_[job]);
      group.unasked = group.running;
    }
    ladder_.stand_down();  // who holds no machines at midnight was told of another window, too
  }

  void begin_window(BudgetRow& row) const {
    row.window = window_;
    row.base = row.held.until(window_began_);
    row.counted = 0;
    row.at = zero_at_;
    row.warning_failed = row.limit_failed = false;
    row.asked = 0;  // what was refused, or only warned of, is another matter in another window
  }

  Instant beginning_of_window(Instant now) const {
    using namespace std::chrono;
    if (within_ == Within::run) return Instant::min();
    const sys_days day = floor<days>(now);
    if (within_ == Within::day) return day;
    const year_month_day date{day};
    return sys_days{date.year() / date.month() / 1};
  }

  Instant end_of_window(Instant from) const {
    using namespace std::chrono;
    const sys_days day = floor<days>(from);
    if (within_ == Within::day) return day + days{1};
    if (within_ == Within::run) return never;
    const year_month_day date{day};
    return sys_days{(date.year() / date.month() + months{1}) / 1};
  }

  /// Null for a job that is in none.
  Group* group_of(JobId job, const FleetView& fleet) {
    std::string key;
    if (per_ == Per::job) key = std::to_string(job.index);
    if (per_ == Per::fleet) key = std::to_string(fleet.description(job).pool.index);
    if (per_ == Per::share) {
      const auto share = fleet.terms(job).share;
      if (!share) return nullptr;
      key = std::to_string(share->index);
    }
    if (per_ == Per::tag) {
      const auto value = fleet.tag(job, tag_);
      if (!value) return nullptr;
      key = *value;
    }
    const auto [at, is_new] = groups_.try_emplace(std::move(key));
    if (is_new) {
      at->second.number = static_cast<std::uint32_t>(by_number_.size());
      by_number_.push_back(&at->second);
      at->second.at = zero_at_;
    }
    return &at->second;
  }

  Charge price(JobId job, const FleetView& fleet) const {
    const JobDescription& description = fleet.description(job);
    const Directory& directory = fleet.directory();
    const Charge list{directory.types[description.type.index].price.nanos};
    const bool spot = directory.pools[description.pool.index].market == Market::spot;
    return list * description.instances * (spot ? spot_pct_ : 100) / 100;
  }

  /// Makes the sum of the job's group right for what is now known of the job.
  void count(JobId job, const Step& step) {
    BudgetRow& row = jobs_[job];
    if (row.window != window_) begin_window(row);
    row.held.note(step.fleet.status(job), starts_.take(job));
    const JobStatus& status = step.fleet.status(job);
    // Before its submission is told of, its fleet and its tags are those of another attempt.
    if (row.held.since() == never || !step.fleet.is_described(job)) {
      leave(row, job);
      return count_until(row, row.held.before(), 0, step.now);
    }
    Group* const group = group_of(job, step.fleet);
    const Charge price_now = group == nullptr ? 0 : price(job, step.fleet);
    if (group != row.group || price_now != row.price) {
      count_until(row, row.held.before(), 0, step.now);
      leave(row, job);
      row.group = group;
      row.price = price_now;
      row.base = std::max(row.held.before(), row.held.until(window_began_));
      row.counted = 0;
    }
    if (group != nullptr) {
      group->running.insert(job);
      if (row.asked < status.attempt) group->unasked.insert(job);
    }
    count_until(row, row.held.until(step.now), price_now, step.now);
  }

  static void leave(BudgetRow& row, JobId job) {
    if (row.group == nullptr) return;
    row.group->running.erase(job);
    row.group->unasked.erase(job);
  }

  /// What was held until `held` is in the sum; from `now` on it grows by `rate`.
  static void count_until(BudgetRow& row, Duration held, Charge rate, Instant now) {
    if (row.group == nullptr) return;
    const Charge counted = row.price * std::max(held - row.base, Duration{0}).count();
    const Charge grown = row.rate * std::max(now - row.at, Duration{0}).count();
    row.group->advance(now);
    row.group->spent += counted - row.counted - grown;
    row.group->rate += rate - row.rate;
    row.counted = counted;
    row.rate = rate;
    row.at = now;
  }

  void review(Group& group, const Step& step, Decisions& out) {
    group.advance(step.now);
    const Duration left = window_ends_ == never ? Duration::max() : window_ends_ - step.now;
    // What is not reached before the next window begins is not reached.
    const bool in_time =
        left == Duration::max() || group.spent + group.rate * left.count() > limit_;
    const Charge soon = ladder_.stops() && in_time ? group.rate * ahead_.count() : 0;
    if (group.rate > 0 && group.spent + soon >= limit_) {
      enforce(group, step, out);
    } else if (warn_ > 0 && group.spent >= warn_ && !group.warned && !group.running.empty()) {
      group.warned = true;
      tell(group, step, warning(), kNearly, out);
    }
    Instant due = group.running.empty() ? never : window_ends_;
    if (in_time && group.spent + soon < limit_) due = std::min(due, when(group, limit_ - soon));
    if (group.spent < warn_) due = std::min(due, when(group, warn_));
    if (due == group.due) return;
    if (group.due != never) due_.erase({group.due, group.number});
    group.due = due;
    if (due == never) return;
    due_.insert({due, group.number});
    out.wake_at(TimerKey{.job = {group.number}, .purpose = 1}.packed(), due);
  }

  /// When the sum reaches `amount`, which it has not: rounded up to a nanosecond.
  static Instant when(const Group& group, Charge amount) {
    if (group.rate <= 0) return never;
    const Charge wait = (amount - group.spent + group.rate - 1) / group.rate;
    return wait >= Duration::max().count()
               ? never
               : later(group.at, Duration{static_cast<std::int64_t>(wait)});
  }

  void enforce(Group& group, const Step& step, Decisions& out) {
    if (!ladder_.stops()) {
      if (!std::exchange(group.told, true)) tell(group, step, warning() + 1, kSpent, out);
      return;
    }
    for (const JobId job : std::exchange(group.unasked, {})) {
      const JobStatus& status = step.fleet.status(job);
      BudgetRow& row = jobs_[job];
      if (row.asked >= status.attempt || status.primary != Primary::in_progress) continue;
      const Grievance spent{job,
                            status.attempt,
                            group.spent < limit_ ? kSoonSpent : kSpent,
                            StopCause::rule_broken,
                            static_cast<std::uint16_t>(warning() + 1),
                            basis(group)};
      // After the notification the job is examined when the stop is due, or after its next event.
      if (ladder_.act(spent, step, out)) row.asked = status.attempt;
    }
  }

  /// One message for all of them: it is about the first.
  void tell(const Group& group, const Step& step, std::uint32_t incident, std::string_view reason,
            Decisions& out) {
    const JobId job = *group.running.begin();
    out.propose(Notify{job, step.fleet.status(job).attempt, static_cast<std::uint16_t>(incident)},
                reason, basis(group));
  }

  std::string basis(const Group& group) const {
    const auto micros = [](Charge charge) {
      return static_cast<std::int64_t>(charge / kOneMicroDollar);
    };
    return usd_text(micros(group.spent)) + " of " + usd_text(micros(limit_));
  }

  /// The number of the warning of this window; that of the limit is the next.
  std::uint32_t warning() const { return 2 * ((window_ - 1) % 32'000) + 1; }

  /// Those of another window are not sent again.
  void miss(BudgetRow& row, const ActionSettled& message) override {
    row.warning_failed |= message.incident == warning();
    row.limit_failed |= message.incident == warning() + 1;
  }

  void forget(BudgetRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
    const bool warning_failed = std::exchange(row.warning_failed, false);
    const bool limit_failed = std::exchange(row.limit_failed, false);
    if (row.group == nullptr) return;
    if (warning_failed) row.group->warned = false;
    if (limit_failed) row.group->told = false;
  }

  Charge limit_;
  Charge warn_;
  std::int64_t spot_pct_;
  Duration ahead_;
  std::string tag_;
  Per per_;
  Within within_;
  std::map<std::string, Group> groups_;
  std::vector<Group*> by_number_;
  std::set<std::pair<Instant, std::uint32_t>> due_;  ///< groups, by when to look at them
  Instant window_began_ = Instant::min();
  Instant zero_at_ = Instant::min();  ///< the sums of the window; in the first, as it is looked at
  Instant window_ends_ = Instant::min();
  std::uint32_t window_ = 0;
  StartEvents starts_;
};

OptionProblem check_budget(const Options& options) {
  if (options.text("within") == "day" && options.duration("ahead") >= std::chrono::hours{24}) {
    return {.option = "ahead",
            .message = "is not shorter than the budget period: jobs would stop at its start",
            .help = "use the duration of a stop: the stop grace of the platform",
            .against = "within"};
  }
  const bool by_tag = options.text("per") == "tag";
  if (by_tag && options.text("tag").empty()) {
    return {.option = "per",
            .message = "is tag, but no tag key is given",
            .help = R"("tag": "project")",
            .against = "tag"};
  }
  if (by_tag || options.text("tag").empty()) return {};
  return {.option = "tag",
          .message = "is ignored: per is not tag",
          .help = R"("per": "tag")",
          .against = "per"};
}

std::unique_ptr<Policy> make_budget(const Options& options) {
  return std::make_unique<Budget>(options);
}

std::vector<OptionSpec> budget_options() {
  return {
      {.name = "limit_usd",
       .type = OptionType::number,
       .unit = "$",
       .default_json = "",
       .min = 0.01,
       .max = 1e9,
       .choices = {},
       .help = "spending limit",
       .vary = Vary::up},
      {.name = "per",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("all")",
       .choices = {"job", "tag", "share", "fleet", "all"},
       .help =
           "what each budget covers: a job, a tag value, a share of a queue, a fleet, or all jobs"},
      {.name = "tag",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("")",
       .choices = {},
       .help = "with per tag: the tag key; jobs without this tag have no budget"},
      {.name = "within",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("run")",
       .choices = {"run", "day", "month"},
       .help = "when the budget resets: never, or each UTC day or month"},
      {.name = "warn_at_pct",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "80",
       .min = 0,
       .max = 100,
       .choices = {},
       .help = "spending at which one notification is sent; 0: none"},
      action_option("action when the budget is spent; notify sends one notification"),
      warn_for_option(),
      {.name = "ahead",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("2m")",
       .min = 0,
       .max = 604800,
       .choices = {},
       .help = "how long before the limit jobs are stopped, to cover the stop grace",
       .companion = {"action", R"("action": "stop")", {"stop", "warn_then_stop"}}},
      spot_pct_option(),
  };
}

std::vector<VerbKind> budget_verbs(const Options& options) {
  std::vector<VerbKind> all = ladder_verbs(options);
  if (options.integer("warn_at_pct") > 0) all.push_back(VerbKind::notify);
  return all;
}

}  // namespace

PolicyKind budget_kind() {
  return {
      .name = "budget",
      .summary = "stops jobs, or warns, when their estimated instance cost reaches a limit",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), cost per job and project; AWS Budgets, budget actions",
      .options = budget_options(),
      .check = check_budget,
      .verbs = budget_verbs,
      .make = make_budget,
  };
}

}  // namespace reeve::policies
