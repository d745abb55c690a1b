//! Torch's private tag numbers, learned from real values before anything is registered.

use crate::error::{OrTorch, Result};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use torchop_sys::ffi;

pub(super) struct Tags {
    tensor: AtomicU32,
    float: AtomicU32,
    int: AtomicU32,
    boolean: AtomicU32,
    string: AtomicU32,
    list: AtomicU32,
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

tags!(tensor float int boolean string list);

impl Tags {
    #[inline]
    pub(super) fn undefined(&self) -> u64 {
        self.undefined.load(Relaxed)
    }
}

/// Learns the layout, or says that this torch's is another than the one this build knows.
pub(crate) fn learn_layout() -> Result<()> {
    let mut learned = [0; 7];
    ffi::value_layout(&mut learned).or_torch()?;
    let [tags @ .., undefined] = learned;
    let places = [&TAGS.tensor, &TAGS.float, &TAGS.int, &TAGS.boolean, &TAGS.string, &TAGS.list];
    for (place, tag) in places.into_iter().zip(tags) {
        place.store(tag as u32, Relaxed);
    }
    TAGS.undefined.store(undefined, Relaxed);
    Ok(())
}
