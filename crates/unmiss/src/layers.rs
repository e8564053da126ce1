//! The order of rooms, and of the files inside a room, held against the source itself.
//!
//! `lib.rs` names the rooms in the order in which a row of data passes them: a room uses only those above it. In the
//! same way the `mod` lines of a room name its files in the order of use: a file, with the folder of its name, uses
//! only files above it. A room's head (`mod.rs`, or the file of the room's name) either has what its files share, and
//! then uses none of them, or uses them, and then none of them uses what it has.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms whose files do not stand in order. A room that does must leave this list. In `methods` the list of all stands
/// below every method, and two methods are made of others from the list.
const UNORDERED: [&str; 1] = ["methods"];

/// A name or a sign, and its line.
#[derive(Debug, Clone, PartialEq)]
struct Token {
    word: String,
    line: usize,
}

/// A source file: where it stands in the tree of modules, and its tokens without tests.
struct Module {
    file: PathBuf,
    path: Vec<String>,
    tokens: Vec<Token>,
}

impl Module {
    /// The modules it declares, in order.
    fn children(&self) -> Vec<String> {
        let words = self.tokens.windows(3);
        words.filter(|w| w[0].word == "mod" && w[2].word == ";").map(|w| w[1].word.clone()).collect()
    }

    /// Every path that starts at the crate or at a module above, from the crate's root, with its line.
    fn paths(&self) -> Vec<(Vec<String>, usize)> {
        let mut all = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let starts = ["crate", "super", "self"].contains(&token.word.as_str())
                && self.word(at + 1) == "::"
                && (at == 0 || self.word(at - 1) != "::");
            if !starts {
                continue;
            }
            for path in self.tree(at).0 {
                let mut base = if path[0] == "crate" { Vec::new() } else { self.path.clone() };
                for name in path {
                    match name.as_str() {
                        "crate" | "self" => {}
                        "super" => drop(base.pop()),
                        _ => base.push(name),
                    }
                }
                all.push((base, token.line));
            }
        }
        all
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.word)
    }

    /// The paths of a tree such as `a::{b, c::d}` that starts at a token, and where it ends.
    fn tree(&self, mut at: usize) -> (Vec<Vec<String>>, usize) {
        let mut path = Vec::new();
        loop {
            if self.word(at) == "{" {
                let mut all = Vec::new();
                while !["}", ""].contains(&self.word(at)) {
                    let (paths, end) = self.tree(at + 1);
                    all.extend(paths.into_iter().map(|rest| [path.clone(), rest].concat()));
                    at = end;
                    // `as` and a new name.
                    while ![",", "}", ""].contains(&self.word(at)) {
                        at += 1;
                    }
                }
                return (all, at + 1);
            }
            if ["}", ","].contains(&self.word(at)) {
                return (Vec::new(), at);
            }
            path.push(self.word(at).to_owned());
            if self.word(at + 1) != "::" {
                return (vec![path], at + 1);
            }
            at += 2;
        }
    }
}

/// The tokens of a source text without comments, literals and tests.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut tokens, mut at, mut line) = (Vec::new(), 0, 1);
    while at < chars.len() {
        let end = end_of(&chars, at);
        let word: String = chars[at..end].iter().collect();
        let is_literal =
            word.ends_with(['"', '#']) && word.len() > 1 || word.ends_with('\'') && word.len() > 1;
        if !is_literal && !word.starts_with("//") && !word.trim().is_empty() {
            tokens.push(Token { word: word.clone(), line });
        }
        line += word.matches('\n').count();
        at = end;
    }
    without_tests(tokens)
}

/// Where the comment, literal, name or sign that starts at a place ends.
fn end_of(chars: &[char], at: usize) -> usize {
    let sign = |at: usize| chars.get(at).copied().unwrap_or('\0');
    let after = |from: usize, is_last: &dyn Fn(usize) -> bool| {
        (from..chars.len()).find(|&at| is_last(at)).map_or(chars.len(), |at| at + 1)
    };
    let is_name = |at: usize| sign(at).is_alphanumeric() || sign(at) == '_';
    match sign(at) {
        '/' if sign(at + 1) == '/' => after(at, &|at| sign(at + 1) == '\n'),
        '"' => {
            let escaped =
                |at: usize| chars[..at].iter().rev().take_while(|sign| **sign == '\\').count() % 2 == 1;
            after(at + 1, &|at| sign(at) == '"' && !escaped(at))
        }
        '\'' if sign(at + 1) == '\\' => after(at + 3, &|at| sign(at) == '\''),
        '\'' if sign(at + 2) == '\'' => at + 3,
        ':' if sign(at + 1) == ':' => at + 2,
        _ if is_name(at) => {
            let end = after(at, &|at| !is_name(at + 1));
            let hashes = (end..).take_while(|&at| sign(at) == '#').count();
            match chars[at..end] == ['r'] && sign(end + hashes) == '"' {
                // A text in which nothing is escaped ends with a quote and as many hashes as it starts with.
                true => after(end + hashes + 1 + hashes, &|at| {
                    sign(at - hashes) == '"' && (0..hashes).all(|back| sign(at - back) == '#')
                }),
                false => end,
            }
        }
        _ => at + 1,
    }
}

/// Leaves out what stands under `#[cfg(test)]`.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let mark = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let is_mark = tokens[at..].iter().zip(mark).filter(|(token, word)| token.word == *word).count();
        if is_mark < mark.len() {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        let mut depth = 0;
        for token in &tokens[at + mark.len()..] {
            at += 1;
            depth += i32::from(token.word == "{") - i32::from(token.word == "}");
            if depth == 0 && ["}", ";"].contains(&token.word.as_str()) {
                break;
            }
        }
        at += mark.len();
    }
    kept
}

/// A module and all below it.
fn collect(folder: &Path, path: Vec<String>, all: &mut Vec<Module>) {
    let stem = path.iter().fold(folder.to_owned(), |folder, name| folder.join(name));
    let files = [stem.with_extension("rs"), stem.join("mod.rs")];
    let file = files.into_iter().find(|file| file.exists()).unwrap_or_else(|| folder.join("lib.rs"));
    let module = Module { tokens: tokens(&fs::read_to_string(&file).unwrap()), file, path: path.clone() };
    let children = module.children();
    all.push(module);
    children.into_iter().for_each(|child| collect(folder, [path.clone(), vec![child]].concat(), all));
}

fn modules() -> Vec<Module> {
    let mut all = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), Vec::new(), &mut all);
    all
}

fn place(names: &[String], name: &str) -> Option<usize> {
    names.iter().position(|own| own == name)
}

fn told(module: &Module, line: usize, what: &str) -> String {
    format!("{}:{line}: {what}", module.file.display())
}

#[test]
fn a_room_uses_only_rooms_above_it() {
    let modules = modules();
    let rooms = modules[0].children();
    let mut faults = Vec::new();
    for module in &modules[1..] {
        let own = place(&rooms, &module.path[0]);
        for (path, line) in module.paths() {
            let used = path.first().and_then(|name| place(&rooms, name));
            if used > own {
                let what = format!("`{}` uses `{}`, which stands below it", module.path[0], path.join("::"));
                faults.push(told(module, line, &what));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What a room's files use against the order of its `mod` lines.
fn faults_inside(room: &str, modules: &[Module]) -> Vec<String> {
    let inside: Vec<&Module> =
        modules.iter().filter(|module| module.path.first().is_some_and(|name| name == room)).collect();
    let head = inside[0];
    let files = head.children();
    let shown = shown_by(head, &files);
    let head_uses = uses_of(head, &files);
    let mut faults = Vec::new();
    for module in inside.iter().filter(|module| module.path.len() > 1) {
        let own = place(&files, &module.path[1]);
        for (path, line) in
            module.paths().into_iter().filter(|(path, _)| path.first().is_some_and(|name| name == room))
        {
            let name = path.get(1).map_or("", String::as_str);
            let used = place(&files, name).or_else(|| shown.get(name).and_then(|file| place(&files, file)));
            let what = match used {
                Some(used) if Some(used) > own => {
                    format!("`{}` uses `{}`, which stands below it", module.path[1], files[used])
                }
                None if head_uses.is_some() => format!(
                    "`{}` uses `{name}` of the room's head, which itself uses `{}`",
                    module.path[1],
                    head_uses.as_deref().unwrap_or("")
                ),
                _ => continue,
            };
            faults.push(told(module, line, &what));
        }
    }
    faults
}

/// Names that a head hands on, each with the file they are from.
fn shown_by(head: &Module, files: &[String]) -> HashMap<String, String> {
    let mut shown = HashMap::new();
    for at in (1..head.tokens.len())
        .filter(|&at| head.word(at) == "use" && ["pub", ")"].contains(&head.word(at - 1)))
    {
        for path in head.tree(at + 1).0.into_iter().filter(|path| place(files, &path[0]).is_some()) {
            shown.insert(path.last().cloned().unwrap_or_default(), path[0].clone());
        }
    }
    shown
}

/// The first file that the head itself uses, beyond handing names on.
fn uses_of(head: &Module, files: &[String]) -> Option<String> {
    let mut at = 0;
    while at < head.tokens.len() {
        if head.word(at) == "use" && at > 0 && ["pub", ")"].contains(&head.word(at - 1)) {
            at = head.tree(at + 1).1;
        } else if head.word(at + 1) == "::"
            && (at == 0 || head.word(at - 1) != "::")
            && place(files, head.word(at)).is_some()
        {
            return Some(head.word(at).to_owned());
        }
        at += 1;
    }
    None
}

#[test]
fn a_file_uses_only_files_of_its_room_above_it() {
    let modules = modules();
    let mut faults = Vec::new();
    for room in modules[0].children() {
        let own = faults_inside(&room, &modules);
        match UNORDERED.contains(&room.as_str()) {
            true => assert!(!own.is_empty(), "`{room}` stands in order: take it out of UNORDERED"),
            false => faults.extend(own),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn paths_are_read_from_trees_and_lines_and_never_from_tests() {
    let text = "use super::{a::B, c::{self, D as E}};\n// crate::comment\nlet x = \"crate::text\"; let q = b'\"';\n\
                fn f(x: &'a str) -> crate::g::H { self::k::l() }\n#[cfg(test)]\nmod tests { use crate::m; }\nuse crate::n;";
    let module =
        Module { file: PathBuf::new(), path: vec!["room".into(), "file".into()], tokens: tokens(text) };
    let found: Vec<(String, usize)> =
        module.paths().into_iter().map(|(path, line)| (path.join("::"), line)).collect();
    let expected = [
        ("room::a::B", 1),
        ("room::c", 1),
        ("room::c::D", 1),
        ("g::H", 4),
        ("room::file::k::l", 4),
        ("n", 7),
    ];
    assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
}
