// Fuzz: any bytes are either a document that agrees with nlohmann's own, or an InputError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "scenarios/text/json.hpp"
#include "scenarios/text/json_syntax.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace {

using reeve::scenarios::Kind;
using reeve::scenarios::Node;

void require(bool truth) {
  if (!truth) std::abort();
}

void compare(const Node& node, const nlohmann::json& other) {
  using Type = nlohmann::json::value_t;
  require(node.source().position(node.offset()).line > 0);
  switch (node.kind()) {
    case Kind::null:
      require(other.is_null());
      break;
    case Kind::boolean:
      require(other.is_boolean() && node.as_boolean() == other.get<bool>());
      break;
    case Kind::integer:
      require(other.is_number());
      if (other.type() == Type::number_integer) {
        require(node.as_integer() == other.get<std::int64_t>());
      } else if (other.type() == Type::number_unsigned) {
        require(node.as_unsigned() == other.get<std::uint64_t>());
      }
      break;
    case Kind::number:
      require(other.is_number_float() && node.as_number() == other.get<double>());
      break;
    case Kind::text:
      require(other.is_string() && node.as_text() == other.get<std::string>());
      break;
    case Kind::array: {
      require(other.is_array() && node.size() == other.size());
      std::size_t index = 0;
      for (const Node child : node.as_array()) compare(child, other[index++]);
      break;
    }
    case Kind::object:
      require(other.is_object() && node.size() == other.size());
      for (const Node child : node.as_object()) {
        require(node.find(child.key()) == child);
        compare(child, other.at(std::string{child.key()}));
      }
      break;
  }
}

// Every reading a decoder may try on a value must succeed or throw InputError.
// Some values suffice: each refusal costs an exception and its text.
void read_as_everything(const Node& node, int& budget) {
  if (--budget < 0) return;
  const auto attempt = [&node](auto read) {
    try {
      read(node);
    } catch (const reeve::scenarios::InputError& error) {
      require(!reeve::scenarios::render(error.diagnostics()).empty());
    }
  };
  attempt([](const Node& n) { reeve::scenarios::as_duration(n); });
  attempt([](const Node& n) { reeve::scenarios::as_instant(n); });
  attempt([](const Node& n) { reeve::scenarios::as_usd(n); });
  attempt([](const Node& n) { reeve::scenarios::as_usd_per_hour(n); });
  attempt([](const Node& n) { reeve::scenarios::as_percent(n); });
  attempt([](const Node& n) { reeve::scenarios::as_count(n); });
  attempt([](const Node& n) { reeve::scenarios::as_comparison(n); });
  if (node.is_array()) {
    for (const Node child : node.as_array()) read_as_everything(child, budget);
  } else if (node.is_object()) {
    for (const Node child : node.as_object()) read_as_everything(child, budget);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text{reinterpret_cast<const char*>(data), size};
  try {
    const auto source = reeve::scenarios::SourceFile::from_text("fuzz.jsonc", std::move(text));
    const auto document = reeve::scenarios::Document::parse(source);
    const std::string plain = reeve::scenarios::without_trailing_commas(source->text());
    compare(document.root(), nlohmann::json::parse(plain, nullptr, true, true));
    int budget = 30;
    read_as_everything(document.root(), budget);
  } catch (const reeve::scenarios::InputError& error) {
    require(!error.diagnostics().empty());
    for (const auto& diagnostic : error.diagnostics()) {
      require(!diagnostic.message.empty());
      require(reeve::scenarios::render(diagnostic, {false, 100}).size() < 4000);
      reeve::scenarios::diagnostic_json(diagnostic).dump();
    }
  }
  return 0;
}
