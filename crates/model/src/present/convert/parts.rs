//! Objects and arrays: keywords that hold schemas and depend on each other.

use spec::Json;

use super::super::{pattern, words};
use super::{Copied, Members, Writer};

impl<'a> Writer<'a> {
    pub(super) fn object(&mut self, out: &mut Copied, members: &'a Members, depth: usize) {
        let is_listed = self.properties(out, members, depth);
        let is_matched = self.pattern_properties(out, members, depth);
        // What is not listed in the copy, but in the original, must not be refused as additional.
        self.additional(out, members, is_listed && is_matched, depth);
        self.required(out, members);
        if let Some(names) = members.get("propertyNames") {
            if !self.draft.knows("propertyNames") {
                return;
            }
            if self.profile.takes("propertyNames") {
                let copied = self.part(&["propertyNames"], names, depth);
                out.put("propertyNames", copied);
            } else {
                self.leave_out(out, "propertyNames", names);
            }
        }
    }

    /// Whether all of them are shown.
    fn properties(&mut self, out: &mut Copied, members: &'a Members, depth: usize) -> bool {
        let Some(properties) = members.get("properties").and_then(Json::as_object) else {
            return true;
        };
        let mut shown = Members::new();
        let mut is_whole = true;
        for (name, schema) in properties {
            if self.profile.takes_property(name) {
                if !self.has_room(&Json::from(name.as_str())) {
                    break;
                }
                let copied = self.part(&["properties", name], schema, depth);
                shown.insert(name.clone(), copied);
            } else {
                is_whole = false;
                self.note("properties", format!("the property `{name}` is not shown"));
                let name = Json::from(name.as_str()).to_canonical();
                let words = words::short(schema).map(|it| format!("property {name} {it}"));
                out.said.extend(words);
            }
        }
        out.put("properties", Json::Object(shown));
        is_whole
    }

    /// Whether all of them are shown.
    fn pattern_properties(&mut self, out: &mut Copied, members: &'a Members, depth: usize) -> bool {
        let Some(value) = members.get("patternProperties") else {
            return true;
        };
        let properties = value.as_object().filter(|_| {
            let is_portable = |it: &Members| it.keys().all(|key| pattern::is_portable(key));
            self.profile.takes("patternProperties") && value.as_object().is_some_and(is_portable)
        });
        let Some(properties) = properties else {
            self.leave_out(out, "patternProperties", value);
            return false;
        };
        let mut shown = Members::new();
        for (key, schema) in properties {
            if !self.has_room(&Json::from(key.as_str())) {
                break;
            }
            let copied = self.part(&["patternProperties", key], schema, depth);
            shown.insert(key.clone(), copied);
        }
        out.put("patternProperties", Json::Object(shown));
        true
    }

    fn additional(&mut self, out: &mut Copied, members: &'a Members, is_whole: bool, depth: usize) {
        let keyword = "additionalProperties";
        match members.get(keyword) {
            None => {}
            Some(Json::Bool(true)) => out.put(keyword, Json::from(true)),
            Some(value @ Json::Bool(false)) if is_whole => out.put(keyword, value.clone()),
            Some(value @ Json::Object(_)) if is_whole && !self.profile.plain_values => {
                let copied = self.part(&[keyword], value, depth);
                out.put(keyword, copied);
            }
            Some(value) => self.leave_out(out, keyword, value),
        }
    }

    fn required(&mut self, out: &mut Copied, members: &'a Members) {
        let names = members.get("required").and_then(Json::as_array);
        let names: Vec<&str> = names
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let (shown, other): (Vec<&str>, Vec<&str>) = names
            .into_iter()
            .partition(|it| self.profile.takes_property(it));
        let list = |names: Vec<&str>| Json::Array(names.into_iter().map(Json::from).collect());
        let shown = list(shown);
        if shown != Json::Array(Vec::new()) && self.has_room(&shown) {
            out.put("required", shown);
        }
        if !other.is_empty() {
            self.leave_out(out, "required", &list(other));
        }
        let Some(value) = members.get("dependentRequired") else {
            return;
        };
        if !self.draft.knows("dependentRequired") {
            return;
        }
        let is_plain = value.as_object().is_some_and(|it| {
            let lists = it
                .values()
                .flat_map(|it| it.as_array().into_iter().flatten());
            let names = lists.filter_map(Json::as_str);
            let mut names = names.chain(it.keys().map(String::as_str));
            names.all(|name| self.profile.takes_property(name))
        });
        if is_plain && self.profile.takes("dependentRequired") {
            if self.has_room(value) {
                out.put("dependentRequired", value.clone());
            }
        } else {
            self.leave_out(out, "dependentRequired", value);
        }
    }

    pub(super) fn array(&mut self, out: &mut Copied, members: &'a Members, depth: usize) {
        // Before 2020-12, `items` as a list is what `prefixItems` is since.
        let (first, first_key, rest_key) = match members.get("items") {
            Some(Json::Array(first)) => (Some(first.as_slice()), "items", "additionalItems"),
            _ => {
                let first = members.get("prefixItems").and_then(Json::as_array);
                let first = first.filter(|_| self.draft.knows("prefixItems"));
                (first, "prefixItems", "items")
            }
        };
        let first = first.filter(|it| !it.is_empty());
        let rest = members.get(rest_key).filter(|_| self.draft.knows(rest_key));
        match (first, rest) {
            (Some(first), rest) if !self.profile.takes("prefixItems") => {
                let schemas = Json::Array(first.to_vec());
                self.leave_out(out, first_key, &schemas);
                if let Some(rest) = rest {
                    self.leave_out(out, rest_key, rest);
                }
            }
            (Some(first), rest) => {
                let first = self.list(first_key, first, depth);
                out.put("prefixItems", Json::from(first));
                if let Some(rest) = rest {
                    let rest = self.part(&[rest_key], rest, depth);
                    out.put("items", rest);
                }
            }
            (None, Some(rest)) if rest_key == "items" => {
                let rest = self.part(&["items"], rest, depth);
                out.put("items", rest);
            }
            // An empty list says nothing of any element, and then of the rest.
            (None, Some(_) | None) => {}
        }
    }
}
