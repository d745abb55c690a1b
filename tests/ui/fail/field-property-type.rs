use torchop::prelude::*;

#[torch_class(name = "my_ops::Counter")]
struct Counter {
    #[torch(get)]
    start: u8,
}

#[torch_class]
impl Counter {
    #[init]
    fn new() -> Self {
        Counter { start: 0 }
    }
}

fn main() {}
