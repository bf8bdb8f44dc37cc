#include "report/models.h"

#include <fmt/format.h>

#include "base/units.h"
#include "report/figures.h"
#include "report/notes.h"
#include "report/table.h"

namespace pairbench {
namespace {

constexpr std::size_t kFewestSizes = 5;
constexpr double kBitsPerByte = 8;  // and bits per ns are Gb/s

std::vector<SizeTime> one_way_medians(const ResultDocument& document, int transport) {
  std::vector<SizeTime> points;
  for (const CaseResult* result : measured_cases(document, Test::pingpong, transport)) {
    const auto& rtt = result->summary.rtt_ns;
    if (rtt && rtt->p50 && rtt->p50->value > 0)
      points.push_back({result->plan.size_bytes, rtt->p50->value / 2});
  }
  return points;
}

std::string piece_text(const HockneyPiece& piece) {
  std::string text = fmt::format("{} to {}: {} us", format_size(piece.from_bytes),
                                 format_size(piece.to_bytes), scaled(piece.alpha_ns, kUsPerNs));
  if (piece.ns_per_byte <= 0) return text + ", whatever the size";
  text += fmt::format(" and {} Gb/s", figure(kBitsPerByte / piece.ns_per_byte));
  const double half = *piece.half_rate_bytes();
  if (half >= 1) text += fmt::format(", half of it at {} bytes", figure(half));
  return text;
}

}  // namespace

std::vector<LatencyModel> latency_models(const ResultDocument& document) {
  std::vector<LatencyModel> models;
  for (int t = 0; t < static_cast<int>(document.transports.size()); ++t) {
    const auto points = one_way_medians(document, t);
    if (points.size() >= kFewestSizes) models.push_back({t, fit_hockney(points)});
  }
  return models;
}

std::string render_models(const ResultDocument& document) {
  std::string out;
  for (const LatencyModel& model : latency_models(document)) {
    const auto& label =
        document.transports[static_cast<std::size_t>(model.transport)].plan.spec.label;
    out += comment("one way as startup time and rate, " + label);
    for (std::size_t i = 0; i < model.pieces.size(); ++i) {
      if (i > 0)
        out += comment(fmt::format("  protocol switch between {} and {}",
                                   format_size(model.pieces[i - 1].to_bytes),
                                   format_size(model.pieces[i].from_bytes)));
      out += comment("  " + piece_text(model.pieces[i]));
    }
  }
  return out;
}

}  // namespace pairbench
