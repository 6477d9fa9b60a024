package serbench;

import java.util.Arrays;

/**
 * The walk over a workload that is a graph: reachability from node 0, depth first, with a flat array of
 * visited flags.
 *
 * <p>Used as {@code for (int node = walk.next(); node >= 0; node = walk.next())}, with a {@code reach} for
 * each edge of the node.
 */
public final class DepthFirst {
  private final boolean[] visited;
  private int[] left = new int[64];
  private int count = 0;
  private long sum = 0;

  public DepthFirst(int nodes) {
    visited = new boolean[nodes];
    reach(0);
  }

  /** An edge leads to this node; a target that is no node's number leads nowhere. */
  public void reach(long target) {
    if (target < 0 || target >= visited.length || visited[(int) target]) return;
    visited[(int) target] = true;
    if (count == left.length) left = Arrays.copyOf(left, 2 * count);
    left[count++] = (int) target;
  }

  /** The next node that was reached; -1 where none is left. */
  public int next() {
    if (count == 0) return -1;
    int node = left[--count];
    sum += node + 1;
    return node;
  }

  /** The sum of the visited nodes' numbers, each plus 1: it tells whether two walks met the same nodes. */
  public long sum() {
    return sum;
  }
}
