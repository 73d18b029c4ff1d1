// Parameters of the Query protocols: nested JSON as a flat form.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "live/aws/request.hpp"
#include "live/aws/service.hpp"

namespace reeve::live {

/// `{"Names": ["a"], "Filter": {"Key": 1}}` becomes `Names.member.1=a` and `Filter.Key=1`.  Lists
/// of EC2 have no `member`.  An empty list is sent as an empty value, in EC2 not at all.  A null is
/// not sent.
std::vector<Field> form_fields(const nlohmann::json& parameters, Protocol protocol);

/// The body: Action, Version, then the parameters.
std::string query_form(std::string_view operation, std::string_view version,
                       const nlohmann::json& parameters, Protocol protocol);

}  // namespace reeve::live
