#include "live/aws/endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "live/aws/profiles.hpp"
#include "live/aws/request.hpp"
#include "live/aws/uri.hpp"

namespace reeve::live {

namespace {

/// It becomes a part of a host name.
bool is_region(std::string_view region) {
  return !region.empty() && region.size() <= 32 && region.front() != '-' && region.back() != '-' &&
         std::all_of(region.begin(), region.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

Result<std::string> checked_region(std::string region, std::string_view place) {
  if (is_region(region)) return region;
  return Failure{fmt::format("{} is no name of a region, such as us-east-1", place)};
}

/// The domain of the partition, or nothing for partitions that reeve does not know.
std::optional<std::string_view> domain_of(std::string_view region) {
  if (region.starts_with("us-iso") || region.starts_with("eu-iso") || region.starts_with("eusc-")) {
    return std::nullopt;
  }
  return region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}

/// The message does not repeat the URL, which may contain a password.
Result<Endpoint> endpoint_in(const std::string& text, const std::string& variable) {
  const std::optional<Url> url = parse_url(text);
  if (!url || !url->query.empty()) {
    return Failure{fmt::format(
        "{} is no URL of the form https://host[:port][/path] without user and query", variable)};
  }
  Endpoint endpoint{url->tls, url->host, url->port, url->path};
  while (endpoint.path.ends_with('/')) endpoint.path.pop_back();
  return endpoint;
}

}  // namespace

Result<std::string> region_of(const Environment& environment) {
  for (const char* variable : {"AWS_REGION", "AWS_DEFAULT_REGION"}) {
    if (std::optional<std::string> region = environment.get(variable)) {
      return checked_region(std::move(*region), variable);
    }
  }
  const std::string name = chosen_profile(environment).name;
  const std::map<std::string, Profile> profiles = read_profiles(environment);
  if (const auto profile = profiles.find(name); profile != profiles.end()) {
    if (const auto region = profile->second.find("region"); region != profile->second.end()) {
      return checked_region(region->second, fmt::format("`region` of the profile `{}`", name));
    }
  }
  return Failure{"no region is given: set AWS_REGION, or `region` in ~/.aws/config"};
}

Result<Endpoint> endpoint_of(const Environment& environment, const Service& service,
                             const std::string& region) {
  const std::string ignored =
      environment.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS").value_or("false");
  if (lower_case(ignored) != "true") {
    const std::string own = "AWS_ENDPOINT_URL_" + std::string{service.id};
    for (const std::string& variable : {own, std::string{"AWS_ENDPOINT_URL"}}) {
      if (const std::optional<std::string> text = environment.get(variable)) {
        return endpoint_in(*text, variable);
      }
    }
  }
  if (!is_region(region)) return Failure{"the region has no valid name"};
  const std::optional<std::string_view> domain = domain_of(region);
  if (!domain) {
    return Failure{fmt::format("reeve does not know the hosts of {}: set AWS_ENDPOINT_URL_{}",
                               region, service.id)};
  }
  return Endpoint{true, fmt::format("{}.{}.{}", service.host_prefix, region, *domain), 0, {}};
}

}  // namespace reeve::live
