// What a log says of how a job ran is read exactly: columns of history, tags, and their mistakes.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/exchange/job_import.hpp"
#include "scenarios/records/trace.hpp"

namespace reeve::scenarios {
namespace trace_history_test {

using namespace std::chrono_literals;

TraceReader reader_of(const std::string& text, const ColumnNames& names = {}) {
  return {"t.csv", std::make_unique<std::istringstream>(text), {}, names};
}

std::string refusal(const std::string& text, const ColumnNames& names = {}) {
  try {
    TraceReader reader = reader_of(text, names);
    for (TraceRow row; reader.next(row);) {
    }
  } catch (const InputError& error) {
    const Diagnostic& found = error.diagnostics().at(0);
    return found.code + " " + std::to_string(found.position.line) + ":" +
           std::to_string(found.position.column);
  }
  return "accepted";
}

std::string refused_cell(const std::string& column, const std::string& cell) {
  return refusal("job_id,submit_s,duration_s," + column + "\na,0,1," + cell + "\n");
}

TEST(TraceHistory, ReadsEveryColumn) {
  TraceReader reader = reader_of(
      "job_id,submit_s,duration_s,instance_type,market,censored,max_wait_s,startup_s,"
      "interruptions,restarts,lost_s,billed_s,billed_usd,list_usd,end_cause,sweep,tag.team,"
      "tag.cost center\n"
      "a,0,1,ml.p4d.24xlarge,spot,1,2:00:00,120.5,3,4,600,4320,12.345678,40,oom,hpo,x,42\n"
      "b,0,1,,,,,,,,,,,,,,,\n");
  TraceRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.instance_type, "ml.p4d.24xlarge");
  EXPECT_EQ(row.market, policy::Market::spot);
  EXPECT_EQ(row.censored, true);
  EXPECT_EQ(row.max_wait, 2h);
  EXPECT_EQ(row.startup, 120500ms);
  EXPECT_EQ(row.interruptions, 3);
  EXPECT_EQ(row.restarts, 4);
  EXPECT_EQ(row.lost, 10min);
  EXPECT_EQ(row.billed, 72min);
  EXPECT_EQ(row.billed_usd, policy::Usd::from_micros(12'345'678));
  EXPECT_EQ(row.list_usd, policy::Usd::from_micros(40'000'000));
  EXPECT_EQ(row.end_cause, EndCause::out_of_memory);
  EXPECT_EQ(row.sweep, "hpo");
  using Tags = std::vector<std::pair<std::string_view, std::string_view>>;
  EXPECT_EQ(row.tags, (Tags{{"team", "x"}, {"cost center", "42"}}));
  ASSERT_TRUE(reader.next(row));  // an empty cell is unknown
  EXPECT_TRUE(row.instance_type.empty());
  EXPECT_EQ(row.market, std::nullopt);
  EXPECT_EQ(row.censored, std::nullopt);
  EXPECT_EQ(row.startup, std::nullopt);
  EXPECT_EQ(row.lost, std::nullopt);
  EXPECT_EQ(row.billed_usd, std::nullopt);
  EXPECT_EQ(row.end_cause, std::nullopt);
  EXPECT_TRUE(row.tags.empty());
  EXPECT_TRUE(reader.warnings().empty());
}

TEST(TraceHistory, MistakesHaveTheirPlace) {
  EXPECT_EQ(refused_cell("market", "ondemand"), "E0381 2:7");
  EXPECT_EQ(refused_cell("end_cause", "user"), "E0382 2:7");
  EXPECT_EQ(refused_cell("censored", "maybe"), "E0319 2:7");
  EXPECT_EQ(refused_cell("billed_usd", "-1"), "E0314 2:7");
  EXPECT_EQ(refused_cell("billed_usd", "$1"), "E0313 2:7");
  EXPECT_EQ(refused_cell("billed_usd", "1e40"), "E0315 2:7");
  EXPECT_EQ(refused_cell("lost_s", "-1"), "E0314 2:7");
  EXPECT_EQ(refused_cell("startup_s", "soon"), "E0313 2:7");
  EXPECT_EQ(refused_cell("interruptions", "1.5"), "E0316 2:7");
  EXPECT_EQ(refused_cell("tag.", "x"), "E0380 1:28");
  EXPECT_EQ(refused_cell("tag.a,tag.a", "x,y"), "E0322 1:34");
}

TEST(TraceHistory, TagsMayHaveOtherNamesInTheFile) {
  const ColumnNames names{.stated = {{"tag.team", "Team"}, {"tag.owner", "user"}}};
  TraceReader reader = reader_of("job_id,submit_s,duration_s,Team,user,tag.team\na,0,1,x,ann,y\n",
                                 ColumnNames{.stated = {{"tag.owner", "user"}, {"tag.t", "Team"}}});
  TraceRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.user, "ann");
  using Tags = std::vector<std::pair<std::string_view, std::string_view>>;
  EXPECT_EQ(row.tags, (Tags{{"t", "x"}, {"owner", "ann"}, {"team", "y"}}));
  EXPECT_EQ(refusal("job_id,submit_s,duration_s,Team\na,0,1,x\n", names), "E0321 1:1");
}

TEST(TraceHistory, AnonymizingKeepsKeysOfTagsAndNumbersTheirValues) {
  ImportedJobs imported;
  imported.jobs = {{.job_id = "a", .sweep = "hpo", .tags = {{"team", "red"}, {"city", "rome"}}},
                   {.job_id = "b", .sweep = "hpo", .tags = {{"team", "blue"}}},
                   {.job_id = "c", .tags = {{"team", "red"}}}};
  anonymize(imported);
  using Tags = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(imported.jobs[0].tags, (Tags{{"team", "team-1"}, {"city", "city-1"}}));
  EXPECT_EQ(imported.jobs[1].tags, (Tags{{"team", "team-2"}}));
  EXPECT_EQ(imported.jobs[2].tags, (Tags{{"team", "team-1"}}));
  EXPECT_EQ(imported.jobs[0].sweep, "sweep-1");
  EXPECT_EQ(imported.jobs[1].sweep, "sweep-1");
  EXPECT_EQ(imported.jobs[2].sweep, "");
}

}  // namespace trace_history_test
}  // namespace reeve::scenarios
