// The grammar of -t: what is to be measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pairbench {

enum class TransportKind { inproc, libfabric, verbs };

std::string_view to_string(TransportKind kind);

// [label=]inproc
// [label=]libfabric[:PROVIDER[/DOMAIN]]
// [label=]verbs[:DEVICE[/PORT[/GID_INDEX]]]
// A device may be a pair "a,b": initiator's, responder's.
struct TransportSpec {
  TransportKind kind = TransportKind::inproc;
  std::string label;        // how results name it; the text without "label=" when none was given
  std::string text;         // canonical, without the label: '+' for libfabric's ';'
  std::string provider;     // libfabric: with ';', as fi_getinfo takes it; empty: any
  std::string device;       // libfabric domain or verbs device on the initiator; empty: choose
  std::string peer_device;  // the same on the responder; equal to device unless a pair was given
  std::optional<int> port;  // verbs
  std::optional<int> gid_index;  // verbs

  bool operator==(const TransportSpec&) const = default;
};

// Throws a usage Error naming the text and the forms.
TransportSpec parse_transport(std::string_view text);

}  // namespace pairbench
