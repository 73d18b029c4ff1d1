// What is kept of the reply of an API that reeve itself asks: the keys that the readers use.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "scenarios/history/reading/json_records.hpp"

namespace reeve::scenarios {

JsonShape sagemaker_shape();
JsonShape cloudtrail_shape();
JsonShape aws_batch_shape();

/// Beside the records of a reply: when reeve asked.  Jobs without an end ran until then.
inline constexpr std::string_view fetched_at = "reeve_fetched_at";

/// Notes the time of a record, or of what is around records.
void see_fetch(const nlohmann::json& value, History& into);

/// The reply without what no reader uses: environments, hyperparameters, roles, addresses.  `kind`
/// is the name of a reader.  A reply of another kind than the three above stays as it is.
nlohmann::json kept_reply(std::string_view kind, const nlohmann::json& reply);

}  // namespace reeve::scenarios
