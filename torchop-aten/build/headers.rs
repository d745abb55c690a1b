//! Torch's list of operators, from the headers that every installation has: `ATen/ops/*_ops.h` declares each operator with its schema.

use std::fs;
use std::path::Path;

const START: &str = "schema_str = \"";

/// The schemas of all operators, without `aten::`: by the name of the header, and in it in torch's order.
pub(crate) fn schemas(include: &Path) -> Result<Vec<String>, String> {
    let folder = include.join("ATen/ops");
    let told = |error: std::io::Error| format!("cannot read {}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.to_string_lossy().ends_with("_ops.h") {
            files.push(path);
        }
    }
    files.sort();
    let mut all = Vec::new();
    for file in &files {
        all.extend(schemas_in(&fs::read_to_string(file).map_err(told)?));
    }
    if all.is_empty() {
        return Err(format!("{} declares no operators as torch 2.11 to 2.15 do (`schema_str`)", folder.display()));
    }
    Ok(all)
}

fn schemas_in(header: &str) -> Vec<String> {
    header
        .lines()
        .filter_map(|line| line.split_once(START)?.1.strip_suffix("\";"))
        .map(|literal| literal.replace("\\\"", "\"").replace("\\\\", "\\"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_declaration_gives_its_schema() {
        let header = "struct TORCH_API softmax_int {\n  static constexpr const char* name = \"aten::softmax\";\n  static constexpr const char* schema_str = \"softmax.int(Tensor self, int dim) -> Tensor\";\n};\n  static constexpr const char* schema_str = \"f(str a=\\\"b\\\") -> ()\";\n";
        assert_eq!(schemas_in(header), ["softmax.int(Tensor self, int dim) -> Tensor", "f(str a=\"b\") -> ()"]);
    }
}
