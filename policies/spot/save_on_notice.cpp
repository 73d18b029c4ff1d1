#include "save_on_notice.hpp"

#include <algorithm>
#include <vector>

#include "job_rule.hpp"
#include "proposed_verbs.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kSaveOnNoticeReason = "its machines will be taken away";

/// A loss that was told, and whether it was asked to save because of it.
struct Loss {
  Instant at;         ///< `never`: it may come at any time
  Instant ask;        ///< to save, from then on
  bool over = false;  ///< it was asked, or cannot be any more
};

struct SaveOnNoticeRow {
  AttemptNumber attempt = 0;
  std::vector<Loss> losses;
};

/// One request for each loss, so long before it; what is told later is asked at once.  Who does not
/// train yet is asked when it does, if that is before the loss.
class SaveOnNotice final : public JobRule<SaveOnNoticeRow> {
 public:
  explicit SaveOnNotice(const Options& options)
      : lead_{options.duration("lead")},
        block_end_{options.flag("block_end")},
        rebalance_{options.flag("rebalance")} {}

 private:
  void hear(const Observation& seen) override {
    const auto* notice = std::get_if<SpotNotice>(&seen.fact);
    if (notice == nullptr) return;
    if (notice->signal == SpotSignal::block_end && !block_end_) return;
    if (notice->signal == SpotSignal::rebalance && !rebalance_) return;
    SaveOnNoticeRow& row = jobs_[notice->job];
    if (notice->attempt < row.attempt) return;
    if (notice->attempt > row.attempt) row = {.attempt = notice->attempt, .losses = {}};
    const bool any_time = notice->signal == SpotSignal::rebalance;
    const Loss loss{any_time ? never : notice->at, any_time ? notice->at : notice->at - lead_};
    const auto same = [&](const Loss& known) {
      return known.at == loss.at && known.ask == loss.ask;
    };
    if (std::any_of(row.losses.begin(), row.losses.end(), same)) return;  // told twice
    row.losses.push_back(loss);
    heard_.push_back(notice->job);
  }

  void look_around(const Step& step, Decisions& out) override {
    for (const JobId job : heard_) look_at(job, step, out);
    heard_.clear();
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    if (!jobs_.knows(job) || jobs_[job].losses.empty()) return;
    const JobStatus& status = step.fleet.status(job);
    SaveOnNoticeRow& row = jobs_[job];
    if (status.attempt < row.attempt) return;  // told before the attempt was
    if (status.attempt > row.attempt || is_terminal(status.primary)) return row.losses.clear();
    const bool trains =
        status.primary == Primary::in_progress && status.secondary == Secondary::training;
    bool asks = false;
    Instant next = never;
    for (Loss& loss : row.losses) {
      if (loss.over) continue;
      const bool any_time = loss.at == never;
      if (loss.ask > step.now) {
        next = std::min(next, loss.ask);
      } else if (any_time || trains || loss.at <= step.now) {
        asks = asks || (trains && step.now < loss.at);
        loss.over = true;
      }
    }
    if (asks) out.propose(SaveCheckpoint{job, status.attempt}, kSaveOnNoticeReason);
    if (next == never) return;
    out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), next);
  }

  void forget(SaveOnNoticeRow& row, AttemptNumber attempt) override {
    if (row.attempt != attempt) return;
    for (Loss& loss : row.losses) loss.over = false;
  }

  Duration lead_;
  bool block_end_;
  bool rebalance_;
  std::vector<JobId> heard_;  ///< in this step
};

std::unique_ptr<Policy> make_save_on_notice(const Options& options) {
  return std::make_unique<SaveOnNotice>(options);
}

}  // namespace

PolicyKind save_on_notice_kind() {
  return {
      .name = "save_on_notice",
      .summary = "asks a job to save its work before its instances are taken away",
      .source =
          "Rand & Margalit, Advanced Spot-instance Utilization (2023), Spot notices; EC2 User "
          "Guide, Spot Instance interruption notices",
      .options =
          {
              {.name = "lead",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("2m")",
               .min = 0,
               .max = 86'400,
               .choices = {},
               .help =
                   "how long before the loss the save is requested; at once if less time is left"},
              {.name = "block_end",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "true",
               .choices = {},
               .help = "true: also requests a save before a capacity block ends"},
              {.name = "rebalance",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "false",
               .choices = {},
               .help = "true: also requests a save on a rebalance recommendation, at once"},
          },
      .never_stops = true,
      .check = nullptr,
      .verbs = always<VerbKind::save_checkpoint>,
      .make = make_save_on_notice,
  };
}

}  // namespace reeve::policies
