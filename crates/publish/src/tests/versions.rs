//! References and versions in whole bundles: the cases B-106 to B-110.

use super::bundle::Bundle;
use super::sample;

/// The sample with these versions of its Tool.
fn published(versions: &[&str]) -> Bundle {
    let tool = sample().text("tools/refund.yaml").unwrap();
    let mut bundle = sample().without("tools/refund.yaml");
    for (index, version) in versions.iter().enumerate() {
        let text = tool.replace("version: 1.2.0", &format!("version: {version}"));
        bundle = bundle.file(&format!("tools/{index}.yaml"), text);
    }
    bundle
}

fn pinned(versions: &[&str], reference: &str) -> Result<String, Vec<String>> {
    let edit = format!("ref: pay.refund{reference}");
    let bundle = published(versions).edit("agent.yaml", "ref: pay.refund@^1.0", &edit);
    let Some(snapshot) = bundle.compile().snapshot else {
        return Err(bundle.codes());
    };
    Ok(snapshot.tools[0].contract.version.clone())
}

#[test]
fn b_106_prereleases() {
    let refused = Err(vec!["E0306".to_owned()]);
    assert_eq!(pinned(&["1.1.0-beta.1"], "@^1.0.0"), refused);
    assert_eq!(pinned(&["1.1.0-beta.1"], "@*"), refused);
    assert_eq!(pinned(&["1.1.0-beta.1"], ""), refused);
    let versions = ["2.1.0-rc.1", "2.0.0-rc.1", "2.0.0"];
    assert_eq!(pinned(&versions, "@^2.0.0-rc.0"), Ok("2.0.0".to_owned()));
    assert_eq!(
        pinned(&["2.0.0-rc.1", "2.1.0-rc.1"], "@^2.0.0-rc.0"),
        Ok("2.0.0-rc.1".to_owned())
    );
}

#[test]
fn b_107_carets_below_one() {
    for (reference, version) in [
        ("@^0.2.3", "0.2.9"),
        ("@^0.0.3", "0.0.3"),
        ("@^0.0", "0.0.4"),
        ("@^0", "0.3.0"),
    ] {
        let versions = ["0.0.3", "0.0.4", "0.2.9", "0.3.0", "1.0.0"];
        assert_eq!(
            pinned(&versions, reference),
            Ok(version.to_owned()),
            "{reference}"
        );
    }
}

#[test]
fn b_108_one_grammar() {
    let versions = ["1.2.0", "1.10.0", "2.0.0", "3.0.0"];
    for (reference, version) in [
        ("'>=1.2 <2'", "1.10.0"),
        (">= 1.2, < 2", "1.10.0"),
        ("^1 || ^2", "2.0.0"),
        ("", "3.0.0"),
    ] {
        let reference = reference.trim_matches('\'');
        let reference = if reference.is_empty() {
            String::new()
        } else {
            format!("@{reference}")
        };
        assert_eq!(
            pinned(&versions, &reference),
            Ok(version.to_owned()),
            "{reference}"
        );
    }
    for reference in ["@1.2 - 1.4", "@latest", "@^*", "@"] {
        assert_eq!(
            pinned(&versions, reference),
            Err(vec!["E0304".to_owned()]),
            "{reference}"
        );
    }
}

#[test]
fn b_109_a_leading_v_is_passed_over_everywhere() {
    assert_eq!(pinned(&["v1.2.3"], "@v1.2.3"), Ok("1.2.3".to_owned()));
    assert_eq!(published(&["v1.2.3"]).codes(), ["E0211"]);
}

#[test]
fn b_110_build_metadata_is_no_other_version() {
    assert_eq!(pinned(&["1.0.0+a"], "@1.0.0"), Ok("1.0.0".to_owned()));
    let twins = published(&["1.0.0+a", "1.0.0+b"]).codes();
    assert!(twins.contains(&"E0307".to_owned()), "{twins:?}");
}

#[test]
fn the_order_is_of_numbers_and_not_of_text() {
    assert_eq!(
        pinned(&["1.10.0", "1.9.0", "1.2.0"], "@^1"),
        Ok("1.10.0".to_owned())
    );
}
