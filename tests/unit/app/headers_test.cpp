// Every header, CSV column and metric is explained by `reeve explain`.
#include "app/explain/headers.hpp"

#include <gtest/gtest.h>

#include <string>

#include "report/schema.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::app {
namespace headers_test {

TEST(Headers, EachHeaderIsExplained) {
  ASSERT_GT(headers().size(), 80U);
  for (const Header& header : headers()) {
    const auto help = explain_key(header.title);
    ASSERT_TRUE(help) << header.title;
    EXPECT_FALSE(help->help.empty()) << header.title;
    if (header.metric.empty()) continue;
    EXPECT_TRUE(scenarios::find_metric(header.metric)) << header.metric;
  }
}

TEST(Headers, EachColumnAndEachMetricIsExplained) {
  for (const report::TableSchema* table : report::schemas()) {
    for (const report::Field& field : table->fields) {
      const auto help = explain_key(std::string{table->name} + '.' + std::string{field.name});
      ASSERT_TRUE(help) << table->name << '.' << field.name;
      EXPECT_FALSE(help->help.empty()) << field.name;
      EXPECT_TRUE(explain_key(field.name)) << field.name;
    }
  }
  for (const scenarios::MetricSpec& metric : scenarios::metric_names()) {
    const auto help = explain_key(metric.name);
    ASSERT_TRUE(help) << metric.name;
    EXPECT_FALSE(help->help.empty()) << metric.name;
  }
}

TEST(Headers, AHeaderNamesItsMetric) {
  const auto help = explain_key("cost per job");
  ASSERT_TRUE(help);
  EXPECT_EQ(help->facts.front().second, "cost_per_job_usd");
  EXPECT_TRUE(explain_key("first_attempt_billed_usd")) << "the key of the column in JSON";
  EXPECT_TRUE(explain_key("vs best_fit")) << "a header of reeve pack";
}

}  // namespace headers_test
}  // namespace reeve::app
