//! `score` for tables: how plausible each row is, and which of its cells surprises most.

use unmiss::data::{Column, Data, Kind, Values};

use crate::asked::{Asked, Ids};
use crate::fault::{Answer, Fault};
use crate::metrics::Holes;
use crate::reply::{Notes, Out, Reply, Sent};
use crate::rows::{Piece, Source, check_count};
use crate::work::Work;

/// Parameters of the route.
pub const PARAMETERS: &[&str] = &["flag", "id", "strict", "sent"];
/// Rows as rare as this share of those compared with are flagged, unless told otherwise.
const USUAL_FLAG: f64 = 0.01;

/// A request for scores.
pub struct Score {
    asked: Asked,
    holes: Holes,
    flag: f64,
    opened: Option<(Source, Ids, Out)>,
    sent: Sent,
    rows: usize,
    notes: Notes,
}

impl Score {
    /// Takes a request on; `holes` counts what is missing.
    pub fn new(asked: Asked, holes: Holes) -> Answer<Self> {
        asked.served.model.scoring()?;
        let flag = asked.query.number("flag", "a number from 0 to 1", |flag| (0.0..=1.0).contains(flag))?;
        let flag = flag.unwrap_or(USUAL_FLAG);
        asked.query.flag("strict")?;
        let sent = asked.sent()?;
        Ok(Self { asked, holes, flag, opened: None, sent, rows: 0, notes: Notes::default() })
    }

    fn open(&mut self) -> Answer<()> {
        let (source, ids) = self.asked.open(&[], &mut self.notes)?;
        let own = ["log_likelihood", "known", "rarity", "flag", "surprising"].map(str::to_owned);
        let header = [vec!["row".to_owned()], ids.names.clone(), own.to_vec()].concat();
        let out = Out::new(self.asked.output, &self.asked.served.name, &header)?;
        self.opened = Some((source, ids, out));
        Ok(())
    }
}

impl Work for Score {
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
        let scoring = served.model.scoring()?;
        let data = Data::from(table);
        let notes = &mut self.notes;
        let encoded = scoring.coder.encode(&data, |column, level| notes.unseen(column, level))?;
        if self.asked.query.flag("strict")? == Some(true) {
            self.notes.refuse_unseen()?;
        }
        self.rows += data.rows();
        check_count(self.rows, self.asked.limits.rows)?;
        self.holes.count(&encoded);
        self.sent.push(data.table()?.columns());
        let scored = scoring.score_rows(&encoded)?;
        let names = scoring.coder.names();
        let numbers = |name: &str, kind: Kind, cells: Vec<f64>| Column::from_numbers(name, kind, &cells);
        let flags = scored.iter().map(|row| match row.rarity {
            Some(rarity) if rarity <= self.flag => "rare".to_owned(),
            _ => String::new(),
        });
        let surprising: Vec<Option<&str>> =
            scored.iter().map(|row| row.surprise.map(|input| names[input])).collect();
        let places = (first..self.rows).map(|row| row as f64 + 1.0).collect();
        let mut columns = vec![numbers("row", Kind::Integer, places)];
        columns.extend(carried);
        columns.extend([
            numbers("log_likelihood", Kind::Real, scored.iter().map(|row| row.log_likelihood).collect()),
            numbers("known", Kind::Integer, scored.iter().map(|row| row.known as f64).collect()),
            numbers("rarity", Kind::Real, scored.iter().map(|row| row.rarity.unwrap_or(f64::NAN)).collect()),
            Column {
                name: "flag".into(),
                kind: Kind::Text,
                observed: vec![true; scored.len()],
                values: Values::Texts(flags.collect()),
            },
            Column::from_words("surprising", Kind::Category, &surprising),
        ]);
        out.push(&columns)?;
        Ok(true)
    }

    fn finish(self) -> Answer<Reply> {
        match self.opened {
            Some((_, _, out)) => out.finish_with(self.rows, &self.notes, &self.sent),
            None => Err(Fault::internal("the rows were never opened")),
        }
    }
}
