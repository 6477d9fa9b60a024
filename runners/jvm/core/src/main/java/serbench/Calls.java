package serbench;

import org.openjdk.jmh.infra.Blackhole;

/**
 * One adapter of a cell with what it offers. Where the domain object is the native one, {@code build} and {@code extract} hand
 * it through.
 *
 * @param <R> the workload's root type
 * @param <N> what the adapter encodes
 * @param <V> what it decodes
 */
@SuppressWarnings("unchecked") // what N and V are, only the cell's adapter knows
final class Calls<R, N, V> {
  private final Adapter<N, V> adapter;
  private final Domain<R> domain;
  private final Adapter.Builds<R, N> builds;
  private final Adapter.Extracts<R, V> extracts;
  private final Adapter.Traverses<V> traverses;
  private final Adapter.Walks<V> walks;
  private final Adapter.DecodesFast<V> decodesFast;

  Calls(Cell<R> cell) {
    adapter = (Adapter<N, V>) cell.adapter();
    domain = cell.domain();
    builds = adapter instanceof Adapter.Builds<?, ?> a ? (Adapter.Builds<R, N>) a : null;
    extracts = adapter instanceof Adapter.Extracts<?, ?> a ? (Adapter.Extracts<R, V>) a : null;
    traverses = adapter instanceof Adapter.Traverses<?> a ? (Adapter.Traverses<V>) a : null;
    walks = adapter instanceof Adapter.Walks<?> a ? (Adapter.Walks<V>) a : null;
    decodesFast = adapter instanceof Adapter.DecodesFast<?> a ? (Adapter.DecodesFast<V>) a : null;
  }

  boolean isFloor() {
    return adapter instanceof Adapter.Floor;
  }

  /** Whether the native object is not the domain object. */
  boolean builds() {
    return builds != null;
  }

  /** Whether what is decoded is not the domain object. */
  boolean extracts() {
    return extracts != null;
  }

  boolean traversesItself() {
    return traverses != null;
  }

  boolean walksItself() {
    return walks != null;
  }

  boolean isGraph() {
    return domain instanceof Domain.Graph;
  }

  boolean decodesFast() {
    return decodesFast != null;
  }

  N build(R root, N used) throws Exception {
    return builds == null ? (N) root : builds.build(root, used);
  }

  Bytes encode(N object) throws Exception {
    return adapter.encode(object);
  }

  V decode(Bytes bytes, V used) throws Exception {
    return adapter.decode(bytes, used);
  }

  /** Unchecked where the library offers that, else as {@code decode}. */
  V decodeFast(Bytes bytes, V used) throws Exception {
    return decodesFast == null ? adapter.decode(bytes, used) : decodesFast.decodeFast(bytes, used);
  }

  R extract(V view) throws Exception {
    return extracts == null ? (R) view : extracts.extract(view);
  }

  long traverse(V view) throws Exception {
    return traverses == null ? domain.traverse((R) view) : traverses.traverse(view);
  }

  long walk(V view) throws Exception {
    return walks == null ? walkDomain((R) view) : walks.walk(view);
  }

  long walkDomain(R root) {
    return ((Domain.Graph<R>) domain).walk(root);
  }

  /** Bytes count by what they are made of: the view itself need not exist. */
  static void consume(Blackhole blackhole, Bytes bytes) {
    blackhole.consume(bytes.array());
    blackhole.consume(bytes.offset());
    blackhole.consume(bytes.length());
  }
}
