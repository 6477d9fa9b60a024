//! An adapter is two types, one for each side, so that the memory policy `fresh` makes neither pay for the
//! other.

use crate::Result;

/// One way of using a library. Its types are what a program keeps between messages: `()` where there is
/// nothing.
pub trait Adapter {
    /// An [`Encoder`], or a [`Builder`] where the library encodes objects of its own.
    type Encoder: Default;
    /// A [`Decoder`], or a [`Viewer`] where the library decodes into objects of its own.
    type Decoder: Default;
    /// Whether it is a floor and no codec: its operations then leave out `build` and `extract`.
    const IS_FLOOR: bool = false;
}

/// Writes domain objects.
pub trait Encoder<Root>: Default {
    /// The bytes may be the encoder's own, until its next call.
    fn encode(&mut self, root: &Root) -> Result<&[u8]>;
}

/// Reads domain objects.
pub trait Decoder<Root>: Default {
    /// Overwrites `root` whole, whatever it held.
    fn decode(&mut self, bytes: &[u8], root: &mut Root) -> Result<()>;
}

/// Writes objects of the library's own, which are built from domain objects.
pub trait Builder<Root>: Default {
    type Native: Default + 'static;

    /// Overwrites `native` whole, whatever it held.
    fn build(&mut self, root: &Root, native: &mut Self::Native) -> Result<()>;
    /// The bytes may be the encoder's own, until its next call, or the native object's.
    fn encode<'a>(&'a mut self, native: &'a Self::Native) -> Result<&'a [u8]>;
}

/// Reads objects of the library's own, from which domain objects are extracted.
///
/// A view may refer to the bytes, which stay where they are for as long as it is used. No lifetime could say
/// so across the measuring program, which is not in Rust, hence `'static`.
pub trait Viewer<Root>: Default {
    type View: Default + 'static;
    /// Whether there is `decode_fast`; the next ones say the same of `take`, `traverse`, `walk` and `update`.
    const DECODES_FAST: bool = false;
    const TAKES: bool = false;
    const TRAVERSES: bool = false;
    const WALKS: bool = false;
    const UPDATES: bool = false;

    /// Overwrites `view` whole, whatever it held.
    fn decode(&mut self, bytes: &'static [u8], view: &mut Self::View) -> Result<()>;
    /// Overwrites `root` whole, whatever it held.
    fn extract(&mut self, view: &Self::View, root: &mut Root) -> Result<()>;
    /// As `decode`, without checks that the library can leave out.
    fn decode_fast(&mut self, bytes: &'static [u8], view: &mut Self::View) -> Result<()> {
        self.decode(bytes, view)
    }
    /// As `extract`, of a view that nobody needs any more, so that its parts may become the domain object's:
    /// by which `deserialize` goes from bytes to it.
    fn take(&mut self, view: &mut Self::View, root: &mut Root) -> Result<()> {
        self.extract(view, root)
    }
    /// The sum of every field, as [`crate::Value::sum`] tells.
    fn traverse(&mut self, _view: &Self::View) -> u64 {
        0
    }
    /// Changes, in the bytes of a message, the values that the program is made to change.
    fn update(&mut self, _bytes: &mut [u8]) -> Result<()> {
        Ok(())
    }
    /// The walk over a graph, as [`crate::depth_first`] tells.
    fn walk(&mut self, _view: &Self::View) -> u64 {
        0
    }
}
