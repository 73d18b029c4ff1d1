#include "app/study/study_timeline.hpp"

#include <string>
#include <vector>

#include "app/explain/decision_rows.hpp"
#include "app/files/output_place.hpp"
#include "app/study/run_info.hpp"
#include "app/usage_error.hpp"
#include "report/export_directory.hpp"
#include "report/trace_events.hpp"

namespace reeve::app {
namespace {

constexpr const char* gzip_comment = "timeline by reeve";

bool is_compressed(const std::filesystem::path& file) {
  return file.extension() == ".gz";
}

}  // namespace

void check_timeline_place(const std::filesystem::path& file,
                          const std::optional<std::filesystem::path>& out) {
  if (file.empty()) throw UsageError{"--timeline needs a file", "--timeline week.json.gz"};
  check_output_file(file,
                    is_compressed(file) ? report::gzip_begins(gzip_comment)
                                        : std::string{report::timeline_begins},
                    "--timeline");
  if (out && report::is_export_file(file.filename())) {
    throw UsageError{"--timeline: " + file.filename().string() + " is a name of results",
                     "use another name, like timeline.json.gz"};
  }
}

StudyTimeline::StudyTimeline(const std::filesystem::path& file, const scenarios::Scenario& scenario)
    : scenario_{scenario},
      file_{file},
      gzip_{is_compressed(file)
                ? std::optional<report::GzipStream>{std::in_place, file_.stream(), gzip_comment}
                : std::nullopt},
      timeline_{gzip_ ? *gzip_ : file_.stream(), file.string()} {}

experiments::RunOptions StudyTimeline::options(experiments::RunOptions others) {
  const models::Keep kept = report::kept_for_timeline();
  others.keep.attempts |= kept.attempts;
  others.keep.ledger |= kept.ledger;
  others.keep.utilization |= kept.utilization;
  others.keep.events |= kept.events;
  others.counterfactuals = true;
  return others;
}

void StudyTimeline::add(const experiments::RunResult& result) {
  if (result.replication > 0) return;
  has_runs_ = true;
  const std::vector<report::DecisionRow> decisions = decision_rows(scenario_.world, result);
  const report::RunInfo info = run_info(scenario_, result);
  timeline_.add({info, scenario_.world, result.record, decisions});
}

bool StudyTimeline::finish() {
  if (!has_runs_) return false;
  timeline_.finish();
  if (gzip_) gzip_->finish();
  file_.close();
  file_.put_in_place();
  return true;
}

}  // namespace reeve::app
