//! `predict` for tables: a number with its interval or a class with its chances for every row, and the row's own
//! account of what is missing and what that costs.

use unmiss::data::{Column, Data, Kind, Values};
use unmiss::encode::{Rows, Task};
use unmiss::model::{ExpectedError, Predicting, Predictions};

use crate::asked::{Asked, Ids};
use crate::fault::{Answer, Fault};
use crate::formats::Format;
use crate::json_rows;
use crate::json_text::{push_cell, push_name, push_number, push_text, push_value};
use crate::metrics::Holes;
use crate::reply::{Notes, Out, Reply, Sent};
use crate::rows::{Piece, Source, check_count};
use crate::work::Work;

/// Parameters of the route.
pub const PARAMETERS: &[&str] = &["level", "id", "account", "strict", "sent"];

/// A request for predictions.
pub struct Predict {
    asked: Asked,
    holes: Holes,
    level: Option<f64>,
    account: bool,
    opened: Option<(Source, Ids, Out)>,
    sent: Sent,
    rows: usize,
    notes: Notes,
}

impl Predict {
    /// Takes a request on; `holes` counts what is missing.
    pub fn new(asked: Asked, holes: Holes) -> Answer<Self> {
        let level = asked.level()?;
        let account = asked.query.flag("account")?.unwrap_or(asked.output == Format::Json);
        asked.query.flag("strict")?;
        let predicting = asked.served.model.predicting()?;
        let has = match predicting.target.task {
            Task::Regression => predicting.intervals.is_some(),
            Task::Classification { .. } => predicting.sets.is_some(),
        };
        if level.is_some() && !has {
            let what = "this model was made without held-out rows and has no intervals or sets";
            return Err(
                Fault::bad(what, "leave `level` out, or fit the model again").at("parameter", "level")
            );
        }
        let sent = asked.sent()?;
        Ok(Self { asked, holes, level, account, opened: None, sent, rows: 0, notes: Notes::default() })
    }

    fn open(&mut self) -> Answer<()> {
        let predicting = self.asked.served.model.predicting()?;
        let (source, ids) = self.asked.open(&predicting.roles.id, &mut self.notes)?;
        let mut header = [ids.names.clone(), predicting.headings(self.level)].concat();
        if self.account {
            header.extend(ACCOUNT.map(str::to_owned));
        }
        let out = Out::new(self.asked.output, &self.asked.served.name, &header)?;
        self.opened = Some((source, ids, out));
        Ok(())
    }
}

/// The columns of the account, where it is a table.
const ACCOUNT: [&str; 5] = ["known", "missing", "expected_error", "off_by", "measured"];

impl Work for Predict {
    type Done = Reply;

    fn step(&mut self) -> Answer<bool> {
        if self.opened.is_none() {
            self.open()?;
        }
        let Some((source, ids, out)) = &mut self.opened else { return Ok(false) };
        let served = &self.asked.served;
        let Some(piece) = source.next(&served.readers, self.rows)? else { return Ok(false) };
        let carried = ids.columns(source, &piece)?;
        let Piece { table, first, .. } = piece;
        let predicting = served.model.predicting()?;
        let data = Data::from(table);
        let notes = &mut self.notes;
        let encoded = predicting.coder.encode(&data, |column, level| notes.unseen(column, level))?;
        if self.asked.query.flag("strict")? == Some(true) {
            self.notes.refuse_unseen()?;
        }
        self.rows += data.rows();
        check_count(self.rows, self.asked.limits.rows)?;
        self.sent.push(data.table()?.columns());
        self.holes.count(&encoded);
        if first == 0 && (0..encoded.len()).any(|row| !encoded.holes(row).is_empty()) {
            let mut watch = predicting.watch();
            watch.look(&encoded);
            watch.shift().iter().for_each(|shift| self.notes.tell(shift.words()));
        }
        let answers = predicting.answers(&encoded)?;
        match out {
            Out::Json(json) => {
                let accounts = self.account.then(|| Account::new(&predicting, &encoded));
                let columns = Answers::new(&predicting, &answers, self.level);
                for row in 0..data.rows() {
                    let sent = source.json().map(|rows| &rows[first + row]);
                    columns.push(json, row, &carried, sent);
                    if let Some(accounts) = &accounts {
                        accounts.push(json, row);
                    }
                    json.push(b'}');
                }
            }
            Out::Csv(_) | Out::Arrow(_) => {
                let mut columns = carried;
                columns.extend(answers.written(self.level));
                if self.account {
                    columns.extend(Account::new(&predicting, &encoded).columns());
                }
                out.push(&columns)?;
            }
        }
        Ok(true)
    }

    fn finish(self) -> Answer<Reply> {
        match self.opened {
            Some((_, _, out)) => out.finish_with(self.rows, &self.notes, &self.sent),
            None => Err(Fault::internal("the rows were never opened")),
        }
    }
}

/// Predictions as they are written in JSON.
struct Answers<'a> {
    levels: &'a [String],
    columns: Vec<Column>,
    chances: Vec<f64>,
    sets: Option<Vec<bool>>,
}

impl<'a> Answers<'a> {
    fn new(predicting: &Predicting<'a>, answers: &unmiss::model::Answers<'_>, level: Option<f64>) -> Self {
        let levels = &predicting.target.levels;
        let (chances, sets) = match answers.predictions() {
            Predictions::Numbers(_) => (Vec::new(), None),
            Predictions::Probabilities(chances) => (chances, level.and_then(|level| answers.sets(level))),
        };
        // Without a level there is no set among them.
        let level = if levels.is_empty() { level } else { None };
        Self { levels, columns: answers.written(level), chances, sets }
    }

    fn push(&self, json: &mut Vec<u8>, row: usize, carried: &[Column], sent: Option<&json_rows::Row>) {
        if json.last() == Some(&b'}') {
            json.push(b',');
        }
        json.push(b'{');
        if !carried.is_empty() {
            push_name(json, "id");
            json.push(b'{');
            for column in carried {
                push_name(json, &column.name);
                match sent.and_then(|sent| sent.get(&column.name)) {
                    Some(value) => push_value(json, value),
                    None => push_cell(json, column, row),
                }
            }
            json.push(b'}');
        }
        push_name(json, "prediction");
        push_cell(json, &self.columns[0], row);
        if self.levels.is_empty() {
            for end in &self.columns[1..3] {
                push_name(json, &end.name);
                push_cell(json, end, row);
            }
            return;
        }
        let own = row * self.levels.len()..(row + 1) * self.levels.len();
        if let Some(sets) = &self.sets {
            push_name(json, "set");
            let held = self.levels.iter().zip(&sets[own.clone()]).filter(|(_, held)| **held);
            push_list(json, held.map(|(level, _)| level.as_str()));
        }
        push_name(json, "probabilities");
        json.push(b'{');
        for (level, chance) in self.levels.iter().zip(&self.chances[own]) {
            push_name(json, level);
            push_number(json, *chance);
        }
        json.push(b'}');
    }
}

fn push_list<'a>(json: &mut Vec<u8>, words: impl Iterator<Item = &'a str>) {
    json.push(b'[');
    for (place, word) in words.enumerate() {
        if place > 0 {
            json.push(b',');
        }
        push_text(json, word);
    }
    json.push(b']');
}

/// What is missing in each row, and what it costs: how far off the answer is to be expected by the errors on held-out
/// rows, also relative to a row without holes, and for each hole by how much that would be less if it were known.
struct Account<'a> {
    names: Vec<&'a str>,
    known: Vec<usize>,
    holes: Vec<Vec<u32>>,
    /// Of a row.
    errors: Vec<Option<ExpectedError>>,
    /// Of a row's holes.
    costs: Vec<Vec<Option<f64>>>,
}

impl<'a> Account<'a> {
    fn new(predicting: &Predicting<'a>, rows: &Rows) -> Self {
        let holes: Vec<Vec<u32>> = (0..rows.len()).map(|row| rows.holes(row)).collect();
        let error = |holes: &Vec<u32>| predicting.expected_error(holes);
        let cost = |holes: &Vec<u32>| {
            let all = error(holes);
            let without = |place: usize| {
                let rest: Vec<u32> = [&holes[..place], &holes[place + 1..]].concat();
                // What held-out rows never lacked has no cost that is known.
                let is_known = error(&vec![holes[place]]).is_some_and(|own| own.is_measured);
                all.zip(error(&rest)).filter(|_| is_known).map(|(all, rest)| all.ratio / rest.ratio)
            };
            (0..holes.len()).map(without).collect()
        };
        Self {
            names: predicting.coder.names(),
            known: rows.known_counts(),
            errors: holes.iter().map(error).collect(),
            costs: holes.iter().map(cost).collect(),
            holes,
        }
    }

    fn name(&self, hole: u32) -> &str {
        self.names.get(hole as usize).copied().unwrap_or_default()
    }

    fn push(&self, json: &mut Vec<u8>, row: usize) {
        push_name(json, "known");
        json.extend_from_slice(self.known[row].to_string().as_bytes());
        push_name(json, "expected_error");
        push_known(json, self.errors[row].map(|own| own.ratio));
        push_name(json, "off_by");
        push_known(json, self.errors[row].map(|own| own.size));
        push_name(json, "measured");
        push_value(json, &self.errors[row].map(|own| own.is_measured).into());
        push_name(json, "missing");
        json.push(b'[');
        for (place, (hole, cost)) in self.holes[row].iter().zip(&self.costs[row]).enumerate() {
            if place > 0 {
                json.push(b',');
            }
            json.push(b'{');
            push_name(json, "column");
            push_text(json, self.name(*hole));
            push_name(json, "costs");
            push_known(json, *cost);
            json.push(b'}');
        }
        json.push(b']');
    }

    fn columns(&self) -> Vec<Column> {
        let known: Vec<f64> = self.known.iter().map(|known| *known as f64).collect();
        let missing =
            |holes: &Vec<u32>| holes.iter().map(|hole| self.name(*hole)).collect::<Vec<_>>().join("|");
        let missing: Vec<String> = self.holes.iter().map(missing).collect();
        let told = |of: fn(&ExpectedError) -> f64| -> Vec<f64> {
            self.errors.iter().map(|error| error.as_ref().map_or(f64::NAN, of)).collect()
        };
        let is_measured = |own: ExpectedError| if own.is_measured { "yes" } else { "no" };
        let measured: Vec<Option<&str>> = self.errors.iter().map(|error| error.map(is_measured)).collect();
        let observed = vec![true; missing.len()];
        vec![
            Column::from_numbers(ACCOUNT[0], Kind::Integer, &known),
            Column { name: ACCOUNT[1].into(), kind: Kind::Text, values: Values::Texts(missing), observed },
            Column::from_numbers(ACCOUNT[2], Kind::Real, &told(|own| own.ratio)),
            Column::from_numbers(ACCOUNT[3], Kind::Real, &told(|own| own.size)),
            Column::from_words(ACCOUNT[4], Kind::Category, &measured),
        ]
    }
}

fn push_known(json: &mut Vec<u8>, number: Option<f64>) {
    push_number(json, number.unwrap_or(f64::NAN));
}
