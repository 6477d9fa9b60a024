# What a schema is, as capnp writes it with compile -o-: the parts of Cap'n Proto's own schema.capnp that an import needs, at the
# places that they have there. A value that is a list, a struct or any pointer is left out, since JSON has none for it.
@0xd01ef4b1f3c2a5e7;
struct Node {
  id @0 :UInt64;
  displayName @1 :Text;
  displayNamePrefixLength @2 :UInt32;
  scopeId @3 :UInt64;
  nestedNodes @4 :List(NestedNode);
  struct NestedNode { name @0 :Text; id @1 :UInt64; }
  annotations @5 :List(Annotation);
  union {
    file @6 :Void;
    struct :group {
      dataWordCount @7 :UInt16;
      pointerCount @8 :UInt16;
      preferredListEncoding @9 :UInt16;
      isGroup @10 :Bool;
      discriminantCount @11 :UInt16;
      discriminantOffset @12 :UInt32;
      fields @13 :List(Field);
    }
    enum :group { enumerants @14 :List(Enumerant); }
    interface :group { methods @15 :List(Void); superclasses @31 :List(Void); }
    const :group { type @16 :Type; value @17 :Value; }
    annotation :group {
      type @18 :Type;
      targetsFile @19 :Bool; targetsConst @20 :Bool; targetsEnum @21 :Bool; targetsEnumerant @22 :Bool; targetsStruct @23 :Bool;
      targetsField @24 :Bool; targetsUnion @25 :Bool; targetsGroup @26 :Bool; targetsInterface @27 :Bool; targetsMethod @28 :Bool;
      targetsParam @29 :Bool; targetsAnnotation @30 :Bool;
    }
  }
  parameters @32 :List(Parameter);
  struct Parameter { name @0 :Text; }
  isGeneric @33 :Bool;
}
struct Field {
  name @0 :Text;
  codeOrder @1 :UInt16;
  annotations @2 :List(Annotation);
  discriminantValue @3 :UInt16 = 65535;
  union {
    slot :group { offset @4 :UInt32; type @5 :Type; defaultValue @6 :Value; hadExplicitDefault @10 :Bool; }
    group :group { typeId @7 :UInt64; }
  }
  ordinal :union { implicit @8 :Void; explicit @9 :UInt16; }
}
struct Enumerant { name @0 :Text; codeOrder @1 :UInt16; annotations @2 :List(Annotation); }
struct Type {
  union {
    void @0 :Void; bool @1 :Void; int8 @2 :Void; int16 @3 :Void; int32 @4 :Void; int64 @5 :Void;
    uint8 @6 :Void; uint16 @7 :Void; uint32 @8 :Void; uint64 @9 :Void; float32 @10 :Void; float64 @11 :Void;
    text @12 :Void; data @13 :Void;
    list :group { elementType @14 :Type; }
    enum :group { typeId @15 :UInt64; brand @21 :Brand; }
    struct :group { typeId @16 :UInt64; brand @22 :Brand; }
    interface :group { typeId @17 :UInt64; brand @23 :Brand; }
    anyPointer :union {
      unconstrained :union { anyKind @18 :Void; struct @25 :Void; list @26 :Void; capability @27 :Void; }
      parameter :group { scopeId @19 :UInt64; parameterIndex @20 :UInt16; }
      implicitMethodParameter :group { parameterIndex @24 :UInt16; }
    }
  }
}
struct Brand {
  scopes @0 :List(Scope);
  struct Scope { scopeId @0 :UInt64; union { bind @1 :List(Binding); inherit @2 :Void; } }
  struct Binding { union { unbound @0 :Void; type @1 :Type; } }
}
struct Value {
  union {
    void @0 :Void; bool @1 :Bool; int8 @2 :Int8; int16 @3 :Int16; int32 @4 :Int32; int64 @5 :Int64;
    uint8 @6 :UInt8; uint16 @7 :UInt16; uint32 @8 :UInt32; uint64 @9 :UInt64; float32 @10 :Float32; float64 @11 :Float64;
    text @12 :Text; data @13 :Data; list @14 :Void; enum @15 :UInt16; struct @16 :Void; interface @17 :Void; anyPointer @18 :Void;
  }
}
struct Annotation { id @0 :UInt64; value @1 :Value; brand @2 :Brand; }
struct CodeGeneratorRequest {
  nodes @0 :List(Node);
  requestedFiles @1 :List(RequestedFile);
  struct RequestedFile {
    id @0 :UInt64;
    filename @1 :Text;
    imports @2 :List(Import);
    struct Import { id @0 :UInt64; name @1 :Text; }
  }
}
