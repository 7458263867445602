//! A Rust file split into what is code, what is comment, and what is neither.

/// Lines of one file. The three lists are equally long, and a character is at the same column in
/// each: blanks stand in `code` for comments and the contents of strings, in `comments` for code.
pub(crate) struct RustSource<'a> {
    pub(crate) path: &'a str,
    pub(crate) raw: Vec<&'a str>,
    pub(crate) code: Vec<String>,
    pub(crate) comments: Vec<String>,
    /// How many lines come before the inline test module.
    pub(crate) product_lines: usize,
}

impl<'a> RustSource<'a> {
    pub(crate) fn parse(path: &'a str, text: &'a str) -> RustSource<'a> {
        let mut splitter = Splitter::new(text);
        splitter.split();
        let code: Vec<String> = splitter.code.lines().map(str::to_owned).collect();
        let comments = splitter.comments.lines().map(str::to_owned).collect();
        let raw: Vec<&str> = text.lines().collect();
        let product_lines = if is_test_path(path) {
            0
        } else {
            lines_before_tests(&code)
        };
        RustSource {
            path,
            raw,
            code,
            comments,
            product_lines,
        }
    }

    /// The folder under `crates/` that the file is in.
    pub(crate) fn crate_name(&self) -> Option<&'a str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// Code lines that are shipped, with their index.
    pub(crate) fn product_code(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code
            .iter()
            .map(String::as_str)
            .enumerate()
            .take(self.product_lines)
    }
}

/// Files that hold nothing but tests.
pub(crate) fn is_test_path(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    stem == "tests"
        || stem.ends_with("_tests")
        || [".test.", ".test-d.", ".spec."]
            .iter()
            .any(|mark| name.contains(mark))
        || parts.any(|folder| ["tests", "test", "benches"].contains(&folder))
}

fn lines_before_tests(code: &[String]) -> usize {
    let is_gate = |line: &String| line.trim() == "#[cfg(test)]";
    code.iter()
        .enumerate()
        .filter(|(_, line)| is_gate(line))
        .find(|(index, _)| {
            let mut after = code.iter().skip(index + 1).map(|line| line.trim());
            let item = after.find(|line| !line.is_empty() && !line.starts_with("#["));
            item.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
        })
        .map_or(code.len(), |(index, _)| index)
}

/// Whether `word` stands in `line` as a whole identifier.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line
            .get(at + word.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

struct Splitter<'a> {
    rest: &'a str,
    previous: char,
    code: String,
    comments: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Content,
}

impl<'a> Splitter<'a> {
    fn new(text: &'a str) -> Splitter<'a> {
        Splitter {
            rest: text,
            previous: '\n',
            code: String::new(),
            comments: String::new(),
        }
    }

    fn split(&mut self) {
        while let Some(next) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                self.take_while(Kind::Comment, |c| c != '\n');
            } else if self.rest.starts_with("/*") {
                self.block_comment();
            } else if let Some(hashes) = self.raw_string_hashes() {
                self.raw_string(hashes);
            } else if next == '"' {
                self.quoted('"');
            } else if next == '\'' && self.is_char_literal() {
                self.quoted('\'');
            } else {
                self.take(Kind::Code);
            }
        }
    }

    fn take(&mut self, kind: Kind) {
        let mut chars = self.rest.chars();
        let Some(c) = chars.next() else { return };
        self.rest = chars.as_str();
        self.previous = c;
        let keep = |wanted: Kind| if kind == wanted || c == '\n' { c } else { ' ' };
        self.code.push(keep(Kind::Code));
        self.comments.push(keep(Kind::Comment));
    }

    fn take_many(&mut self, kind: Kind, count: usize) {
        for _ in 0..count {
            self.take(kind);
        }
    }

    fn take_while(&mut self, kind: Kind, goes_on: impl Fn(char) -> bool) {
        while self.rest.chars().next().is_some_and(&goes_on) {
            self.take(kind);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while !self.rest.is_empty() {
            if self.rest.starts_with("/*") {
                depth += 1;
                self.take_many(Kind::Comment, 2);
            } else if self.rest.starts_with("*/") {
                depth -= 1;
                self.take_many(Kind::Comment, 2);
                if depth == 0 {
                    return;
                }
            } else {
                self.take(Kind::Comment);
            }
        }
    }

    /// The number of `#` when a raw string begins here.
    fn raw_string_hashes(&self) -> Option<usize> {
        if self.previous.is_alphanumeric() || self.previous == '_' {
            return None;
        }
        let after = ["r", "br", "cr"]
            .iter()
            .find_map(|mark| self.rest.strip_prefix(mark))?;
        let unhashed = after.trim_start_matches('#');
        unhashed
            .starts_with('"')
            .then(|| after.len() - unhashed.len())
    }

    fn raw_string(&mut self, hashes: usize) {
        self.take_while(Kind::Code, |c| c != '"');
        self.take(Kind::Code);
        let end = format!("\"{}", "#".repeat(hashes));
        while !self.rest.is_empty() && !self.rest.starts_with(&end) {
            self.take(Kind::Content);
        }
        self.take_many(Kind::Code, end.len());
    }

    /// A quote that opens a character, not a lifetime.
    fn is_char_literal(&self) -> bool {
        let mut chars = self.rest.chars().skip(1);
        match chars.next() {
            Some('\\') => true,
            Some(_) => chars.next() == Some('\''),
            None => false,
        }
    }

    fn quoted(&mut self, quote: char) {
        self.take(Kind::Code);
        while let Some(c) = self.rest.chars().next() {
            if c == '\\' {
                self.take_many(Kind::Content, 2);
            } else if c == quote {
                self.take(Kind::Code);
                return;
            } else {
                self.take(Kind::Content);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_told_from_code() {
        let cases = [
            ("let a = 1; // one", "let a = 1;", "// one"),
            (
                "a(\"// no\") /* x /* y */ z */ b",
                "a(\"     \")                   b",
                "",
            ),
            (
                "r#\"un\"safe\"# + 'x' + '\\''",
                "r#\"       \"# + ' ' + '  '",
                "",
            ),
            ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}", ""),
            ("bar\"s\" // c", "bar\" \"", "// c"),
        ];
        for (text, code, comment) in cases {
            let source = RustSource::parse("a.rs", text);
            assert_eq!(source.code.first().map(|line| line.trim_end()), Some(code));
            let found = source.comments.first().map(|line| line.trim());
            assert!(
                comment.is_empty() || found == Some(comment),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn strings_over_several_lines_keep_lines_apart() {
        let source = RustSource::parse("a.rs", "let a = \"one\ntwo // x\";\nlet b = 2;\n");
        assert_eq!(source.code.len(), 3);
        assert_eq!(source.code.last().map(String::as_str), Some("let b = 2;"));
        assert!(source.comments.iter().all(|line| line.trim().is_empty()));
    }

    #[test]
    fn product_code_ends_where_the_inline_tests_begin() {
        let text = "fn a() {}\n#[cfg(test)]\nfn helper() {}\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(RustSource::parse("src/a.rs", text).product_lines, 3);
        assert_eq!(RustSource::parse("src/tests.rs", text).product_lines, 0);
        let declared = "#[cfg(test)]\nmod tests;\nfn a() {}\n";
        assert_eq!(RustSource::parse("src/a.rs", declared).product_lines, 3);
    }

    #[test]
    fn test_paths_are_known() {
        for path in [
            "tests/a.rs",
            "crates/a/tests/b.rs",
            "a/column_tests.rs",
            "js/test/a.test.ts",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in [
            "crates/a/src/testing.rs",
            "js/src/contest.ts",
            "crates/latest/src/lib.rs",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("use rocksdb::DB;", "rocksdb"));
        assert!(!has_word("use varve_kv_rocksdb::Db;", "rocksdb"));
        assert!(has_word("unsafe", "unsafe"));
    }
}
