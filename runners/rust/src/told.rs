//! Why a call of an adapter failed, as the measuring program is told: whose error it is, or a panic.

use crate::{Error, Result};
use std::cell::RefCell;
use std::ffi::{c_char, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Why a call failed, until the next one; null where it did not.
pub type Reason = *const c_char;

/// The beginning of a reason that the library has given.
const LIBRARY: &str = "library: ";

/// Does a call, and tells why it failed.
#[inline(always)]
pub fn told(call: impl FnOnce() -> Result<()>) -> Reason {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => std::ptr::null(),
        Ok(Err(error)) => refused(&error),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
            kept(format!("panicked: {said}"))
        }
    }
}

/// Tells an error, and whether it is the library's. Adapters and this crate make errors of texts, and libraries
/// have types of errors; the standard library's type for a text has no name, but shows itself as its text does.
#[cold]
fn refused(error: &Error) -> Reason {
    let text = error.to_string();
    let is_library = format!("{error:?}") != format!("{text:?}");
    kept(if is_library { format!("{LIBRARY}{text}") } else { text })
}

/// Keeps a text until the next one is kept.
#[cold]
fn kept(text: String) -> Reason {
    thread_local!(static KEPT: RefCell<CString> = RefCell::default());
    let text = CString::new(text.replace('\0', "␀")).expect("it has no NUL any more");
    KEPT.with_borrow_mut(|kept| {
        *kept = text;
        kept.as_ptr()
    })
}
