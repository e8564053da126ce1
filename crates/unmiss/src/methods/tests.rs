use super::*;

#[test]
fn a_name_that_does_not_fit_is_told_what_would() {
    let misspelt = find("gausian", Shape::Table, Job::Fill).err().unwrap();
    assert!(misspelt.hint_text().starts_with("did you mean `gaussian`? (the methods for this are: auto,"));
    let other = find("gaussian", Shape::Table, Job::Predict).err().unwrap();
    assert!(other.to_string().contains("`gaussian` fills holes"), "{other}");
    assert_eq!(
        other.hint_text(),
        "the methods for this are: ensemble, network, neumiss, mlp, linear, additive, conditional, trees, forest, kernel, \
         impute-then-predict"
    );
    assert!(find("linear", Shape::Ratings, Job::Rate).is_err());
}

#[test]
fn short_lists_begin_with_the_cheapest() {
    let names = |shape, job| short_list(shape, job).iter().map(|method| method.name()).collect::<Vec<_>>();
    let predictors = ["linear", "additive", "conditional", "forest", "trees", "kernel", "network"];
    assert_eq!(names(Shape::Table, Job::Predict), predictors);
    let imputers = ["mean", "forest", "gaussian", "low-rank", "chained", "neighbours", "boosted"];
    assert_eq!(names(Shape::Table, Job::Fill), imputers);
    assert_eq!(names(Shape::Ratings, Job::Rate), ["biases", "factors", "autorec"]);
}
