// The graph as a program with pointers would hold it: nodes and edges are objects of their own, edges point to their
// two nodes, and nodes point to their edges. The published benchmark's structs for cista are these.
#pragma once

#include <cista/serialization.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "serbench/adapter.hpp"
#include "support.hpp"

namespace serbench {
namespace cista_pointers {

struct Offset {
  using String = cista::offset::string;
  template <class T>
  using Vector = cista::offset::vector<T>;
  template <class T>
  using Pointer = cista::offset::ptr<T>;
  template <class T>
  using Owner = cista::offset::unique_ptr<T>;
};

struct Raw {
  using String = cista::raw::string;
  template <class T>
  using Vector = cista::raw::vector<T>;
  template <class T>
  using Pointer = cista::raw::ptr<T>;
  template <class T>
  using Owner = cista::raw::unique_ptr<T>;
};

template <class Kind>
struct Node;

template <class Kind>
struct Edge {
  typename Kind::template Pointer<Node<Kind>> from{nullptr};
  typename Kind::template Pointer<Node<Kind>> to{nullptr};
  std::uint16_t weight{};

  auto cista_members() { return std::tie(from, to, weight); }
};

template <class Kind>
struct Node {
  using Edges = typename Kind::template Vector<typename Kind::template Pointer<Edge<Kind>>>;

  std::uint16_t id{};
  std::uint16_t number{};  // its place among the nodes, by which the domain's edges name it
  typename Kind::String name;
  Edges out_edges;
  Edges in_edges;

  auto cista_members() { return std::tie(id, number, name, out_edges, in_edges); }
};

template <class Kind>
struct Graph {
  typename Kind::template Vector<typename Kind::template Owner<Node<Kind>>> nodes;
  typename Kind::template Vector<typename Kind::template Owner<Edge<Kind>>> edges;
  /// What edges point to that name a node which the graph has not.
  typename Kind::template Vector<typename Kind::template Owner<Node<Kind>>> strangers;

  auto cista_members() { return std::tie(nodes, edges, strangers); }
};

/// Makes the objects of one message. An edge that its source and its target both list is one object, if both list their
/// edges in the order of the other end; else each list has an object of its own.
template <class Kind>
class Builder {
 public:
  Builder(const domain::Graph& root, Graph<Kind>& graph) : root_(root), graph_(graph) {}

  void build() {
    const std::size_t count = root_.nodes.size();
    numbered_.resize(65536);
    shared_.resize(count);
    cista_codec::resize(graph_.edges, 0);
    cista_codec::resize(graph_.strangers, 0);
    cista_codec::resize(graph_.nodes, 0);
    graph_.nodes.reserve(cista_codec::count(count));
    std::size_t edges = 0;
    for (std::size_t n = 0; n < count; ++n) {
      Node<Kind>* node = add(graph_.nodes, Node<Kind>());
      const domain::Node& from = root_.nodes[n];
      node->id = from.id;
      node->number = static_cast<std::uint16_t>(n);
      cista_codec::build(from.name, node->name);
      if (n < numbered_.size()) numbered_[n] = node;
      edges += from.out_edges.size();
    }
    graph_.edges.reserve(cista_codec::count(edges));
    for (std::size_t n = 0; n < count; ++n) {
      auto& list = graph_.nodes.data()[n]->out_edges;
      list.reserve(cista_codec::count(root_.nodes[n].out_edges.size()));
      for (const domain::Edge& edge : root_.nodes[n].out_edges) list.emplace_back(make(edge));
    }
    for (std::size_t n = 0; n < count; ++n) {
      auto& list = graph_.nodes.data()[n]->in_edges;
      list.reserve(cista_codec::count(root_.nodes[n].in_edges.size()));
      for (const domain::Edge& edge : root_.nodes[n].in_edges) list.emplace_back(found_or_made(edge));
    }
  }

 private:
  const domain::Graph& root_;
  Graph<Kind>& graph_;
  std::vector<Node<Kind>*> numbered_;  // what the domain's edges name by their numbers
  std::vector<std::size_t> shared_;    // how many of a node's out_edges are in_edges of their targets already

  template <class Owners, class T>
  static T* add(Owners& owners, T&& made) {
    using Owner = typename Owners::value_type;
    return owners.emplace_back(Owner(new T(std::move(made)), true)).get();
  }

  Node<Kind>* node(std::uint16_t number) {
    Node<Kind>*& found = numbered_[number];
    if (!found) {
      found = add(graph_.strangers, Node<Kind>());
      found->number = number;
    }
    return found;
  }

  Edge<Kind>* make(const domain::Edge& edge) {
    return add(graph_.edges, Edge<Kind>{node(edge.from), node(edge.to), edge.weight});
  }

  Edge<Kind>* found_or_made(const domain::Edge& edge) {
    if (edge.from < root_.nodes.size()) {
      const auto& others = root_.nodes[edge.from].out_edges;
      std::size_t& next = shared_[edge.from];
      if (next < others.size() && others[next] == edge) return graph_.nodes.data()[edge.from]->out_edges.data()[next++];
    }
    return make(edge);
  }
};

/// The bytes that a graph lies in. cista checks that pointers lead into them, but not that what they lead to is an
/// object whose own pointers it checked (its mode DEEP_CHECK would); so extract looks before it follows one.
class Region {
 public:
  explicit Region(Bytes bytes) : begin_(reinterpret_cast<std::uintptr_t>(bytes.data())), end_(begin_ + bytes.size()) {}

  template <class T>
  const T& checked(const T* pointer) const {
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    if (at < begin_ || at + sizeof(T) > end_ || at % alignof(T) != 0) throw DecodeError("a pointer leads nowhere");
    return *pointer;
  }

  template <class List>
  void extract_edges(const List& from, std::vector<domain::Edge>& to) const {
    to.resize(from.size());
    auto next = to.begin();
    for (const auto& pointer : from) {
      const auto& edge = checked(cista::ptr_cast(pointer));
      *next++ = {checked(cista::ptr_cast(edge.from)).number, checked(cista::ptr_cast(edge.to)).number, edge.weight};
    }
  }

  template <class Kind>
  void extract(const Graph<Kind>& from, domain::Graph& to) const {
    to.nodes.resize(from.nodes.size());
    auto next = to.nodes.begin();
    for (const auto& owner : from.nodes) {
      const Node<Kind>& node = checked(owner.get());
      next->id = node.id;
      cista_codec::extract(node.name, next->name);
      extract_edges(node.out_edges, next->out_edges);
      extract_edges(node.in_edges, next->in_edges);
      ++next;
    }
  }

 private:
  std::uintptr_t begin_;
  std::uintptr_t end_;
};

template <class List>
Checksum traverse_edges(const List& edges) {
  Checksum sum = edges.size();
  for (const auto& edge : edges) sum += Checksum{edge->from->number} + edge->to->number + edge->weight;
  return sum;
}

template <class Kind>
Checksum traverse(const Graph<Kind>& graph) {
  Checksum sum = graph.nodes.size();
  for (const auto& node : graph.nodes) {
    sum += node->id + checksum_of(node->name.view()) + traverse_edges(node->out_edges) + traverse_edges(node->in_edges);
  }
  return sum;
}

template <class Kind>
Checksum walk(const Graph<Kind>& graph) {
  return depth_first(graph.nodes.size(), [&](std::size_t node, auto&& reach) {
    for (const auto& edge : graph.nodes.data()[node]->out_edges) reach(edge->to->number);
  });
}

}  // namespace cista_pointers

/// Makes and writes graphs of either kind of pointers.
template <class Root, class Native>
class CistaPointersEncoder {
 public:
  void build(const Root& root, Native& native) { cista_pointers::Builder(root, native).build(); }
  Bytes encode(const Native& native) {
    target_.rewind();
    cista::serialize(target_, native);
    return target_.written();
  }

 private:
  cista_codec::Target target_;
};

/// Pointers that are relative to where they are; read in place.
template <class Root>
struct CistaOffsetPointersAdapter {
  using Native = cista_pointers::Graph<cista_pointers::Offset>;
  struct View {
    Bytes bytes;
    const Native* graph = nullptr;
  };

  using Encoder = CistaPointersEncoder<Root, Native>;

  struct Decoder {
    void decode(Bytes bytes, View& view) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
      view = {bytes, cista::deserialize<Native>(from, from + bytes.size())};
    }
    void decode_fast(Bytes bytes, View& view) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
      view = {bytes, cista::deserialize<Native, cista::mode::CAST>(from)};
    }
    void extract(const View& view, Root& root) { cista_pointers::Region(view.bytes).extract(*view.graph, root); }
    Checksum traverse(const View& view) { return cista_pointers::traverse(*view.graph); }
    Checksum walk(const View& view) { return cista_pointers::walk(*view.graph); }
  };
};

/// Pointers as the language has them: decode copies the bytes, since it writes the pointers into them.
template <class Root>
struct CistaRawPointersAdapter {
  using Native = cista_pointers::Graph<cista_pointers::Raw>;
  struct View {
    cista_codec::Target copy;  // only for its memory, which is kept
    const Native* graph = nullptr;
  };

  using Encoder = CistaPointersEncoder<Root, Native>;

  struct Decoder {
    void decode(Bytes bytes, View& view) {
      std::uint8_t* from = view.copy.assign(bytes);
      view.graph = cista::deserialize<Native>(from, from + bytes.size());
    }
    void decode_fast(Bytes bytes, View& view) {
      std::uint8_t* from = view.copy.assign(bytes);
      view.graph = cista::unchecked_deserialize<Native>(from, from + bytes.size());
    }
    void extract(const View& view, Root& root) {
      cista_pointers::Region(view.copy.written()).extract(*view.graph, root);
    }
    Checksum traverse(const View& view) { return cista_pointers::traverse(*view.graph); }
    Checksum walk(const View& view) { return cista_pointers::walk(*view.graph); }
  };
};

}  // namespace serbench
