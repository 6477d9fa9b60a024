//! The table of functions by which the measuring program calls an adapter
//! (runners/c/include/serbench/codec.h).
//!
//! Each call goes through a pointer from another language, so that no optimiser merges one operation into the
//! next, or sees what becomes of a result. No panic crosses that border: it is an error whose reason begins
//! with `panicked`.

use crate::adapter::{Adapter, Builder, Decoder, Encoder, Viewer};
use crate::canonical::{read, write, Value};
use crate::told::{told, Reason};
use crate::{Graph, Result, Update};
use std::any::TypeId;
use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void, CStr};
use std::slice;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Object {
    size: usize,
    start: Option<unsafe extern "C" fn(*mut c_void)>,
    end: Option<unsafe extern "C" fn(*mut c_void)>,
}

#[repr(C)]
pub struct View {
    data: *const u8,
    size: usize,
}

type Build = unsafe extern "C" fn(*mut c_void, *const c_void, *mut c_void) -> Reason;
type Take = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> Reason;
type Encode = unsafe extern "C" fn(*mut c_void, *const c_void, *mut View) -> Reason;
type Decode = unsafe extern "C" fn(*mut c_void, View, *mut c_void) -> Reason;
type Change = unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> Reason;
type Sum = unsafe extern "C" fn(*mut c_void, *const c_void) -> u64;

/// One codec variant.
#[repr(C)]
pub struct Codec {
    encoder: Object,
    decoder: Object,
    native: Object,
    view: Object,
    build: Option<Build>,
    encode: Encode,
    decode: Decode,
    extract: Option<Build>,
    traverse: Option<Sum>,
    walk: Option<Sum>,
    decode_fast: Option<Decode>,
    take: Option<Take>,
    relay: Option<Encode>,
    relays: Option<extern "C" fn() -> bool>,
    update: Option<Change>,
    is_floor: bool,
}

/// The domain types of one workload.
#[repr(C)]
pub struct Domain {
    message: Object,
    read: unsafe extern "C" fn(View, *mut c_void) -> Reason,
    write: unsafe extern "C" fn(*const c_void, *mut View) -> Reason,
    traverse: unsafe extern "C" fn(*const c_void) -> u64,
    walk: Option<unsafe extern "C" fn(*const c_void) -> u64>,
    update: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// The codec and the workload that an executable was generated for.
#[repr(C)]
pub struct Program {
    codec: *const c_char,
    workload: *const c_char,
    schema: *const c_char,
    domain: *const Domain,
    adapter: *const Codec,
}

extern "C" {
    fn serbench_run(program: *const Program, argc: c_int, argv: *const *const c_char) -> c_int;
    fn serbench_writer_schema() -> *const c_char;
}

/// The text of the schema by which messages were written, where that is another one than the program's own.
pub fn writer_schema() -> Option<String> {
    // The runner sets it once, before it makes an encoder or a decoder.
    let text = unsafe { serbench_writer_schema() };
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// The measuring program (docs/protocol.md); returns its exit status.
///
/// # Safety
///
/// `argv` are the arguments of `main`.
pub unsafe fn run(
    [codec, workload, schema]: [&CStr; 3],
    domain: &Domain,
    adapter: &Codec,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    let (codec, workload, schema) = (codec.as_ptr(), workload.as_ptr(), schema.as_ptr());
    serbench_run(&Program { codec, workload, schema, domain, adapter }, argc, argv)
}

/// The table of domain types.
pub const fn domain<Root: Value>() -> Domain {
    Domain {
        message: Object::made::<Root>(start_value::<Root>),
        read: read_message::<Root>,
        write: write_message::<Root>,
        traverse: traverse_message::<Root>,
        walk: None,
        update: None,
    }
}

/// The table of domain types that are a graph.
pub const fn domain_of_graph<Root: Value + Graph>() -> Domain {
    Domain { walk: Some(walk_message::<Root>), ..domain::<Root>() }
}

/// The table of domain types of a program that changes values.
pub const fn domain_of_update<Root: Update>(domain: Domain) -> Domain {
    Domain { update: Some(update_message::<Root>), ..domain }
}

/// The table of an adapter. The kinds of its two sides, [`Direct`] or [`Own`], are inferred.
pub const fn codec<Root: 'static, A: Adapter, K, L>() -> Codec
where
    A::Encoder: Writes<Root, K>,
    A::Decoder: Reads<Root, L>,
{
    Codec {
        encoder: Object::of::<A::Encoder>(),
        decoder: Object::of::<A::Decoder>(),
        native: <A::Encoder as Writes<Root, K>>::NATIVE,
        view: <A::Decoder as Reads<Root, L>>::VIEW,
        build: <A::Encoder as Writes<Root, K>>::BUILD,
        encode: <A::Encoder as Writes<Root, K>>::ENCODE,
        decode: <A::Decoder as Reads<Root, L>>::DECODE,
        extract: <A::Decoder as Reads<Root, L>>::EXTRACT,
        traverse: <A::Decoder as Reads<Root, L>>::TRAVERSE,
        walk: <A::Decoder as Reads<Root, L>>::WALK,
        decode_fast: <A::Decoder as Reads<Root, L>>::DECODE_FAST,
        take: <A::Decoder as Reads<Root, L>>::TAKE,
        relay: Some(<A::Encoder as Writes<Root, K>>::ENCODE),
        relays: Some(relays::<Root, A::Encoder, A::Decoder, K, L>),
        update: <A::Decoder as Reads<Root, L>>::UPDATE,
        is_floor: A::IS_FLOOR,
    }
}

/// The kind of what works on domain objects.
pub struct Direct;
/// The kind of what works on objects of the library's own.
pub struct Own;

pub trait Writes<Root, Kind> {
    /// The type that `ENCODE` takes.
    const TAKEN: fn() -> TypeId;
    const NATIVE: Object;
    const BUILD: Option<Build>;
    const ENCODE: Encode;
}

pub trait Reads<Root, Kind> {
    /// The type that `DECODE` gives.
    const GIVEN: fn() -> TypeId;
    const VIEW: Object;
    const DECODE: Decode;
    const EXTRACT: Option<Build>;
    const TRAVERSE: Option<Sum>;
    const WALK: Option<Sum>;
    const DECODE_FAST: Option<Decode>;
    const TAKE: Option<Take>;
    const UPDATE: Option<Change>;
}

impl<Root: 'static, E: Encoder<Root>> Writes<Root, Direct> for E {
    const TAKEN: fn() -> TypeId = TypeId::of::<Root>;
    const NATIVE: Object = Object::NONE;
    const BUILD: Option<Build> = None;
    const ENCODE: Encode = encode::<Root, E>;
}

impl<Root, E: Builder<Root>> Writes<Root, Own> for E {
    const TAKEN: fn() -> TypeId = TypeId::of::<E::Native>;
    const NATIVE: Object = Object::of::<E::Native>();
    const BUILD: Option<Build> = Some(build::<Root, E>);
    const ENCODE: Encode = encode_native::<Root, E>;
}

impl<Root: 'static, D: Decoder<Root>> Reads<Root, Direct> for D {
    const GIVEN: fn() -> TypeId = TypeId::of::<Root>;
    const VIEW: Object = Object::NONE;
    const DECODE: Decode = decode::<Root, D>;
    const EXTRACT: Option<Build> = None;
    const TRAVERSE: Option<Sum> = None;
    const WALK: Option<Sum> = None;
    const DECODE_FAST: Option<Decode> = None;
    const TAKE: Option<Take> = None;
    const UPDATE: Option<Change> = None;
}

impl<Root, D: Viewer<Root>> Reads<Root, Own> for D {
    const GIVEN: fn() -> TypeId = TypeId::of::<D::View>;
    const VIEW: Object = Object::of::<D::View>();
    const DECODE: Decode = decode_view::<Root, D>;
    const EXTRACT: Option<Build> = Some(extract::<Root, D>);
    const TRAVERSE: Option<Sum> = if D::TRAVERSES { Some(traverse::<Root, D>) } else { None };
    const WALK: Option<Sum> = if D::WALKS { Some(walk::<Root, D>) } else { None };
    const DECODE_FAST: Option<Decode> = if D::DECODES_FAST { Some(decode_fast::<Root, D>) } else { None };
    const TAKE: Option<Take> = if D::TAKES { Some(take::<Root, D>) } else { None };
    const UPDATE: Option<Change> = if D::UPDATES { Some(update::<Root, D>) } else { None };
}

impl Object {
    const NONE: Self = Self { size: 0, start: None, end: None };

    const fn of<T: Default>() -> Self {
        Self::made::<T>(start_default::<T>)
    }

    /// An object that lives as long as the program; none where the size is 0.
    pub fn started(self) -> Option<*mut c_void> {
        let block: &mut [u128] = vec![0; self.size.div_ceil(16)].leak();
        let place = block.as_mut_ptr().cast();
        self.start.map(|start| unsafe { start(place) })?;
        Some(place)
    }

    /// Objects are in blocks that are aligned to 16. An object of size 0 gets one byte, since a size of 0
    /// says that there is no such object.
    const fn made<T>(start: unsafe extern "C" fn(*mut c_void)) -> Self {
        assert!(align_of::<T>() <= 16);
        let size = if size_of::<T>() == 0 { 1 } else { size_of::<T>() };
        Self { size, start: Some(start), end: Some(end::<T>) }
    }
}

/// Whether a library encodes what it decodes: the types are the same. A constant cannot compare them.
extern "C" fn relays<Root, E: Writes<Root, K>, D: Reads<Root, L>, K, L>() -> bool {
    (E::TAKEN)() == (D::GIVEN)()
}

// All functions below are called with pointers to objects of the types that the table was made for.

unsafe extern "C" fn start_default<T: Default>(object: *mut c_void) {
    object.cast::<T>().write(T::default());
}

unsafe extern "C" fn start_value<T: Value>(object: *mut c_void) {
    object.cast::<T>().write(T::empty());
}

unsafe extern "C" fn end<T>(object: *mut c_void) {
    object.cast::<T>().drop_in_place();
}

unsafe extern "C" fn read_message<Root: Value>(bytes: View, message: *mut c_void) -> Reason {
    told(|| read(bytes.get(), &mut *message.cast::<Root>()))
}

unsafe extern "C" fn write_message<Root: Value>(message: *const c_void, bytes: *mut View) -> Reason {
    thread_local!(static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) });
    told(|| {
        BUFFER.with_borrow_mut(|buffer| {
            buffer.clear();
            write(&*message.cast::<Root>(), buffer)?;
            bytes.write(View::of(buffer));
            Ok(())
        })
    })
}

unsafe extern "C" fn traverse_message<Root: Value>(message: *const c_void) -> u64 {
    (*message.cast::<Root>()).sum()
}

unsafe extern "C" fn update_message<Root: Update>(message: *mut c_void) {
    (*message.cast::<Root>()).update()
}

unsafe extern "C" fn walk_message<Root: Graph>(message: *const c_void) -> u64 {
    (*message.cast::<Root>()).walk()
}

unsafe extern "C" fn encode<Root, E: Encoder<Root>>(
    encoder: *mut c_void,
    root: *const c_void,
    bytes: *mut View,
) -> Reason {
    told(|| {
        bytes.write(View::of((*encoder.cast::<E>()).encode(&*root.cast())?));
        Ok(())
    })
}

unsafe extern "C" fn decode<Root, D: Decoder<Root>>(
    decoder: *mut c_void,
    bytes: View,
    root: *mut c_void,
) -> Reason {
    told(|| (*decoder.cast::<D>()).decode(bytes.get(), &mut *root.cast()))
}

unsafe extern "C" fn build<Root, E: Builder<Root>>(
    encoder: *mut c_void,
    root: *const c_void,
    native: *mut c_void,
) -> Reason {
    told(|| (*encoder.cast::<E>()).build(&*root.cast(), &mut *native.cast()))
}

unsafe extern "C" fn encode_native<Root, E: Builder<Root>>(
    encoder: *mut c_void,
    native: *const c_void,
    bytes: *mut View,
) -> Reason {
    told(|| {
        bytes.write(View::of((*encoder.cast::<E>()).encode(&*native.cast())?));
        Ok(())
    })
}

unsafe extern "C" fn decode_view<Root, D: Viewer<Root>>(
    decoder: *mut c_void,
    bytes: View,
    view: *mut c_void,
) -> Reason {
    told(|| (*decoder.cast::<D>()).decode(bytes.get(), &mut *view.cast()))
}

unsafe extern "C" fn decode_fast<Root, D: Viewer<Root>>(
    decoder: *mut c_void,
    bytes: View,
    view: *mut c_void,
) -> Reason {
    told(|| (*decoder.cast::<D>()).decode_fast(bytes.get(), &mut *view.cast()))
}

unsafe extern "C" fn extract<Root, D: Viewer<Root>>(
    decoder: *mut c_void,
    view: *const c_void,
    root: *mut c_void,
) -> Reason {
    told(|| (*decoder.cast::<D>()).extract(&*view.cast(), &mut *root.cast()))
}

unsafe extern "C" fn take<Root, D: Viewer<Root>>(
    decoder: *mut c_void,
    view: *mut c_void,
    root: *mut c_void,
) -> Reason {
    told(|| (*decoder.cast::<D>()).take(&mut *view.cast(), &mut *root.cast()))
}

unsafe extern "C" fn traverse<Root, D: Viewer<Root>>(decoder: *mut c_void, view: *const c_void) -> u64 {
    (*decoder.cast::<D>()).traverse(&*view.cast())
}

unsafe extern "C" fn update<Root, D: Viewer<Root>>(
    decoder: *mut c_void,
    bytes: *mut u8,
    size: usize,
) -> Reason {
    told(|| {
        (*decoder.cast::<D>()).update(if size == 0 {
            &mut []
        } else {
            slice::from_raw_parts_mut(bytes, size)
        })
    })
}

unsafe extern "C" fn walk<Root, D: Viewer<Root>>(decoder: *mut c_void, view: *const c_void) -> u64 {
    (*decoder.cast::<D>()).walk(&*view.cast())
}

impl View {
    pub fn of(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr(), size: bytes.len() }
    }

    /// The bytes stay where they are for longer than any object that refers to them.
    pub unsafe fn get(self) -> &'static [u8] {
        if self.size == 0 {
            return &[];
        }
        slice::from_raw_parts(self.data, self.size)
    }
}
