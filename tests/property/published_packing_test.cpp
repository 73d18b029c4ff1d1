// What was published of packing parts of GPUs onto nodes (Beware of Fragmentation, ATC 2023), met
// by the model of nodes: the same tasks until they ask for 130 % of the GPUs, none of which leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "experiments/packing.hpp"
#include "models/node_packing.hpp"
#include "scenarios/shared_nodes.hpp"

namespace reeve::tests {
namespace {

namespace fs = std::filesystem;
using models::PackingRule;

const fs::path data = REEVE_SOURCE_DIR "/../shared/data/jobs_alibaba_openb_2023";
constexpr std::uint32_t orders = 10;

struct Trace {
  scenarios::SharedNodes nodes;
  scenarios::SharedTasks tasks;
  std::vector<models::TypicalTask> typical;

  explicit Trace(const std::string& workload)
      : nodes{scenarios::read_shared_nodes(data / "openb_node_list_gpu_node.csv.gz")},
        tasks{scenarios::read_shared_tasks(data / ("openb_pod_list_" + workload + ".csv.gz"),
                                           nodes)} {
    std::vector<models::TaskShape> shapes;
    for (const auto& task : tasks.tasks) shapes.push_back(task.shape);
    typical = models::typical_tasks(shapes);
  }
};

/// Percent of the GPUs that are allocated in the end, mean of the orders.
double allocated_pct(const Trace& trace, PackingRule rule) {
  constexpr std::int64_t gpu_milli = 6'212'000;
  double sum = 0;
  for (std::uint32_t order = 0; order < orders; ++order) {
    const experiments::PackingLuck luck{1, order};
    const auto tasks = experiments::drawn_tasks(trace.tasks.tasks, gpu_milli, 130, luck);
    const auto filled = experiments::fill(rule, trace.nodes, trace.typical, tasks, luck);
    EXPECT_EQ(filled.gpu_milli, gpu_milli);
    sum += 100 * static_cast<double>(filled.allocated) / static_cast<double>(gpu_milli);
  }
  return sum / orders;
}

struct Published {
  PackingRule rule;
  const char* name;
  double allocated_pct;  ///< mean of ten seeds, `expected_fgd/analysis_allo_discrete.csv.gz`
};

void expect_in_table(const std::string& workload, const std::vector<Published>& figures) {
  if (!fs::exists(data)) GTEST_SKIP() << "no ../shared/data/jobs_alibaba_openb_2023 here";
  const Trace trace{workload};
  ASSERT_EQ(trace.nodes.nodes.size(), 1213u);
  ASSERT_EQ(trace.tasks.tasks.size(), 8152u);
  std::ifstream file{fs::path{REEVE_SOURCE_DIR} / "docs" / "published-figures.md"};
  const std::string page{std::istreambuf_iterator<char>{file}, {}};
  for (const Published& figure : figures) {
    const double met = allocated_pct(trace, figure.rule);
    const double apart = std::round((met / figure.allocated_pct - 1) * 1000) / 10 + 0.0;
    const std::string line = fmt::format(
        "| openb {} | {} | GPUs allocated at 130 % load, % | {:.2f} | {:.2f} | {:+.1f} % |",
        workload, figure.name, figure.allocated_pct, met, apart);
    EXPECT_NE(page.find(line), std::string::npos) << "docs/published-figures.md lacks\n" << line;
  }
}

TEST(PublishedPacking, TheTableSaysWhatIsMetOfOpenb) {
  expect_in_table("default", {{PackingRule::random_fit, "random_fit", 87.47},
                              {PackingRule::dot_product, "dot_product", 90.849},
                              {PackingRule::gpu_clustering, "gpu_clustering", 91.878},
                              {PackingRule::gpu_packing, "gpu_packing", 92.002},
                              {PackingRule::best_fit, "best_fit", 93.076},
                              {PackingRule::fgd, "fgd", 95.391}});
}

TEST(PublishedPacking, TheTableSaysWhatIsMetOfOpenbWithGpuTypes) {
  expect_in_table("gpuspec33", {{PackingRule::random_fit, "random_fit", 86.456},
                                {PackingRule::dot_product, "dot_product", 89.144},
                                {PackingRule::gpu_clustering, "gpu_clustering", 92.117},
                                {PackingRule::gpu_packing, "gpu_packing", 93.22},
                                {PackingRule::best_fit, "best_fit", 93.093},
                                {PackingRule::fgd, "fgd", 94.547}});
}

}  // namespace
}  // namespace reeve::tests
