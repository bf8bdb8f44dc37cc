#include <nlohmann/json.hpp>

#include "compare/views.h"
#include "report/document_json.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string_view verdict_name(const std::optional<Verdict>& verdict) {
  if (!verdict) return "not_comparable";
  return *verdict == Verdict::not_shown ? "not_shown" : to_string(*verdict);
}

Json side_json(const Side& side) {
  return {{"name", side.name()},
          {"file", side.file},
          {"run", side.document->run.id},
          {"complete", side.document->run.complete},
          {"repeats", side.finished_repeats()},
          {"disturbances", side.disturbances()}};
}

void add_ratio(Json& json, const std::optional<Comparison>& comparison, double p_value) {
  for (const char* key : {"ratio", "low", "high", "p"}) json[key] = nullptr;
  if (!comparison) return;
  json["ratio"] = comparison->ratio;
  json["p"] = p_value;
  if (!comparison->interval) return;
  json["low"] = comparison->interval->low;
  json["high"] = comparison->interval->high;
}

Json overall_json(const std::optional<Overall>& overall) {
  if (!overall) return nullptr;
  Json json = Json::object();
  add_ratio(json, overall->comparison, overall->comparison.p_value);
  json["verdict"] = verdict_name(overall->verdict);
  json["sizes"] = overall->sizes;
  return json;
}

Json size_json(const SizeComparison& size) {
  Json json = {{"size_bytes", size.size_bytes},
               {"baseline", or_null(size.baseline)},
               {"candidate", or_null(size.candidate)}};
  add_ratio(json, size.comparison, size.adjusted_p);
  if (!size.verdict) json["p"] = nullptr;
  json["verdict"] = verdict_name(size.verdict);
  json["reason"] = text_or_null(size.reason);
  json["smallest_effect"] = size.smallest_effect;
  return json;
}

Json family_json(const Family& family) {
  const Metric& metric = *family.metric;
  Json json = {{"test", to_string(family.test)},
               {"metric", metric.name},
               {"unit", to_string(metric.unit)},
               {"better", metric.better() == Better::lower ? "lower" : "higher"},
               {"overall", overall_json(family.overall)},
               {"sizes", Json::array()}};
  for (const SizeComparison& size : family.sizes) json["sizes"].push_back(size_json(size));
  return json;
}

Json difference_json(const Estimate& difference) {
  return {{"value", difference.value},
          {"low", or_null(difference.low)},
          {"high", or_null(difference.high)}};
}

Json split_json(const SplitComparison& split) {
  Json json = {{"size_bytes", split.size_bytes}, {"parts", Json::array()}};
  for (const PartComparison& part : split.parts)
    json["parts"].push_back({{"part", part.part},
                             {"baseline_ns", part.baseline_ns},
                             {"candidate_ns", part.candidate_ns},
                             {"difference_ns", difference_json(part.difference_ns)}});
  return json;
}

Json missing_json(std::span<const Missing> missing) {
  Json json = Json::array();
  for (const Missing& m : missing)
    json.push_back({{"test", to_string(m.test)},
                    {"size_bytes", m.size_bytes},
                    {"reason", text_or_null(m.reason)}});
  return json;
}

}  // namespace

Json comparison_json(const TransportComparison& comparison) {
  Json json = {{"baseline", side_json(comparison.baseline)},
               {"candidate", side_json(comparison.candidate)},
               {"paired", comparison.paired},
               {"families", Json::array()},
               {"split", Json::array()},
               {"only_in_baseline", missing_json(comparison.only_in_baseline)},
               {"only_in_candidate", missing_json(comparison.only_in_candidate)},
               {"differences", Json::array()}};
  for (const Family& family : comparison.families) json["families"].push_back(family_json(family));
  for (const SplitComparison& split : comparison.split) json["split"].push_back(split_json(split));
  for (const Difference& d : comparison.differences)
    json["differences"].push_back(
        {{"what", d.what}, {"baseline", d.baseline}, {"candidate", d.candidate}});
  return json;
}

Json comparisons_json(std::span<const TransportComparison> comparisons) {
  Json json = {
      {"schema_version", kSchemaVersion}, {"kind", "comparison"}, {"comparisons", Json::array()}};
  for (const TransportComparison& comparison : comparisons)
    json["comparisons"].push_back(comparison_json(comparison));
  return json;
}

Json regression_json(const Regression& regression, double limit) {
  return {{"limit", limit},
          {"exit_status", static_cast<int>(regression.status())},
          {"tested", regression.tested},
          {"found", regression.found},
          {"undecided", regression.undecided}};
}

}  // namespace pairbench
