#include "scenarios/history/sum_up.hpp"

#include "scenarios/history/kubernetes/objects.hpp"
#include "scenarios/history/slurm/join.hpp"

namespace reeve::scenarios {

using policy::Instant;

void sum_up_work(History& history, std::optional<Instant> as_of) {
  join_objects(history);
  auto file = history.files.begin();
  std::size_t place = 0;
  history.jobs.rewrite([&](HistoryJob& job) {
    while (file != history.files.end() && place >= file->jobs_until) ++file;
    ++place;
    auto seen = job.seen;
    if (!seen && file != history.files.end()) seen = file->newest;
    return sum_up(job, as_of ? as_of : seen) ? JobPass::changed : JobPass::left_as_is;
  });
  join_slurm(history, as_of);
}

}  // namespace reeve::scenarios
