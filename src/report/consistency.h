// Whether what a stored document says can be true together.
#pragma once

#include "report/document.h"

namespace pairbench {

// Throws FormatError (plan/json_fields.h), naming the case and the member, where figures are out of
// their range, an interval does not hold its value, quantiles descend, counts or rates do not
// belong to each other, a summary lies outside of what its repeats say, or a transport, case or
// repeat is there twice or is missing. Whatever this program, or an older one, has written passes,
// a run that did not end too. Takes time in proportion to the document.
void require_consistent(const ResultDocument& document);

}  // namespace pairbench
