use super::*;

#[test]
fn theory_is_what_the_formulas_give() {
    // (20 · 0.05)(30 · 0.05)(10 · 0.05) · 0.5 · 0.4
    assert!((THEOREMS[0].theory(0.4) - 0.75 * 0.2).abs() < 1e-12);
    // t = 0.25: 0.5 · (0.25 + 0.1) + 0.2 = 0.375; 0.5 · (0.5625 + 0.1) + 0.2 = 0.53125; ...
    assert!((THEOREMS[3].theory(0.1) - (0.5 * (0.5 * 0.53125 + 0.1) + 0.2)).abs() < 1e-12);
    assert_eq!(THEOREMS[3].theory(0.1), THEOREMS[3].theory(0.9));
    assert!((THEOREMS[4].theory(0.9) - THEOREMS[3].theory(0.9)).abs() < 1e-9, "hardly a row is empty");
}

#[test]
fn simulation_agrees_with_theory() {
    let request = Request { seeds: 1, ..Request::default() };
    let report = measure(&request, 400, &Run::new(3, 2).unwrap()).unwrap();
    assert_eq!(report.sections.len(), 5);
    let holds = report.claims.iter().filter(|claim| claim.verdict == Verdict::Holds).count();
    assert!(holds >= 4, "{:?}", report.claims);
    assert!(report.claims.iter().all(|claim| claim.verdict != Verdict::DoesNotHold), "{:?}", report.claims);
}

#[test]
fn a_wrong_theory_is_found_out() {
    // Sums around 1 where the theory says 0.75 · μx μm.
    let wrong = Sums { count: 100.0, sum: 100.0, squares: 101.0 };
    let (_, claim) = account(0, &[[wrong; THEOREMS.len()]; KNOWN.len()]);
    assert_eq!(claim.verdict, Verdict::DoesNotHold);
}
