// The pages of a listing, as the AWS CLI would write them.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "live/feed/training_job_reader.hpp"
#include "live/history/account_history.hpp"

namespace reeve::live {

/// One that may be sent many times: throttling is waited for.
Call history_call(const Service& service, std::string operation, nlohmann::json parameters);

/// `sagemaker:Search`, as IAM names it.
std::string action_of(const Call& call);

/// What the reply to a call lacks.
FailedCall unreadable(const Call& call, const char* lacks);

/// `each` gets every page without its token; `list` is what a page must have.  A page without it is
/// an error, for an empty account would be a wrong answer.
std::optional<FailedCall> each_page(Client& client, const Call& call, const char* list, Pace& pace,
                                    const std::function<void(nlohmann::json& page)>& each);

// Replies in XML as the AWS CLI writes them.

/// Of DescribeSpotPriceHistory: {"SpotPriceHistory": [{"InstanceType": ...}]}.
nlohmann::json spot_price_reply(const nlohmann::json& reply);
/// Of GetMetricData: the values are numbers.
nlohmann::json metric_data_reply(nlohmann::json reply);

}  // namespace reeve::live
