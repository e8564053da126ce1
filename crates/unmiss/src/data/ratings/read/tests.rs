use proptest::prelude::*;

use super::*;

fn reading(text: &str) -> RatingsReading {
    read_bytes("r.csv", text.as_bytes(), &RatingsOptions::default()).unwrap()
}

/// All ratings as `user item value`, in order of ids.
fn told(ratings: &Ratings) -> Vec<String> {
    let name =
        |rating: Rating| (ratings.users.name(rating.user), ratings.items.name(rating.item), rating.value);
    ratings.iter().map(name).map(|(user, item, value)| format!("{user} {item} {value}")).collect()
}

#[test]
fn every_form_gives_the_same() {
    let expected = ["1 10 4", "1 20 3.5", "2 10 1"];
    for text in [
        "2::10::1::978300760\n1::20::3.5::978300761\n1::10::4::978300762\n",
        "2\t10\t1\t978300760\n1\t20\t3.5\t978300761\r\n1\t10\t4\t978300762",
        "2,10,1\n1,20,3.5\n1,10,4\n",
        "userId,movieId,rating,timestamp\n2,10,1,978300760\n1,20,3.5,978300761\n1,10,4,978300762\n",
        "\u{feff}rating;item_id;User ID\n1;10;2\n\"3.5\";20;1\n4;10; 1\n",
    ] {
        assert_eq!(told(&reading(text).ratings), expected, "{text}");
    }
}

#[test]
fn ids_may_be_any_text() {
    let ratings = reading("user,item,rating\nann,\"Heat, 1995\",4\n007,NA,1\n7,NA,2\n").ratings;
    assert_eq!(told(&ratings), ["007 NA 1", "7 NA 2", "ann Heat, 1995 4"]);
    assert_eq!(reading("10,a,1\n9,a,2\n").ratings.users.names(), ["9", "10"], "numbers stand by value");
}

#[test]
fn the_latest_rating_counts() {
    let by_position = reading("a,x,1\na,x,2\nb,x,3\na,x,5\n");
    assert_eq!((told(&by_position.ratings)[0].as_str(), by_position.duplicates), ("a x 5", 2));
    let by_time = reading("a,x,1,200\na,x,2,300\na,x,5,100\n");
    assert_eq!((told(&by_time.ratings)[0].as_str(), by_time.duplicates), ("a x 2", 2));
    let by_date =
        reading("user,item,rating,date\na,x,1,2024-03-01\na,x,2,2024-03-02 08:15\na,x,5,2024-03-02\n");
    assert_eq!(told(&by_date.ratings), ["a x 2"]);
    assert_eq!(by_date.notes().len(), 1);
}

#[test]
fn a_row_without_a_rating_is_no_rating() {
    let reading = reading("user,item,rating\na,x,\na,y,NA\nb,x,-2.5\n");
    assert_eq!((told(&reading.ratings), reading.without_rating), (vec!["b x -2.5".to_owned()], 2));
    assert_eq!(reading.ratings.users.len(), 2, "a user of whom no rating is known stays a user");
}

#[test]
fn faults_are_told_with_their_place() {
    let fails = |text: &str, options: &RatingsOptions| {
        let error = read_bytes("r.csv", text.as_bytes(), options).unwrap_err();
        (error.to_string(), error.hint_text())
    };
    let usual = RatingsOptions::default();
    assert_eq!(
        fails("1::2::3::4\n1::2::x::4\n", &usual).0,
        "r.csv, line 2, column `rating`: `x` is not a number"
    );
    assert_eq!(fails("a,x,1\n,x,2\n", &usual).0, "r.csv, line 2, column `user`: there is no id here");
    assert_eq!(fails("a\tx\t1\nb\tx\n", &usual).0, "r.csv, line 2: 2 cells, but the header has 3");
    let (what, hint) = fails("who,item,rating\na,x,1\n", &usual);
    assert_eq!(what, "r.csv, line 1: no column is called `user` or the like");
    assert_eq!(hint, r#"NameColumn { what: "user", columns: ["who", "item", "rating"] }"#);
    let named = RatingsOptions { user: Some("whoo".into()), ..usual.clone() };
    assert_eq!(fails("who,item,rating\na,x,1\n", &named).1, "did you mean `who`?");
    assert_eq!(fails("user,item,rating\n", &usual).0, "r.csv: there are no ratings in it");
    let who = RatingsOptions { user: Some("who".into()), ..usual };
    assert_eq!(told(&read_bytes("r.csv", b"who,item,rating\na,x,1\n", &who).unwrap().ratings), ["a x 1"]);
}

#[test]
fn pairs_need_no_rating() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pairs.csv");
    std::fs::write(&path, "item,user\nx,b\ny,a\nx,b\n").unwrap();
    let pairs = read_pairs(&path, &RatingsOptions::default()).unwrap();
    assert_eq!(pairs, [("b", "x"), ("a", "y"), ("b", "x")].map(|(u, i)| (u.to_owned(), i.to_owned())));
}

#[test]
fn parquet_reads_the_same() {
    use ::parquet::data_type::{DoubleType, Int64Type};
    use ::parquet::file::properties::WriterProperties;
    use ::parquet::file::writer::SerializedFileWriter;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.parquet");
    let schema = "message r { required int64 userId; required int64 movieId; optional double rating; required int64 timestamp; }";
    let schema = std::sync::Arc::new(::parquet::schema::parser::parse_message_type(schema).unwrap());
    let target = std::fs::File::create(&path).unwrap();
    let mut writer =
        SerializedFileWriter::new(target, schema, std::sync::Arc::new(WriterProperties::default())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for column in [[2_i64, 1, 1, 1], [10, 20, 10, 10], [0; 4], [5, 6, 9, 7]] {
        let mut writer = group.next_column().unwrap().unwrap();
        if column == [0; 4] {
            writer.typed::<DoubleType>().write_batch(&[3.5, 4.0, 1.0], Some(&[0, 1, 1, 1]), None).unwrap();
        } else {
            writer.typed::<Int64Type>().write_batch(&column, None, None).unwrap();
        }
        writer.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let reading = read(&path, &RatingsOptions::default()).unwrap();
    assert_eq!(told(&reading.ratings), ["1 10 4", "1 20 3.5"]);
    assert_eq!((reading.duplicates, reading.without_rating), (1, 1));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[ab0-9.,;:\t|\"\n\r]{0,80}") {
        let _ = read_bytes("r.csv", text.as_bytes(), &RatingsOptions::default());
    }

    #[test]
    fn pieces_and_threads_make_no_difference(
        cells in prop::collection::vec((0u8..20, 0u8..20, "[1-5]|NA|x?"), 1..80),
        piece in 0usize..40,
    ) {
        let lines: Vec<String> = cells.iter().map(|(user, item, rating)| format!("{user},{item},{rating}\n")).collect();
        let text = format!("user,item,rating\n{}", lines.concat());
        let read = |piece: usize| {
            let rows = text_rows("r.csv", text.as_bytes(), &RatingsOptions::default(), true, piece);
            let reading = rows.and_then(Rows::into_reading).map_err(|error| error.to_string())?;
            Ok::<_, String>((told(&reading.ratings), reading.duplicates, reading.without_rating))
        };
        let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let whole = read(PIECE);
        prop_assert_eq!(&pool(1).install(|| read(piece)), &whole);
        prop_assert_eq!(&pool(3).install(|| read(piece)), &whole);
    }

    #[test]
    fn the_order_of_lines_makes_no_difference(
        cells in prop::collection::btree_map((0u8..20, 0u8..20), 1u8..6, 1..40),
        seed: u64,
    ) {
        let mut lines: Vec<String> = cells.iter().map(|((u, i), r)| format!("{u},{i},{r}\n")).collect();
        let sorted = reading(&lines.concat()).ratings;
        crate::rng::Stream::new(seed, "lines", 0, 0).shuffle(&mut lines);
        prop_assert_eq!(reading(&lines.concat()).ratings, sorted);
    }
}
