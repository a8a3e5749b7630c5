//! The lock of a Bundle: which members it has, with what content, under one hash. Knows the bytes of
//! `bundle.lock.json`; not how members are found, nor where the file lies.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use spec::snapshot::Identity;
use spec::{Digest, Json};

/// The name of the file beside the Bundle's.
pub const LOCK_FILE: &str = "bundle.lock.json";

/// What a Bundle consisted of when it was locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    root_child_name: String,
    /// By child name, in the order of their bytes.
    members: BTreeMap<String, LockedMember>,
}

/// One member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedMember {
    /// The content hash of its snapshot.
    pub content_hash: Digest,
    /// Where it comes from.
    pub origin: LockedOrigin,
}

/// Where a member comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockedOrigin {
    /// The file of the Bundle at this path, which begins with `./`.
    Vendored(String),
    /// A version that was published before.
    External(Identity),
}

/// Why bytes are no lock. Each is a sentence without its beginning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Not JSON.
    #[error("it is not JSON: {0}")]
    Json(String),
    /// JSON of another shape.
    #[error("it is not a lock: {0}")]
    Shape(String),
    /// Its `version` is not the hash of the rest.
    #[error("its version is {written}, but what it holds has {actual}; it was edited by hand")]
    Version {
        /// What it says.
        written: String,
        /// What it should say.
        actual: String,
    },
}

const VENDORED: &str = "vendored";
const EXTERNAL: &str = "external";
/// The most bytes of a lock: far more than the most members take.
const BYTES_MAX: usize = 1024 * 1024;

impl Lock {
    /// A lock of `members` by child name, one of which is the root.
    #[must_use]
    pub fn new(root_child_name: &str, members: BTreeMap<String, LockedMember>) -> Self {
        Self {
            root_child_name: root_child_name.to_owned(),
            members,
        }
    }

    /// The root's child name.
    #[must_use]
    pub fn root_child_name(&self) -> &str {
        &self.root_child_name
    }

    /// The members by child name.
    #[must_use]
    pub fn members(&self) -> &BTreeMap<String, LockedMember> {
        &self.members
    }

    /// The lock hash: `sha256:` and the hash of the canonical body.
    #[must_use]
    pub fn version(&self) -> String {
        format!("sha256:{}", Digest::of(self.body().as_bytes()))
    }

    /// The canonical body: compact, its keys in this order, the members by child name.
    fn body(&self) -> String {
        let members: Vec<String> = self.entries().map(|it| object(&it, "", "")).collect();
        let root = quoted(&self.root_child_name);
        let members = members.join(",");
        format!("{{\"root_child_name\":{root},\"members\":[{members}]}}")
    }

    /// The bytes of the file: the version and the body, indented by two spaces.
    #[must_use]
    pub fn to_file(&self) -> String {
        let members: Vec<String> = self
            .entries()
            .map(|it| format!("    {}", object(&it, "\n      ", "\n    ")))
            .collect();
        format!(
            "{{\n  \"version\": {},\n  \"root_child_name\": {},\n  \"members\": [\n{}\n  ]\n}}\n",
            quoted(&self.version()),
            quoted(&self.root_child_name),
            members.join(",\n")
        )
    }

    /// The fields of each member, in their order.
    fn entries(&self) -> impl Iterator<Item = Vec<(&'static str, String)>> {
        self.members.iter().map(|(name, member)| {
            let origin = match &member.origin {
                LockedOrigin::Vendored(_) => VENDORED,
                LockedOrigin::External(_) => EXTERNAL,
            };
            let mut fields = vec![
                ("child_name", name.clone()),
                ("origin", origin.to_owned()),
                ("content_hash", member.content_hash.to_string()),
                ("ref", member.reference()),
            ];
            if let LockedOrigin::External(id) = &member.origin {
                fields.push(("namespace", id.namespace.clone()));
                fields.push(("name", id.name.clone()));
                fields.push(("version", id.version.clone()));
            }
            fields
        })
    }

    /// Reads the bytes of a lock file.
    ///
    /// # Errors
    /// What they are instead of a lock that is as it was written.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        if bytes.len() > BYTES_MAX {
            return shape(format!("it has more than {BYTES_MAX} bytes"));
        }
        let json = Json::parse(bytes).map_err(|why| LockError::Json(why.to_string()))?;
        let file = Record::of(
            &json,
            "the file",
            &["version", "root_child_name", "members"],
        )?;
        let written = file.text("version")?.to_owned();
        let mut lock = Self::new(file.text("root_child_name")?, BTreeMap::new());
        let Some(members) = json.get("members").and_then(Json::as_array) else {
            return shape("`members` is no list");
        };
        for entry in members {
            let (name, member) = LockedMember::read(entry)?;
            if lock.members.insert(name.clone(), member).is_some() {
                return shape(format!("it has two members `{name}`"));
            }
        }
        if !lock.members.contains_key(&lock.root_child_name) {
            return shape(format!("it has no member `{}`", lock.root_child_name));
        }
        let actual = lock.version();
        if actual == written {
            Ok(lock)
        } else {
            Err(LockError::Version { written, actual })
        }
    }

    /// What has changed since `committed` was made, one sentence each; nothing when they are equal.
    #[must_use]
    pub fn drift(&self, committed: &Lock) -> Vec<String> {
        let mut changes = Vec::new();
        if self.root_child_name != committed.root_child_name {
            changes.push(format!(
                "the root is {}, and was {}",
                self.root_child_name, committed.root_child_name
            ));
        }
        for (name, now) in &self.members {
            match committed.members.get(name) {
                None => changes.push(format!("{name} is new")),
                Some(then) if then.origin != now.origin => changes.push(format!(
                    "{name} is {}, and was {}",
                    now.reference(),
                    then.reference()
                )),
                Some(then) if then.content_hash != now.content_hash => changes.push(format!(
                    "the content of {name} has changed (content_hash {}, and was {})",
                    short(now.content_hash),
                    short(then.content_hash)
                )),
                Some(_) => {}
            }
        }
        let gone = committed.members.keys();
        let gone = gone.filter(|it| !self.members.contains_key(*it));
        changes.extend(gone.map(|name| format!("{name} is not in the bundle any more")));
        changes
    }
}

impl LockedMember {
    /// How the member is referred to from the Bundle's folder.
    #[must_use]
    pub fn reference(&self) -> String {
        match &self.origin {
            LockedOrigin::Vendored(path) => path.clone(),
            LockedOrigin::External(id) => id.to_string(),
        }
    }

    fn read(entry: &Json) -> Result<(String, Self), LockError> {
        const LOCAL: &[&str] = &["child_name", "origin", "content_hash", "ref"];
        const FOREIGN: &[&str] = &[
            "child_name",
            "origin",
            "content_hash",
            "ref",
            "namespace",
            "name",
            "version",
        ];
        let is_external = entry.get("origin").and_then(Json::as_str) == Some(EXTERNAL);
        let known = if is_external { FOREIGN } else { LOCAL };
        let record = Record::of(entry, "a member", known)?;
        let reference = record.text("ref")?;
        let origin = match record.text("origin")? {
            VENDORED => LockedOrigin::Vendored(reference.to_owned()),
            EXTERNAL => LockedOrigin::External(Identity {
                namespace: record.text("namespace")?.to_owned(),
                name: record.text("name")?.to_owned(),
                version: record.text("version")?.to_owned(),
            }),
            other => return shape(format!("the origin `{other}` is not known")),
        };
        let hash = record.text("content_hash")?;
        let Ok(content_hash) = hash.parse() else {
            return shape(format!("`{hash}` is no content hash"));
        };
        let member = Self {
            content_hash,
            origin,
        };
        if member.reference() != reference {
            return shape(format!(
                "the ref `{reference}` is not {}",
                member.reference()
            ));
        }
        Ok((record.text("child_name")?.to_owned(), member))
    }
}

/// An object that has exactly the fields that it may have.
struct Record<'a> {
    json: &'a Json,
    what: &'static str,
}

impl<'a> Record<'a> {
    fn of(json: &'a Json, what: &'static str, known: &[&str]) -> Result<Self, LockError> {
        let Some(members) = json.as_object() else {
            return shape(format!("{what} is no object"));
        };
        if let Some(key) = members.keys().find(|it| !known.contains(&it.as_str())) {
            return shape(format!("{what} has a field `{key}`"));
        }
        Ok(Self { json, what })
    }

    fn text(&self, key: &str) -> Result<&'a str, LockError> {
        let text = self.json.get(key).and_then(Json::as_str);
        text.filter(|it| !it.is_empty())
            .map_or_else(|| shape(format!("{} has no `{key}`", self.what)), Ok)
    }
}

fn shape<T>(why: impl Into<String>) -> Result<T, LockError> {
    Err(LockError::Shape(why.into()))
}

/// As much of a digest as people compare.
fn short(digest: Digest) -> String {
    digest.to_string().chars().take(12).collect()
}

/// An object with `before` in front of each field and `after` behind the last. Compact when both are
/// empty.
fn object(fields: &[(&str, String)], before: &str, after: &str) -> String {
    let colon = if before.is_empty() { ":" } else { ": " };
    let fields = fields
        .iter()
        .map(|(key, value)| format!("{before}\"{key}\"{colon}{}", quoted(value)));
    let fields: Vec<String> = fields.collect();
    format!("{{{}{after}}}", fields.join(","))
}

/// A JSON string in the form that the hash is made of: with `<`, `>`, `&`, U+2028 and U+2029 escaped,
/// as the encoder of existing tools writes it.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                // Writing into a string cannot fail.
                let _infallible = write!(out, "\\u{:04x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use expect_test::expect;
    use spec::Digest;
    use spec::snapshot::Identity;

    use super::{Lock, LockError, LockedMember, LockedOrigin, quoted};

    fn vendored(path: &str, content: &str) -> LockedMember {
        LockedMember {
            content_hash: Digest::of(content.as_bytes()),
            origin: LockedOrigin::Vendored(path.to_owned()),
        }
    }

    fn sample() -> Lock {
        let courier = LockedMember {
            content_hash: Digest::of(b"courier"),
            origin: LockedOrigin::External(Identity {
                namespace: "mail".to_owned(),
                name: "courier".to_owned(),
                version: "1.2.3".to_owned(),
            }),
        };
        let members = BTreeMap::from([
            (
                "refunds".to_owned(),
                vendored("./sub/refunds.yaml", "refunds"),
            ),
            ("desk".to_owned(), vendored("./desk.yaml", "desk")),
            ("mail.courier".to_owned(), courier),
        ]);
        Lock::new("desk", members)
    }

    /// Whoever has committed a lock relies on these bytes.
    #[test]
    fn golden() {
        expect![[r#"{"root_child_name":"desk","members":[{"child_name":"desk","origin":"vendored","content_hash":"49be417ad74080a0031b636b44cfc26fdd0065492d6cd3b033960c4414955cf7","ref":"./desk.yaml"},{"child_name":"mail.courier","origin":"external","content_hash":"2dae946ece4887f35fb73062be6e8ba4eb9e61f4b3b358d5a42936277ef4a2bb","ref":"mail.courier@1.2.3","namespace":"mail","name":"courier","version":"1.2.3"},{"child_name":"refunds","origin":"vendored","content_hash":"4fdc1db8ceef1064f9b8aa6f7c60cdc425279dfd79974613b473511d74c91f3d","ref":"./sub/refunds.yaml"}]}"#]].assert_eq(&sample().body());
        expect![[r#"
            {
              "version": "sha256:cbfbb7c065082962dd49e4fd523ee2e2dcf45184ac10e9322544c757dd632833",
              "root_child_name": "desk",
              "members": [
                {
                  "child_name": "desk",
                  "origin": "vendored",
                  "content_hash": "49be417ad74080a0031b636b44cfc26fdd0065492d6cd3b033960c4414955cf7",
                  "ref": "./desk.yaml"
                },
                {
                  "child_name": "mail.courier",
                  "origin": "external",
                  "content_hash": "2dae946ece4887f35fb73062be6e8ba4eb9e61f4b3b358d5a42936277ef4a2bb",
                  "ref": "mail.courier@1.2.3",
                  "namespace": "mail",
                  "name": "courier",
                  "version": "1.2.3"
                },
                {
                  "child_name": "refunds",
                  "origin": "vendored",
                  "content_hash": "4fdc1db8ceef1064f9b8aa6f7c60cdc425279dfd79974613b473511d74c91f3d",
                  "ref": "./sub/refunds.yaml"
                }
              ]
            }
        "#]].assert_eq(&sample().to_file());
    }

    #[test]
    fn the_version_is_the_hash_of_the_compact_body() {
        let lock = sample();
        let hash = Digest::of(lock.body().as_bytes());
        assert_eq!(lock.version(), format!("sha256:{hash}"));
        assert_eq!(Lock::parse(lock.to_file().as_bytes()), Ok(lock));
    }

    #[test]
    fn strings_are_escaped_as_existing_tools_do() {
        for (text, json) in [
            ("plain é", "\"plain é\""),
            ("<a>&", r#""\u003ca\u003e\u0026""#),
            ("\u{2028}\u{2029}", r#""\u2028\u2029""#),
            ("\"\\\n\r\t\u{8}\u{c}\u{1}", r#""\"\\\n\r\t\b\f\u0001""#),
            ("\u{7f}/", "\"\u{7f}/\""),
        ] {
            assert_eq!(quoted(text), json);
        }
        let odd = BTreeMap::from([("a<b".to_owned(), vendored("./a<b.yaml", "x"))]);
        let odd = Lock::new("a<b", odd);
        assert!(odd.body().contains(r"./a\u003cb.yaml"));
        assert_eq!(Lock::parse(odd.to_file().as_bytes()), Ok(odd));
    }

    #[test]
    fn what_is_no_lock() {
        let file = sample().to_file();
        let edited = |from: &str, to: &str| {
            assert!(file.contains(from), "{from}");
            file.replacen(from, to, 1)
        };
        let hash = Digest::of(b"desk").to_string();
        for (bytes, why) in [
            ("<<<<<<< HEAD".to_owned(), "it is not JSON"),
            ("[]".to_owned(), "it is not a lock: the file is no object"),
            (
                "{}".to_owned(),
                "it is not a lock: the file has no `version`",
            ),
            (
                edited("\"version\"", "\"lockfileVersion\""),
                "it is not a lock: the file has a field `lockfileVersion`",
            ),
            (
                edited("\"members\": [", "\"members\": 1, \"x\": ["),
                "it is not a lock: the file has a field `x`",
            ),
            (
                edited("\"vendored\"", "\"rented\""),
                "it is not a lock: the origin `rented` is not known",
            ),
            (
                edited(&hash, "00"),
                "it is not a lock: `00` is no content hash",
            ),
            (
                edited("\"name\": \"courier\",", ""),
                "it is not a lock: a member has no `name`",
            ),
            (
                edited("\"ref\": \"mail.", "\"ref\": \"post."),
                "it is not a lock: the ref `post.courier@1.2.3` is not mail.courier@1.2.3",
            ),
            (
                edited("\"child_name\": \"refunds\"", "\"child_name\": \"desk\""),
                "it is not a lock: it has two members `desk`",
            ),
            (
                edited(
                    "\"root_child_name\": \"desk\"",
                    "\"root_child_name\": \"desks\"",
                ),
                "it is not a lock: it has no member `desks`",
            ),
            (
                edited("./sub/refunds.yaml", "./refunds.yaml"),
                "its version is sha256:",
            ),
            (edited("sha256:", "sha256:0"), "its version is sha256:0"),
        ] {
            let error = Lock::parse(bytes.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}\n{why}");
        }
        assert!(matches!(
            Lock::parse(edited("./desk.yaml", "./tisch.yaml").as_bytes()),
            Err(LockError::Version { .. })
        ));
        assert!(Lock::parse(" ".repeat(2_000_000).as_bytes()).is_err());
    }

    #[test]
    fn no_change_of_a_lock_goes_unseen() {
        let file = sample().to_file();
        for index in 0..file.len() {
            for other in ["", " ", "0", "a", "\"", "}", "\\"] {
                let (before, after) = file.split_at(index);
                let after = after.get(1..).unwrap();
                let changed = format!("{before}{other}{after}");
                if let Ok(lock) = Lock::parse(changed.as_bytes()) {
                    assert_eq!(lock, sample(), "{changed}");
                }
            }
            let (cut, _) = file.split_at(index);
            let is_whole = cut == file.trim_end();
            assert_eq!(Lock::parse(cut.as_bytes()).is_ok(), is_whole, "{cut}");
        }
    }

    #[test]
    fn drift_names_what_changed() {
        let before = sample();
        assert_eq!(before.drift(&before), Vec::<String>::new());
        let mut members = before.members().clone();
        members.remove("mail.courier");
        members.insert("clerk".to_owned(), vendored("./clerk.yaml", "clerk"));
        members.insert("desk".to_owned(), vendored("./office/desk.yaml", "desk"));
        members.insert("refunds".to_owned(), vendored("./sub/refunds.yaml", "new"));
        let after = Lock::new("clerk", members);
        expect![[r#"
            the root is clerk, and was desk
            clerk is new
            desk is ./office/desk.yaml, and was ./desk.yaml
            the content of refunds has changed (content_hash 11507a0e2f5e, and was 4fdc1db8ceef)
            mail.courier is not in the bundle any more"#]]
        .assert_eq(&after.drift(&before).join("\n"));
    }
}
