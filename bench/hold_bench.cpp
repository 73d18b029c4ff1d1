// The hold model: with so many events pending, pop the earliest and push one at a random distance.
//
// The time per hold of each queue comes from Google Benchmark; the ratios printed at the end, and
// written as JSON to the file of --json=FILE, come from short bursts of all queues in turn, since
// two measurements minutes apart differ by more than two queues do.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "bench/four_ary_heap.hpp"
#include "sim/draws.hpp"
#include "sim/event_queue.hpp"

namespace reeve::bench {
namespace {

using sim::Event;
using sim::EventQueue;
using sim::Phase;

/// std::priority_queue behind the interface of EventQueue.
class StandardQueue {
 public:
  void push(std::int64_t at_ns, Phase phase, std::uint32_t kind, std::uint32_t subject,
            std::uint64_t stamp) {
    queue_.push({at_ns, sim::rank_of(phase, pushed_++), kind, subject, stamp});
  }
  Event pop() {
    const Event first = queue_.top();
    queue_.pop();
    return first;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return before(b, a); }
  };
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  std::uint64_t pushed_ = 0;
};

constexpr std::size_t gap_count = 1 << 16;  // drawn ahead: neither logarithms nor Philox are timed

double uniform(std::size_t i, std::uint32_t which) {
  return sim::uniform({7, which, sim::Cause::event_delay, 0, static_cast<std::uint32_t>(i)});
}

/// The distance of the `i`th push, with a mean near one second but for `tied` and `equal`.
double gap_seconds(std::string_view distribution, std::size_t i) {
  const double u = uniform(i, 0);
  if (distribution == "exponential") return sim::exponential(1.0, u);
  if (distribution == "uniform") return 2.0 * u;
  if (distribution == "bimodal") return uniform(i, 1) <= 0.9 ? 0.1 * u : 100.0 * u;
  if (distribution == "pareto") return sim::pareto(1.1, 0.1, u);
  if (distribution == "tied") return 60.0 * std::ceil(3.0 * u);
  return 0.0;
}

std::vector<std::int64_t> gaps_of(std::string_view distribution) {
  std::vector<std::int64_t> gaps(gap_count);
  for (std::size_t i = 0; i < gap_count; ++i) {
    gaps[i] = static_cast<std::int64_t>(1e9 * gap_seconds(distribution, i));
  }
  return gaps;
}

template <class Queue>
class Hold {
 public:
  Hold(const std::vector<std::int64_t>& gaps, std::size_t pending) : gaps_(gaps) {
    for (std::size_t i = 0; i < pending; ++i) {
      const double part = uniform(i, 2);
      queue_.push(static_cast<std::int64_t>(part * static_cast<double>(next_gap())), Phase::world,
                  0, static_cast<std::uint32_t>(i), 0);
    }
    for (std::size_t i = 0; i < 3 * pending; ++i) step();  // until the mix of gaps is steady
  }

  /// One pop and one push; the entity that it happened to.
  [[gnu::always_inline]] std::uint32_t step() {
    const Event event = queue_.pop();
    queue_.push(event.at_ns + next_gap(), Phase::world, 0, event.subject, 0);
    return event.subject;
  }

  [[gnu::noinline]] double burst_ns(std::size_t steps) {
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t order = order_;
    for (std::size_t i = 0; i < steps; ++i) order = 31 * order + step();
    order_ = order;
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    return taken.count() / static_cast<double>(steps);
  }

  /// Two queues that popped the same events in the same order have the same number.
  std::uint64_t order() const { return order_; }

 private:
  std::int64_t next_gap() { return gaps_[next_++ % gap_count]; }

  const std::vector<std::int64_t>& gaps_;
  Queue queue_;
  std::size_t next_ = 0;
  std::uint64_t order_ = 0;
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Medians {
  double ladder_ns;
  double heap_ns;
  double standard_ns;
  double ratio;  ///< the median over bursts of ladder / heap, each pair measured back to back
};

Medians compare(const std::vector<std::int64_t>& gaps, std::size_t pending, std::size_t rounds) {
  Hold<EventQueue> ladder(gaps, pending);
  Hold<FourAryHeap> heap(gaps, pending);
  Hold<StandardQueue> standard(gaps, pending);
  // A burst covers the ladder's rare big steps in proportion.
  const std::size_t steps = std::max<std::size_t>(20'000, pending);
  std::vector<double> ladder_ns, heap_ns, standard_ns, ratios;
  for (std::size_t round = 0; round < rounds; ++round) {
    ladder_ns.push_back(ladder.burst_ns(steps));
    heap_ns.push_back(heap.burst_ns(steps));
    standard_ns.push_back(standard.burst_ns(steps));
    ratios.push_back(ladder_ns.back() / heap_ns.back());
  }
  if (ladder.order() != heap.order() || ladder.order() != standard.order()) {
    fmt::print(stderr, "the queues disagree on the order of events\n");
    std::exit(1);
  }
  return {median(ladder_ns), median(heap_ns), median(standard_ns), median(ratios)};
}

constexpr std::array distributions{"exponential", "uniform", "bimodal", "pareto", "tied", "equal"};
constexpr std::array<std::size_t, 6> sizes{1, 16, 64, 1'000, 100'000, 1'000'000};

/// Prints the table of ratios; their JSON object is the answer.
std::string report_ratios() {
  std::string json;
  fmt::print("\n{:<24}{:>10}{:>10}{:>10}{:>14}\n", "ns per pop + push", "ladder", "4-ary", "std",
             "ladder/4-ary");
  for (const char* distribution : distributions) {
    const std::vector<std::int64_t> gaps = gaps_of(distribution);
    for (const std::size_t pending : sizes) {
      const Medians medians = compare(gaps, pending, pending < 100'000 ? 31 : 9);
      const std::string key = fmt::format("hold/{}/{}", distribution, pending);
      fmt::print("{:<24}{:>10.1f}{:>10.1f}{:>10.1f}{:>14.2f}\n", key, medians.ladder_ns,
                 medians.heap_ns, medians.standard_ns, medians.ratio);
      std::fflush(stdout);
      json += fmt::format("{}  \"{}\": {:.3f}", json.empty() ? "" : ",\n", key, medians.ratio);
    }
  }
  return "{\n" + json + "\n}\n";
}

template <class Queue>
void hold(benchmark::State& state, const std::string& distribution) {
  const std::vector<std::int64_t> gaps = gaps_of(distribution);
  Hold<Queue> model(gaps, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(model.step());
}

template <class Queue>
void add(const std::string& name) {
  for (const std::string distribution : distributions) {
    benchmark::RegisterBenchmark((name + "/" + distribution).c_str(), hold<Queue>, distribution)
        ->Arg(1'000)
        ->Arg(100'000)
        ->Arg(1'000'000);
  }
}

}  // namespace
}  // namespace reeve::bench

int main(int count, char** arguments) {
  constexpr std::string_view flag = "--json=";
  std::string file;
  bool ratios_only = false;
  std::vector<char*> others;
  for (int i = 0; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with(flag)) {
      file = argument.substr(flag.size());
    } else if (argument == "--ratios_only") {
      ratios_only = true;
    } else {
      others.push_back(arguments[i]);
    }
  }
  int left = static_cast<int>(others.size());
  benchmark::Initialize(&left, others.data());
  if (benchmark::ReportUnrecognizedArguments(left, others.data())) return 2;
  if (!ratios_only) {
    reeve::bench::add<reeve::sim::EventQueue>("ladder");
    reeve::bench::add<reeve::bench::FourAryHeap>("four_ary_heap");
    reeve::bench::add<reeve::bench::StandardQueue>("std_priority_queue");
    benchmark::RunSpecifiedBenchmarks();
  }
  const std::string json = reeve::bench::report_ratios();
  if (file.empty()) return 0;
  std::ofstream out(file);
  out << json << std::flush;
  if (!out) {
    fmt::print(stderr, "{}: cannot be written\n", file);
    return 1;
  }
  return 0;
}
