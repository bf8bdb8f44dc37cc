#include "control/json_bounds.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "control/framing.h"
#include "plan/json_fields.h"

namespace pairbench {
namespace {

// Json::parse with a callback would look through an array's earlier elements at the end of each.
class Bounds final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_array() override { return close(); }

  // The parser of objects looks for each member among those before.
  bool key(string_t&) override {
    if (++members_.back() > kMaxMembers)
      throw FormatError("", fmt::format("an object has more than {} members", kMaxMembers));
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    throw FormatError("", "a message is not JSON");
  }

 private:
  bool open() {
    if (members_.size() > kMaxDepth) throw FormatError("", "a message is nested too deeply");
    members_.push_back(0);
    return true;
  }

  bool close() {
    members_.pop_back();
    return true;
  }

  std::vector<int> members_;  // of what is open, outermost first
};

}  // namespace

void require_bounded(std::string_view text) {
  Bounds bounds;
  Json::sax_parse(text, &bounds);
}

}  // namespace pairbench
