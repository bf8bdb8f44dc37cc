#include "report/document.h"

namespace pairbench {

std::string_view to_string(CaseStatus status) {
  switch (status) {
    case CaseStatus::ok:
      return "ok";
    case CaseStatus::skipped:
      return "skipped";
    case CaseStatus::failed:
      return "failed";
    case CaseStatus::not_run:
      return "not_run";
  }
  return "?";
}

std::string_view to_string(Grade grade) {
  switch (grade) {
    case Grade::a:
      return "A";
    case Grade::b:
      return "B";
    case Grade::c:
      return "C";
  }
  return "?";
}

}  // namespace pairbench
