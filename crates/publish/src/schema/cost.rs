//! How many schemas speak of one value. References can make a short schema into a great many, all
//! of which the runtime would try on every call. Knows nothing of values.

use std::collections::BTreeMap;

use spec::Json;
use validator::Draft;

use super::walk::{self, Names, Visit};

/// The most schemas that may speak of one value, those that references lead to counted each time.
pub(super) const IN_PLACE_MAX: u64 = 5_000;

/// What makes a schema too costly, with the steps to the schema that does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Costly {
    /// It speaks of its own value again, by references.
    Circle(Vec<String>),
    Many(Vec<String>),
}

/// The first schema that is too costly.
pub(super) fn check(root: &Json, draft: Draft) -> Result<(), Costly> {
    let visits = walk::all(root, draft);
    let names = Names::of(&visits, draft);
    let by_path: BTreeMap<&[String], &Visit<'_>> =
        visits.iter().map(|it| (it.path.as_slice(), it)).collect();
    let mut costs: BTreeMap<&[String], Option<u64>> = BTreeMap::new();
    for visit in &visits {
        let mut open = vec![Step::Enter(visit)];
        while let Some(step) = open.pop() {
            let here = match step {
                Step::Enter(here) => here,
                Step::Leave(here, parts) => {
                    let known = parts
                        .iter()
                        .filter_map(|it| *costs.get(it.path.as_slice())?);
                    let cost = known.fold(1, u64::saturating_add);
                    if cost > IN_PLACE_MAX {
                        return Err(Costly::Many(here.path.clone()));
                    }
                    costs.insert(&here.path, Some(cost));
                    continue;
                }
            };
            match costs.get(here.path.as_slice()) {
                Some(Some(_)) => continue,
                // Entered and not left.
                Some(None) => return Err(Costly::Circle(here.path.clone())),
                None => {}
            }
            costs.insert(&here.path, None);
            let paths = in_place(root, &names, here, draft);
            let parts: Vec<_> = paths
                .iter()
                .filter_map(|it| by_path.get(it.as_slice()).copied())
                .collect();
            let unknown =
                |it: &&&Visit<'_>| !matches!(costs.get(it.path.as_slice()), Some(Some(_)));
            let next: Vec<_> = parts.iter().filter(unknown).copied().collect();
            open.push(Step::Leave(here, parts));
            open.extend(next.into_iter().map(Step::Enter));
        }
    }
    Ok(())
}

enum Step<'v, 'a> {
    Enter(&'v Visit<'a>),
    Leave(&'v Visit<'a>, Vec<&'v Visit<'a>>),
}

/// The steps to the schemas that speak of the same value.
fn in_place(root: &Json, names: &Names, here: &Visit<'_>, draft: Draft) -> Vec<Vec<String>> {
    let schema = here.schema;
    let with = |steps: &[&str]| {
        let steps = steps.iter().map(|it| (*it).to_owned());
        here.path.iter().cloned().chain(steps).collect::<Vec<_>>()
    };
    let mut paths = Vec::new();
    for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
        if let Some(target) = schema.get(keyword).and_then(Json::as_str) {
            let (before, fragment) = target.split_once('#').unwrap_or((target, ""));
            let base = names.id(before).unwrap_or(here.base());
            paths.extend(names.fragment(root, base, fragment));
        }
    }
    if schema.get("$ref").is_some() && draft <= Draft::D7 {
        return paths;
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let parts = schema.get(keyword).and_then(Json::as_array);
        let count = parts.map_or(0, <[Json]>::len);
        paths.extend((0..count).map(|it| with(&[keyword, &it.to_string()])));
    }
    for keyword in ["else", "if", "not", "then"] {
        if schema.get(keyword).is_some() {
            paths.push(with(&[keyword]));
        }
    }
    for keyword in ["dependencies", "dependentSchemas"] {
        let named = schema.get(keyword).and_then(Json::as_object);
        paths.extend(
            named
                .into_iter()
                .flat_map(|it| it.keys())
                .map(|name| with(&[keyword, name])),
        );
    }
    paths
}

#[cfg(test)]
mod tests {
    use spec::Json;
    use validator::Draft;

    use super::{Costly, check};

    fn judge(schema: &str) -> Result<(), Costly> {
        check(&Json::parse(schema.as_bytes()).unwrap(), Draft::D2020)
    }

    fn doubling(levels: usize) -> String {
        let mut defs: Vec<String> = (0..levels)
            .map(|it| {
                let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, it + 1);
                format!(r#""d{it}": {{"anyOf": [{next}, {next}]}}"#)
            })
            .collect();
        defs.push(format!(r#""d{levels}": {{"type": "string"}}"#));
        format!(
            r##"{{"$ref": "#/$defs/d0", "$defs": {{{}}}}}"##,
            defs.join(",")
        )
    }

    #[test]
    fn what_is_fine() {
        for schema in [
            r##"{"properties": {"a": {"$ref": "#"}}, "items": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}"##,
            r##"{"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]}, "b": {"items": {"$ref": "#/$defs/a"}}}}"##,
            &doubling(8),
        ] {
            assert_eq!(judge(schema), Ok(()), "{schema}");
        }
    }

    #[test]
    fn what_is_too_costly() {
        assert!(matches!(judge(&doubling(40)), Err(Costly::Many(_))));
        for schema in [
            r##"{"$ref": "#"}"##,
            r##"{"allOf": [{"anyOf": [{"$ref": "#"}, {}]}]}"##,
            r##"{"$anchor": "here", "not": {"$ref": "#here"}}"##,
            r##"{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"if": {"$ref": "#/$defs/a"}}}}"##,
        ] {
            assert!(matches!(judge(schema), Err(Costly::Circle(_))), "{schema}");
        }
    }
}
