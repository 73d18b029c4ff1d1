// Bills of AWS and in FOCUS add up exactly, whatever is odd in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "scenarios/history/bills/usage.hpp"
#include "scenarios/text/aws_names.hpp"
#include "tests/unit/scenarios/history/bill_text.hpp"

namespace reeve::scenarios {
namespace bills_test {

using nlohmann::json;

const std::filesystem::path cases = REEVE_SOURCE_DIR "/../shared/cases/history/cost";

/// Dollars of the file of right answers, as billionths.
std::int64_t nanos_of(const json& usd) {
  return std::llround(usd.get<double>() * 1e9);
}

NanoUsd cost_of(const Bill& bill, const std::string& job, const std::set<std::string>& kinds,
                NanoUsd BilledUse::*column = &BilledUse::cost) {
  NanoUsd sum;
  for (const BilledUse& use : bill.uses) {
    if (use.job == job && kinds.contains(use.use)) sum += use.*column;
  }
  return sum;
}

void check_job(const Bill& bill, const std::string& name, const json& job) {
  double hours = 0;
  for (const BilledUse& use : bill.uses) {
    if (use.job != name) continue;
    hours += use.instance_hours;
    EXPECT_EQ(use.region, job.value("region", use.region));
    if (!job.contains("tags")) continue;
    const auto tags = job["tags"].get<std::map<std::string, std::string>>();
    EXPECT_EQ(use.tags, tags);
  }
  const std::set<std::string> time{"train"};
  EXPECT_EQ(cost_of(bill, name, time).nanos, nanos_of(job["usd"]));
  if (job.contains("instance_hours")) {
    EXPECT_NEAR(hours, job["instance_hours"].get<double>(), 1e-9);
  }
  if (job.contains("storage_usd")) {
    EXPECT_EQ(cost_of(bill, name, {"storage"}).nanos, nanos_of(job["storage_usd"]));
  }
  if (job.contains("list_usd")) {
    EXPECT_EQ(cost_of(bill, name, time, &BilledUse::list).nanos, nanos_of(job["list_usd"]));
  }
}

void check_rest(const History& history, const json& expected) {
  const Bill& bill = history.bill;
  if (expected.contains("apart")) {
    ASSERT_EQ(bill.apart.size(), expected["apart"].size());
    for (const auto& [name, cost] : bill.apart) {
      EXPECT_EQ(cost.nanos, nanos_of(expected["apart"][name]));
    }
  }
  if (expected.contains("unused_commitment_usd")) {
    EXPECT_EQ(bill.unused_commitment.nanos, nanos_of(expected["unused_commitment_usd"]));
  }
  if (expected.contains("ignored_usd")) {
    EXPECT_EQ(bill.ignored.nanos, nanos_of(expected["ignored_usd"]));
  }
  if (expected.contains("amortized_usd")) {
    NanoUsd all = bill.unused_commitment;
    for (const BilledUse& use : bill.uses) all += use.cost;
    EXPECT_EQ(all.nanos, nanos_of(expected["amortized_usd"]));
  }
  if (expected.contains("left_out")) {
    for (const json& operation : expected["left_out"]) {
      EXPECT_EQ(bill.left_out.count(operation.get<std::string>()), 1U) << operation;
    }
  }
  if (!expected.contains("instances")) return;
  for (const auto& use : bill.uses) {
    const json& instance = expected["instances"][use.resource];
    EXPECT_EQ(use.instance_type, instance["type"]);
    EXPECT_EQ(use.market, instance["market"]);
    EXPECT_DOUBLE_EQ(static_cast<double>(use.cost.nanos) / 1e9 / use.instance_hours,
                     instance["usd_per_hour"].get<double>());
  }
}

TEST(Bills, TheCasesAreReadAsTheyShould) {
  if (!std::filesystem::is_directory(cases)) GTEST_SKIP() << "no ../shared/cases/history here";
  std::ifstream file{cases / "expected.json"};
  const json all = json::parse(file);
  for (const auto& [name, expected] : all.items()) {
    SCOPED_TRACE(name);
    std::ifstream text{cases / name};
    const std::string bytes{std::istreambuf_iterator<char>{text}, {}};
    if (expected.contains("error")) {
      EXPECT_EQ(code_of({bytes}), "E0398");
      continue;
    }
    const History history = history_of({bytes});
    const json jobs = expected.contains("jobs") ? expected["jobs"] : json::object();
    for (const auto& [job, values] : jobs.items()) check_job(history.bill, job, values);
    check_rest(history, expected);
    EXPECT_EQ(history.files.front().records,
              history.files.front().used + (expected.contains("left_out")     ? 1U
                                            : name == "cur2-savings-plan.csv" ? 1U
                                                                              : 0U));
    if (name == "cur-two-versions.csv") {
      EXPECT_EQ(warnings_text(history),
                "W0645: 1 line item stands twice; the one with an invoice counts\n");
    }
    if (name == "focus-1.0-null-words.csv") {
      EXPECT_EQ(warnings_text(history),
                "W0647: EffectiveCost of AWS is whole dollars in every row: BilledCost is used\n");
    }
  }
}

// Rows with few columns; a bill of a team has more, in any order.

constexpr std::string_view cur_header =
    "line_item_line_item_type,line_item_usage_start_date,line_item_usage_end_date,"
    "line_item_product_code,line_item_usage_type,line_item_operation,line_item_resource_id,"
    "line_item_usage_amount,line_item_unblended_cost,line_item_line_item_description,"
    "resource_tags,pricing_public_on_demand_cost,reservation_reservation_a_r_n,"
    "reservation_unused_amortized_upfront_fee_for_billing_period,reservation_unused_recurring_fee,"
    "savings_plan_savings_plan_effective_cost,savings_plan_net_savings_plan_effective_cost\n";
constexpr std::string_view hour = "2026-08-03T09:00:00Z,2026-08-03T10:00:00Z";
constexpr std::string_view job = "arn:aws:sagemaker:us-east-1:1:training-job/j";

constexpr std::string_view focus_header =
    "ChargeCategory,ChargeClass,ChargePeriodStart,ChargePeriodEnd,ServiceName,ResourceId,"
    "BilledCost,EffectiveCost,ListCost,ConsumedQuantity,ConsumedUnit,PricingQuantity,PricingUnit,"
    "PricingCategory,ProviderName,RegionId,ChargeDescription,Tags,SkuMeter,SkuPriceDetails,"
    "CommitmentDiscountStatus,CommitmentDiscountType,ServiceCategory,ChargeFrequency\n";

struct Oddity {
  std::string_view what;
  std::string_view header;
  std::string rows;
  std::string_view bill;
  std::string_view warnings = "";
};

std::string row(std::string_view type, std::string_view product, std::string_view usage,
                std::string_view operation, std::string_view resource, std::string_view rest) {
  return fmt::format("{},{},{},{},{},{},{}\n", type, hour, product, usage, operation, resource,
                     rest);
}

constexpr std::string_view sm = "AmazonSageMaker", ec2 = "AmazonEC2", none = ",,,,,,,";

std::vector<Oddity> oddities_of_sagemaker() {
  return {
      {"a warm pool is billed apart", cur_header,
       row("Usage", sm, "USE1-TrainWarmPool:ml.p5.48xlarge", "RunInstance", job,
           fmt::format("2,110,{}", none)),
       "warm_pool j ml.p5.48xlarge on_demand us-east-1 2h $110 list $110\n",
       "W0646: usage type \"USE1-TrainWarmPool:ml.p5.48xlarge\" is new; it counts as warm_pool\n"},
      {"a usage type of Spot training", cur_header,
       row("Usage", sm, "EU-TrainSpot:ml.g5.xlarge", "RunInstance", job,
           fmt::format("1,0.5,{}", none)),
       "train j ml.g5.xlarge spot us-east-1 1h $0.5 list $0\n",
       "W0646: usage type \"EU-TrainSpot:ml.g5.xlarge\" is new; it counts as train\n"},
      {"a new usage type of a training job is not lost", cur_header,
       row("Usage", sm, "USE1-Debugger", "Run", job, fmt::format("3,0.3,{}", none)),
       "other j  on_demand us-east-1 0h $0.3 list $0.3\n",
       "W0646: usage type \"USE1-Debugger\" is new; it counts as other\n"},
      {"endpoints and notebooks train nothing", cur_header,
       row("Usage", sm, "USE1-Host:ml.g5.xlarge", "", "arn:aws:sagemaker:us-east-1:1:endpoint/e",
           fmt::format("1,1.4,{}", none)) +
           row("Usage", sm, "USE1-Notebk:ml.t3.medium", "", "", fmt::format("1,0.05,{}", none)),
       "ignored $1.45\n"},
      {"a cluster of HyperPod has instances", cur_header,
       row("Usage", sm, "USE1-Cluster:ml.p5.48xlarge", "",
           "arn:aws:sagemaker:us-east-1:1:cluster/c", fmt::format("8,800,{}", none)),
       "instance arn:aws:sagemaker:us-east-1:1:cluster/c ml.p5.48xlarge on_demand us-east-1 8h "
       "$800 list $800\n"},
  };
}

std::vector<Oddity> oddities_of_ec2() {
  return {
      {"the type of Spot stands in the description", cur_header,
       row("Usage", ec2, "SpotUsage", "RunInstances:SV000", "i-1",
           "1,9.8,\"p4d.24xlarge Linux/UNIX Spot Instance-hour in US West (Oregon)\",,,,,,,"),
       "instance i-1 p4d.24xlarge spot us-east-1 1h $9.8 list $0\n"},
      {"the list price of Spot, where the bill tells it", cur_header,
       row("Usage", ec2, "USW2-SpotUsage:p4d.24xlarge", "RunInstances:SV000", "i-1",
           "1,9.8,,,32.77,,,,,"),
       "instance i-1 p4d.24xlarge spot us-west-2 1h $9.8 list $32.77\n"},
      {"pods and tasks would count instances twice", cur_header,
       row("Usage", "AmazonECS", "USE1-ECS-EC2-vCPU-Hours", "ECSTask-EC2", "arn:task",
           "1,5,,,,,,,,") +
           row("Usage", "AmazonEKS", "USE1-EKS-EC2-GB-Hours", "EKSPod-EC2", "arn:pod",
               "1,5,,,,,,,,"),
       "left out ECSTask-EC2 1\nleft out EKSPod-EC2 1\n"},
      {"volumes and traffic of EC2 are no instances", cur_header,
       row("Usage", ec2, "EBS:VolumeUsage.gp3", "CreateVolume-Gp3", "vol-1", "1,0.08,,,,,,,,") +
           row("Usage", ec2, "DataTransfer-Out-Bytes", "", "i-1", "9,0.81,,,,,,,,"),
       "ignored $0.89\nleft out CreateVolume-Gp3 1\nleft out DataTransfer-Out-Bytes 1\n"},
      {"a capacity reservation that nothing used", cur_header,
       row("Usage", ec2, "USE1-UnusedBox:p5.48xlarge", "RunInstances", "cr-1", "1,55.04,,,,,,,,"),
       "unused $55.04\n"},
      {"what a reservation did not cover is unused", cur_header,
       row("RIFee", ec2, "HeavyUsage:p4d.24xlarge", "RunInstances", "",
           "744,100,,,,arn,1.25,2.5,,"),
       "unused $3.75\n"},
      {"an upfront fee is in the hours it covers", cur_header,
       row("Fee", ec2, "p4d.24xlarge", "", "", "1,90000,,,,arn:ri,,,,") +
           row("SavingsPlanUpfrontFee", "ComputeSavingsPlans", "SP", "", "", "1,5000,,,,,,,,"),
       "left out Fee 1\nleft out SavingsPlanUpfrontFee 1\n"},
  };
}

std::vector<Oddity> oddities_of_costs() {
  return {
      {"net cost of a covered hour", cur_header,
       row("SavingsPlanCoveredUsage", sm, "USE1-Train:ml.g5.xlarge", "RunInstance", job,
           "1,1.408,,,,,,,0.9,0.81"),
       "train j ml.g5.xlarge savings_plan us-east-1 1h $0.81 list $1.408\n"},
      {"without net columns a discount lowers the cost of its resource", cur_header,
       row("Usage", sm, "USE1-Train:ml.g5.xlarge", "RunInstance", job, "10,14.08,,,,,,,,") +
           row("EdpDiscount", sm, "USE1-Train:ml.g5.xlarge", "RunInstance", job,
               "10,-1.408,,,,,,,,"),
       "train j ml.g5.xlarge on_demand us-east-1 10h $12.672 list $14.08\n"},
      {"other fees, credits and types stand apart", cur_header,
       row("Fee", sm, "", "", "", "1,7,,,,,,,,") +
           row("Credit", "AmazonS3", "", "", "", ",-1,,,,,,,,") +
           row("PromotionalThing", sm, "", "", "", ",2,,,,,,,,"),
       "Credit $-1\nFee $7\nPromotionalThing $2\n"},
      {"amounts in powers of ten, and with more than nine decimals", cur_header,
       row("Usage", sm, "USE1-Train:ml.g5.xlarge", "RunInstance", job, "2.5E-3,3.52e-03,,,,,,,,") +
           row("Usage", sm, "USE1-Train:ml.g5.xlarge", "RunInstance", job,
               "0.0000000001,0.0000000006,,,,,,,,"),
       "train j ml.g5.xlarge on_demand us-east-1 0.0025000001h $0.003520001 list $0.003520001\n"},
  };
}

std::vector<Oddity> oddities_of_rows() {
  return {
      {"tags: numbers, booleans, nulls, blanks, and a comma", cur_header,
       row("Usage", sm, "USE1-Train:ml.g5.xlarge", "RunInstance", job,
           "1,1,,\"{\"\"user_n\"\":7,\"\"user_b\"\":true,\"\"user_x\"\":null,\"\" c "
           "\"\":\"\"a,b\"\"}\","
           ",,,,,"),
       "train j ml.g5.xlarge on_demand us-east-1 1h $1 list $1 b=true c=a,b n=7\n"},
      {"tags that are no JSON do not cost the row", cur_header,
       row("Usage", sm, "USE1-Train:ml.g5.xlarge", "RunInstance", job,
           "1,1,,\"{user_team=a}\",,,,,,"),
       "train j ml.g5.xlarge on_demand us-east-1 1h $1 list $1\n",
       "W0632: the tags are no JSON object\n"},
      {"a month of training without resource ids", cur_header,
       "Usage,2026-08-01T00:00:00Z,2026-09-01T00:00:00Z,AmazonSageMaker,USE1-Train:ml.g5.xlarge,,,"
       "5,7.04,,,,,,,,\n",
       "train  ml.g5.xlarge on_demand us-east-1 5h $7.04 list $7.04\n",
       "W0648: 1 row of more than an hour: when the hours were used is not told\n"
       "W0649: 1 row of instances without a resource id: they cannot be joined to jobs\n"},
      {"a bad row is told and passed over", cur_header,
       row("Usage", sm, "USE1-Train:ml.g5.xlarge", "", job, "1,one dollar,,,,,,,,") + "Usage,x\n" +
           "Usage,yesterday,,AmazonSageMaker,USE1-Train:ml.g5.xlarge,,j,1,1,,,,,,,,\n" +
           "Usage,2026-08-03,2026-08-02,AmazonSageMaker,USE1-Train:ml.g5.xlarge,,j,1,1,,,,,,,,\n",
       "",
       "W0632: line_item_unblended_cost is no amount: \"one dollar\"\n"
       "W0632: the header has 17 columns, this row has 2\n"
       "W0632: line_item_usage_start_date is no time: \"yesterday\"\n"
       "W0632: the row ends before it begins\n"},
  };
}

std::vector<Oddity> focus_oddities() {
  const auto usage = [](std::string_view service, std::string_view resource,
                        std::string_view amounts, std::string_view rest) {
    return fmt::format("Usage,,{},{},{},{},{}\n", hour, service, resource, amounts, rest);
  };
  const std::string_view service = "Amazon SageMaker";
  return {
      {"seconds and minutes", focus_header,
       usage(service, job, "1.5,1.5,1.5,3600,Seconds,,",
             "Standard,AWS,us-east-1,,,USE1-Train:ml.g5.xlarge,,,,,") +
           usage(service, job, "1.5,1.5,1.5,30,Minutes,,",
                 "Standard,AWS,us-east-1,,,USE1-Train:ml.g5.xlarge,,,,,"),
       "train j ml.g5.xlarge on_demand us-east-1 1.5h $3 list $3\n"},
      {"units of a hundred hours, of another provider", focus_header,
       usage("Virtual Machines", "/vm/1", "1.5,1.5,3,,,0.01,100 Hours",
             "Dynamic,Microsoft,westeurope,,,,\"{\"\"InstanceType\"\":\"\"Standard_NC6\"\"}\",,,"
             "Compute,usage-based"),
       "instance /vm/1 Standard_NC6 spot westeurope 1h $1.5 list $3\n"},
      {"a refunded hour of usage is negative", focus_header,
       usage("Virtual Machines", "/vm/1", "-1.5,-1.5,-3,-1,Hours,,",
             "Standard,Microsoft,westeurope,,,,\"{\"\"InstanceType\"\":\"\"Standard_NC6\"\"}\",,,"
             "Compute,"),
       "instance /vm/1 Standard_NC6 on_demand westeurope -1h $-1.5 list $-3\n"},
      {"storage of another provider trains nothing", focus_header,
       usage("Storage Accounts", "/s/1", "1.5,1.5,3,1,GB,,", "Standard,Microsoft,,,,,,,,Storage,"),
       "ignored $1.5\n"},
      {"purchases are in the usage that they cover", focus_header,
       fmt::format("Purchase,,{},Savings Plans,sp,60,60,60,,,1,Months,Standard,AWS,,,,,,,,,\n",
                   hour),
       "left out Purchase 1\n"},
      {"a purchase that no usage has in it stands apart", focus_header,
       fmt::format("Purchase,,{},AWS Marketplace,m,500,500,500,,,1,Units,Standard,AWS,,,,,,,,,\n",
                   hour),
       "Purchase, AWS Marketplace $500\n"},
      {"categories that belong to no job", focus_header,
       fmt::format("Adjustment,,{0},x,,1.5,1.5,,,,,,,AWS,,,,,,,,,\n"
                   "Tax,,{0},x,,2.5,2.5,,,,,,Other,AWS,,,,,,,,,\n"
                   "Credit,Correction,{0},x,,-3.5,-3.5,,,,,,,AWS,,,,,,,,,\n",
                   hour),
       "Adjustment $1.5\nCorrection $-3.5\nTax $2.5\n"},
      {"reserved by usage, and a plan by spending", focus_header,
       usage("Amazon Elastic Compute Cloud", "arn:aws:ec2:us-east-1:1:instance/i-7",
             "0,1.5,3.5,1,Hours,,",
             "Committed,AWS,us-east-1,,,BoxUsage:g5.xlarge,,Used,Reserved,,") +
           usage("Amazon Elastic Compute Cloud", "i-7", "0,1.25,3.5,1,Hours,,",
                 "Committed,AWS,us-east-1,,,BoxUsage:g5.xlarge,,Used,Compute Savings Plan,,"),
       "instance i-7 g5.xlarge reserved us-east-1 1h $1.5 list $3.5\n"
       "instance i-7 g5.xlarge savings_plan us-east-1 1h $1.25 list $3.5\n"},
      {"no word for the type, and NULL for no value", focus_header,
       usage(service, job, "1.5,1.5,NULL,1,Hours,,",
             "NULL,AWS,NULL,\"$1.5 per Training ml.g5.xlarge hour, "
             "EU\",NULL,NULL,NULL,null,\\N,NULL,"),
       "train j ml.g5.xlarge on_demand us-east-1 1h $1.5 list $0\n"},
      {"whole dollars are no sign of rounding if the bill has whole ones too", focus_header,
       usage(service, job, "3,2,3,1,Hours,,",
             "Standard,AWS,us-east-1,,,USE1-Train:ml.g5.xlarge,,,,,"),
       "train j ml.g5.xlarge on_demand us-east-1 1h $2 list $3\n"},
      {"rounding is judged for each provider", focus_header,
       usage(service, job, "1.4,1,1.4,1,Hours,,",
             "Standard,AWS,us-east-1,,,USE1-Train:ml.g5.xlarge,,,,,") +
           usage("Virtual Machines", "/vm", "2.5,2.25,2.5,1,Hours,,",
                 "Standard,Microsoft,e,,,,,,,Compute,"),
       "train j ml.g5.xlarge on_demand us-east-1 1h $1.4 list $1.4\n"
       "other /vm  on_demand e 0h $2.25 list $2.5\n",
       "W0647: EffectiveCost of AWS is whole dollars in every row: BilledCost is used\n"},
  };
}

TEST(Bills, OdditiesAreReadAsDocumented) {
  for (const auto& oddities : {oddities_of_sagemaker(), oddities_of_ec2(), oddities_of_costs(),
                               oddities_of_rows(), focus_oddities()}) {
    for (const Oddity& odd : oddities) {
      SCOPED_TRACE(odd.what);
      const History history = history_of({std::string{odd.header} + odd.rows});
      EXPECT_EQ(bill_text(history.bill), odd.bill);
      EXPECT_EQ(warnings_text(history), odd.warnings);
    }
  }
}

TEST(Bills, FilesThatAreNoBillAreToldSo) {
  const std::string row = "Usage,2026-08-03,,AmazonSageMaker,,,,1,1,,,,,,,,\n";
  EXPECT_EQ(code_of({"job,cost\n1,2\n"}), "E0390");
  EXPECT_EQ(code_of({"line_item_usage_type,line_item_line_item_type\nx,y\n"}), "E0321");
  EXPECT_EQ(code_of({"ChargePeriodStart,BilledCost\n"}), "E0321");
  EXPECT_EQ(code_of({"line_item_usage_type,lineItem/UsageType\nx,y\n"}), "E0322");
  EXPECT_EQ(code_of({std::string{cur_header} + "\"Usage\"x,y\n"}), "E0310");
  EXPECT_EQ(code_of({std::string{cur_header} + "\"Usage,y\n"}), "E0311");
  EXPECT_EQ(code_of({std::string{cur_header} + "Us\xFFge,y\n"}), "E0309");
  std::string huge{cur_header};
  for (int i = 0; i < 10; ++i) {
    huge += "Tax,2026-08-03,,AmazonSageMaker,,,,1,1000000000,,,,,,,,\n";
  }
  EXPECT_EQ(code_of({huge}), "E0416");
}

TEST(Bills, AnotherCurrencyNeedsARate) {
  const std::string text =
      "line_item_line_item_type,line_item_usage_start_date,line_item_product_code,"
      "line_item_usage_type,line_item_usage_amount,line_item_unblended_cost,"
      "line_item_currency_code\nTax,2026-08-03,AmazonSageMaker,,,3.333333333,EUR\n"
      "Tax,2026-08-03,AmazonSageMaker,,,1,USD\n";
  EXPECT_EQ(code_of({text}), "E0398");
  HistoryOptions options;
  options.usd_per["EUR"] = 1.1;
  EXPECT_EQ(bill_text(history_of({text}, options).bill), "Tax $4.666666666\n");
  options.usd_per["EUR"] = -1;
  EXPECT_EQ(code_of({text}, options), "E0398");
}

TEST(Bills, RegionsOfUsageTypesAndArns) {
  EXPECT_EQ(region_of_usage("USW2-Train:ml.g5.xlarge"), "us-west-2");
  EXPECT_EQ(region_of_usage("EU-Train:ml.g5.xlarge"), "eu-west-1");
  EXPECT_EQ(region_of_usage("BoxUsage:p4d.24xlarge"), "us-east-1");
  EXPECT_EQ(region_of_usage("XYZ9-Train:ml.g5.xlarge"), "");
  EXPECT_EQ(region_of_usage(""), "");
  EXPECT_EQ(region_of_arn("arn:aws:savingsplans::1:savingsplan/x"), "");
  EXPECT_EQ(region_of_arn("arn:aws-cn:sagemaker:cn-north-1:1:training-job/x"), "cn-north-1");
  EXPECT_EQ(region_of_arn("arn:aws"), "");
  EXPECT_EQ(region_of_arn("i-1"), "");
}

}  // namespace bills_test
}  // namespace reeve::scenarios
