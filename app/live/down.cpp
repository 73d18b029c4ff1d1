// reeve live down: removes what reeve created and what costs money.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <variant>

#include "app/exit_code.hpp"
#include "app/live/clean_up.hpp"
#include "app/study/interruption.hpp"
#include "app/text/shell_word.hpp"
#include "live/feed/account_jobs.hpp"
#include "live/feed/roster.hpp"
#include "report/display_width.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

class Down final : public CleanUp {
 public:
  Down(const CleanUpArguments& arguments, const Console& console)
      : CleanUp{"down", arguments, console} {}

  /// Why nothing may be removed; `done`: nothing is against it.
  ExitCode check_jobs();

 private:
  std::vector<std::string_view> tag_keys() const override { return {live::created_by_tag}; }
  live::Judgement judge(live::Resource& resource) override;
  void add_notes(report::Table& table) const override;

  bool may_read_tags_ = true;
};

ExitCode Down::check_jobs() {
  const auto found =
      live::running_jobs(account().client(), account().clock(),
                         [](std::size_t, std::size_t) { return !interruption().load(); });
  if (const auto* failed = std::get_if<live::FailedCall>(&found)) give_up(*failed);
  const auto& jobs = std::get<live::AccountJobs>(found);
  if (jobs.interrupted) return ExitCode::interrupted;
  std::string names;
  for (const live::FleetEvent& event : jobs.jobs) {
    const auto& job = std::get<live::TrainingJobState>(event.detail);
    const bool is_ours = std::any_of(job.tags->begin(), job.tags->end(), [](const auto& tag) {
      return tag.first == live::created_by_tag;
    });
    if (is_ours) names += (names.empty() ? "" : ", ") + report::printable(job.name);
  }
  if (!names.empty()) {
    console().complain("refused: training jobs that reeve created are in progress: " + names +
                       "\n  = help: nothing was changed; wait for their end, or stop them\n");
    return ExitCode::refused;
  }
  for (const live::UnreadJob& job : jobs.unread) {
    console().complain(fmt::format("training job {} cannot be read: {}\n",
                                   scenarios::in_quotes(job.name), report::printable(job.why)));
  }
  return jobs.unread.empty() ? ExitCode::done : ExitCode::cloud;
}

live::Judgement Down::judge(live::Resource& resource) {
  if (resource.kind == live::ResourceKind::alarm) {
    if (!may_read_tags_) return {};
    if (const auto failed = resources().read_tags(resource)) {
      may_read_tags_ = !live::concerns_all(failed->error);
      tell(*failed);
      if (!may_read_tags_) return {};  // told once, not for each alarm
      return {live::Verdict::unread, {}, "its tags cannot be read", resource.made};
    }
  }
  const std::string* rule = resource.tag(live::created_by_tag);
  if (rule == nullptr) return {};
  live::Judgement judgement{live::Verdict::remove, {}, "created by " + *rule, resource.made};
  if (const std::string* job = resource.tag(live::job_tag)) judgement.job = *job;
  if (const std::string held = live::held_by(resource, terms().protected_tags); !held.empty()) {
    judgement.verdict = live::Verdict::report;
    judgement.finding += "; " + held;
  }
  return judgement;
}

void Down::add_notes(report::Table& table) const {
  if (!arguments().removes && finds_some()) {
    table.closing.push_back({"Nothing was changed. To remove them: " + command_line("--yes")});
  }
  const std::string journal = journal_file();
  std::error_code error;
  if (std::filesystem::exists(journal, error)) {
    table.closing.push_back({"It leaves the journal of actions: rm " + shell_word(journal)});
  }
  if (const std::string topic = settings().notify.sns; !topic.empty()) {
    table.closing.push_back({"It leaves the topic: aws sns delete-topic --topic-arn " + topic});
  }
  if (const std::string queue = settings().queue; !queue.empty()) {
    table.closing.push_back(
        {"It leaves the queue, of a stack: aws cloudformation delete-stack --stack-name NAME"});
    table.closing.push_back(
        {"or by itself: aws sqs delete-queue --queue-url " + shell_word(queue)});
  }
}

}  // namespace

int live_down(const CleanUpArguments& arguments, const Console& console) {
  Down down{arguments, console};
  const ExitCode code = down.check_jobs();
  return code == ExitCode::done ? down.run() : code;
}

}  // namespace reeve::app
