// The Query protocol on the side of the server: a form becomes JSON, an answer becomes XML.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "live/aws/request.hpp"
#include "live/aws/service.hpp"

namespace reeve::live {

/// The form of `protocol`: `Names.member.1=a`, in EC2 `Names.1=a`, and `Filter.Key=1` become
/// `{"Names": ["a"], "Filter": {"Key": "1"}}`.  All values are texts.  Nothing: a name contradicts
/// another one, or is too deep.
std::optional<nlohmann::json> form_value(const std::vector<Field>& fields, Protocol protocol);

/// `{"Names": ["a"]}` becomes `<Names><member>a</member></Names>`, in EC2 with `item`.
std::string xml_of(const nlohmann::json& value, Protocol protocol);

}  // namespace reeve::live
