use super::*;

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    assert!(write_whole(&folder.path().join("absent/model.unmiss"), b"x").is_err());
    let path = folder.path().join("model.unmiss");
    write_whole(&path, b"old").unwrap();
    let mut output = Output::create(&path).unwrap();
    output.write(b"new").unwrap();
    let refuse = |written: &Path| {
        assert_eq!(std::fs::read(written).unwrap(), b"new");
        Err(Error::data("refused"))
    };
    assert_eq!(output.finish_if(refuse).unwrap_err().to_string(), "refused");
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn only_tables_are_packed_by_their_ending() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gz");
    write_whole(&path, b"x").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"x");
    let mut output = Output::create_by_ending(&path).unwrap();
    output.write(b"x").unwrap();
    output.finish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap()[..2], [0x1f, 0x8b]);
}

#[cfg(unix)]
#[test]
fn files_have_the_rights_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let rights =
        |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
    // Whatever the umask is, it is the same for both.
    std::fs::write(folder.path().join("usual"), b"x").unwrap();
    write_whole(&folder.path().join("ours"), b"x").unwrap();
    assert_eq!(rights("ours"), rights("usual"));
}

#[cfg(unix)]
#[test]
fn links_stay_links_and_pipes_stay_pipes() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("inner")).unwrap();
    // A chain of links, relative and absolute, to a file that is not there yet.
    symlink("inner/second", at("first")).unwrap();
    symlink(at("file"), at("inner/second")).unwrap();
    for text in ["new", "newer"] {
        write_whole(&at("first"), text.as_bytes()).unwrap();
        assert_eq!(std::fs::read_to_string(at("file")).unwrap(), text);
        assert!(["first", "inner/second"].iter().all(|name| at(name).is_symlink()));
    }
    let pipe = at("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    symlink("pipe", at("to pipe")).unwrap();
    assert!(!is_plain(&at("to pipe")) && is_plain(&at("first")) && is_plain(&at("absent")));
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).unwrap()
    });
    write_whole(&at("to pipe"), b"through").unwrap();
    assert_eq!(reader.join().unwrap(), b"through");
    assert!(std::fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
}

#[cfg(unix)]
#[test]
fn a_file_is_known_under_all_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("inner")).unwrap();
    std::fs::write(at("file"), "x").unwrap();
    std::fs::write(at("other"), "x").unwrap();
    std::fs::hard_link(at("file"), at("hard")).unwrap();
    std::os::unix::fs::symlink("file", at("link")).unwrap();
    std::os::unix::fs::symlink("new", at("dangling")).unwrap();
    for name in ["file", "hard", "link", "inner/../file"] {
        assert!(is_same_file(&at("file"), &at(name)) && is_same_file(&at(name), &at("file")), "{name}");
        assert!(!is_same_file(&at("other"), &at(name)), "{name}");
    }
    assert!(is_same_file(&at("new"), &at("inner/../new")) && is_same_file(&at("dangling"), &at("new")));
    assert!(!is_same_file(&at("new"), &at("newer")) && !is_same_file(&at("new"), &at("file")));
    assert!(!is_same_file(Path::new("/dev/null"), Path::new("/dev/null")), "nothing is lost there");
}
