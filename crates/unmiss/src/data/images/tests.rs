use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::error::Result;

const SMALL: Size = Size { channels: 1, height: 2, width: 3 };

/// Colour images with labels; the last pixel of the second is a hole.
fn colours() -> Images {
    let size = Size { channels: 3, height: 2, width: 2 };
    let values = Pixels::Bytes((0..24).map(|cell| cell as u8 * 10).collect());
    let known = Observed::Pixels(Bits::from_marks((0..8).map(|pixel| pixel != 7)));
    let labels = super::array::classes(["ship", "cat"].map(|word| Some(word.to_owned())).to_vec());
    Images::new(size, values, known).unwrap().with_labels(Some(labels)).unwrap()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn bytes_of(images: &Images, name: &str) -> Vec<u8> {
    let folder = folder();
    let path = folder.path().join(name);
    write(images, &path).unwrap();
    std::fs::read(path).unwrap()
}

fn refusal(result: Result<Images>) -> String {
    result.unwrap_err().to_string()
}

fn at(path: &Path) -> Result<Images> {
    read(path, &ImageOptions::default())
}

#[test]
fn the_sample_is_as_described() {
    let digits = sample().unwrap();
    assert_eq!((digits.len(), digits.size().cells(), digits.has_holes()), (1797, 64, false));
    let labels = digits.labels().unwrap();
    assert_eq!(labels.codes().unwrap().1, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    assert_eq!(digits.value(0, 2), 80.0, "5 of 16, stretched to 255");
}

#[test]
fn every_form_gives_back_what_went_in() {
    let folder = folder();
    let at_name = |name: &str| folder.path().join(name);
    let images = colours();
    for name in ["a.npz", "pictures"] {
        write(&images, &at_name(name)).unwrap();
        let again = at(&at_name(name)).unwrap();
        let order: Vec<usize> = if name == "pictures" { vec![1, 0] } else { vec![0, 1] };
        let expected = images.select(&order);
        assert_eq!((again.values(), again.observed()), (expected.values(), expected.observed()), "{name}");
        assert_eq!(again.labels(), expected.labels(), "{name}");
    }
    let whole = images.clone().whole();
    for name in ["a.npy", "a.npy.gz", "a.idx", "b-ubyte.gz"] {
        write(&whole, &at_name(name)).unwrap();
        assert_eq!(at(&at_name(name)).unwrap(), whole.clone().without_labels(), "{name}");
    }
    write(&images, &at_name("holes.npy")).unwrap();
    let holes = at(&at_name("holes.npy")).unwrap();
    assert_eq!(holes.observed(), images.observed(), "NaN of all channels is a hole of the pixel");
    assert_eq!(holes.value(0, 3), 30.0);
    for name in ["holes.idx", "holes.bin"] {
        let error = write(&images, &at_name(name)).unwrap_err();
        assert!(error.to_string().ends_with("files of this form have no place for holes"), "{error}");
        assert!(!at_name(name).exists());
    }
    assert!(
        refusal(write(&images, &at_name("a.csv")).map(|()| images.clone())).contains("a file of this name")
    );
    assert!(write(&images, &at_name("pictures")).is_err(), "a folder that is not empty stays");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 7, "nothing else is left behind");
}

#[test]
fn flat_arrays_stay_flat_and_numbers_stay_numbers() {
    let mut images =
        Images::new(SMALL, Pixels::Numbers((0..12).map(|cell| cell as f32 / 4.0).collect()), Observed::All)
            .unwrap();
    images.flat = true;
    images.hide(0, 4);
    for name in ["a.npz", "a.npy"] {
        let again = from_bytes(name, bytes_of(&images, name)).unwrap();
        assert_eq!(again, images, "{name}");
    }
    let text = String::from_utf8_lossy(&bytes_of(&images, "a.npy")).into_owned();
    assert!(text.contains("'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3)"), "{text}");
    // A single channel may be missing on its own.
    let size = Size { channels: 2, height: 1, width: 1 };
    let one =
        Images::new(size, Pixels::Numbers(vec![1.0, 2.0]), Observed::Cells(Bits::from_marks([true, false])));
    let again = from_bytes("c.npy", bytes_of(&one.unwrap(), "c.npy")).unwrap();
    assert!(again.is_known(0, 0) && !again.is_known(0, 1) && !again.is_pixel_known(0, 0));
}

#[test]
fn cifar_records_come_back_byte_for_byte() {
    let record = |label: u8, seed: usize| {
        std::iter::once(label).chain((0..3072).map(move |cell| ((cell * 7 + seed) % 256) as u8))
    };
    let bytes: Vec<u8> = record(3, 1).chain(record(9, 2)).collect();
    let images = from_bytes("set.bin", bytes.clone()).unwrap();
    assert_eq!((images.len(), images.labels().unwrap().cell(1).as_deref()), (2, Some("9")));
    assert_eq!(images.value(1, 0), 2.0);
    assert_eq!(bytes_of(&images, "again.bin"), bytes);
    let mut wrong = bytes.clone();
    wrong[3073] = 12;
    assert_eq!(
        refusal(from_bytes("set.bin", wrong)),
        "set.bin: record 2 has the label 12, and there are 0 to 9"
    );
    let cut = bytes[..4000].to_vec();
    assert_eq!(
        refusal(from_bytes("set.bin", cut)),
        "set.bin: 4000 bytes are not a number of CIFAR records of 3073 bytes"
    );
}

#[test]
fn masks_colours_and_labels_come_from_elsewhere() {
    let folder = folder();
    let at_name = |name: &str| folder.path().join(name);
    let whole = colours().whole();
    write(&whole, &at_name("pictures")).unwrap();
    let mask = Images::new(
        Size { channels: 1, height: 2, width: 2 },
        Pixels::Bytes(vec![0, 255, 255, 255, 9, 9, 9, 0]),
        Observed::All,
    );
    let mut mask = mask.unwrap();
    mask.flat = true;
    write(&mask, &at_name("mask.npy")).unwrap();
    let with = |options: ImageOptions| read(&at_name("pictures"), &options);
    let masked = with(ImageOptions { observed: Some(at_name("mask.npy")), ..Default::default() }).unwrap();
    assert_eq!((masked.known_pixels(0), masked.known_pixels(1)), (3, 3));
    assert!(!masked.is_pixel_known(0, 0) && masked.value(0, 0) == 0.0);
    // Of masks that are pictures, dark is missing; the second is dark all over.
    std::fs::create_dir_all(at_name("masks/cat")).unwrap();
    std::fs::create_dir_all(at_name("masks/ship")).unwrap();
    for (image, name) in [(0, "masks/cat/000002.png"), (1, "masks/ship/000001.png")] {
        std::fs::write(at_name(name), png(&mask, image).unwrap()).unwrap();
    }
    let masked = with(ImageOptions { observed: Some(at_name("masks")), ..Default::default() }).unwrap();
    assert_eq!((masked.known_pixels(0), masked.known_pixels(1)), (3, 0));
    // The first pixel of the first picture, which is the second image, is 120, 160, 200.
    let coloured =
        with(ImageOptions { missing_colour: Some([120, 160, 200]), ..Default::default() }).unwrap();
    assert!(!coloured.is_pixel_known(0, 0) && coloured.known_pixels(1) == 4);
    std::fs::write(at_name("labels.csv"), "label,image\nboat,000001\ntiger,000002\n").unwrap();
    let told = with(ImageOptions { labels: Some(at_name("labels.csv")), ..Default::default() }).unwrap();
    assert_eq!(told.labels().unwrap().cell(0).as_deref(), Some("tiger"));
    for (file, text, what) in [
        ("few.csv", "label\nboat\n", "there are 1 labels for 2 images"),
        (
            "odd.csv",
            "label,image\nboat,1\ntiger,000002\n",
            "there is no line for the picture `ship/000001.png`",
        ),
        ("which.csv", "a,b\n1,2\n3,4\n", "it is not clear which column has the labels"),
        (
            "twice.csv",
            "label,image\nboat,000001\ntiger,000002\ncat,000002\n",
            "the picture `000002` has two labels: `tiger` and `cat`",
        ),
    ] {
        std::fs::write(at_name(file), text).unwrap();
        let error = refusal(with(ImageOptions { labels: Some(at_name(file)), ..Default::default() }));
        assert!(error.ends_with(what) && error.contains(file), "{error}");
    }
    write(&whole, &at_name("wrong.npy")).unwrap();
    std::fs::write(at_name("short.npy"), b"\x93NUMPY\x01\0").unwrap();
    for (file, what) in
        [("labels.csv", "this can't be read as masks"), ("short.npy", "this is not a whole .npy file")]
    {
        let error = refusal(with(ImageOptions { observed: Some(at_name(file)), ..Default::default() }));
        assert!(error.ends_with(what) && error.contains(file), "{error}");
    }
    let digits = read(
        "sample:digits".as_ref(),
        &ImageOptions { observed: Some(at_name("mask.npy")), ..Default::default() },
    );
    assert!(refusal(digits).contains("the mask has the shape [2, 2, 2], and the images are 1797 of 8 x 8"));
}

#[test]
fn pictures_that_share_a_stem_are_kept_apart() {
    let folder = folder();
    let at_name = |name: &str| folder.path().join(name);
    let grey = |value: u8| Images::new(SMALL, Pixels::Bytes(vec![value; 6]), Observed::All).unwrap();
    std::fs::create_dir(at_name("pictures")).unwrap();
    for (name, value) in [("pictures/0.png", 1), ("pictures/0.jpg", 2), ("pictures/1.png", 3)] {
        // What a picture is is told by its first bytes, not by its name.
        std::fs::write(at_name(name), png(&grey(value), 0).unwrap()).unwrap();
    }
    let images = at(&at_name("pictures")).unwrap();
    write(&images, &at_name("again")).unwrap();
    let again = at(&at_name("again")).unwrap();
    assert_eq!(again.names.as_deref().unwrap(), ["0.jpg.png", "0.png.png", "1.png"]);
    assert_eq!(again.values(), images.values(), "none is lost");
    // Masks of the very names go before those of other endings.
    std::fs::create_dir(at_name("masks")).unwrap();
    for (name, value) in [("masks/0.png", 0), ("masks/0.jpg", 255), ("masks/1.jpg", 255)] {
        std::fs::write(at_name(name), png(&grey(value), 0).unwrap()).unwrap();
    }
    let options = ImageOptions { observed: Some(at_name("masks")), ..Default::default() };
    let masked = read(&at_name("pictures"), &options).unwrap();
    assert_eq!([0, 1, 2].map(|image| masked.known_pixels(image)), [6, 0, 6]);
    // A line that fits several pictures tells nothing.
    std::fs::write(at_name("labels.csv"), "label,image\nboat,0\ntiger,1.png\n").unwrap();
    let options = ImageOptions { labels: Some(at_name("labels.csv")), ..Default::default() };
    let error = refusal(read(&at_name("pictures"), &options));
    assert!(error.ends_with("the line for `0` fits both pictures `0.jpg` and `0.png`"), "{error}");
    std::fs::write(at_name("labels.csv"), "label,image\na,0.png\nb,0.jpg\na,1\n").unwrap();
    let told = read(&at_name("pictures"), &options).unwrap();
    assert_eq!([0, 1, 2].map(|image| told.labels().unwrap().cell(image).unwrap()), ["b", "a", "a"]);
}

#[test]
fn grey_pictures_among_those_in_colour_have_three_equal_channels() {
    let folder = folder();
    let colour = Size { channels: 3, ..SMALL };
    let of = |size: Size, first: u8| {
        let values = (0..size.cells()).map(|cell| first + cell as u8).collect();
        Images::new(size, Pixels::Bytes(values), Observed::All).unwrap()
    };
    for (name, picture) in [("a.png", of(SMALL, 0)), ("b.png", of(colour, 50)), ("c.png", of(SMALL, 100))] {
        std::fs::write(folder.path().join(name), png(&picture, 0).unwrap()).unwrap();
    }
    let images = at(folder.path()).unwrap();
    assert_eq!((images.len(), images.size()), (3, colour));
    for channel in 0..3 {
        let values = [0, 1, 2].map(|image| images.value(image, 6 * channel + 1));
        assert_eq!(values, [1.0, (51 + 6 * channel) as f32, 101.0]);
    }
}

#[test]
fn odd_and_damaged_pictures_are_refused_by_name() {
    let folder = folder();
    let at_name = |name: &str| folder.path().join(name);
    assert!(refusal(at(folder.path())).ends_with("there is no picture in this folder"));
    let grey = |size: Size| Images::new(size, Pixels::Bytes(vec![7; size.cells()]), Observed::All).unwrap();
    std::fs::write(at_name("a.png"), png(&grey(SMALL), 0).unwrap()).unwrap();
    std::fs::write(at_name("b.png"), png(&grey(Size { height: 3, ..SMALL }), 0).unwrap()).unwrap();
    let error = refusal(at(folder.path()));
    assert!(error.ends_with("b.png: this picture is 3 x 3, and the others are 2 x 3"), "{error}");
    let whole = png(&grey(SMALL), 0).unwrap();
    std::fs::write(at_name("b.png"), &whole[..whole.len() - 20]).unwrap();
    assert!(refusal(at(folder.path())).contains("b.png: the picture can't be read"));
    std::fs::remove_file(at_name("b.png")).unwrap();
    std::fs::create_dir(at_name("class")).unwrap();
    std::fs::copy(at_name("a.png"), at_name("class/c.png")).unwrap();
    assert!(refusal(at(folder.path())).contains("its class is not known"));
    assert!(
        refusal(at(&at_name("a.png"))).ends_with("this is a single picture, and a set of them is needed")
    );
}

#[test]
fn heads_are_held_against_the_file_before_memory_is_taken() {
    let idx = |axes: [u32; 3]| {
        let mut bytes = vec![0, 0, 8, 3];
        axes.iter().for_each(|axis| bytes.extend(axis.to_be_bytes()));
        bytes.extend([1; 6]);
        bytes
    };
    assert_eq!(from_bytes("a.idx", idx([1, 2, 3])).unwrap().size(), SMALL);
    for axes in [[u32::MAX; 3], [2, 2, 3], [1, 1, 3], [0, 2, 3]] {
        let error = refusal(from_bytes("a.idx", idx(axes)));
        assert!(error.starts_with("a.idx: its head speaks of"), "{error}");
    }
    let mut huge = npy::head("<f8", &[usize::MAX, 8, 8]);
    assert!(refusal(from_bytes("a.npy", huge.clone())).contains("more numbers than there can be"));
    huge = npy::head("|u1", &[1 << 40, 8, 8]);
    assert!(refusal(from_bytes("a.npy", huge)).contains("and 0 follow"));
    let mut last = npy::head("|u1", &[2, 8, 9, 3]);
    last.extend([0; 432]);
    let error = from_bytes("a.npy", last).unwrap_err();
    assert_eq!(error.to_string(), "a.npy: an array of the shape [2, 8, 9, 3] has its channels last");
    assert_eq!(error.hint_text(), "put them second: `numpy.moveaxis(array, 3, 1)`");
    let mut infinite = npy::head("<f4", &[1, 1, 1]);
    infinite.extend(f32::INFINITY.to_le_bytes());
    assert_eq!(refusal(from_bytes("a.npy", infinite)), "a.npy: a known pixel is not a finite number");
}

/// Small files of each form to be damaged.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let whole = colours().whole();
    let pixels = Pixels::Bytes((0..3072).map(|cell| (cell % 256) as u8).collect());
    let label = super::array::classes(vec![Some("4".to_owned())]);
    let cifar =
        Images::new(super::cifar::SIZE, pixels, Observed::All).unwrap().with_labels(Some(label)).unwrap();
    vec![
        ("a.npz", bytes_of(&colours(), "a.npz")),
        ("a.npy", bytes_of(&colours(), "a.npy")),
        ("a.idx", bytes_of(&whole, "a.idx")),
        ("a.bin", bytes_of(&cifar, "a.bin")),
    ]
}

proptest! {
    #[test]
    fn damaged_files_never_panic(which in 0..4_usize, at in any::<prop::sample::Index>(), bit in 0..8_u32, cut in any::<bool>()) {
        let (name, mut bytes) = files().swap_remove(which);
        let place = at.index(bytes.len());
        if cut {
            bytes.truncate(place);
            prop_assert!(from_bytes(name, bytes).is_err(), "{} of {}", place, name);
        } else {
            bytes[place] ^= 1 << bit;
            if let Ok(images) = from_bytes(name, bytes) {
                prop_assert!(images.size().cells() > 0);
            }
        }
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), which in 0..4_usize) {
        let (name, start) = [("a.npz", npz::MAGIC), ("a.npy", npy::MAGIC), ("a.idx", &[0, 0, 8, 3]), ("a.bin", &[])][which];
        let _ = from_bytes(name, [start, &bytes].concat());
    }

    #[test]
    fn damaged_pictures_never_panic(at in any::<prop::sample::Index>(), bit in 0..8_u32, cut in any::<bool>()) {
        let mut bytes = png(&colours(), 1).unwrap();
        let place = at.index(bytes.len());
        if cut { bytes.truncate(place) } else { bytes[place] ^= 1 << bit }
        let folder = folder();
        std::fs::write(folder.path().join("a.png"), bytes).unwrap();
        let _ = super::read(folder.path(), &ImageOptions::default());
    }
}
