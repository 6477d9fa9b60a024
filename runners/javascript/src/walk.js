// The walk over a workload that is a graph: reachability from node 0, depth first.

/**
 * The sum of the visited nodes' numbers, each plus 1, which tells whether two walks met the same nodes.
 *
 * @param nodes how many there are
 * @param visit is called with a node and with `reach`, and calls that with the target of each of its edges; a
 *     target that is no node's number leads nowhere
 */
export function depthFirst(nodes, visit) {
  const visited = new Uint8Array(nodes);
  const left = [];
  let sum = 0;
  function reach(target) {
    const node = Number(target);
    if (node >= 0 && node < nodes && visited[node] === 0) {
      visited[node] = 1;
      left.push(node);
    }
  }
  reach(0);
  while (left.length > 0) {
    const node = left.pop();
    sum = (sum + node + 1) | 0;
    visit(node, reach);
  }
  return sum;
}
