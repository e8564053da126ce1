use super::*;

#[test]
fn settings_and_defaults_agree_for_every_method() {
    for method in METHODS {
        let defaults = method.defaults();
        let keys: Vec<&str> = defaults.as_object().unwrap().keys().map(String::as_str).collect();
        let names: Vec<&str> = method.settings().iter().map(|setting| setting.name).collect();
        assert_eq!(names, keys, "method {}", method.name());
        method.encoding(&defaults).unwrap();
        method.encoding(&Value::Null).unwrap();
        assert_eq!(find(method.name()).unwrap().name(), method.name());
    }
}

#[test]
fn unknown_settings_are_refused_with_a_hint() {
    for method in METHODS {
        let first = method.settings()[0].name;
        let misspelt = serde_json::json!({ (format!("{first}x")): 1 });
        let error = method.encoding(&misspelt).unwrap_err();
        assert!(error.to_string().contains(&format!("`{first}x`")), "{error}");
        assert!(error.hint().unwrap().starts_with(&format!("did you mean `{first}`?")));
        let wrong = serde_json::json!({ (first): ["a", "list"] });
        assert!(method.encoding(&wrong).unwrap_err().to_string().starts_with(&format!("setting `{first}`")));
    }
}
