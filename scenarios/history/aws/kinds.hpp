// The files of AWS about jobs, their events and Spot prices: a reader for each kind.
#pragma once

#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

bool is_sagemaker(std::string_view head);
void read_sagemaker(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_spot_prices(std::string_view head);
void read_spot_prices(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_cloudtrail(std::string_view head);
void read_cloudtrail(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_eventbridge(std::string_view head);
void read_eventbridge(HistoryInput& input, const HistoryOptions& options, History& into);
bool is_aws_batch(std::string_view head);
void read_aws_batch(HistoryInput& input, const HistoryOptions& options, History& into);

inline constexpr HistoryReader sagemaker_reader{
    .name = "sagemaker",
    .what = "SageMaker training jobs: search or describe-training-job",
    .one_file = "a description of SageMaker training jobs",
    .export_by = "aws sagemaker search --resource TrainingJob --output json > jobs.json",
    .recognizes = is_sagemaker,
    .read = read_sagemaker,
};
inline constexpr HistoryReader spot_prices_reader{
    .name = "spot-prices",
    .what = "EC2: describe-spot-price-history",
    .one_file = "a history of Spot prices",
    .export_by = "aws ec2 describe-spot-price-history --start-time ... > prices.json",
    .recognizes = is_spot_prices,
    .read = read_spot_prices,
};
inline constexpr HistoryReader cloudtrail_reader{
    .name = "cloudtrail",
    .what = "CloudTrail: lookup-events, or its log files",
    .one_file = "a trail of CloudTrail",
    .export_by =
        "aws cloudtrail lookup-events --lookup-attributes "
        "AttributeKey=EventName,AttributeValue=StopTrainingJob > stops.json",
    .recognizes = is_cloudtrail,
    .read = read_cloudtrail,
};
inline constexpr HistoryReader eventbridge_reader{
    .name = "eventbridge",
    .what = "EventBridge events, one a line",
    .one_file = "a file of EventBridge events",
    .export_by = "",
    .recognizes = is_eventbridge,
    .read = read_eventbridge,
};
inline constexpr HistoryReader aws_batch_reader{
    .name = "aws-batch",
    .what = "AWS Batch: describe-jobs and describe-service-job",
    .one_file = "a description of AWS Batch jobs",
    .export_by = "aws batch describe-jobs --jobs ... > batch.json",
    .recognizes = is_aws_batch,
    .read = read_aws_batch,
};

}  // namespace reeve::scenarios
