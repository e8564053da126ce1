//! Options that say how a table is read, shared by every command that reads one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use unmiss::data::images::{self, ImageOptions, Images, Pixels};
use unmiss::data::ratings::{self, Ratings, RatingsOptions};
use unmiss::data::{self, Data, DateOrder, Kind, MissingTokens, Note, ReadOptions, Shape, Table};
use unmiss::encode::{Coder, Task};
use unmiss::error::{Act, Error, Result};
use unmiss::model::{Model, Roles, kinds_of};

use crate::advice::{remark, told};
use crate::form_input::FormArguments;
use crate::printer::Printer;

/// Name and value of each NAME=VALUE of `--set`.
pub fn settings(typed: &[String]) -> Result<Vec<(&str, &str)>> {
    let wrong = |setting: &String| {
        Error::setting("set", format!("`{setting}` is not of the form NAME=VALUE"))
            .with_hint(format!("say --set {setting}=VALUE"))
    };
    typed.iter().map(|setting| setting.split_once('=').ok_or_else(|| wrong(setting))).collect()
}

/// A model and what it is asked about, which people may name the other way round.
pub fn load_model(path: &Path, data: Option<&Path>) -> Result<Model> {
    Model::load(path).map_err(|error| match data.filter(|data| Model::load(data).is_ok()) {
        Some(data) => {
            let what = format!("{} is no model, and {} is one", path.display(), data.display());
            Error::data(what).with_hint("the model comes first, then the data")
        }
        None => error,
    })
}

/// How to read the table.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Reading the table")]
pub struct InputArguments {
    #[command(flatten)]
    form: FormArguments,
    /// Columns whose values are categories, whatever they look like
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    categorical: Vec<String>,
    /// Categories that have an order, as gen=G1<G2<G3 (repeatable): predictors learn from their rank
    #[arg(long, value_name = "COLUMN=ORDER")]
    ordered: Vec<String>,
    /// Columns whose values are numbers; anything else in them is an error
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    numeric: Vec<String>,
}

/// Which columns hold ratings. With any of these, the data are ratings and not a table.
#[derive(clap::Args, Default, Clone)]
#[command(next_help_heading = "Ratings")]
pub struct RatingColumns {
    /// The column of users [default: user, userId and their like]
    #[arg(long, value_name = "COLUMN")]
    user: Option<String>,
    /// The column of items [default: item, movieId and their like]
    #[arg(long, value_name = "COLUMN")]
    item: Option<String>,
    /// The column of ratings [default: rating, score, stars]
    #[arg(long, value_name = "COLUMN")]
    rating: Option<String>,
    /// The column of times: of several ratings for the same user and item the latest counts [default: time, timestamp];
    /// of series, when each value was measured; of a table with --target, learn from earlier rows and judge on later
    /// ones
    #[arg(long, value_name = "COLUMN")]
    time: Option<String>,
    /// How the data are laid out [default: seen from the options and the file]
    #[arg(long, value_name = "SHAPE")]
    shape: Option<ShapeArgument>,
}

/// How data are laid out.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum ShapeArgument {
    Table,
    Ratings,
    Images,
    Series,
}

/// What is known of images beside their own file.
#[derive(clap::Args, Default, Clone)]
#[command(next_help_heading = "Images")]
pub struct ImageArguments {
    /// The class of each image: IDX, .npy, or a table with a column `label`
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Masks: IDX, .npy, .npz or a folder of pictures; what is 0, or dark, is a hole
    #[arg(long, value_name = "FILE")]
    observed: Option<PathBuf>,
    /// Pixels of this colour are holes, as #ff00ff
    #[arg(long, value_name = "COLOUR", value_parser = colour)]
    missing_colour: Option<[u8; 3]>,
}

impl ImageArguments {
    /// Reads images, holes and classes.
    pub fn read(&self, path: &Path) -> Result<Images> {
        let Self { labels, observed, missing_colour } = self.clone();
        images::read(path, &ImageOptions { labels, observed, missing_colour })
    }

    /// Reads images for a model: the colour that stood for "missing" when it learned still does, and labels are
    /// numbers where it predicts numbers.
    pub fn read_for_model(&self, path: &Path, model: &Model) -> Result<Images> {
        let mut images = self.read(path)?;
        let bytes = matches!(images.values(), Pixels::Bytes(_));
        if let (Some(colour), None, true) = (model.coder.images()?.missing_colour, self.missing_colour, bytes)
        {
            images = images.without_colour(colour)?;
        }
        match model.predicting() {
            Ok(predicting) if predicting.target.task == Task::Regression => images.with_numbers(),
            _ => Ok(images),
        }
    }

    /// Notes in a model which colour stood for "missing".
    pub fn note_in(&self, model: &mut Model) {
        if let Coder::Images(coder) = &mut model.coder {
            coder.missing_colour = self.missing_colour;
        }
    }

    /// What there is to say about a colour in pictures that do not keep colours.
    pub fn remarks(&self, images: &Images, printer: &Printer) {
        let is_jpeg = |name: &String| [".jpg", ".jpeg"].iter().any(|end| name.to_lowercase().ends_with(end));
        let mut names = images.names.iter().flatten();
        if self.missing_colour.is_some() && names.any(is_jpeg) {
            printer.say(
                "note: JPEG changes colours a little, so that pixels of the colour given by --missing-colour may not \
                 be found in .jpg pictures: save them as PNG, or give a mask with --observed",
            );
        }
    }

    /// The files that are read beside the images.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.labels.iter().chain(&self.observed)
    }

    /// Refuses these options for data that are no images.
    pub fn only_for_images(&self, shape: Shape) -> Result<()> {
        let given = [
            ("labels", self.labels.is_some()),
            ("observed", self.observed.is_some()),
            ("missing-colour", self.missing_colour.is_some()),
        ];
        match given.iter().find(|(_, given)| *given && shape != Shape::Images) {
            Some((name, _)) => {
                Err(Error::setting(*name, format!("this is for images, and the data are {}", plural(shape)))
                    .with_hint(format!("leave out --{name}, or say --shape images if the data are images")))
            }
            None => Ok(()),
        }
    }
}

/// Images whose classes would be needed.
pub fn unlabelled(path: &Path) -> Error {
    Error::data(format!("{}: the classes of the images are not known", path.display()))
        .with_hint("say --labels FILE, or put pictures into a sub-folder for each class")
}

/// A colour as typed: red, green and blue, two digits each.
fn colour(typed: &str) -> std::result::Result<[u8; 3], String> {
    let digits = typed.strip_prefix('#').unwrap_or(typed);
    let part = |place: usize| digits.get(place..place + 2).and_then(|part| u8::from_str_radix(part, 16).ok());
    match (digits.len(), part(0), part(2), part(4)) {
        (6, Some(red), Some(green), Some(blue)) => Ok([red, green, blue]),
        _ => Err("a colour is written as #ff00ff: red, green and blue, two digits each".into()),
    }
}

/// Data of a shape, as the end of a sentence.
fn plural(shape: Shape) -> &'static str {
    match shape {
        Shape::Table => "a table",
        Shape::Ratings => "ratings",
        Shape::Images => "images",
        Shape::Series => "series",
    }
}

impl RatingColumns {
    /// The same, for data that are ratings in any case.
    pub fn for_ratings(mut self) -> Self {
        self.shape = Some(ShapeArgument::Ratings);
        self
    }

    /// The shape that is told.
    pub fn told(&self) -> Option<ShapeArgument> {
        self.shape
    }

    /// Whether a column of times is named, and nothing else.
    pub fn is_of_time_alone(&self) -> bool {
        let others = [&self.user, &self.item, &self.rating];
        self.time.is_some() && self.shape.is_none() && others.iter().all(|name| name.is_none())
    }

    /// Which columns are named, for data without columns.
    pub fn given(&self) -> [(&'static str, bool); 4] {
        [("user", &self.user), ("item", &self.item), ("rating", &self.rating), ("time", &self.time)]
            .map(|(name, column)| (name, column.is_some()))
    }

    /// The column of times.
    pub fn time(&self) -> Option<&str> {
        self.time.as_deref()
    }

    /// The shape of the data: as told, as the options say, or as the file shows.
    pub fn shape(&self, path: &Path) -> Shape {
        let named = [&self.user, &self.item, &self.rating, &self.time].iter().any(|name| name.is_some());
        match self.shape {
            Some(ShapeArgument::Table) => Shape::Table,
            Some(ShapeArgument::Ratings) => Shape::Ratings,
            Some(ShapeArgument::Images) => Shape::Images,
            Some(ShapeArgument::Series) => Shape::Series,
            None if images::is_images(path) => Shape::Images,
            None if named || ratings::is_unnamed(path) => Shape::Ratings,
            None => Shape::Table,
        }
    }

    /// The library's form of these options, with the words and the delimiter of the others.
    pub fn options(&self, input: &InputArguments) -> Result<RatingsOptions> {
        let ReadOptions { delimiter, missing, .. } = input.options()?;
        let Self { user, item, rating, time, .. } = self.clone();
        Ok(RatingsOptions { user, item, rating, time, delimiter, missing })
    }

    /// Reads ratings and tells what the reader noticed.
    pub fn read(&self, path: &Path, input: &InputArguments, printer: &Printer) -> Result<Ratings> {
        let reading = ratings::read(path, &self.options(input)?)?;
        reading.notes().iter().for_each(|note| printer.say(&format!("note: {note}")));
        Ok(reading.ratings)
    }
}

/// The shape of data that are no ratings: as told, or as the file shows.
pub fn shape_of(told: Option<ShapeArgument>, path: &Path) -> Shape {
    match told {
        Some(ShapeArgument::Images) => Shape::Images,
        Some(_) => Shape::Table,
        None if images::is_images(path) => Shape::Images,
        None => Shape::Table,
    }
}

/// Refuses images where a table is needed.
pub fn no_images(path: &Path, wanted: &str) -> Result<()> {
    match images::is_images(path) {
        true => Err(Error::data(format!("{}: these are images, and {wanted}", path.display()))
            .with_hint("`unmiss methods` and `unmiss COMMAND --help` tell what can be done with images")),
        false => Ok(()),
    }
}

/// Refuses options that mean nothing for data of a shape.
pub fn only_for_tables(shape: Shape, given: &[(&str, bool)]) -> Result<()> {
    match given.iter().find(|(_, given)| *given) {
        Some((name, _)) => {
            Err(Error::setting(*name, format!("this is for tables, and the data are {}", plural(shape)))
                .with_hint(format!("leave out --{name}, or say --shape table if the data are a table")))
        }
        None => Ok(()),
    }
}

impl InputArguments {
    /// Reads the table and tells what the reader noticed.
    pub fn read(&self, path: &Path, keep_source: bool, printer: &Printer) -> Result<Table> {
        let reading = data::read(path, &ReadOptions { keep_source, ..self.options()? })?;
        reading.notes.iter().for_each(|note| printer.say(&remark(note)));
        Ok(reading.table)
    }

    /// Reads a table that nobody learns a target from: what could be said about roles is no use there.
    pub fn read_as_it_is(&self, path: &Path, printer: &Printer) -> Result<Table> {
        let reading = data::read(path, &self.options()?)?;
        let carried = |note: &&Note| {
            let named = reading.table.columns().iter().filter(|column| !column.is_usable());
            is_about(note, &named.map(|column| column.name.clone()).collect::<Vec<_>>())
        };
        let of_roles = |note: &&Note| matches!(note.act, Some(Act::LeaveOutId { .. }));
        let notes = reading.notes.iter().filter(|note| !of_roles(note) && !carried(note));
        notes.for_each(|note| printer.say(&remark(note)));
        Ok(reading.table)
    }

    /// Reads a table without some of its columns; tells what the reader noticed about the others, and gives it back.
    pub fn read_without(
        &self,
        path: &Path,
        left_out: &[String],
        printer: &Printer,
    ) -> Result<(Table, Vec<String>)> {
        let reading = data::read(path, &self.options()?)?;
        for name in left_out {
            reading.table.column(name)?;
        }
        tell(&reading.notes, left_out, printer);
        let noted = reading.notes.iter().filter(|note| !is_about(note, left_out)).map(told).collect();
        let rows: Vec<usize> = (0..reading.table.rows()).collect();
        let table = match left_out {
            [] => reading.table,
            _ => reading.table.part(&rows, |column| !left_out.contains(&column.name)),
        };
        Ok((table, noted))
    }

    /// Reads a table to learn from and tells what the reader noticed about its inputs. Columns with another
    /// role need no word, and why a column can't be an input is told by the fit.
    pub fn read_inputs(&self, path: &Path, roles: &Roles, printer: &Printer) -> Result<Data> {
        let reading = data::read(path, &self.options()?)?;
        let (data, notes) = (Data::from(reading.table), reading.notes);
        let inputs = roles.inputs(&roles.labelled(&data)?)?;
        let is_input = |name: &String| {
            inputs.names.contains(name) || inputs.made.iter().any(|made| made.column == *name)
        };
        let others = data.columns().iter().map(|column| &column.name).filter(|name| !is_input(name));
        // What is made of dates and text is told by the fit; what can be done about them is not.
        let made: Vec<String> = inputs.made.iter().map(|made| made.column.clone()).collect();
        let notes: Vec<Note> =
            notes.into_iter().filter(|note| note.act.is_some() || !is_about(note, &made)).collect();
        tell(&notes, &others.cloned().collect::<Vec<_>>(), printer);
        Ok(data)
    }

    /// Whether columns are told to be categories or numbers.
    pub fn tells_kinds(&self) -> bool {
        !self.categorical.is_empty() || !self.numeric.is_empty()
    }

    /// Which options about the form of a table are given, for data that are none.
    pub fn given(&self) -> Vec<(&'static str, bool)> {
        let mut given = self.form.given();
        given.extend([
            ("categorical", !self.categorical.is_empty()),
            ("numeric", !self.numeric.is_empty()),
            ("ordered", !self.ordered.is_empty()),
        ]);
        given
    }

    /// Columns told to be categories.
    pub fn categorical(&self) -> &[String] {
        &self.categorical
    }

    /// How the file is laid out.
    pub fn form(&self) -> &FormArguments {
        &self.form
    }

    /// Reads rows for a model: its inputs have the kinds, and the words for "missing", that they had in training.
    pub fn read_for_model(&self, path: &Path, model: &Model) -> Result<Data> {
        let mut options = self.options()?;
        options.missing = self.form.missing(model.missing.clone())?;
        options.kinds.extend(kinds_of(model.coder.table()?));
        Ok(data::read(path, &options)?.table.into())
    }

    /// The order of dates, where it is said.
    pub fn dates(&self) -> Option<DateOrder> {
        self.form.dates()
    }

    /// The levels of each category that has an order, from the least to the most.
    pub fn ordered(&self) -> Result<BTreeMap<String, Vec<String>>> {
        let pair = |typed: &String| {
            let (column, levels) = typed.split_once('=')?;
            let levels: Vec<String> = levels.split('<').map(|level| level.trim().to_owned()).collect();
            (levels.len() > 1 && levels.iter().all(|level| !level.is_empty()))
                .then(|| (column.to_owned(), levels))
        };
        let wrong = |typed: &String| {
            Error::setting("ordered", format!("`{typed}` is not of the form COLUMN=A<B<C"))
                .with_hint("say for example --ordered 'grade=G1<G2<G3', in quotes")
        };
        self.ordered.iter().map(|typed| pair(typed).ok_or_else(|| wrong(typed))).collect()
    }

    /// The library's form of these options.
    pub fn options(&self) -> Result<ReadOptions> {
        let mut options = ReadOptions {
            delimiter: self.form.delimiter()?,
            form: self.form.form(),
            missing: self.form.missing(MissingTokens::default())?,
            ..ReadOptions::default()
        };
        if let Some(column) = self.categorical.iter().find(|column| self.numeric.contains(column)) {
            return Err(Error::data(format!("column `{column}` is said to be numbers and categories"))
                .with_hint("name it in one of --categorical and --numeric only"));
        }
        options.kinds.extend(self.ordered()?.into_keys().map(|column| (column, Kind::Category)));
        let kinds = [(&self.categorical, Kind::Category), (&self.numeric, Kind::Real)];
        for (columns, kind) in kinds {
            options.kinds.extend(columns.iter().map(|column| (column.clone(), kind)));
        }
        Ok(options)
    }
}

/// Tells what a reader noticed, but for remarks on some of the columns.
fn tell(notes: &[Note], but: &[String], printer: &Printer) {
    let others = notes.iter().filter(|note| !is_about(note, but));
    others.for_each(|note| printer.say(&remark(note)));
}

/// Whether a remark is on one of some columns.
fn is_about(note: &Note, columns: &[String]) -> bool {
    columns.iter().any(|name| note.text.starts_with(&format!("column `{name}` ")))
}
