// The keys of a rule of a policy.
#include "scenarios/load/keys/input.hpp"
#include "scenarios/load/keys/rule_keys.hpp"

namespace reeve::scenarios {
namespace {

using host::Mode;

const ObjectTable<ScopeInput>& scope_table() {
  static const ObjectTable<ScopeInput> table{
      "scope",
      "Jobs that a rule sees and may change.",
      {field<ScopeInput>(
           "tags", &ScopeInput::tags, list_of(text(), 1),
           "\"key\" or \"key=value\"; a job must have one of these tags. Default: any job"),
       field<ScopeInput>("fleets", &ScopeInput::fleets, list_of(text(), 1),
                         "fleets in which its attempt runs or waits. Default: any")}};
  return table;
}

const ObjectTable<SeatInput>& seat_table() {
  static const ObjectTable<SeatInput> table{
      "a rule",
      "One rule of a policy. The options of the rule go beside these keys.",
      {field<SeatInput>("rule", &SeatInput::rule, rule_name(), "kind of the rule", {{}, true}),
       field<SeatInput>("use", &SeatInput::use, text(),
                        "preset of `rules`; keys written here override it"),
       field<SeatInput>("name", &SeatInput::name, file_name("the name of a rule"),
                        "name in reports. Default: the kind of the rule"),
       field<SeatInput>("priority", &SeatInput::priority,
                        integer<std::int32_t>(-1'000'000, 1'000'000),
                        "larger decides first; ties in file order", {"0"}),
       field<SeatInput>("mode", &SeatInput::mode,
                        choice<Mode>({{"off", Mode::off},
                                      {"shadow", Mode::shadow},
                                      {"warn", Mode::warn},
                                      {"enforce", Mode::enforce}}),
                        "off: the rule is not run; shadow: actions are only recorded; warn: "
                        "actions become notifications; enforce: actions are done",
                        {"\"enforce\""}),
       field<SeatInput>("scope", &SeatInput::scope, object(scope_table()),
                        "jobs that the rule applies to. Default: all")}};
  return table;
}

/// Reads the keys of any rule, and keeps the others for when the kind of rule is known.
class SeatReader final : public ValueReader {
 public:
  SeatReader()
      : ValueReader{[](void* into) {
          replace(*static_cast<SeatInput*>(into), SeatInput{seat_table().fresh()});
        }} {}
  bool read(const Node& node, Findings& findings, void* place) const override {
    if (!expect_kind(node, Kind::object, findings)) return false;
    auto& into = *static_cast<SeatInput*>(place);
    into.options = seat_table().read_known(node, findings, into);
    if (into.use && has_own_use(into.rule)) {
      into.options.push_back(*node.find("use"));
      into.use.reset();
    }
    report_missing_keys(node, {}, *seat_table().shape(), findings);
    return !into.rule.empty();
  }
};

}  // namespace

Codec<SeatInput> seat() {
  auto with_options = std::make_shared<ObjectShape>(*seat_table().shape());
  with_options->by_rule = option_shapes();
  Shape shape;
  shape.kind = ShapeKind::object;
  shape.object = with_options;
  return Codec<SeatInput>{ErasedCodec{std::move(shape), share(new SeatReader{})}};
}

}  // namespace reeve::scenarios
