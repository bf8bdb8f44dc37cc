#include "report/csv.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "report/figures.h"

namespace pairbench {
namespace {

std::string quoted(const std::string& text) {
  std::string clean = printable(text, "\n");
  if (clean.find_first_of(",\"\n") == std::string::npos) return clean;
  std::string out = "\"";
  for (const char c : clean) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.12g}", *value) : std::string();
}

std::string with_interval(const std::optional<Estimate>& estimate) {
  const Estimate none;
  const Estimate& e = estimate ? *estimate : none;
  return number(value_of(estimate)) + ',' + number(e.low) + ',' + number(e.high);
}

constexpr const char* kColumnNames =
    "transport,test,size_bytes,window,status,repeats,"
    "rtt_min_ns,rtt_p50_ns,rtt_p50_low_ns,rtt_p50_high_ns,rtt_p90_ns,rtt_p99_ns,rtt_p99_9_ns,"
    "rtt_max_ns,rtt_mean_ns,"
    "delivered_bytes_per_second,delivered_low_bytes_per_second,delivered_high_bytes_per_second,"
    "messages_per_second,messages_low_per_second,messages_high_per_second,"
    "forward_bytes_per_second,backward_bytes_per_second,checked,reason\n";

std::string line(const ResultDocument& document, const CaseResult& result) {
  const CaseSummary& s = result.summary;
  const LatencySummary rtt = s.rtt_ns.value_or(LatencySummary{});
  std::string out = fmt::format(
      "{},{},{},{},{},{}", quoted(label_of(document, result)), to_string(result.plan.test),
      result.plan.size_bytes, result.plan.window, to_string(result.status), result.repeats.size());
  for (const auto& field :
       {number(value_of(rtt.min)), with_interval(rtt.p50), number(value_of(rtt.p90)),
        number(value_of(rtt.p99)), number(value_of(rtt.p99_9)), number(value_of(rtt.max)),
        number(value_of(rtt.mean)), with_interval(s.delivered_bytes_per_second),
        with_interval(s.messages_per_second), number(value_of(s.forward_bytes_per_second)),
        number(value_of(s.backward_bytes_per_second)),
        std::string(result.plan.check ? "true" : "false"), quoted(result.reason)})
    out += ',' + field;
  return out + "\n";
}

}  // namespace

std::string render_csv(const ResultDocument& document) {
  std::string out = kColumnNames;
  for (const auto& result : document.cases) out += line(document, result);
  return out;
}

}  // namespace pairbench
