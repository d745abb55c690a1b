use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter {
    #[torch(set)]
    start: i64,
    #[torch]
    end: i64,
    #[torch(gett)]
    other: i64,
    #[torch(get = 1)]
    value: i64,
}

#[torch_class(name = "my_ops::Pair")]
struct Pair(#[torch(get)] i64, i64);

fn main() {}
