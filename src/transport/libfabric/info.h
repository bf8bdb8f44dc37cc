// Asking libfabric what there is: fi_getinfo with pairbench's hints, and the choice among the
// answers.
#pragma once

#include <string>
#include <vector>

#include "transport/libfabric/handles.h"
#include "transport/libfabric/selection.h"

namespace pairbench::libfabric {

// Reliable datagram endpoints for messages; the caller registers memory in every mode and gives a
// context to every operation. An empty provider means any; "efa-direct" is efa.
InfoHandle make_hints(const std::string& provider);

// Every match, best first by the library's own order; null where there is none (-FI_ENODATA). Any
// other failure throws Error(no_device, device). The first call in a process keeps EFA from
// diverting same-host traffic to shared memory, unless the user has set FI_EFA_ENABLE_SHM_TRANSFER.
InfoHandle query(const std::string& provider);

// Names of the providers compiled in or loaded, whether or not they have a device; utilities
// (ofi_*) left out.
std::vector<std::string> built_in_providers();

// As plain data; its order is the list's.
std::vector<Candidate> candidates_of(const fi_info* list);

// The one that the request names, alone in its list. Throws Error(no_device, device) that says what
// was asked, what there is, and what may hide it.
InfoHandle find_info(const Request& request);

// A provider as -t prints it, '+' for ';'.
std::string printed(std::string provider);

// A text of the library; empty for none.
std::string text_or_empty(const char* text);

// fi_tostr of a flag word or enumerator, thread-safe.
std::string text_of(const void* value, fi_type type);

// The numeric IP of a socket address; empty for other formats.
std::string ip_text(std::uint32_t format, const void* address, std::size_t length);

}  // namespace pairbench::libfabric
