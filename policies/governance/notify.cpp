#include "notify.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ends.hpp"
#include "held_machines.hpp"
#include "job_rule.hpp"
#include "weekly_options.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Beside the ends before their time.
constexpr std::array<std::string_view, 4> kEvents{"interrupted", "nodes_lost", "spot_notice",
                                                  "completed"};

constexpr std::string_view kStopped = "was stopped";

/// What is told of an attempt that failed, by its class; static texts.
constexpr std::array<std::string_view, failure_class_names.size()> kFailures{
    "failed",
    "failed: nobody knows why",
    "failed: infrastructure",
    "failed: capacity",
    "failed: code",
    "failed: out of memory, which no retry mends",
    "failed: data",
    "failed: configuration, which no retry mends",
    "failed: hardware",
    "failed: quota"};

/// What people are told of.
class Events {
 public:
  explicit Events(const std::vector<std::string>& names) : names_{names}, ends_{names} {}

  bool has(std::string_view event) const {
    return std::find(names_.begin(), names_.end(), event) != names_.end();
  }

  /// The text for an ended attempt; empty: the options do not request a message.
  std::string_view of_end(const JobStatus& status, std::string_view kind,
                          std::string_view name) const {
    if (status.primary == Primary::completed) return has("completed") ? "is done" : "";
    if (!ends_.include(status, kind, name)) return "";
    if (status.primary == Primary::failed) {
      return kFailures[static_cast<std::size_t>(status.failure)];
    }
    if (status.secondary == Secondary::max_runtime_exceeded) return "ran for as long as it may";
    if (status.secondary == Secondary::max_wait_time_exceeded)
      return "waited for as long as it may";
    return kStopped;
  }

 private:
  std::vector<std::string> names_;
  Ends ends_;
};

/// An attempt that another has followed, and whose end was not told yet.
struct Followed {
  AttemptNumber attempt = 0;
  std::uint16_t incidents = 0;  ///< that were told of it
};

/// A condition that lasts until a person or rule acts on it.
enum class Lasting : std::uint8_t { nothing, end, interruption, loss };

struct NotifyRow {
  AttemptNumber attempt = 0;        ///< of all this but `waiting` and `followed`
  AttemptNumber asked = 0;          ///< newest attempt whose stop was asked for
  std::uint16_t interruptions = 0;  ///< that were seen
  std::uint16_t incidents = 0;      ///< numbers of messages, from 1
  std::uint16_t reminders = 0;      ///< of the newest incident
  bool ended = false;               ///< the end was seen
  Lasting lasting = Lasting::nothing;
  std::string_view reason = {};  ///< of what lasts
  std::uint16_t told_as = 0;     ///< the newest message of what lasts
  /// Until it is no longer quiet; of attempts before, too.
  std::vector<SentMessage> waiting = {};
  std::vector<Followed> followed = {};
  std::set<Instant> lost = {};       ///< losses that were told
  std::set<Instant> warned_of = {};  ///< losses to come that were told
  Instant tell_at = never;
  Instant remind_at = never;
  Instant stop_at = never;
  Instant due = never;  ///< when the timer is set for
};

class NotifyRule final : public JobRule<NotifyRow> {
 public:
  explicit NotifyRule(const Options& options)
      : events_{options.texts("events")},
        quiet_{weekly_hours(options, "quiet_hours.")},
        remind_every_{options.duration("remind_every")},
        reminders_{options.integer("reminders")},
        stop_after_{options.duration("stop_after")} {}

 private:
  void hear(const Observation& seen) override {
    if (const auto* loss = std::get_if<NodesLost>(&seen.fact)) {
      NotifyRow* row = events_.has("nodes_lost") ? row_of(loss->job, loss->attempt) : nullptr;
      if (row == nullptr || !row->lost.insert(seen.happened_at).second) return;
      begin(*row, Lasting::loss, "lost machines");
      heard_.push_back(loss->job);
    } else if (const auto* notice = std::get_if<SpotNotice>(&seen.fact)) {
      if (notice->signal != SpotSignal::interruption) return;
      NotifyRow* row = events_.has("spot_notice") ? row_of(notice->job, notice->attempt) : nullptr;
      if (row == nullptr || !row->warned_of.insert(notice->at).second) return;
      begin(*row, Lasting::nothing, "is about to lose its Spot machines");
      heard_.push_back(notice->job);
    }
  }

  /// Null if the event is not of the newest attempt.
  NotifyRow* row_of(JobId job, AttemptNumber attempt) {
    NotifyRow& row = jobs_[job];
    if (attempt < row.attempt) return nullptr;
    follow(row, attempt);
    return &row;
  }

  /// What waits while it is quiet is told all the same, and so are ends that are told late.
  static void follow(NotifyRow& row, AttemptNumber attempt) {
    if (attempt <= row.attempt) return;
    std::vector<SentMessage> waiting = std::move(row.waiting);
    std::vector<Followed> followed = std::move(row.followed);
    if (row.attempt > 0 && !row.ended) followed.push_back({row.attempt, row.incidents});
    for (AttemptNumber between = row.attempt; ++between < attempt;) followed.push_back({between});
    begin_attempt(row, attempt);
    row.waiting = std::move(waiting);
    row.followed = std::move(followed);
  }

  bool tells_of_the_past() const override { return true; }

  /// It may be quiet by now.
  void tell_again(JobId job, SentMessage failed, Decisions& /*out*/) override {
    jobs_[job].waiting.push_back(std::move(failed));
  }

  /// The end of an attempt that another has followed already: its queue retried it at once, or the
  /// events arrived out of order.
  void attend(const Observation& seen, const Step& step, Decisions& /*out*/) override {
    hear(seen);
    const auto* event = std::get_if<JobChanged>(&seen.fact);
    if (event == nullptr || !is_terminal(event->primary)) return;
    NotifyRow& row = jobs_[event->job];
    follow(row, step.fleet.status(event->job).attempt);
    const auto known = std::ranges::find(row.followed, event->attempt, &Followed::attempt);
    if (known == row.followed.end()) return;
    const auto incident = static_cast<std::uint16_t>(known->incidents + 1);
    row.followed.erase(known);
    JobStatus ended;
    ended.primary = event->primary;
    ended.secondary = event->secondary;
    ended.failure = event->failure;
    const std::string_view what = events_.of_end(ended, {}, {});
    if (!what.empty()) row.waiting.push_back({event->attempt, incident, what});
  }

  void look_around(const Step& step, Decisions& out) override {
    for (const JobId job : heard_) look_at(job, step, out);
    heard_.clear();
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    NotifyRow& row = jobs_[job];
    follow(row, status.attempt);
    if (row.attempt != status.attempt) return;
    note(job, row, step);
    if (!lasts(row, status)) {
      row.lasting = Lasting::nothing;
      row.remind_at = row.stop_at = never;
    }
    if (row.remind_at <= step.now) {
      row.remind_at = never;
      ++row.reminders;
      add(row, row.reason, basis_of(row.reason, job, step.fleet));
      row.told_as = row.incidents;
    }
    tell(job, row, step, out);
    if (row.stop_at <= step.now && row.asked < row.attempt) {
      row.asked = row.attempt;
      out.propose(StopJob{job, row.attempt, StopCause::rule_broken, row.incidents}, row.reason);
    }
    wake(job, row, step, out);
  }

  /// What the belief shows that was not seen before.
  void note(JobId job, NotifyRow& row, const Step& step) {
    const JobStatus& status = step.fleet.status(job);
    if (status.interruptions > row.interruptions) {
      row.interruptions = status.interruptions;
      if (events_.has("interrupted")) begin(row, Lasting::interruption, "was interrupted");
    }
    if (is_terminal(status.primary) && !row.ended) {
      row.ended = true;
      const std::string_view what =
          events_.of_end(status, step.fleet.stopped_by(job), step.fleet.stopped_by_name(job));
      if (!what.empty()) begin(row, Lasting::end, what, basis_of(what, job, step.fleet));
    }
  }

  static void add(NotifyRow& row, std::string_view reason, std::string basis) {
    row.waiting.push_back({row.attempt, ++row.incidents, reason, std::move(basis)});
  }

  static void begin(NotifyRow& row, Lasting lasting, std::string_view reason,
                    std::string basis = {}) {
    add(row, reason, std::move(basis));
    // What lasts by itself goes on beside what does not, and an end beside what is told late.
    if (lasting == Lasting::nothing || row.lasting == Lasting::end) return;
    row.lasting = lasting;
    row.reason = reason;
    row.told_as = row.incidents;
    row.reminders = 0;
    row.remind_at = row.stop_at = never;
  }

  static bool lasts(const NotifyRow& row, const JobStatus& status) {
    switch (row.lasting) {
      case Lasting::nothing:
        return false;
      case Lasting::end:
        return status.primary != Primary::completed;
      case Lasting::interruption:
        return status.primary == Primary::in_progress && !holds_machines(status);
      case Lasting::loss:
        return status.primary == Primary::in_progress;
    }
    return false;
  }

  /// Messages wait while it is quiet.
  void tell(JobId job, NotifyRow& row, const Step& step, Decisions& out) {
    if (row.waiting.empty()) return;
    row.tell_at = quiet_.days.none() ? step.now : quiet_.open_until(step.now);
    if (row.tell_at > step.now) return;
    row.tell_at = never;
    for (const SentMessage& of : std::exchange(row.waiting, {})) {
      out.propose(Notify{job, of.attempt, of.incident}, of.reason, of.basis);
    }
  }

  static std::string basis_of(std::string_view reason, JobId job, const FleetView& fleet) {
    return reason == kStopped ? by_whom(job, fleet) : std::string{};
  }

  /// "by watch (stalled_gpu)": the rule whose stop it was; empty: a person's.
  static std::string by_whom(JobId job, const FleetView& fleet) {
    const std::string_view kind = fleet.stopped_by(job);
    const std::string_view name = fleet.stopped_by_name(job);
    if (kind.empty()) return {};
    std::string text = "by ";
    text += name;
    if (name == kind) return text;
    text += " (";
    text += kind;
    return text + ')';
  }

  /// It was delivered, or would have been: what is to come of what lasts counts from there.
  void conclude(const ActionSettled& settled, const Step& step, Decisions& out) override {
    if (settled.verb != VerbKind::notify) return;
    NotifyRow& row = jobs_[settled.job];
    if (row.attempt != settled.attempt || row.lasting == Lasting::nothing) return;
    if (settled.incident != row.told_as) return;
    const bool reminds = remind_every_ > Duration{0} && row.reminders < reminders_;
    if (reminds && row.remind_at == never) {
      row.remind_at = later(step.now, remind_every_);
    }
    const bool runs = row.lasting != Lasting::end;
    if (runs && stop_after_ > Duration{0} && row.stop_at == never) {
      row.stop_at = later(step.now, stop_after_);
    }
    wake(settled.job, row, step, out);
  }

  void wake(JobId job, NotifyRow& row, const Step& step, Decisions& out) const {
    Instant due = never;
    for (const Instant at : {row.tell_at, row.remind_at, row.stop_at}) {
      if (at > step.now) due = std::min(due, at);
    }
    if (due == never || (row.due == due && due > step.now)) return;
    row.due = due;
    out.wake_at(TimerKey{.job = job, .attempt = row.attempt}.packed(), due);
  }

  void forget(NotifyRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  Events events_;
  WeeklyHours quiet_;
  Duration remind_every_;
  std::int64_t reminders_;
  Duration stop_after_;
  std::vector<JobId> heard_;  ///< in this step
};

bool is_event(std::string_view event) {
  return is_end(event) || std::find(kEvents.begin(), kEvents.end(), event) != kEvents.end();
}

OptionProblem check_notify(const Options& options) {
  const std::vector<std::string>& events = options.texts("events");
  for (std::size_t index = 0; index < events.size(); ++index) {
    if (is_event(events[index])) continue;
    return {.option = "events",
            .message = "'" + events[index] + "' is not an event",
            .help =
                "failed, failed:CLASS, stopped, stopped_by:RULE, max_runtime_exceeded, "
                "max_wait_time_exceeded, interrupted, nodes_lost, spot_notice, completed",
            .element = index};
  }
  if (events.empty()) {
    return {.option = "events",
            .message = "names no event: the rule can never act",
            .help = R"(as in "events": ["failed"])"};
  }
  const bool of_running = std::any_of(events.begin(), events.end(), [](const std::string& event) {
    return event == "interrupted" || event == "nodes_lost";
  });
  if (options.duration("stop_after") == Duration{0} || of_running) return {};
  return {.option = "stop_after",
          .message = "has no effect without interrupted or nodes_lost",
          .help = R"("events": ["interrupted", "nodes_lost"])",
          .against = "events"};
}

std::unique_ptr<Policy> make_notify(const Options& options) {
  return std::make_unique<NotifyRule>(options);
}

std::vector<OptionSpec> notify_options() {
  std::vector<OptionSpec> table{
      {.name = "events",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["failed", "max_runtime_exceeded", "max_wait_time_exceeded"])",
       .choices = {},
       .help = "events to report: failed, failed:CLASS, stopped, stopped_by:RULE, "
               "max_runtime_exceeded, max_wait_time_exceeded, interrupted, nodes_lost, "
               "spot_notice, completed"},
      {.name = "remind_every",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "interval between reminders while the incident lasts; 0s: no reminders"},
      {.name = "reminders",
       .type = OptionType::integer,
       .unit = "messages",
       .default_json = "3",
       .min = 0,
       .max = 1000,
       .choices = {},
       .help = "maximum number of reminders per incident",
       .companion = {"remind_every", R"("remind_every": "4h")"}},
      {.name = "stop_after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "stop an attempt that is still interrupted, or still lacks instances, this long "
               "after the notification; 0s: never",
       .vary = Vary::up}};
  for (OptionSpec& row : quiet_options()) table.push_back(std::move(row));
  return table;
}

OptionProblem idle_notify(const Options& options, const ScenarioFacts& facts) {
  const std::vector<std::string>& events = options.texts("events");
  const auto never_occurs = [&](const std::string& event) {
    return (event == "spot_notice" && !facts.spot_warns) ||
           (event == "nodes_lost" && !facts.loses_nodes);
  };
  if (std::all_of(events.begin(), events.end(), never_occurs)) {
    return {.option = "events",
            .message = "none of these events occurs in this scenario",
            .help =
                "\"spot_notice\" needs Spot with notices (\"model\": \"ec2\"); "
                "\"nodes_lost\" needs gangs that lose single instances"};
  }
  if (!weekly_hours(options, "quiet_hours.").is_always_open(facts.start)) return {};
  return {.option = "quiet_hours.from",
          .message = "quiet hours cover the whole week: no notification is sent",
          .help = "shorten the quiet hours"};
}

std::vector<VerbKind> notify_verbs(const Options& options) {
  if (options.duration("stop_after") == Duration{0}) return {VerbKind::notify};
  return {VerbKind::notify, VerbKind::stop_job};
}

}  // namespace

PolicyKind notify_kind() {
  return {
      .name = "notify",
      .summary = "sends notifications about job events, with reminders and an optional stop",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), the e-mail that its code does not implement",
      .options = notify_options(),
      .check = check_notify,
      .idle = idle_notify,
      .verbs = notify_verbs,
      .make = make_notify,
  };
}

}  // namespace reeve::policies
