//! Every command that the documentation shows is one that the program takes: names, options and forms of values.

use std::{fs, path::Path};

use clap::Parser;

use crate::Arguments;

/// The commands of the shell blocks of a page, as words. `;` and `|` part commands, `#` begins a comment.
fn commands(page: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for block in page.split("```sh\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default().replace("\\\n", " ");
        for line in block.lines() {
            let (mut words, mut quote, mut fresh) = (vec![Vec::new()], None, true);
            for letter in line.chars().chain([' ']) {
                let command: &mut Vec<String> = words.last_mut().expect("there is always a last one");
                match (letter, quote) {
                    (_, Some(open)) if letter == open => quote = None,
                    (_, Some(_)) => command.last_mut().expect("a quote begins a word").push(letter),
                    ('#', None) if fresh => break,
                    (';' | '|', None) => (words, fresh) = ([words, vec![Vec::new()]].concat(), true),
                    (' ', None) => fresh = true,
                    (_, None) => {
                        if fresh {
                            command.push(String::new());
                        }
                        match letter {
                            '"' | '\'' => quote = Some(letter),
                            _ => command.last_mut().expect("just begun").push(letter),
                        }
                        fresh = false;
                    }
                }
            }
            found.extend(
                words.into_iter().filter(|command| command.first().is_some_and(|word| word == "unmiss")),
            );
        }
    }
    found
}

#[test]
fn words_are_split_as_a_shell_does() {
    let page = "```sh\nzcat a.gz | unmiss describe - --missing \"un known,-\"  # why\n\
                unmiss pool a \\\n  b; ls\n```\nunmiss";
    let expected =
        [vec!["unmiss", "describe", "-", "--missing", "un known,-"], vec!["unmiss", "pool", "a", "b"]];
    assert_eq!(commands(page), expected);
}

#[test]
fn commands_of_the_documentation_are_understood() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join("docs/guide").exists() {
        return; // A published package has no guide.
    }
    let mut understood = 0;
    for folder in [".", "docs/guide", "docs/results"] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            for command in commands(&fs::read_to_string(&path).unwrap()) {
                if let Err(error) = Arguments::try_parse_from(&command) {
                    panic!("{}: {}\n{error}", path.display(), command.join(" "));
                }
                understood += 1;
            }
        }
    }
    assert!(understood > 50, "only {understood} commands were found");
}
