// Queues in order against one that is sorted in every step, in random worlds.
#include <random>
#include <tuple>

#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/schedule_rig.hpp"

namespace reeve::policies {
namespace schedule_oracle_test {

using schedule_rig::Jobs;
using schedule_rig::kFifo;
using schedule_rig::kFifoAny;
using schedule_rig::kSjf;
using schedule_rig::kSjfAny;
using schedule_rig::machines;
using schedule_rig::started;
using schedule_rig::work;

/// Sorts the whole queue in every step: too slow to use, too simple to be wrong.
class Oracle {
 public:
  Oracle(bool shortest_first, bool any_fit) : sjf_{shortest_first}, any_fit_{any_fit} {}

  void submit(std::uint32_t job, Instant at, const JobDescription& job_description) {
    queue_.push_back({job, at, job_description});
  }
  Jobs start(std::int64_t& free) {
    std::sort(queue_.begin(), queue_.end(),
              [&](const Entry& a, const Entry& b) { return key(a) < key(b); });
    Jobs jobs;
    for (auto entry = queue_.begin(); entry != queue_.end();) {
      const bool fits = entry->description.instances <= free;
      if (!fits && !any_fit_) break;
      if (fits) {
        free -= entry->description.instances;
        jobs.push_back(entry->job);
      }
      entry = fits ? queue_.erase(entry) : std::next(entry);
    }
    return jobs;
  }

 private:
  struct Entry {
    std::uint32_t job;
    Instant at;
    JobDescription description;
  };
  std::tuple<Duration, Instant, std::uint32_t> key(const Entry& entry) const {
    if (!sjf_) return {Duration{0}, entry.at, entry.job};
    return {entry.description.expected_work, entry.description.submitted_at, entry.job};
  }
  bool sjf_;
  bool any_fit_;
  std::vector<Entry> queue_;
};

/// A random workload with bursts, ties and repeated facts; returns how many jobs were started.
std::size_t compare_with_oracle(const std::string& options, Oracle oracle, std::uint32_t seed) {
  std::mt19937 random{seed};
  const auto draw = [&](std::uint32_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  const std::uint32_t capacity = 8 + draw(60);
  const std::uint32_t sizes = 1 + draw(capacity);
  RuleBench bench{"schedule", options};
  bench.at(0s, {machines(capacity)});
  std::int64_t free = capacity;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> running;  // job, instances
  std::vector<JobDescription> descriptions;
  std::size_t starts = 0;
  for (int turn = 0; turn < 400; ++turn) {
    const Duration now = std::chrono::minutes{turn};
    std::vector<Fact> facts;
    for (std::uint32_t n = turn < 300 ? draw(4) : 0; n > 0; --n) {
      JobDescription description = work(1 + draw(sizes), std::chrono::hours{1 + draw(6)});
      description.submitted_at = kStart + now;
      const auto job = static_cast<std::uint32_t>(descriptions.size());
      descriptions.push_back(description);
      oracle.submit(job, kStart + now, description);
      facts.insert(facts.begin() + draw(static_cast<std::uint32_t>(facts.size()) + 1),
                   submitted({job}, 1, description));
    }
    for (std::uint32_t n = draw(4); n > 0 && !running.empty(); --n) {
      const auto ended = running.begin() + draw(static_cast<std::uint32_t>(running.size()));
      facts.push_back(changed({ended->first}, 5, Secondary::completed));
      free += ended->second;
      running.erase(ended);
    }
    if (draw(3) == 0 && !facts.empty())
      facts.push_back(facts[draw(static_cast<std::uint32_t>(facts.size()))]);
    const Jobs expected = oracle.start(free);
    EXPECT_EQ(started(bench.at(now, facts)), expected) << "seed " << seed << " turn " << turn;
    if (testing::Test::HasFailure()) return starts;
    for (const std::uint32_t job : expected) running.emplace_back(job, descriptions[job].instances);
    starts += expected.size();
  }
  return starts;
}

TEST(Schedule, EqualsAnOracleThatSortsTheQueueInEveryStep) {
  const std::vector<std::uint32_t> seeds = tests::seeds(40);
  for (const std::uint32_t seed : seeds) {
    if (testing::Test::HasFailure()) return;
    EXPECT_GT(compare_with_oracle(kFifo, {false, false}, seed), 50U);
    EXPECT_GT(compare_with_oracle(kFifoAny, {false, true}, seed), 50U);
    EXPECT_GT(compare_with_oracle(kSjf, {true, false}, seed), 50U);
    EXPECT_GT(compare_with_oracle(kSjfAny, {true, true}, seed), 50U);
  }
}

}  // namespace schedule_oracle_test
}  // namespace reeve::policies
