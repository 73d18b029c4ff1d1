// The Query protocol on the side of the server: a form becomes JSON, an answer becomes XML.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "live/aws/request.hpp"

namespace reeve::live {

/// `Names.member.1=a` and `Filter.Key=1` become `{"Names": ["a"], "Filter": {"Key": "1"}}`.  All
/// values are texts.  Nothing: a name contradicts another one, or is too deep.
std::optional<nlohmann::json> form_value(const std::vector<Field>& fields);

/// `{"Names": ["a"]}` becomes `<Names><member>a</member></Names>`.  All values are texts.
std::string xml_of(const nlohmann::json& value);

}  // namespace reeve::live
