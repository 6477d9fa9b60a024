//! The walk over a workload that is a graph: reachability from node 0, depth first.

/// Domain objects that are a graph.
pub trait Graph {
    fn walk(&self) -> u64;
}

/// Visits every node that node 0 leads to; `edges` calls its second argument with the target of each edge of
/// a node. Returns the sum of the visited nodes' numbers, each plus 1.
pub fn depth_first(nodes: usize, edges: impl Fn(usize, &mut dyn FnMut(usize))) -> u64 {
    let mut visited = vec![false; nodes];
    let mut left = Vec::with_capacity(nodes);
    if nodes > 0 {
        visited[0] = true;
        left.push(0);
    }
    let mut sum = 0;
    while let Some(node) = left.pop() {
        sum += node as u64 + 1;
        edges(node, &mut |target| {
            if target < nodes && !visited[target] {
                visited[target] = true;
                left.push(target);
            }
        });
    }
    sum
}
