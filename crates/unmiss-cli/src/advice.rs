//! What can be done about something, in the program's words: its commands and options.

use unmiss::data::Note;
use unmiss::error::Act;

/// The words for something to do.
pub fn words(act: &Act) -> String {
    match act {
        Act::ReadAsCategory { column } => format!("if its values are classes, say --categorical {column}"),
        Act::ReadAsNumber { column } => format!("say --numeric {column} if its values are numbers"),
        Act::NameMissing { column, words } => {
            let stand = if words.len() == 1 {
                "it stands for a missing value"
            } else {
                "they stand for missing values"
            };
            // A comma stands between words.
            let words: Vec<&str> =
                words.iter().map(String::as_str).filter(|word| !word.contains(',')).collect();
            format!("if {stand}, add `--missing-in \"{column}={}\"`", words.join(","))
        }
        Act::SayDecimal => "say --decimal , or --decimal .".to_owned(),
        Act::SayDates => "say --dates dmy or --dates mdy".to_owned(),
        Act::LeaveOutId { .. } => "if so, say --id or --ignore".to_owned(),
        Act::NameColumn { what, columns } => {
            format!("say --{what} COLUMN; the columns are: {}", columns.join(", "))
        }
        Act::OneRole => "name it in one of --target, --id, --ignore, --weight only".to_owned(),
        Act::LookUpSettings { method } => {
            format!("`unmiss methods {method}` tells what each setting takes")
        }
        Act::FewerFolds => "ask for fewer with --folds".to_owned(),
        Act::HideMore => "hide more with --how mcar:0.3, or compare on a larger table".to_owned(),
        Act::OtherFile => "name another file with --json, or begin anew with --fresh".to_owned(),
        Act::SameQuestion { seed } => {
            format!("ask the same with --seed {seed}, or name another file with --json")
        }
        Act::TakeSample { name } => format!("did you mean `sample:{name}`?"),
        Act::ShowModel => "`unmiss show FILE` tells what is in it".to_owned(),
        Act::UsePredictor => {
            "`unmiss fit` makes models that predict; `unmiss impute --with` uses imputers".to_owned()
        }
        Act::UseImputer => {
            "`unmiss impute --save FILE` makes imputers; `unmiss predict` uses models".to_owned()
        }
        Act::UseRecommender => "`unmiss fit --shape ratings` makes models of ratings".to_owned(),
        Act::UseDensity => "`unmiss density` makes models that say how plausible rows are".to_owned(),
    }
}

/// A remark with what could be done about it.
pub fn remark(note: &Note) -> String {
    format!("note: {}", told(note))
}

/// The same without the word that says that it is one.
pub fn told(note: &Note) -> String {
    match &note.act {
        Some(act) => format!("{}: {}", note.text, words(act)),
        None => note.text.clone(),
    }
}
