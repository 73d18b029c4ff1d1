#include "scenarios/load/keys/object_table.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

void* part_of(void* object, std::size_t offset) {
  return static_cast<std::byte*>(object) + offset;
}

/// Reads an object by its table.
class TableReader final : public ValueReader {
 public:
  using StartAs = void (*)(void* into, const void* fresh);
  TableReader(const ErasedTable& table, const void* fresh, StartAs how)
      : ValueReader{nullptr}, table_{table}, fresh_{fresh}, start_{how} {}
  bool read(const Node& node, Findings& findings, void* into) const override {
    return table_.read(node, findings, into, {}, false);
  }
  void start(void* into) const override { start_(into, fresh_); }

 private:
  const ErasedTable& table_;
  const void* fresh_;
  StartAs start_;
};

}  // namespace

ErasedField::ErasedField(std::string_view name, std::size_t from_beginning,
                         const ErasedCodec& codec, ReadOptional optional, std::string_view help,
                         const FieldRules& rules)
    : shape{std::string{name}, codec.shape, std::string{rules.default_json}, std::string{help},
            rules.required},
      reader{optional == nullptr ? codec.reader : optional_reader(codec.reader, optional)},
      offset{from_beginning} {}
ErasedField::ErasedField(const ErasedField& other) = default;
ErasedField::ErasedField(ErasedField&& other) noexcept = default;
ErasedField& ErasedField::operator=(const ErasedField& other) = default;
ErasedField& ErasedField::operator=(ErasedField&& other) noexcept = default;
ErasedField::~ErasedField() = default;

void ErasedField::read(const Node& node, Findings& findings, void* object) const {
  reader->read(node, findings, part_of(object, offset));
}

void ErasedField::start(void* object) const {
  reader->start(part_of(object, offset));
}

ErasedFields::ErasedFields() = default;
ErasedFields::ErasedFields(const ErasedFields& other) = default;
ErasedFields::ErasedFields(ErasedFields&& other) noexcept = default;
ErasedFields& ErasedFields::operator=(const ErasedFields& other) = default;
ErasedFields& ErasedFields::operator=(ErasedFields&& other) noexcept = default;
ErasedFields::~ErasedFields() = default;

void ErasedFields::add(const ErasedField& row) {
  rows_.push_back(row);
}

void ErasedFields::include(const ErasedFields& part, std::size_t from_beginning) {
  for (const ErasedField& row : part) {
    add(row);
    rows_.back().offset += from_beginning;
  }
}

void ErasedFields::remove(std::string_view name) {
  std::erase_if(rows_, [name](const ErasedField& row) { return row.shape.name == name; });
}

void ErasedFields::require_none() {
  for (ErasedField& row : rows_) row.shape.required = false;
}

ErasedTable::ErasedTable(std::string_view name, std::string_view help, ErasedFields rows,
                         std::initializer_list<std::string_view> exactly_one,
                         std::optional<std::size_t> written)
    : rows_{std::move(rows)}, written_{written} {
  auto shape = std::make_shared<ObjectShape>();
  shape->name = name;
  shape->help = help;
  shape->exactly_one = exactly_one;
  for (const ErasedField& row : rows_) shape->fields.push_back(row.shape);
  shape_ = shape;
}

ErasedTable::~ErasedTable() = default;

bool ErasedTable::read(const Node& object, Findings& findings, void* into,
                       const std::optional<Node>& under, bool partial) const {
  if (!expect_kind(object, Kind::object, findings)) return false;
  const std::vector<Node> unknown = read_known(object, findings, into);
  for (const Node& member : unknown) report_unknown_key(member, *shape_, findings);
  if (!unknown.empty() && !misspelled_keys(object, *shape_).empty()) findings.note_misspelled_key();
  if (!partial) report_missing_keys(object, under, *shape_, findings);
  return true;
}

std::vector<Node> ErasedTable::read_known(const Node& object, Findings& findings,
                                          void* into) const {
  if (written_) *static_cast<std::optional<Node>*>(part_of(into, *written_)) = object;
  std::vector<Node> others;
  for (const Node member : object.as_object()) {
    if (findings.full()) break;
    const ErasedField* row = find(member.key());
    if (row != nullptr) {
      row->read(member, findings, into);
    } else {
      others.push_back(member);
    }
  }
  return others;
}

const ErasedField* ErasedTable::find(std::string_view key) const {
  const auto found = std::find_if(rows_.begin(), rows_.end(),
                                  [key](const ErasedField& row) { return row.shape.name == key; });
  return found == rows_.end() ? nullptr : found;
}

void ErasedTable::apply_defaults(void* object) const {
  for (const ErasedField& row : rows_) {
    row.start(object);
    if (row.shape.default_json.empty()) continue;
    Findings findings;
    const Document document =
        Document::parse(SourceFile::from_text(row.shape.name, row.shape.default_json));
    row.read(document.root(), findings, object);
    if (findings.errors() > 0) throw InputError{findings.sorted()};
  }
}

Shape object_shape(const ErasedTable& table) {
  Shape shape = shape_of(ShapeKind::object);
  shape.object = table.shape();
  return shape;
}

ErasedCodec object(const ErasedTable& table, const void* fresh,
                   void (*start)(void* into, const void* fresh)) {
  return {object_shape(table), share(new TableReader{table, fresh, start})};
}

}  // namespace reeve::scenarios
