#include "plan/json_parser.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "plan/json_fields.h"

namespace pairbench {
namespace {

// Json::parse with a callback would look through an array's earlier elements at the end of each.
class Builder final : public nlohmann::json_sax<nlohmann::ordered_json> {
 public:
  using Json = nlohmann::ordered_json;

  Builder(const JsonBounds& bounds, const JsonList& list) : bounds_(bounds), list_(list) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& value) override { return add(std::move(value)); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Open& object = open_.back();
    if (++object.members > bounds_.members)
      throw FormatError("", fmt::format("an object has more than {} members", bounds_.members));
    if (open_.size() == 1) in_list_ = list_.take && name == list_.member;
    member_ = &(*object.value)[name];
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    throw FormatError("", "this is not JSON");
  }

 private:
  // An object or array whose end has not come.
  struct Open {
    Json* value;
    std::size_t members;
  };

  // Where the next value goes.
  Json& next_place() {
    if (open_.empty()) return root_;
    Json& holder = *open_.back().value;
    if (!holder.is_array()) return *member_;
    holder.push_back(nullptr);
    return holder.back();
  }

  Json& place(Json value) { return next_place() = std::move(value); }

  bool add(Json value) {
    place(std::move(value));
    return finish();
  }

  bool open(Json empty) {
    if (open_.size() == bounds_.depth)
      throw FormatError("", fmt::format("it is nested over {} levels deep", bounds_.depth));
    Json& value = place(std::move(empty));
    open_.push_back({&value, 0});
    return true;
  }

  bool close() {
    open_.pop_back();
    return finish();
  }

  // What was last placed is whole.
  bool finish() {
    constexpr std::size_t kInList = 2;  // open are the outermost object and the list
    if (!in_list_ || open_.size() != kInList || !open_.back().value->is_array()) return true;
    auto& elements = open_.back().value->get_ref<Json::array_t&>();
    Json element = std::move(elements.back());
    elements.pop_back();
    list_.take(std::move(element));
    return true;
  }

  const JsonBounds& bounds_;
  const JsonList& list_;
  Json root_;
  std::vector<Open> open_;  // outermost first
  Json* member_ = nullptr;  // whose key came last
  bool in_list_ = false;
};

}  // namespace

nlohmann::ordered_json parse_json(std::string_view text, const JsonBounds& bounds,
                                  const JsonList& list) {
  Builder builder(bounds, list);
  nlohmann::ordered_json::sax_parse(text, &builder);
  return builder.take();
}

}  // namespace pairbench
