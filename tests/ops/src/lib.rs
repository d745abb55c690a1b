//! Operators and classes of every shape, for the tests.
