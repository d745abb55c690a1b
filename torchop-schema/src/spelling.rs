//! Types as Rust, Python and C++ spell them, and their names in a schema.

use crate::types::{COMPOUND, Type};

/// A type that was read at the start of a text.
pub(crate) struct Foreign {
    /// How many bytes it takes.
    pub(crate) length: usize,
    /// What a schema calls it.
    pub(crate) schema: String,
}

/// Reads a type at the start of `text`, in the spelling of any of the languages; `None` where it is none of them.
pub(crate) fn foreign(text: &str) -> Option<Foreign> {
    let mut reader = Reader { rest: text, depth: 0 };
    let schema = reader.ty()?;
    Some(Foreign { length: text.len() - reader.rest.len(), schema })
}

/// Whether `name` is an integer type that often stands for a size.
pub(crate) fn is_size(name: &str) -> bool {
    matches!(name, "i64" | "int64_t" | "usize" | "isize" | "size_t" | "u64")
}

struct Reader<'t> {
    rest: &'t str,
    depth: u32,
}

impl<'t> Reader<'t> {
    fn ty(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > 16 {
            return None;
        }
        let ty = self.prefixed();
        self.depth -= 1;
        ty
    }

    fn prefixed(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        if self.eat("&") {
            self.rest = self.rest.trim_start();
            let mutable = self.rest.starts_with("mut ");
            if mutable {
                self.eat("mut ");
            }
            let inner = self.ty()?;
            return Some(if mutable && inner == "Tensor" { "Tensor(a!)".into() } else { inner });
        }
        if self.eat("[") {
            let inner = self.ty()?;
            self.rest = self.rest.trim_start();
            let array = self.eat(";");
            let end = self.rest.find(']')?;
            let size = self.rest[..end].trim();
            let valid =
                if array { !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit()) } else { size.is_empty() };
            self.rest = &self.rest[end + 1..];
            return valid.then(|| format!("{inner}[{size}]"));
        }
        let name = self.path()?;
        self.generic(name).or_else(|| simple(name).map(str::to_owned))
    }

    /// The last part of `a::b.c`.
    fn path(&mut self) -> Option<&'t str> {
        let mut name = self.ident()?;
        loop {
            let before = self.rest;
            if !(self.eat("::") || self.eat(".")) {
                return Some(name);
            }
            match self.ident() {
                Some(part) => name = part,
                None => {
                    self.rest = before;
                    return Some(name);
                }
            }
        }
    }

    /// `Option<T>`, `List[T]` and the like.
    fn generic(&mut self, name: &str) -> Option<String> {
        let before = self.rest;
        let form = match name {
            "Optional" | "Option" | "optional" => Form::Optional,
            "List" | "list" | "Vec" | "Sequence" | "Iterable" | "vector" | "ArrayRef" | "Array" => Form::List,
            "Tuple" | "tuple" => Form::Tuple,
            "Dict" | "dict" | "HashMap" | "BTreeMap" | "Mapping" => Form::Dict,
            "Union" => Form::Union,
            "Box" | "Arc" | "Rc" => Form::Same,
            "IntArrayRef" => return Some("int[]".into()),
            "SymIntArrayRef" => return Some("SymInt[]".into()),
            "TensorList" => return Some("Tensor[]".into()),
            _ => return None,
        };
        let close = if self.eat("[") {
            "]"
        } else if self.eat("<") {
            ">"
        } else if self.eat("(") {
            ")"
        } else {
            return None;
        };
        let mut parts = Vec::new();
        let whole = loop {
            match self.ty() {
                Some(part) => parts.push(part),
                None => break false,
            }
            self.rest = self.rest.trim_start();
            if self.eat(close) {
                break true;
            }
            if !self.eat(",") {
                break false;
            }
        };
        let schema = form.schema(parts).filter(|_| whole);
        if schema.is_none() {
            self.rest = before;
        }
        schema
    }

    fn ident(&mut self) -> Option<&'t str> {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let name = &self.rest[..end];
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.rest = &self.rest[end..];
        Some(name)
    }

    fn eat(&mut self, what: &str) -> bool {
        match self.rest.strip_prefix(what) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

#[derive(Clone, Copy)]
enum Form {
    Optional,
    List,
    Tuple,
    Dict,
    Union,
    Same,
}

impl Form {
    fn schema(self, parts: Vec<String>) -> Option<String> {
        match (self, &parts[..]) {
            (Form::Optional, [one]) => Some(format!("{one}?")),
            (Form::List, [one]) => Some(format!("{one}[]")),
            (Form::Same, [one]) => Some(one.clone()),
            (Form::Dict, [key, value]) => Some(format!("Dict({key}, {value})")),
            (Form::Tuple, _) => Some(format!("({})", parts.join(", "))),
            (Form::Union, [one, none] | [none, one]) if none == "None" => Some(format!("{one}?")),
            (Form::Union, [_, _, ..]) => Some(format!("Union({})", parts.join(", "))),
            _ => None,
        }
    }
}

fn simple(name: &str) -> Option<&str> {
    Some(match name {
        "tensor" | "FakeTensor" | "at_tensor" => "Tensor",
        "f16" | "f32" | "f64" | "double" | "Float" | "Double" | "float16" | "float32" | "float64" | "float_t" => {
            "float"
        }
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "int8"
        | "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" | "int8_t" | "int16_t" | "int32_t"
        | "int64_t" | "uint8_t" | "size_t" | "long" | "Long" | "Int" | "integer" | "Integer" => "int",
        "symint" | "Symint" => "SymInt",
        "String" | "string" | "Str" | "string_view" | "text" => "str",
        "boolean" | "Bool" | "Boolean" => "bool",
        "number" | "Number" | "scalar" => "Scalar",
        "complex64" | "complex128" | "Complex" | "Complex32" | "Complex64" => "complex",
        "dtype" | "DType" | "Dtype" | "Kind" => "ScalarType",
        "device" => "Device",
        "layout" => "Layout",
        "memory_format" => "MemoryFormat",
        "generator" => "Generator",
        "any" | "object" | "Object" => "Any",
        "void" | "unit" => "()",
        known if Type::named(known).is_some() && !COMPOUND.contains(&known) => known,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::foreign;

    #[test]
    fn spellings() {
        for (written, schema) in [
            ("f64", "float"),
            ("String", "str"),
            ("torch.Tensor", "Tensor"),
            ("Optional[Tensor]", "Tensor?"),
            ("List[int]", "int[]"),
            ("typing.List[Optional[torch.Tensor]]", "Tensor?[]"),
            ("Option<&Tensor>", "Tensor?"),
            ("&mut Tensor", "Tensor(a!)"),
            ("&[i64]", "int[]"),
            ("[f32; 2]", "float[2]"),
            ("Vec<(u8)>", ""),
            ("HashMap<String, f64>", "Dict(str, float)"),
            ("Union[int, None]", "int?"),
            ("Tuple[int, str]", "(int, str)"),
            ("std::vector<int64_t>", "int[]"),
            ("Foo", ""),
        ] {
            let got = foreign(written).map_or(String::new(), |f| f.schema);
            assert_eq!(got, schema, "{written}");
        }
    }
}
