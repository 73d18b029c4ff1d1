#include "app/live/kept_run.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "app/exit_code.hpp"
#include "app/usage_error.hpp"

namespace reeve::app {

KeptRun::KeptRun(const RuleRunArguments& of, const KeepArguments& keep, RuleRun& rules,
                 std::function<std::string()> intake, const Console& console)
    : rules_{rules}, intake_{std::move(intake)}, place_{keep.out.value_or("")} {
  shown_of_ = [this] {
    return Shown{{rules_.rules_table("shadow", {intake_()}, {}), rules_.proposals_table(true)}, {}};
  };
  if (keep.status_port) {
    page_.emplace(static_cast<std::uint16_t>(*keep.status_port));
    console.note("status page: " + page_->url() + '\n');
  }
  if (!keep.out) return;
  if (of.journal) {
    throw UsageError{"--journal and --out exclude each other", "the directory has the journal"};
  }
  record_.emplace(place_, rules, of.file).describe_intake(intake_);
}

void KeptRun::keep() {
  if (record_) record_->keep();
  constexpr std::chrono::seconds old{2};
  if (page_ && std::chrono::steady_clock::now() - shown_ >= old) show();
}

void KeptRun::keep_all() {
  if (record_) record_->keep_all();
  if (page_) show();
}

void KeptRun::note_trouble(const live::FailedCall& failed) {
  if (record_) record_->note_trouble(failed);
}

void KeptRun::take_sample(const std::string& host, policy::Instant minute, double percent) {
  if (record_) record_->take_sample(host, minute, percent);
}

std::string KeptRun::end(const Console& console) {
  if (!record_ || !rules_.failure().empty()) return {};
  try {
    record_->end(rules_.is_partial() ? "interrupted" : "ended");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  console.note("wrote " + place_ + "; its proposals: reeve live log " + place_ + '\n');
  return {};
}

void KeptRun::show() {
  shown_ = std::chrono::steady_clock::now();
  const Shown shown = shown_of_();
  page_->show(shown.tables, shown.metrics);
}

EndedRun end_run(const RuleRun& rules, KeptRun& kept, std::string why_partial,
                 const Console& console) {
  EndedRun ended;
  rules.complain(console);
  if (rules.is_partial()) why_partial = "interrupted";
  if (!rules.failure().empty()) why_partial = rules.failure();
  const std::string unkept = kept.end(console);
  if (!unkept.empty()) why_partial = unkept;
  ended.why_partial = std::move(why_partial);
  ended.is_unkept = !unkept.empty() || !rules.failure().empty();
  return ended;
}

int exit_code_of(const RuleRun& rules, const EndedRun& ended, int if_partial) {
  if (rules.is_partial()) return ExitCode::interrupted;
  if (!ended.why_partial.empty()) return ended.is_unkept ? ExitCode::failed : if_partial;
  return rules.host().muted().empty() ? ExitCode::done : ExitCode::failed;
}

std::string intake_text(std::string all, const live::RosterCounts& counts,
                        std::uint64_t unreadable) {
  if (counts.unused > 0) all += fmt::format(", {} not used", counts.unused);
  if (counts.foreign > 0) all += fmt::format(", {} of other accounts or regions", counts.foreign);
  if (unreadable > 0) all += fmt::format(", {} unreadable", unreadable);
  return all;
}

}  // namespace reeve::app
