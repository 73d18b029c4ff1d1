// reeve live orphans: alarms and instances that have outlived their training job.
#include "app/live/clean_up.hpp"

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
    return live::judge_orphan(resource, ends(), terms(), account().now());
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
