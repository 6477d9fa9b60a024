"""Words that languages reserve, or that have a meaning already where generated code puts names."""

from __future__ import annotations

import re

from serbench.model import Schema
from serbench.model.names import as_identifier


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CPP = words(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern
    false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
    operator or or_eq private protected public register reinterpret_cast requires return short signed
    sizeof static static_assert static_cast struct switch template this thread_local throw true try
    typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq"""
)

# Macros are usually written in upper case, and any library may define any such name, so no list would be
# complete. The pattern has all such names, and other macros of glibc (g++ -dM -E over its headers) and of the
# compiler.
MACROS = re.compile(
    r"""[A-Z][A-Z0-9_]+ | (SYS|M|AF|PF|L|P)_\w+ | (PRI|SCN)[a-zA-Z]+[0-9]* | (si|ifr|ifc|ifa|sigev)_\w+
    | errno | h_errno | linux | unix | i386 | stdin | stdout | stderr | signal_t | noreturn | complex
    | math_errhandling | sched_priority | sa_handler | sa_sigaction | st_[acm]time | s6_addr\w* | h_addr
    | d_fileno""",
    re.VERBOSE,
)
"""Matches names that C and C++ cannot use, since headers may define macros of these names."""

CALLED_MACROS = words(
    """alloca assert be16toh be32toh be64toh clrbit htobe16 htobe32 htobe64 htole16 htole32 htole64 howmany
    isclr isset issubnormal le16toh le32toh le64toh major makedev minor offsetof powerof2 roundup setbit
    setjmp sigmask sigsetjmp strdupa strndupa timeradd timerclear timercmp timerisset timersub va_arg va_copy
    va_end va_start"""
)
"""Macros with parameters of C's headers; no function can have their names, since they replace its calls."""

JAVA = words(
    """abstract assert boolean break byte case catch char class const continue default do double else enum
    extends false final finally float for goto if implements import instanceof int interface long native new
    null package private protected public return short static strictfp super switch synchronized this throw
    throws transient true try void volatile while"""
)

JAVA_OBJECT = words("clone equals finalize getClass hashCode notify notifyAll toString wait")
"""The methods that every object of the JVM has."""

JAVA_LANG = words(
    """Boolean Byte Character CharSequence Class Comparable Deprecated Double Enum Error Exception Float
    IllegalArgumentException Integer Iterable Long Math Number Object Override Record Runnable Short String
    StringBuilder SuppressWarnings System Thread Throwable Void"""
)
"""Types of ``java.lang``, which generated Java names without a package."""

SCALA = words(
    """abstract case catch class def do else extends false final finally for forSome if implicit import lazy
    macro match new null object override package private protected return sealed super this throw trait try
    true type val var while with yield"""
)

SCALA_MEMBERS = JAVA_OBJECT | words(
    """asInstanceOf canEqual copy eq isInstanceOf ne productArity productElement productElementName
    productElementNames productIterator productPrefix synchronized"""
)
"""The members that every case class has."""

SCALA_PREDEF = words(
    """Any AnyRef AnyVal Array Boolean Byte Char Double Either Equals Float Function Int Iterable Iterator
    Left List Long Map Nil None Nothing Null Numeric Object Option Ordered Ordering Predef Product Range Right
    Seq Serializable Set Short Some StringContext Stream String Symbol Throwable Tuple Unit Vector java scala
    serbench"""
)
"""Types and packages that code in Scala uses by these names."""

RUST = words(
    """abstract as async await become box break const continue crate do dyn else enum extern false final fn
    for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct
    super trait true try type typeof unsafe unsized use virtual where while yield"""
)
"""The keywords of Rust."""


def package(schema: Schema) -> str:
    """The last part of the name of the Java and Scala packages that are generated for a workload."""
    name = as_identifier(schema.name)
    return f"{name}_" if name in SCALA | SCALA_PREDEF | JAVA else name
