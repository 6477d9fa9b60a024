// The walk over a workload that is a graph: reachability from node 0, depth first, with a flat array of
// visited flags.
//
// A published benchmark walked with a std::set, which took twenty times as long as reading the graph.
#pragma once

#include <vector>

#include "serbench/checksum.hpp"

namespace serbench {

/// Visits every node that node 0 leads to; edges_of(node, reach) calls reach(target) for each edge of a node.
/// The sum of the visited nodes' numbers, each plus 1, tells whether two walks met the same nodes.
template <class EdgesOf>
Checksum depth_first(std::size_t nodes, EdgesOf&& edges_of) {
  if (nodes == 0) return 0;
  std::vector<unsigned char> visited(nodes);
  std::vector<std::size_t> left{0};
  visited[0] = 1;
  Checksum sum = 0;
  while (!left.empty()) {
    const std::size_t node = left.back();
    left.pop_back();
    sum += node + 1;
    edges_of(node, [&](std::size_t target) {
      if (target >= nodes || visited[target]) return;
      visited[target] = 1;
      left.push_back(target);
    });
  }
  return sum;
}

/// For the root of a graph the generator specialises this with the names of the fields that lead from node to
/// node, for libraries that find fields by name.
template <class Root>
struct WalkNames;

// Adapters ask whether the workload's glue has a walk; the name must exist for that where it has none.
namespace glue {
struct NoGraph;
void walk(const NoGraph&) = delete;
}  // namespace glue

}  // namespace serbench
