// The walk over a workload that is a graph: reachability from node 0, depth first, as the C++ runner's
// walk.hpp has it.
#ifndef SERBENCH_WALK_H
#define SERBENCH_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  size_t nodes;
  bool* visited;
  size_t* left;  ///< nodes whose edges are still to be followed
  size_t count;
} serbench_walk;

/// An edge leads to this node.
static inline void serbench_reach(serbench_walk* walk, size_t target) {
  if (target >= walk->nodes || walk->visited[target]) return;
  walk->visited[target] = true;
  walk->left[walk->count++] = target;
}

/// Visits every node that node 0 leads to; `reach_from` calls serbench_reach for each edge of a node. Returns
/// the sum of the visited nodes' numbers, each plus 1; 0 where memory is out.
static inline uint64_t serbench_depth_first(size_t nodes, const void* graph,
                                            void (*reach_from)(const void* graph, size_t node,
                                                               serbench_walk* walk)) {
  if (nodes == 0) return 0;
  serbench_walk walk = {nodes, calloc(nodes, sizeof(bool)), malloc(nodes * sizeof(size_t)), 0};
  uint64_t sum = 0;
  if (walk.visited != NULL && walk.left != NULL) {
    serbench_reach(&walk, 0);
    while (walk.count != 0) {
      const size_t node = walk.left[--walk.count];
      sum += node + 1;
      reach_from(graph, node, &walk);
    }
  }
  free(walk.visited);
  free(walk.left);
  return sum;
}

#endif
