//! `fill` for tables: rows without holes, once or as many plausible ways as asked. Every known cell comes back as it
//! was sent.

use unmiss::data::{CellReader, Column, Data, Kind, Table, TableWriter};
use unmiss::methods::Draw;
use unmiss::model::Filled;

use crate::arrow_rows;
use crate::asked::Asked;
use crate::fault::{Answer, Fault};
use crate::formats::Format;
use crate::json_rows::{self, Row};
use crate::json_text::{push_cell, push_name, push_rows, push_text, push_value};
use crate::metrics::Holes;
use crate::reply::{Notes, Reply, Sent};
use crate::rows::{Piece, Source, check_count};
use crate::work::Work;

/// Parameters of the route.
pub const PARAMETERS: &[&str] = &["draws", "seed", "id", "strict", "sent"];
/// Draws of a request, at most.
const MOST_DRAWS: u64 = 1000;

/// A request to fill holes.
pub struct Fill {
    asked: Asked,
    holes: Holes,
    /// The numbers of draws, from 1; none for best guesses.
    draws: Vec<Option<u64>>,
    seed: u64,
    opened: Option<(Source, Vec<CellReader>)>,
    /// One for each draw.
    outs: Vec<Out>,
    sent: Sent,
    rows: usize,
    notes: Notes,
}

/// Filled rows on their way out.
enum Out {
    Json(Vec<u8>),
    Csv(TableWriter),
    Arrow(arrow_rows::Writer),
}

impl Fill {
    /// Takes a request on; `holes` counts what is missing.
    pub fn new(asked: Asked, holes: Holes) -> Answer<Self> {
        asked.served.model.filling()?;
        let most = format!("a whole number from 1 to {MOST_DRAWS}");
        let draws = asked.query.number("draws", &most, |draws| (1..=MOST_DRAWS).contains(draws))?;
        let seed = asked.seed()?;
        let sent = asked.sent()?;
        asked.query.flag("strict")?;
        let draws: Vec<Option<u64>> = draws.map_or(vec![None], |draws| (1..=draws).map(Some).collect());
        Ok(Self {
            asked,
            holes,
            draws,
            seed,
            opened: None,
            outs: Vec::new(),
            sent,
            rows: 0,
            notes: Notes::default(),
        })
    }

    fn open(&mut self) -> Answer<()> {
        let served = &self.asked.served;
        let options = self.asked.options()?;
        let mut source = Source::open(self.asked.input, &self.asked.body, options, &[])?;
        let header_names = source.header()?;
        if let Some(header) = &header_names {
            served.model.check_header(header, "body")?;
        }
        // All columns take part: formulas may name them, and they come back beside the others.
        let kind = |name: &str| options.kinds.get(name).copied().unwrap_or(Kind::Date);
        let mut names: Vec<String> = match source.json() {
            Some(rows) => json_rows::names(rows),
            None => header_names.clone().unwrap_or_default(),
        };
        let ids = self.asked.query.list("id");
        if let Some(absent) = ids.iter().find(|id| !names.contains(id)) {
            let hint = "name a column that the rows have, or leave the parameter out";
            return Err(Fault::bad(format!("no row has a column `{absent}`"), hint).at("parameter", "id"));
        }
        self.asked.tell_unknown(&source, header_names.as_deref(), &ids, &mut self.notes)?;
        let needed = served.readers.iter().map(|reader| reader.name.clone());
        for name in needed {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let reader = |name: &String| CellReader::new(name, kind(name), &options.missing);
        let readers = names.iter().map(reader).collect();
        self.opened = Some((source, readers));
        let lead = self.draws.first().and_then(|draw| *draw).map(|_| "draw");
        self.outs = (0..self.draws.len())
            .map(|place| match self.asked.output {
                Format::Json => Out::Json(Vec::new()),
                Format::Arrow => Out::Arrow(arrow_rows::Writer::new()),
                _ if place == 0 => Out::Csv(TableWriter::in_memory(lead)),
                _ => Out::Csv(TableWriter::in_memory(lead).below_others()),
            })
            .collect();
        Ok(())
    }
}

impl Work for Fill {
    type Done = Reply;

    fn step(&mut self) -> Answer<bool> {
        if self.opened.is_none() {
            self.open()?;
        }
        let Some((source, readers)) = &mut self.opened else { return Ok(false) };
        let Some(Piece { table, batch, first }) = source.next(readers, self.rows)? else { return Ok(false) };
        let filling = self.asked.served.model.filling()?;
        let data = Data::from(table);
        let notes = &mut self.notes;
        let encoded = filling.encode(&data, |column, level| notes.unseen(column, level))?;
        if self.asked.query.flag("strict")? == Some(true) {
            self.notes.refuse_unseen()?;
        }
        self.holes.count(&encoded);
        self.sent.push(data.table()?.columns());
        check_count((self.rows + data.rows()) * self.draws.len(), self.asked.limits.rows)?;
        for (place, (draw, out)) in self.draws.iter().zip(&mut self.outs).enumerate() {
            let draw_of = draw.map(|number| Draw { seed: self.seed, number, first_row: self.rows as u64 });
            let Filled { data: full, unfilled, warnings, .. } =
                filling.fill_rows(&data, &encoded, draw_of)?;
            let full = full.table()?;
            match out {
                Out::Csv(writer) => {
                    let lead = draw.map(|draw| draw.to_string()).unwrap_or_default();
                    writer.write(full, &lead)?;
                }
                Out::Arrow(writer) => match &batch {
                    Some(batch) => {
                        let filled = arrow_rows::filled(batch, full)?;
                        writer.write_batch(&arrow_rows::led(&filled, *draw)?)?;
                    }
                    None => writer.write(&led(full, *draw))?,
                },
                Out::Json(json) => match source.json() {
                    Some(rows) => push_mended(json, &rows[first..first + data.rows()], data.table()?, full),
                    None => push_rows(json, full.columns()),
                },
            }
            if place == 0 {
                warnings.into_iter().for_each(|warning| self.notes.tell(warning));
                for left in unfilled {
                    self.notes.tell(format!("holes of `{}` are left: {}", left.column, left.reason));
                }
            }
        }
        self.rows += data.rows();
        Ok(true)
    }

    fn finish(self) -> Answer<Reply> {
        let rows = self.rows * self.draws.len();
        let notes = self.notes.all();
        let drawn = self.draws.first().is_some_and(Option::is_some);
        let mut bytes: Vec<u8> = Vec::new();
        if self.asked.output == Format::Json {
            bytes.push(b'{');
            push_name(&mut bytes, "model");
            push_text(&mut bytes, &self.asked.served.name);
            push_name(&mut bytes, if drawn { "draws" } else { "rows" });
            bytes.push(b'[');
        }
        let mut arrows = Vec::new();
        for (place, out) in self.outs.into_iter().enumerate() {
            match out {
                Out::Csv(mut writer) => bytes.extend(writer.bytes()),
                Out::Arrow(writer) => arrows.push(writer),
                Out::Json(json) => {
                    if place > 0 {
                        bytes.push(b',');
                    }
                    match drawn {
                        true => {
                            [&b"["[..], &json, b"]"].iter().for_each(|part| bytes.extend_from_slice(part))
                        }
                        false => bytes.extend(json),
                    }
                }
            }
        }
        if self.asked.output == Format::Json {
            bytes.push(b']');
            push_name(&mut bytes, "notes");
            // Writing to a vector can't fail.
            drop(serde_json::to_writer(&mut bytes, &notes));
            self.sent.finish(&mut bytes);
            bytes.push(b'}');
        }
        if self.asked.output == Format::Arrow {
            bytes = arrow_rows::joined(arrows)?;
        }
        Ok(Reply { format: self.asked.output, bytes, notes, rows })
    }
}

/// The columns of a table, behind the number of the draw where there is one.
fn led(table: &Table, draw: Option<u64>) -> Vec<Column> {
    let lead = draw.map(|draw| Column::from_numbers("draw", Kind::Integer, &vec![draw as f64; table.rows()]));
    lead.into_iter().chain(table.columns().iter().cloned()).collect()
}

/// Rows as they were sent, with their holes filled.
fn push_mended(json: &mut Vec<u8>, rows: &[Row], before: &Table, full: &Table) {
    for (place, row) in rows.iter().enumerate() {
        if json.last() == Some(&b'}') {
            json.push(b',');
        }
        json.push(b'{');
        for (old, new) in before.columns().iter().zip(full.columns()) {
            push_name(json, &new.name);
            match row.get(&old.name).filter(|_| old.observed[place]) {
                Some(value) => push_value(json, value),
                None => push_cell(json, new, place),
            }
        }
        json.push(b'}');
    }
}
