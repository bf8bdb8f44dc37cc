// How figures and names are written in the views for people: units converted, "n/a" for what was
// not measured, no blank inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "report/document.h"

namespace pairbench {

inline constexpr std::string_view kNotMeasured = "n/a";

// Three significant digits, four from 100 up; fewer where the clock's step is coarser (`step`, in
// the value's unit; 0: none). From 10^8 up with an exponent.
std::string figure(std::optional<double> value, double step = 0);

std::optional<double> value_of(const std::optional<Estimate>& estimate);

// Factors from the document's units to the screen's.
inline constexpr double kUsPerNs = 1e-3;
inline constexpr double kGbPerByte = 8e-9;  // 10^9 bits
inline constexpr double kMillion = 1e-6;

std::string scaled(const std::optional<double>& value, double factor, double step = 0);
// "[15.5, 15.8]", "[n/a, n/a]": always two fields.
std::string interval(const std::optional<Estimate>& estimate, double factor, double step = 0);

// The slower of both ends' links; nullopt where neither is known.
std::optional<std::uint64_t> link_bits_per_second(const TransportResult& transport);
// "95": the share of the link that so many bytes a second take, in percent.
std::string link_share(const std::optional<double>& bytes_per_second,
                       const TransportResult& transport);

const TransportResult& transport_of(const ResultDocument& document, const CaseResult& result);
const std::string& label_of(const ResultDocument& document, const CaseResult& result);
std::string initiator_name(const ResultDocument& document);
std::string responder_name(const ResultDocument& document);
// The two, or "initiator" and "responder" where both hosts are called alike.
std::pair<std::string, std::string> end_names(const ResultDocument& document);

}  // namespace pairbench
