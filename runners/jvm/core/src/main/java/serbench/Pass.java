package serbench;

import org.openjdk.jmh.infra.Blackhole;

/** One pass of an operation over all messages of the dataset. */
@FunctionalInterface
interface Pass {
  /** Everything that comes out goes into the blackhole, so that no compiler may leave it out. */
  void run(Blackhole blackhole) throws Exception;
}
