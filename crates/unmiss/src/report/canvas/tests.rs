use super::*;

#[test]
fn inks_take_the_place_of_colours_and_neighbours_are_joined() {
    let drawing = draw(100.0, 50.0, |canvas| {
        canvas.rectangle((0.0, 0.0), (1.0, 2.5), Ink::Hole, 1.0);
        canvas.rectangle((5.0, 0.0), (6.0, 2.5), Ink::Hole, 1.0);
        canvas.path(&[(0.0, 0.0), (9.0, 9.0)], Ink::Series(6), 1.5);
        canvas.dot((3.0, 3.0), 2.0, Ink::Series(1), 0.5);
        canvas.text((1.0, 1.0), "a \u{E001}b", Lettering::new(Anchor::Start));
    })
    .unwrap();
    assert_eq!(drawing.view, (1000, 500));
    let joined = "<path style=\"fill:var(--hole)\" d=\"M0 0h10v25h-10zM50 0h10v25h-10z\"/>";
    assert!(drawing.body.starts_with(joined), "{}", drawing.body);
    assert!(drawing.body.contains("style=\"stroke:var(--series-1)\" stroke-width=\"15\""));
    assert!(drawing.body.contains("opacity=\"0.5\" style=\"fill:var(--series-2)\""));
    assert!(drawing.body.ends_with(">a  b</text>"), "{}", drawing.body);
    assert!(!drawing.body.contains("=\"#"));
}

#[test]
fn names_are_shortened_and_escaped_and_told_in_full() {
    let drawing = draw(100.0, 50.0, |canvas| {
        canvas.name(
            (0.0, 0.0),
            "<script>alert('a very long name')</script>",
            60.0,
            Lettering::new(Anchor::End),
        );
    })
    .unwrap();
    assert!(!drawing.body.contains("<script"), "{}", drawing.body);
    assert!(drawing.body.contains("<title>&lt;script&gt;alert(&apos;a very"), "{}", drawing.body);
}
