// reeve live orphans: alarms and instances that have outlived their training job.
#include "app/live/clean_up.hpp"
#include "live/act/protected_tag.hpp"

namespace reeve::app {
namespace {

class Orphans final : public CleanUp {
 public:
  Orphans(const CleanUpArguments& arguments, const Console& console)
      : CleanUp{"orphans", arguments, console} {}

 private:
  std::vector<std::string_view> tag_keys() const override {
    return {live::job_tag, live::name_tag};
  }
  live::Judgement judge(live::Resource& resource) override {
    live::Judgement judgement = live::judge_orphan(resource, ends(), terms(), account().now());
    const bool has_guard = !terms().protected_tags.empty();
    if (!has_guard || judgement.verdict != live::Verdict::remove ||
        resource.kind != live::ResourceKind::alarm) {
      return judgement;
    }
    if (const auto failed = resources().read_tags(resource)) {
      tell(*failed);
      return {live::Verdict::unread, judgement.job, "its tags cannot be read", judgement.since};
    }
    if (const auto kept = live::protected_tag(resource.tags, terms().protected_tags);
        !kept.empty()) {
      judgement.verdict = live::Verdict::report;
      judgement.finding += "; protected by the tag " + kept;
    }
    return judgement;
  }
  void add_notes(report::Table& table) const override {
    if (arguments().removes || !finds_some()) return;
    table.closing.push_back({"Nothing was changed. To remove them: " + command_line("--delete")});
  }
};

}  // namespace

int live_orphans(const CleanUpArguments& arguments, const Console& console) {
  return Orphans{arguments, console}.run();
}

}  // namespace reeve::app
