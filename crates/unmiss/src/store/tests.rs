use super::*;

fn sample() -> Arrays {
    let mut arrays = Arrays::default();
    arrays.put_singles("layer/weight", &[2, 2], vec![1.0, f32::MIN_POSITIVE, -0.0, 4.5]);
    arrays.put_doubles("scale", &[1], vec![std::f64::consts::PI]);
    arrays.put_bytes("trees", b"{}".to_vec());
    arrays
}

#[test]
fn a_file_comes_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.unmiss");
    sample().write(&path, &serde_json::json!({"format": 1})).unwrap();
    let (header, arrays) = Arrays::read(&path).unwrap();
    assert_eq!(header["format"], 1);
    assert_eq!(arrays, sample());
    assert!(arrays.singles("layer/weight", &[4]).is_err());
    assert!(arrays.singles("absent", &[1]).is_err());
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.unmiss");
    sample().write(&path, &serde_json::json!({"format": 1})).unwrap();
    let good = std::fs::read(&path).unwrap();
    for length in 0..good.len() {
        assert!(Arrays::from_bytes(&good[..length]).is_err());
    }
    for position in 0..good.len() {
        let mut bad = good.clone();
        bad[position] ^= 0xff;
        let _ = Arrays::from_bytes(&bad);
    }
}
