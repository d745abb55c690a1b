//! How a tensor's elements are kept.

macro_rules! coded {
    (
        $(#[$doc:meta])* $name:ident;
        $($code:literal $variant:ident $python:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $(#[doc = concat!("`torch.", $python, "`")] $variant,)*
            /// One that this version of torchop has no name for, by torch's number.
            Other(i8),
        }

        impl $name {
            pub(crate) fn from_code(code: i8) -> Self {
                match code {
                    $($code => $name::$variant,)*
                    other => $name::Other(other),
                }
            }

            /// The number in torch.
            pub fn code(self) -> i8 {
                match self {
                    $($name::$variant => $code,)*
                    $name::Other(code) => code,
                }
            }

            /// The name in Python, without `torch.`.
            pub fn python_name(self) -> &'static str {
                match self {
                    $($name::$variant => $python,)*
                    $name::Other(_) => "one without a name in torchop",
                }
            }

            /// All that have a name here, with their names in Python.
            pub const ALL: &[($name, &str)] = &[$(($name::$variant, $python),)*];
        }
    };
}

// The numbers are those of c10::Layout and c10::MemoryFormat.
coded! {
    /// How a tensor keeps its elements (`torch.layout`).
    Layout;
    0 Strided "strided";
    1 Sparse "sparse_coo";
    2 SparseCsr "sparse_csr";
    3 Mkldnn "_mkldnn";
    4 SparseCsc "sparse_csc";
    5 SparseBsr "sparse_bsr";
    6 SparseBsc "sparse_bsc";
    7 Jagged "jagged";
}

coded! {
    /// In which order the elements of a dense tensor lie (`torch.memory_format`).
    MemoryFormat;
    0 Contiguous "contiguous_format";
    1 Preserve "preserve_format";
    2 ChannelsLast "channels_last";
    3 ChannelsLast3d "channels_last_3d";
}
