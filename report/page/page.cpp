#include "report/page/page.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "report/json_text.hpp"
#include "report/page/parts.hpp"
#include "report/page/sections.hpp"
#include "report/xml_text.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// What the results were made with, as rows of a table.
ordered_json method_rows(const ResultDirectory& results) {
  const ordered_json& manifest = results.manifest();
  auto rows = ordered_json::array();
  const auto add = [&](std::string_view title, const char* key) {
    if (manifest.contains(key)) rows.push_back({title, text_of(manifest[key])});
  };
  add("Version of reeve", "reeve");
  add("Platform model", "modelled_on");
  add("Scenario", "scenario");
  add("SHA-256 of the scenario", "scenario_sha256");
  add("Random seed", "seed");
  add("Replications of each policy", "runs");
  add("Digest of all runs", "digest");
  if (!manifest.contains("model_where_nothing_is_published")) return rows;
  for (const auto& [policy, options] : manifest["model_where_nothing_is_published"].items()) {
    for (const auto& [option, value] : options.items()) {
      rows.push_back(
          {policy + ": " + option + " (modeled, because AWS publishes no rule)", text_of(value)});
    }
  }
  return rows;
}

ordered_json limits(bool is_sweep) {
  auto all = ordered_json::array(
      {"Amounts are instance time at the prices of the price book. Storage, network, tax and "
       "discounts are not included.",
       "Reserved capacity is paid for in any case: it counts as recovered time, not as dollars "
       "saved.",
       "Intervals cover random draws of the scenario, not errors of its assumptions."});
  if (!is_sweep) {
    all.push_back(
        "Charts over time and of jobs show replication 0. Within a training period, productive "
        "time "
        "comes first. The CSV tables have every run.");
  }
  return all;
}

ordered_json table_names(const ResultDirectory& results) {
  auto names = ordered_json::array();
  const ordered_json& package = results.package();
  if (!package.contains("resources")) return names;
  for (const auto& resource : package["resources"]) {
    if (resource.contains("path")) names.push_back(resource["path"]);
  }
  return names;
}

/// JSON that cannot end the script element that holds it.
std::string embedded_json(const ordered_json& data) {
  std::string out;
  for (const char c : json_text(data)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

/// The template with each placeholder replaced, and nothing looked for in what replaces it.
std::string filled(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string out;
  while (!text.empty()) {
    std::size_t first = std::string_view::npos;
    const std::pair<std::string_view, std::string>* found = nullptr;
    for (const auto& part : parts) {
      const std::size_t at = text.find(part.first);
      if (at < first) {
        first = at;
        found = &part;
      }
    }
    out += text.substr(0, first);
    if (found == nullptr) break;
    out += found->second;
    text.remove_prefix(first + found->first.size());
  }
  return out;
}

}  // namespace

ordered_json page_data(const ResultDirectory& results) {
  ordered_json data{{"format", 1}, {"kind", "compare"}};
  data.update(results.manifest()["summary"]);
  data["partial"] = results.manifest().value("partial", false);
  data["method"] = method_rows(results);
  data["limits"] = limits(data["kind"] == "sweep");
  data["tables"] = table_names(results);
  if (data["kind"] == "sweep") return data;
  data["bill"] = bill_section(results);
  data["usage"] = usage_section(results);
  data["gantt"] = job_section(results);
  data["cdf"] = distribution_section(results);
  data["stops"] = stop_section(results);
  data["tags"] = tag_section(results);
  data["decisions"] = decision_section(results);
  data["sources"] = ordered_json::array();
  if (results.package().contains("sources")) {
    for (const auto& source : results.package()["sources"]) {
      if (source.contains("title")) data["sources"].push_back(source["title"]);
    }
  }
  return data;
}

std::string page_text(const ResultDirectory& results, std::string_view title, bool is_beside) {
  try {
    ordered_json data = page_data(results);
    data["beside"] = is_beside;
    if (!title.empty()) data["title"] = ordered_json::parse(json_text(title));  // valid UTF-8
    return filled(page_templates().front().text,
                  {{"<!--reeve:title-->", xml_escaped(text_of(data["title"]))},
                   {"/*reeve:style*/", std::string{page_styles().front().text}},
                   {"/*reeve:data*/", embedded_json(data)},
                   {"/*reeve:script*/", std::string{page_script()}}});
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error{(results.path() / "manifest.json").generic_string() +
                             ": it is damaged (" + error.what() + ')'};
  }
}

}  // namespace reeve::report
