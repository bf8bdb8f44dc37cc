// What `--plan` prints.
#pragma once

#include <string>

#include "plan/plan.h"

namespace pairbench {

std::string render_plan(const Plan& plan);

// "12 cases x 9 repeats, about 20s".
std::string describe_extent(const Plan& plan);

}  // namespace pairbench
