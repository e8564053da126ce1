//! `unmiss completions` and `unmiss man`: what shells and `man` want to know of the program, made of the same list as
//! `--help`.

use clap_complete::{Shell, generate};
use clap_mangen::Man as Page;
use unmiss::error::{Error, Result, nearest};
use unmiss::store::write_whole;

use crate::examples::command_with_examples;

/// For which shell.
#[derive(clap::Args)]
pub struct Completions {
    /// The shell; for bash: unmiss completions bash > ~/.local/share/bash-completion/completions/unmiss
    shell: Shell,
}

/// Of which command.
#[derive(clap::Args)]
pub struct Man {
    /// A command; without one, the page is that of the program
    command: Option<String>,
}

/// Prints what completes words in a shell.
pub fn completions(arguments: &Completions) -> Result<()> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut command_with_examples(), "unmiss", &mut text);
    write_whole("-".as_ref(), &text)
}

/// Prints a manual page.
pub fn man(arguments: &Man) -> Result<()> {
    let mut whole = command_with_examples();
    whole.build();
    let page = match &arguments.command {
        None => Page::new(whole),
        Some(name) => {
            let own = whole.get_subcommands().find(|own| own.get_name() == name).cloned();
            let own = own.ok_or_else(|| {
                let near = nearest(name, whole.get_subcommands().map(clap::Command::get_name));
                let hint = near.map_or_else(
                    || "`unmiss --help` lists them".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                Error::setting("command", format!("there is no command `{name}`")).with_hint(hint)
            })?;
            Page::new(own.display_name(format!("unmiss-{name}")))
        }
    };
    let mut text = Vec::new();
    page.render(&mut text).map_err(|error| Error::io("standard output".as_ref(), error))?;
    write_whole("-".as_ref(), &text)
}
