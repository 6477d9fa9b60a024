// A graph as a program with pointers would hold it: nodes and edges are objects of their own, edges point to
// their nodes, and nodes point to their edges. The structs are generated (glue.py); the published benchmark's
// for cista are the same.
#pragma once

#include <cista/serialization.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serbench/adapter.hpp"
#include "support.hpp"

namespace serbench {
namespace glue {

/// For the root of a graph the generator specialises this with the structs and where they have their nodes
/// and edges.
template <class Root>
struct Pointers;

}  // namespace glue

namespace cista_pointers {

struct Offset {
  using String = cista::offset::string;
  template <class T>
  using Vector = cista::offset::vector<T>;
  template <class Key, class T>
  using HashMap = cista::offset::hash_map<Key, T>;
  template <class T>
  using Pointer = cista::offset::ptr<T>;
  template <class T>
  using Owner = cista::offset::unique_ptr<T>;
};

struct Raw {
  using String = cista::raw::string;
  template <class T>
  using Vector = cista::raw::vector<T>;
  template <class Key, class T>
  using HashMap = cista::raw::hash_map<Key, T>;
  template <class T>
  using Pointer = cista::raw::ptr<T>;
  template <class T>
  using Owner = cista::raw::unique_ptr<T>;
};

/// Calls use(a, b) for each two that have the same place in tuples of references.
template <class... A, class... B, class Use>
void for_each_pair(std::tuple<A&...> a, std::tuple<B&...> b, Use&& use) {
  std::apply([&](auto&... a) { std::apply([&](auto&... b) { (use(a, b), ...); }, b); }, a);
}

inline constexpr auto build_value = [](const auto& domain, auto& native) {
  cista_codec::build(domain, native);
};
inline constexpr auto extract_value = [](const auto& native, auto& domain) {
  cista_codec::extract(native, domain);
};

/// What a workload's graph is made of.
template <class Root, class Kind>
struct Graph : glue::Pointers<Root> {
  using Shape = glue::Pointers<Root>;
  using Native = typename Shape::template Graph<Kind>;
  using Node = typename Shape::template Node<Kind>;
  using Edge = typename Shape::template Edge<Kind>;
  using Number = decltype(Node::place_);
};

/// Makes the objects of one message. An edge that its source and its target both list is one object, if both
/// list their edges in the order of the other end; else each list has an object of its own.
template <class Root, class Kind>
class Builder {
  using G = Graph<Root, Kind>;

 public:
  Builder(const Root& root, typename G::Native& graph) : root_(root), graph_(graph) {}

  void build() {
    const auto& nodes = G::nodes(root_);
    cista_codec::resize(graph_.all_edges_, 0);
    cista_codec::resize(graph_.strangers_, 0);
    cista_codec::resize(G::nodes(graph_), 0);
    G::nodes(graph_).reserve(cista_codec::count(nodes.size()));
    for_each_pair(G::root_values(root_), G::root_values(graph_), build_value);
    nodes_.reserve(nodes.size());
    std::size_t edges = 0;
    for (const auto& from : nodes) {
      typename G::Node* node = add(G::nodes(graph_), typename G::Node());
      node->place_ = static_cast<typename G::Number>(nodes_.size());
      for_each_pair(G::node_values(from), G::node_values(*node), build_value);
      nodes_.push_back(node);
      edges += G::edges(from).size();
    }
    graph_.all_edges_.reserve(cista_codec::count(edges));
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      auto& list = G::edges(*nodes_[n]);
      list.reserve(cista_codec::count(G::edges(nodes[n]).size()));
      for (const auto& edge : G::edges(nodes[n])) list.emplace_back(make(edge));
    }
    build_other_lists(std::make_index_sequence<std::tuple_size_v<decltype(G::other_edges(*nodes_[0]))>>());
  }

 private:
  const Root& root_;
  typename G::Native& graph_;
  std::vector<typename G::Node*> nodes_;
  std::unordered_map<typename G::Number, typename G::Node*> strange_;  // by numbers that no node has

  template <class Owners, class T>
  static T* add(Owners& owners, T&& made) {
    using Owner = typename Owners::value_type;
    return owners.emplace_back(Owner(new T(std::move(made)), true)).get();
  }

  typename G::Node* node(typename G::Number number) {
    if (std::cmp_greater_equal(number, 0) && std::cmp_less(number, nodes_.size()))
      return nodes_[std::size_t(number)];
    typename G::Node*& found = strange_[number];
    if (!found) {
      found = add(graph_.strangers_, typename G::Node());
      found->place_ = number;
    }
    return found;
  }

  template <class DomainEdge>
  typename G::Edge* make(const DomainEdge& edge) {
    typename G::Edge made;
    for_each_pair(G::edge_values(edge), G::edge_values(made), build_value);
    for_each_pair(G::ends(edge), G::ends(made),
                  [this](auto number, auto& pointer) { pointer = node(number); });
    return add(graph_.all_edges_, std::move(made));
  }

  template <std::size_t... lists>
  void build_other_lists(std::index_sequence<lists...>) {
    (build_other_list<lists>(), ...);
  }

  template <std::size_t which>
  void build_other_list() {
    const auto& nodes = G::nodes(root_);
    std::vector<std::size_t> shared(
        nodes.size());  // how many of a node's edges are in this list of their targets already
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto& from = std::get<which>(G::other_edges(nodes[n]));
      auto& list = std::get<which>(G::other_edges(*nodes_[n]));
      list.reserve(cista_codec::count(from.size()));
      for (const auto& edge : from) list.emplace_back(found_or_made(edge, shared));
    }
  }

  template <class DomainEdge>
  typename G::Edge* found_or_made(const DomainEdge& edge, std::vector<std::size_t>& shared) {
    if constexpr (requires { G::source(edge); }) {
      const auto source = G::source(edge);
      if (std::cmp_greater_equal(source, 0) && std::cmp_less(source, nodes_.size())) {
        const auto& others = G::edges(G::nodes(root_)[std::size_t(source)]);
        std::size_t& next = shared[std::size_t(source)];
        if (next < others.size() && others[next] == edge)
          return G::edges(*nodes_[std::size_t(source)]).data()[next++];
      }
    }
    return make(edge);
  }
};

/// The bytes that a graph lies in. cista checks that pointers lead into them, but not that what they lead to
/// is an object whose own pointers it checked (its mode DEEP_CHECK would); so extract looks before it follows
/// one.
template <class Root, class Kind>
class Region {
  using G = Graph<Root, Kind>;

 public:
  explicit Region(Bytes bytes)
      : begin_(reinterpret_cast<std::uintptr_t>(bytes.data())), end_(begin_ + bytes.size()) {}

  void extract(const typename G::Native& from, Root& to) const {
    for_each_pair(G::root_values(from), G::root_values(to), extract_value);
    auto& nodes = G::nodes(to);
    nodes.resize(G::nodes(from).size());
    auto next = nodes.begin();
    for (const auto& owner : G::nodes(from)) {
      const typename G::Node& node = checked(owner.get());
      for_each_pair(G::node_values(node), G::node_values(*next), extract_value);
      extract_edges(G::edges(node), G::edges(*next));
      for_each_pair(G::other_edges(node), G::other_edges(*next),
                    [this](const auto& from, auto& to) { extract_edges(from, to); });
      ++next;
    }
  }

 private:
  std::uintptr_t begin_;
  std::uintptr_t end_;

  template <class T>
  const T& checked(const T* pointer) const {
    const auto at = reinterpret_cast<std::uintptr_t>(pointer);
    if (at < begin_ || at + sizeof(T) > end_ || at % alignof(T) != 0)
      throw DecodeError("a pointer leads nowhere");
    return *pointer;
  }

  template <class List, class Edges>
  void extract_edges(const List& from, Edges& to) const {
    to.resize(from.size());
    auto next = to.begin();
    for (const auto& pointer : from) {
      const auto& edge = checked(cista::ptr_cast(pointer));
      for_each_pair(G::edge_values(edge), G::edge_values(*next), extract_value);
      for_each_pair(G::ends(edge), G::ends(*next), [this](const auto& pointer, auto& number) {
        number = checked(cista::ptr_cast(pointer)).place_;
      });
      ++next;
    }
  }
};

template <class Root, class Kind>
struct Traverse {
  using G = Graph<Root, Kind>;
  using Node = std::remove_reference_t<decltype(G::nodes(std::declval<Root&>())[0])>;
  using Edge = std::remove_reference_t<decltype(G::edges(std::declval<Node&>())[0])>;
  using RootValues = decltype(G::root_values(std::declval<Root&>()));
  using NodeValues = decltype(G::node_values(std::declval<Node&>()));
  using EdgeValues = decltype(G::edge_values(std::declval<Edge&>()));

  /// `Values` is the tuple of the domain's.
  template <class Values, class... Natives>
  static Checksum values(std::tuple<Natives&...> natives) {
    return [&]<class... Each>(std::type_identity<std::tuple<Each&...>>) {
      return std::apply([](auto&... each) { return (Checksum{0} + ... + cista_codec::traverse<Each>(each)); },
                        natives);
    }(std::type_identity<Values>());
  }

  static Checksum edges(const auto& list) {
    Checksum sum = list.size();
    for (const auto& edge : list) {
      sum += values<EdgeValues>(G::edge_values(*edge));
      std::apply([&](auto&... ends) { ((sum += checksum_of(ends->place_)), ...); }, G::ends(*edge));
    }
    return sum;
  }

  static Checksum graph(const typename G::Native& graph) {
    Checksum sum = values<RootValues>(G::root_values(graph)) + G::nodes(graph).size();
    for (const auto& node : G::nodes(graph)) {
      sum += values<NodeValues>(G::node_values(*node)) + edges(G::edges(*node));
      std::apply([&](auto&... lists) { ((sum += edges(lists)), ...); }, G::other_edges(*node));
    }
    return sum;
  }
};

/// Makes and writes graphs of either kind of pointers.
template <class Root, class Kind>
class Encoder {
 public:
  using Native = typename Graph<Root, Kind>::Native;

  void build(const Root& root, Native& native) { Builder<Root, Kind>(root, native).build(); }
  Bytes encode(const Native& native) {
    target_.rewind();
    cista::serialize(target_, native);
    return target_.written();
  }

 private:
  cista_codec::Target target_;
};

/// Reads what a view points to.
template <class Root, class Kind, class View>
struct Reader {
  using G = Graph<Root, Kind>;

  Checksum traverse(const View& view) { return Traverse<Root, Kind>::graph(*view.graph); }
  Checksum walk(const View& view) { return G::walk(*view.graph); }
};

}  // namespace cista_pointers

/// Pointers that are relative to where they are; read in place.
template <class Root>
struct CistaOffsetPointersAdapter {
  using Encoder = cista_pointers::Encoder<Root, cista_pointers::Offset>;
  using Native = typename Encoder::Native;
  struct View {
    Bytes bytes;
    const Native* graph = nullptr;
  };

  struct Decoder : cista_pointers::Reader<Root, cista_pointers::Offset, View> {
    void decode(Bytes bytes, View& view) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
      view = {bytes, cista::deserialize<Native>(from, from + bytes.size())};
    }
    void decode_fast(Bytes bytes, View& view) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(bytes.data());
      view = {bytes, cista::deserialize<Native, cista::mode::CAST>(from)};
    }
    void extract(const View& view, Root& root) {
      cista_pointers::Region<Root, cista_pointers::Offset>(view.bytes).extract(*view.graph, root);
    }
  };
};

/// Pointers as the language has them: decode copies the bytes, since it writes the pointers into them.
template <class Root>
struct CistaRawPointersAdapter {
  using Encoder = cista_pointers::Encoder<Root, cista_pointers::Raw>;
  using Native = typename Encoder::Native;
  struct View {
    cista_codec::Target copy;  // only for its memory, which is kept
    const Native* graph = nullptr;
  };

  struct Decoder : cista_pointers::Reader<Root, cista_pointers::Raw, View> {
    void decode(Bytes bytes, View& view) {
      std::uint8_t* from = view.copy.assign(bytes);
      view.graph = cista::deserialize<Native>(from, from + bytes.size());
    }
    void decode_fast(Bytes bytes, View& view) {
      std::uint8_t* from = view.copy.assign(bytes);
      view.graph = cista::unchecked_deserialize<Native>(from, from + bytes.size());
    }
    void extract(const View& view, Root& root) {
      cista_pointers::Region<Root, cista_pointers::Raw>(view.copy.written()).extract(*view.graph, root);
    }
  };
};

}  // namespace serbench
