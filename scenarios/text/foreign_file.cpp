#include "scenarios/text/foreign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>

#include "scenarios/text/inflater.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t head_bytes_of_foreign = std::size_t{16} << 10;

/// A bit for each use for which reeve reads such files.
constexpr unsigned read_for(FileUse use) {
  return 1u << static_cast<unsigned>(use);
}

struct Signature {
  std::string_view begins;              ///< the first characters that are not blank; empty: any
  std::array<std::string_view, 3> has;  ///< all of them are in the head; empty: no condition
  ForeignFile file;
  unsigned read = 0;
  std::string_view importer = {};  ///< that reads it
  bool in_first_line = false;      ///< `has` is about the first line only
};

constexpr std::string_view smi_query =
    "record with `nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv -l 60`";
constexpr std::string_view join_it =
    "reeve import history FILE JOBS -o DIR joins it with the exports of the jobs";
constexpr std::string_view write_utilization =
    "write one row per sample and host: t_s,host,gpu_util_pct";

// The first that fits counts.
constexpr auto signatures = std::to_array<Signature>({
    {"PAR1", {}, {"a Parquet file", "export it as CSV"}},
    {"PK\x03\x04", {}, {"a ZIP archive or a spreadsheet", "unpack it, or export it as CSV"}},
    {"BZh", {}, {"a bzip2 file", "unpack it with bunzip2; reeve reads plain text and gzip"}},
    {"\xFD"
     "7zXZ",
     {},
     {"an xz file", "unpack it with unxz; reeve reads plain text and gzip"}},
    {"\x28\xB5\x2F\xFD",
     {},
     {"a Zstandard file", "unpack it with unzstd; reeve reads plain text and gzip"}},
    {"#Entity", {}, {"the output of `dcgmi dmon`, which has no times", smi_query}},
    {"# gpu", {"Idx"}, {"the output of `nvidia-smi dmon`, which has no times", smi_query}},
    {"#",
     {"gpu", "sm", "Idx"},
     {"the output of `nvidia-smi dmon`, which names no GPU per time", smi_query}},
    {"timestamp",
     {"utilization.gpu"},
     {"a log of `nvidia-smi --query-gpu`",
      "name it in \"gpu_util\": { \"trace\": ... } of a job or workload"},
     read_for(FileUse::utilization),
     "",
     true},
    {"{", {"\"resultType\"", "\"data\""}, {"an answer of Prometheus", write_utilization}},
    {"{",
     {"\"Datapoints\"", "\"Label\""},
     {"an answer of `aws cloudwatch get-metric-statistics`",
      "query with `aws cloudwatch get-metric-data`, which \"gpu_util\" reads"}},
    {"{",
     {"\"MetricDataResults\""},
     {"an answer of `aws cloudwatch get-metric-data`",
      "name it in \"gpu_util\": { \"trace\": ... } of a job or workload"},
     read_for(FileUse::utilization)},
    {"{",
     {"\"TrainingJobName\"", "\"TrainingJobStatus\""},
     {"a description of a SageMaker training job",
      "reeve import sagemaker FILE -o jobs.csv, or with bills and metrics: reeve import history"}},
    {"",
     {"\"jobid\"", "\"attempts\"", "\"submitted_time\""},
     {"the job log of Microsoft Philly", "reeve import philly FILE -o jobs.csv"},
     0,
     "philly"},
    {"",
     {"\"jobQueueName\""},
     {"a description of AWS Batch queues", "reeve import batch FILE -o queues.jsonc"},
     read_for(FileUse::batch),
     "batch"},
    {"AWSTemplateFormatVersion",
     {},
     {"a CloudFormation template in YAML",
      "reeve reads JSON: `aws cloudformation get-template` with a JSON template, or convert it "
      "with cfn-flip"}},
    {"",
     {"\nResources:", "AWS::"},
     {"a CloudFormation template in YAML", "reeve reads JSON: convert it with cfn-flip"}},
    {"", {"BilledCost", "ChargePeriodStart"}, {"a bill in the FOCUS format", join_it}, 0, "", true},
    {"", {"lineItem/UsageAmount"}, {"an AWS Cost and Usage Report", join_it}, 0, "", true},
    {"",
     {"JobID", "State", "|"},
     {"the output of `sacct`", "reeve import slurm FILE -o jobs.csv"},
     0,
     "slurm",
     true},
    {"; ",
     {"UnixStartTime"},
     {"a log in the Standard Workload Format", "reeve import swf FILE -o jobs.csv"},
     0,
     "swf"},
    {"; ",
     {"Version:"},
     {"a log in the Standard Workload Format", "reeve import swf FILE -o jobs.csv"},
     0,
     "swf"},
    {"job_id",
     {"submit_s", "duration_s"},
     {"a trace of jobs", "\"workload\": { \"trace\": ... }, or reeve import csv FILE"},
     read_for(FileUse::jobs),
     "csv",
     true},
    {"t_s",
     {"gpu_util_pct"},
     {"a trace of GPU utilization",
      "name it in \"gpu_util\": { \"trace\": ... } of a job or workload"},
     read_for(FileUse::utilization),
     "",
     true},
});

bool fits(const Signature& signature, std::string_view head) {
  if (!head.starts_with(signature.begins)) return false;
  const std::string_view part = signature.in_first_line ? head.substr(0, head.find('\n')) : head;
  return std::all_of(signature.has.begin(), signature.has.end(),
                     [&](std::string_view word) { return part.find(word) != part.npos; });
}

}  // namespace

std::optional<ForeignFile> foreign_file(std::string_view head, FileUse use,
                                        std::string_view importer) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == head.npos) return std::nullopt;
  head.remove_prefix(begin);
  for (const Signature& signature : signatures) {
    if (!fits(signature, head)) continue;
    const bool by_importer = !importer.empty() && signature.importer == importer;
    if (by_importer || (signature.read & read_for(use)) != 0) return std::nullopt;
    return signature.file;
  }
  return std::nullopt;
}

void refuse_foreign_text(std::string_view name, std::string_view head, FileUse use,
                         std::string_view importer) {
  const auto found = foreign_file(head.substr(0, head_bytes_of_foreign), use, importer);
  if (!found) return;
  Diagnostic diagnostic;
  diagnostic.code = "E0301";
  diagnostic.file = name;
  diagnostic.message = fmt::format("this is {}", found->what);
  diagnostic.help = found->help;
  throw InputError{std::move(diagnostic)};
}

void refuse_foreign(const std::filesystem::path& path, FileUse use, std::string_view importer) {
  std::string head(head_bytes_of_foreign, '\0');
  try {
    Inflater bytes{path.string(), open_file(path), head_bytes_of_foreign * 1024};
    head.resize(bytes.read(head.data(), head.size()));
  } catch (const InputError&) {
    return;  // the reader has said what is wrong
  }
  refuse_foreign_text(path.string(), head, use, importer);
}

}  // namespace reeve::scenarios
