//! Torch's private tag numbers, learned from real values before anything is registered.

use crate::error::{Error, OrTorch, Result};
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use torchop_sys::{RawValue, ffi};

pub(super) struct Tags {
    tensor: AtomicU32,
    float: AtomicU32,
    int: AtomicU32,
    boolean: AtomicU32,
    string: AtomicU32,
    list: AtomicU32,
    complex: AtomicU32,
    device: AtomicU32,
    generator: AtomicU32,
    /// Where address and length of a string's bytes lie in what the payload points to; 0 if the bridge must be asked.
    in_string: AtomicU32,
    /// Where the addresses of a list's first value and of the end lie.
    in_list: AtomicU32,
    /// Where the parts of a complex number lie.
    in_complex: AtomicU32,
    /// The payload of an undefined tensor: the address of torch's one undefined tensor.
    undefined: AtomicU64,
}

const UNKNOWN: u32 = u32::MAX;

pub(super) static TAGS: Tags = Tags {
    tensor: AtomicU32::new(UNKNOWN),
    float: AtomicU32::new(UNKNOWN),
    int: AtomicU32::new(UNKNOWN),
    boolean: AtomicU32::new(UNKNOWN),
    string: AtomicU32::new(UNKNOWN),
    list: AtomicU32::new(UNKNOWN),
    complex: AtomicU32::new(UNKNOWN),
    device: AtomicU32::new(UNKNOWN),
    generator: AtomicU32::new(UNKNOWN),
    in_string: AtomicU32::new(0),
    in_list: AtomicU32::new(0),
    in_complex: AtomicU32::new(0),
    undefined: AtomicU64::new(0),
};

macro_rules! tags {
    ($($name:ident)*) => {
        impl Tags {$(
            #[inline]
            pub(super) fn $name(&self) -> u32 {
                self.$name.load(Relaxed)
            }
        )*}
    };
}

tags!(tensor float int boolean string list complex device generator in_string in_list in_complex);

impl Tags {
    #[inline]
    pub(super) fn undefined(&self) -> u64 {
        self.undefined.load(Relaxed)
    }

    /// Whether there is anything to drop: not for None, what is lent, and plain numbers.
    #[inline]
    pub(super) fn owns(&self, value: &RawValue) -> bool {
        let tag = value.tag;
        tag != RawValue::NONE.tag
            && !value.is_lent()
            && tag != self.int()
            && tag != self.boolean()
            && tag != self.float()
    }
}

/// [`learn_layout`], once: before the first value is made.
pub(crate) fn know_layout() -> Result<()> {
    // Several threads may learn at the same time: they learn the same.
    if TAGS.tensor.load(Acquire) == UNKNOWN { learn_layout() } else { Ok(()) }
}

/// Learns the layout, or says that this torch's is another than the one this build knows.
fn learn_layout() -> Result<()> {
    if !torchop_sys::fields_hold() {
        return Err(Error::runtime(
            "the torch that is loaded lays out its tensors otherwise than the headers that this library was built with: build it against this torch",
        ));
    }
    let mut learned = [0; 13];
    ffi::value_layout(&mut learned).or_torch()?;
    let [
        tensor,
        float,
        int,
        boolean,
        string,
        list,
        complex,
        device,
        generator,
        undefined,
        in_string,
        in_list,
        in_complex,
    ] = learned;
    for (place, number) in [
        (&TAGS.float, float),
        (&TAGS.int, int),
        (&TAGS.boolean, boolean),
        (&TAGS.string, string),
        (&TAGS.list, list),
        (&TAGS.complex, complex),
        (&TAGS.device, device),
        (&TAGS.generator, generator),
        (&TAGS.in_string, in_string),
        (&TAGS.in_list, in_list),
        (&TAGS.in_complex, in_complex),
    ] {
        place.store(number as u32, Relaxed);
    }
    TAGS.undefined.store(undefined, Relaxed);
    // The last, since it says that all are known.
    TAGS.tensor.store(tensor as u32, Release);
    Ok(())
}
