#include "required_tags.hpp"

#include <algorithm>
#include <utility>

#include "held_back.hpp"
#include "job_news.hpp"
#include "job_table.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "a required tag is missing or has a value that is not allowed";

class RequiredTags final : public Policy {
 public:
  explicit RequiredTags(const Options& options)
      : keys_{options.texts("keys")},
        allowed_{options.text_map("allowed")},
        latency_{options.duration("latency")},
        stops_{options.text("action") == "stop"} {
    std::sort(allowed_.begin(), allowed_.end());
  }

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      const auto* settled = own_settlement(seen, step.seat, VerbKind::stop_job);
      if (settled != nullptr) settle(*settled, step, out);
    }
    for (const HeldBack::Target& held : held_.released(step, out)) {
      if (jobs_[held.job].judged != held.attempt) continue;
      jobs_[held.job].act_at = step.now;
      act_if_due(held.job, step, out);
    }
    for (const Observation& seen : step.observed) {
      if (const auto* news = std::get_if<JobSubmitted>(&seen.fact)) {
        Row& row = jobs_[news->job];
        row.described = std::max(row.described, news->attempt);
      }
      if (const auto job = job_with_news(seen, step.seat)) look_at(*job, step, out);
      if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
        const JobId job = TimerKey::unpacked(timer->key).job;
        if (jobs_.knows(job)) act_if_due(job, step, out);
      }
    }
  }

 private:
  struct Row {
    Instant act_at = never;
    AttemptNumber described = 0;  ///< newest attempt whose own tags the belief holds
    AttemptNumber judged = 0;     ///< newest attempt whose tags were looked at
  };

  void settle(const ActionSettled& settled, const Step& step, Decisions& out) {
    Row& row = jobs_[settled.job];
    const Again when = again(settled);
    if (row.judged != settled.attempt || when == Again::never) return;
    if (when == Again::when_released) {
      held_.add(settled, out);
    } else if (when == Again::with_news) {
      row.act_at = step.now;
    } else {
      row.act_at = later(step.now, kAskAgainAfter);
      out.wake_at(TimerKey{.job = settled.job, .attempt = settled.attempt}.packed(), row.act_at);
    }
  }

  void look_at(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    // Before its submission is known an attempt has no tags in the belief: unknown is not missing.
    const bool known = row.described >= status.attempt;
    if (known && row.judged < status.attempt && has_started(status)) {
      row.judged = status.attempt;
      row.act_at = complies(job, step.fleet) ? never : later(step.now, latency_);
      if (row.act_at > step.now && row.act_at != never) {
        out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), row.act_at);
      }
    }
    act_if_due(job, step, out);
  }

  void act_if_due(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    if (row.act_at > step.now) return;
    row.act_at = never;
    if (row.judged != status.attempt || status.primary != Primary::in_progress) return;
    if (stops_) {
      out.propose(StopJob{job, status.attempt}, kReason);
    } else {
      out.propose(Notify{job, status.attempt}, kReason);
    }
  }

  static bool has_started(const JobStatus& status) {
    return status.primary == Primary::in_progress && status.secondary != Secondary::queued &&
           status.secondary != Secondary::pending;
  }

  bool complies(JobId job, const FleetView& fleet) const {
    for (const std::string& key : keys_) {
      if (!fleet.tag(job, key)) return false;
    }
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
      const std::string& key = allowed_[i].first;
      if (i > 0 && allowed_[i - 1].first == key) continue;
      const auto value = fleet.tag(job, key);
      if (value && !allows(key, *value)) return false;
    }
    return true;
  }

  bool allows(std::string_view key, std::string_view value) const {
    return std::any_of(allowed_.begin(), allowed_.end(),
                       [&](const Tag& tag) { return tag.first == key && tag.second == value; });
  }

  std::vector<std::string> keys_;
  std::vector<Tag> allowed_;  ///< sorted
  Duration latency_;
  bool stops_;
  JobTable<Row> jobs_;
  HeldBack held_;
};

OptionProblem check(const Options& options) {
  if (options.texts("keys").empty() && options.text_map("allowed").empty()) {
    return {.option = "keys",
            .message = "no tag is required and no value is restricted: the rule can never act",
            .help = R"(name at least one key, as in "keys": ["model_name"])"};
  }
  return {};
}

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<RequiredTags>(options);
}

}  // namespace

PolicyKind required_tags_kind() {
  return {
      .name = "required_tags",
      .summary = "stops (or reports) a job that starts without the tags it must carry",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), tag compliance at the start of a job",
      .options =
          {
              {.name = "keys",
               .type = OptionType::texts,
               .unit = "",
               .default_json = "",
               .choices = {},
               .help = "tag keys every job must carry"},
              {.name = "allowed",
               .type = OptionType::text_map,
               .unit = "",
               .default_json = "{}",
               .choices = {},
               .help = "for a key, the values it may have; other keys may have any value"},
              {.name = "action",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("stop")",
               .choices = {"stop", "notify"},
               .help = "what happens to a job that does not comply"},
              {.name = "latency",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("0s")",
               .min = 0,
               .choices = {},
               .help = "time from the news of the start to the action"},
          },
      .schedules = false,
      .check = check,
      .make = make,
  };
}

}  // namespace reeve::policies
