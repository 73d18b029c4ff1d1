// Sources: the usage types in Savings Plans price files and fixtures of CUR (design), the summary
// view of AWS's Cloud Intelligence Dashboards (split rows), the user guide on capacity reservations
// (UnusedBox).
#include "scenarios/history/bills/usage.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace reeve::scenarios {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// How usage types abbreviate regions; us-east-1 has no prefix in the oldest services.
constexpr auto region_prefixes = std::to_array<Pair>({
    {"AFS1", "af-south-1"},     {"APE1", "ap-east-1"},      {"APN1", "ap-northeast-1"},
    {"APN2", "ap-northeast-2"}, {"APN3", "ap-northeast-3"}, {"APS1", "ap-southeast-1"},
    {"APS2", "ap-southeast-2"}, {"APS3", "ap-south-1"},     {"APS4", "ap-southeast-3"},
    {"APS5", "ap-south-2"},     {"APS6", "ap-southeast-4"}, {"CAN1", "ca-central-1"},
    {"CAN2", "ca-west-1"},      {"CPT", "af-south-1"},      {"EU", "eu-west-1"},
    {"EUC1", "eu-central-1"},   {"EUC2", "eu-central-2"},   {"EUN1", "eu-north-1"},
    {"EUS1", "eu-south-1"},     {"EUS2", "eu-south-2"},     {"EUW1", "eu-west-1"},
    {"EUW2", "eu-west-2"},      {"EUW3", "eu-west-3"},      {"ILC1", "il-central-1"},
    {"MEC1", "me-central-1"},   {"MES1", "me-south-1"},     {"SAE1", "sa-east-1"},
    {"UGE1", "us-gov-east-1"},  {"UGW1", "us-gov-west-1"},  {"USE1", "us-east-1"},
    {"USE2", "us-east-2"},      {"USW1", "us-west-1"},      {"USW2", "us-west-2"},
});

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

const Pair* region_prefix(std::string_view usage_type) {
  const std::size_t dash = usage_type.find('-');
  if (dash == usage_type.npos) return nullptr;
  const std::string_view prefix = usage_type.substr(0, dash);
  const auto found = std::find_if(region_prefixes.begin(), region_prefixes.end(),
                                  [&](const Pair& pair) { return pair.first == prefix; });
  return found == region_prefixes.end() ? nullptr : &*found;
}

/// "Train:ml.p4d.24xlarge" of "USE1-Train:ml.p4d.24xlarge"
std::string_view without_region(std::string_view usage_type) {
  const Pair* prefix = region_prefix(usage_type);
  return prefix == nullptr ? usage_type : usage_type.substr(prefix->first.size() + 1);
}

/// What follows the last `mark`; empty without one.
std::string_view behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == text.npos ? std::string_view{} : text.substr(at + mark.size());
}

/// A word like "p4d.24xlarge" or "ml.p4d.24xlarge".
bool is_instance_type(std::string_view word) {
  const std::string_view size = behind(word, ".");
  const auto small = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return size.size() > 3 &&
         (size.ends_with("large") || size == "metal" || size == "medium" || size == "small" ||
          size == "micro" || size == "nano" || size.starts_with("metal-")) &&
         small(word.front());
}

std::string_view type_in(std::string_view description) {
  while (!description.empty()) {
    const std::size_t end = std::min(description.find_first_of(" ,()"), description.size());
    if (is_instance_type(description.substr(0, end))) return description.substr(0, end);
    description.remove_prefix(std::min(end + 1, description.size()));
  }
  return {};
}

std::string_view type_of(const BillWords& words, std::string_view of_usage) {
  if (!of_usage.empty()) return of_usage;
  if (!words.instance_type.empty()) return words.instance_type;
  return type_in(words.description);
}

BillUsage counted_use(std::string_view use, std::string_view type, BillUsage usage) {
  usage.kind = BillUsage::Kind::counts;
  usage.use = use;
  usage.instance_type = type;
  return usage;
}

BillUsage usage_of_sagemaker(const BillWords& words) {
  const std::string_view kind = without_region(words.usage_type);
  const std::string_view name = kind.substr(0, kind.find(':'));
  const std::string_view rest = behind(kind, ":");
  const std::string_view type = type_of(words, rest.starts_with("ml.") ? rest : "");
  BillUsage usage;
  usage.resource = words.resource;
  usage.job = behind(words.resource, ":training-job/");
  usage.is_spot = contains(name, "Spot");
  if (usage.job.empty()) {
    const bool is_cluster = contains(words.resource, ":cluster/") || name.starts_with("Cluster");
    if (is_cluster && !type.empty()) return counted_use("instance", type, usage);
    if (!contains(name, "Train")) return usage;
  }
  if (contains(kind, "Volume")) return counted_use("storage", {}, usage);
  usage.is_known = name == "Train" || kind.empty();
  if (contains(name, "Warm")) return counted_use("warm_pool", type, usage);
  if (!type.empty() && words.in_hours) return counted_use("train", type, usage);
  usage.is_known = false;
  return counted_use("other", type, usage);
}

BillUsage usage_of_ec2(const BillWords& words) {
  const std::string_view kind = without_region(words.usage_type);
  const std::string_view name = kind.substr(0, kind.find(':'));
  BillUsage usage;
  const std::string_view id = behind(words.resource, ":instance/");
  usage.resource = id.empty() ? words.resource : id;
  usage.kind = BillUsage::Kind::beside;
  constexpr std::array times{"BoxUsage", "SpotUsage", "DedicatedUsage", "HostBoxUsage"};
  constexpr std::array idle{"UnusedBox", "UnusedDed"};
  if (std::find(idle.begin(), idle.end(), name) != idle.end()) {
    usage.kind = BillUsage::Kind::unused;
    return usage;
  }
  const bool is_time = kind.empty() ? words.in_hours && usage.resource.starts_with("i-")
                                    : std::find(times.begin(), times.end(), name) != times.end();
  if (!is_time) return usage;
  usage.is_spot = name == "SpotUsage" || contains(words.description, "Spot Instance");
  const std::string_view type = type_of(words, behind(kind, ":"));
  return counted_use("instance", type.empty() && !kind.empty() ? "m1.small" : type, usage);
}

/// Of another provider: what its category or its name says.
BillUsage usage_of_other(const BillWords& words) {
  BillUsage usage;
  const bool computes =
      words.category.empty()
          ? contains(words.service, "Machine Learning") ||
                contains(words.service, "Virtual Machine") || contains(words.service, "Compute") ||
                contains(words.service, "Vertex AI")
          : words.category == "Compute" || words.category == "AI and Machine Learning";
  const bool is_aws = words.service.starts_with("Amazon") || words.service.starts_with("AWS");
  if (!computes || is_aws) return usage;
  usage.resource = words.resource;
  const std::string_view type = words.instance_type;
  return counted_use(words.in_hours && !type.empty() ? "instance" : "other", type, usage);
}

}  // namespace

BillUsage usage_of(const BillWords& words) {
  const std::string_view service = words.service;
  if (service.starts_with("AmazonSageMaker") || service.starts_with("Amazon SageMaker")) {
    return usage_of_sagemaker(words);
  }
  if (service == "AmazonEC2" || service == "Amazon Elastic Compute Cloud") {
    return usage_of_ec2(words);
  }
  return usage_of_other(words);
}

bool is_split(std::string_view operation) {
  return operation == "EKSPod-EC2" || operation == "ECSTask-EC2";
}

std::string_view region_of_usage(std::string_view usage_type) {
  if (const Pair* prefix = region_prefix(usage_type)) return prefix->second;
  const std::string_view name = usage_type.substr(0, usage_type.find(':'));
  return !name.empty() && !contains(name, "-") ? "us-east-1" : "";
}

}  // namespace reeve::scenarios
