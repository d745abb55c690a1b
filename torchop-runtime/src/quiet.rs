//! One mistake, one message.
//!
//! Generated code mentions a user's type several times: it checks it, reads it, gives it back. Only the check may say that
//! the type does not do. The other mentions go through the types here: where the bound holds, the inherent function is
//! meant; where it does not, a trait's function of the same name, which says nothing and never runs, since the check has
//! stopped the build.

use crate::check::{Op, Slot};
use crate::class::{Changing, Class, Constructed, Field, FieldReader, FieldWriter, Method, Ref, State, Unset};
use crate::convert::{Arguments, Gradients, PutAll, ReadAll, Results, Returned};
use crate::error::Result;
use std::marker::PhantomData;
use torchop_schema::SchemaType;

#[cold]
fn never() -> ! {
    unreachable!("a type that its check refuses")
}

/// All arguments of a call, as a tuple.
#[derive(Debug)]
pub struct Read<'s, A>(PhantomData<(&'s (), A)>);

impl<'s, A: ReadAll<'s>> Read<'s, A> {
    /// That they can be read.
    pub const FITS: bool = true;
    /// Reads them.
    #[inline]
    pub fn read(arguments: Arguments<'s>) -> Result<A> {
        A::read_all(arguments)
    }
}

#[allow(missing_docs)]
pub trait NotRead<'s, A> {
    const FITS: bool = false;
    fn read(_: Arguments<'s>) -> Result<A> {
        never()
    }
}

impl<'s, A> NotRead<'s, A> for Read<'s, A> {}

/// A call of the operator `O` through the dispatcher.
#[derive(Debug)]
pub struct Call<O, A, R>(PhantomData<(O, A, R)>);

impl<O: Op, A: PutAll, R: Returned> Call<O, A, R> {
    /// That it can be called.
    pub const FITS: bool = true;
    /// Calls it.
    #[inline]
    pub fn call(arguments: A) -> R::Called {
        crate::op::call::<O, A, R>(arguments)
    }
}

#[allow(missing_docs)]
pub trait NotCalled<A> {
    const FITS: bool = false;
    fn call<T>(_: A) -> T {
        never()
    }
}

impl<O, A, R> NotCalled<A> for Call<O, A, R> {}

/// What a function returns, a field, or a class.
#[derive(Debug)]
pub struct Quiet<T>(PhantomData<T>);

impl<R: Returned> Quiet<R> {
    /// The types of the results.
    pub const TYPES: Option<&'static [SchemaType]> = Some(R::TYPES);
    /// Puts a function's results.
    #[inline]
    pub fn give(results: Results<'_>, returned: R) -> Result<()> {
        returned.give(results)
    }
    /// Puts a fake's results; the object's state goes into the slots that it gives back.
    pub fn give_before_state<'r>(results: Results<'r>, returned: R) -> Result<Results<'r>> {
        let (results, state) = results.split_at(R::TYPES.len())?;
        returned.give(results)?;
        Ok(state)
    }
}

impl<G: Gradients> Quiet<G> {
    /// Puts a backward's gradients.
    #[inline]
    pub fn give_gradients(results: Results<'_>, gradients: G) -> Result<()> {
        gradients.give(results)
    }
}

impl<F: Field> Quiet<F> {
    /// Writes a field.
    pub fn save(field: &F, fields: &mut FieldWriter<'_>) -> Result<()> {
        fields.put(field)
    }
    /// Reads a field.
    pub fn restore(fields: &mut FieldReader<'_>) -> Result<F> {
        fields.next()
    }
    /// The new value of a settable field.
    pub fn field_argument(arguments: Arguments<'_>) -> Result<F> {
        crate::class::field_argument(arguments)
    }
}

impl<T: Class> Quiet<T> {
    /// Takes the object of a constructor off the arguments.
    pub fn split(arguments: Arguments<'_>) -> Result<(Unset<'_, T>, Arguments<'_>)> {
        crate::class::split_object(arguments)
    }
    /// The object of a property that is read.
    pub fn reading(arguments: Arguments<'_>) -> Result<Ref<'_, T>> {
        crate::class::read_object(arguments)
    }
    /// The object of a method that changes it, and the arguments after it.
    pub fn changing(arguments: Arguments<'_>) -> Result<(Changing<'_, T>, Arguments<'_>)> {
        crate::class::changing_object(arguments)
    }
}

impl<T: State> Quiet<T> {
    /// The object that a fake method stands on.
    pub fn restored(arguments: Arguments<'_>) -> Result<(T, Arguments<'_>)> {
        crate::class::restore_object(arguments)
    }
    /// The same for a fake that changes it: behind the tensor that such a fake's operator has for torch's sake.
    pub fn restored_to_change(arguments: Arguments<'_>) -> Result<(T, Arguments<'_>)> {
        crate::class::restore_object(arguments.split_at(1)?.1)
    }
    /// Puts what became of it.
    pub fn give_state(results: Results<'_>, object: &T) -> Result<()> {
        object.save(&mut FieldWriter::new(results))
    }
}

#[allow(missing_docs)]
pub trait Silent<T> {
    const TYPES: Option<&'static [SchemaType]> = None;
    fn give(_: Results<'_>, _: T) -> Result<()> {
        never()
    }
    fn give_gradients(_: Results<'_>, _: T) -> Result<()> {
        never()
    }
    fn save(_: &T, _: &mut FieldWriter<'_>) -> Result<()> {
        never()
    }
    fn restore(_: &mut FieldReader<'_>) -> Result<T> {
        never()
    }
    fn field_argument(_: Arguments<'_>) -> Result<T> {
        never()
    }
    fn split(_: Arguments<'_>) -> Result<((), Arguments<'_>)> {
        never()
    }
    fn restored(_: Arguments<'_>) -> Result<(T, Arguments<'_>)> {
        never()
    }
    fn restored_to_change(_: Arguments<'_>) -> Result<(T, Arguments<'_>)> {
        never()
    }
    fn reading(_: Arguments<'_>) -> Result<&T> {
        never()
    }
    fn changing(_: Arguments<'_>) -> Result<(T, Arguments<'_>)> {
        never()
    }
    fn give_before_state(_: Results<'_>, _: T) -> Result<Results<'_>> {
        never()
    }
    fn give_state(_: Results<'_>, _: &T) -> Result<()> {
        never()
    }
}

impl<T> Silent<T> for Quiet<T> {}

/// What a constructor of `T` returned.
#[derive(Debug)]
pub struct Made<T, C>(PhantomData<(T, C)>);

impl<T: Class, C: Constructed<T>> Made<T, C> {
    /// Puts it into its object.
    pub fn put(this: Unset<'_, T>, results: Results<'_>, value: C) -> Result<()> {
        crate::class::construct(this, results, value)
    }
}

#[allow(missing_docs)]
pub trait NotMade<C> {
    fn put<O>(_: O, _: Results<'_>, _: C) -> Result<()> {
        never()
    }
}

impl<T, C> NotMade<C> for Made<T, C> {}

/// A method of `T` by the number of its name.
#[derive(Debug)]
pub struct MethodOf<T, const NAME: u64>(PhantomData<T>);

impl<T: Method<NAME>, const NAME: u64> MethodOf<T, NAME> {
    /// The arguments after `self`.
    pub const SLOTS: Option<&'static [Slot]> = Some(T::SLOTS);
    /// The types of the results.
    pub const RETURNS: &'static [SchemaType] = T::RETURNS;
    /// Whether it changes the object.
    pub const CHANGES: bool = T::CHANGES;
}

#[allow(missing_docs)]
pub trait NoMethod {
    const SLOTS: Option<&'static [Slot]> = None;
    const RETURNS: &'static [SchemaType] = &[SchemaType::Unknown];
    const CHANGES: bool = true;
}

impl<T, const NAME: u64> NoMethod for MethodOf<T, NAME> {}
