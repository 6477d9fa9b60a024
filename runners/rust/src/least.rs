//! The least program that uses an adapter, for the metric `shipped`: one message comes in as bytes, becomes a
//! domain object, and goes out as bytes.

use crate::adapter::{Adapter, Decoder, Encoder};
use crate::canonical::Value;
use crate::table::{Reads, View, Writes};
use crate::told::Reason;
use crate::Result;
use std::ffi::{c_void, CStr};
use std::io::{stdin, stdout, Read, Write};

/// An adapter that writes nothing and reads nothing, for the program that others are compared with.
pub struct Nothing;

#[derive(Default)]
pub struct Neither;

impl Adapter for Nothing {
    type Encoder = Neither;
    type Decoder = Neither;
}

impl<Root> Encoder<Root> for Neither {
    fn encode(&mut self, _root: &Root) -> Result<&[u8]> {
        Ok(&[])
    }
}

impl<Root> Decoder<Root> for Neither {
    fn decode(&mut self, _bytes: &[u8], _root: &mut Root) -> Result<()> {
        Ok(())
    }
}

/// Copies one message from standard input to standard output.
pub fn copy_message<Root: Value + 'static, A: Adapter, K, L>() -> Result<()>
where
    A::Encoder: Writes<Root, K>,
    A::Decoder: Reads<Root, L>,
{
    let mut input = Vec::new();
    stdin().read_to_end(&mut input)?;
    let input = input.leak();
    let (mut encoder, mut decoder) = (A::Encoder::default(), A::Decoder::default());
    let (encoder, decoder) = (pointer(&mut encoder), pointer(&mut decoder));
    let mut message = Root::empty();
    let message = pointer(&mut message);
    let native = A::Encoder::NATIVE.started().unwrap_or(message);
    let view = A::Decoder::VIEW.started().unwrap_or(message);
    let mut bytes = View::of(input);
    // The functions of the table, with objects of the types that it was made for.
    unsafe {
        checked(A::Decoder::DECODE(decoder, View::of(input), view))?;
        if let Some(extract) = A::Decoder::EXTRACT {
            checked(extract(decoder, view, message))?;
        }
        if let Some(build) = A::Encoder::BUILD {
            checked(build(encoder, message, native))?;
        }
        checked(A::Encoder::ENCODE(encoder, native, &mut bytes))?;
        stdout().write_all(bytes.get())?;
    }
    Ok(())
}

fn pointer<T>(object: &mut T) -> *mut c_void {
    std::ptr::from_mut(object).cast()
}

fn checked(reason: Reason) -> Result<()> {
    if reason.is_null() {
        return Ok(());
    }
    Err(unsafe { CStr::from_ptr(reason) }.to_string_lossy().into())
}

/// The `main` of the least program with an adapter, outside of the measuring program.
#[macro_export]
macro_rules! least {
    ($root:ty, $adapter:ty) => {
        #[no_mangle]
        extern "C" fn serbench_writer_schema() -> *const std::ffi::c_char {
            std::ptr::null()
        }

        fn main() -> $crate::Result<()> {
            $crate::copy_message::<$root, $adapter, _, _>()
        }
    };
}
