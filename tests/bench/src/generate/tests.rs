use super::{GENERATORS, Size, generator};
use crate::set::{Set, Values};

fn first_rows(name: &str, rows: usize) -> String {
    let set = generator(name).unwrap().set(Size::S);
    let mut csv = Vec::new();
    set.write_csv(&mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    text.lines().take(rows + 1).collect::<Vec<_>>().join("\n")
}

#[test]
fn print_heads() {
    for generator in GENERATORS {
        let set = generator.set(Size::S);
        let (hash, bytes) = set.csv_hash();
        eprintln!("{} {} {bytes} {hash}", generator.name, set.rows());
        if !matches!(generator.name, "D9" | "D11" | "D12 lengths" | "D12 doubles" | "D12 bytes") {
            eprintln!("{}", first_rows(generator.name, 3));
        }
    }
}
