//! A small sound bundle, and ways to spoil it.

use std::collections::BTreeMap;

use expect_test::Expect;

use spec::snapshot::Identity;

use super::rules::faults;
use crate::{
    Catalog, Closure, Compiled, Diagnostic, External, MemoryFiles, Severity, closure, compile,
    compile_with, document, render,
};

const AGENT: &str = "\
apiVersion: phrony.com/v1
kind: Agent
metadata:
  name: clerk
  namespace: shop
  version: 1.0.0
spec:
  purpose: Settle refunds.
  instructions:
    text: Be fair.
  model:
    provider: stub
    name: scripted
  tools:
    - ref: pay.refund@^1.0
      as: refund
      policies:
        - pay.limit
";

const TOOL: &str = "\
apiVersion: phrony.com/v1
kind: Tool
metadata:
  name: refund
  namespace: pay
  version: 1.2.0
spec:
  description: Pay money back.
  side_effect_class: non_idempotent_write
  input_schema:
    ref: schemas/refund
";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "order": {"type": "string", "pattern": "^A-[0-9]+$"},
    "amount": {"type": "number"},
    "currency": {"enum": ["EUR", "USD"]}
  },
  "required": ["order", "amount"],
  "additionalProperties": false
}
"#;

const POLICY: &str = "\
apiVersion: phrony.com/v1
kind: Policy
metadata:
  name: limit
  namespace: pay
  version: 1.0.0
spec:
  conditions:
    field: amount
    op: gt
    value: 1000
  decision:
    type: deny
    reason: Too much.
";

const BUNDLE: &str = "\
apiVersion: phrony.com/v1
kind: Bundle
metadata:
  name: front-desk
  namespace: shop
  version: 1.0.0
spec:
  root: desk.yaml
";

const DESK: &str = "\
apiVersion: phrony.com/v1
kind: Agent
metadata:
  name: desk
  namespace: shop
  version: 1.0.0
spec:
  purpose: Help customers.
  instructions:
    text: Hand refunds on.
  model:
    provider: stub
    name: scripted
  agents:
    - ref: ./refunds/clerk.yaml
      as: refunds
";

/// Files of a bundle, by path.
#[derive(Clone)]
pub(crate) struct Bundle(BTreeMap<String, Vec<u8>>);

/// An agent with one tool and one policy, in which there is nothing to find.
pub(crate) fn sample() -> Bundle {
    Bundle::empty()
        .file("agent.yaml", AGENT)
        .file("tools/refund.yaml", TOOL)
        .file("schemas/refund.json", SCHEMA)
        .file("policies/limit.yaml", POLICY)
}

/// A Bundle whose root hands work to the sample's agent, which has a folder of its own.
pub(crate) fn desk() -> Bundle {
    let clerk = sample().0.into_iter().map(|(path, bytes)| {
        let path = if path == "agent.yaml" {
            "clerk.yaml"
        } else {
            &path
        };
        (format!("refunds/{path}"), bytes)
    });
    Bundle(clerk.collect())
        .file("bundle.yaml", BUNDLE)
        .file("desk.yaml", DESK)
}

impl Bundle {
    pub(crate) fn empty() -> Self {
        Self(BTreeMap::new())
    }

    pub(crate) fn file(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.0.insert(path.to_owned(), bytes.as_ref().to_vec());
        self
    }

    pub(crate) fn without(mut self, path: &str) -> Self {
        assert!(self.0.remove(path).is_some(), "no file {path}");
        self
    }

    /// Replaces the one place where `from` stands.
    pub(crate) fn edit(self, path: &str, from: &str, to: &str) -> Self {
        let text = self.text(path).unwrap();
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {path}");
        self.file(path, text.replace(from, to))
    }

    pub(crate) fn append(self, path: &str, more: &str) -> Self {
        let text = self.text(path).unwrap();
        self.file(path, text + more)
    }

    pub(crate) fn text(&self, path: &str) -> Option<String> {
        Some(String::from_utf8_lossy(self.0.get(path)?).into_owned())
    }

    pub(crate) fn files(&self) -> MemoryFiles {
        MemoryFiles::from(self.0.clone())
    }

    pub(crate) fn compile(&self) -> Compiled {
        compile(&self.files(), "agent.yaml")
    }

    /// Compares everything that is said about the bundle.
    #[track_caller]
    pub(crate) fn check(&self, expect: Expect) {
        self.check_with(&Catalog::default(), expect);
    }

    /// Compares everything that is said about the bundle with a catalog behind it.
    #[track_caller]
    pub(crate) fn check_with(&self, catalog: &Catalog, expect: Expect) {
        let compiled = compile_with(&self.files(), catalog, "agent.yaml");
        self.compare(compiled.snapshot.is_some(), &compiled.diagnostics, expect);
    }

    /// Compares everything that is said about one file on its way into the catalog.
    #[track_caller]
    pub(crate) fn check_document(&self, catalog: &Catalog, path: &str, expect: Expect) {
        let compiled = document(&self.files(), catalog, path);
        self.compare(compiled.entry.is_some(), &compiled.diagnostics, expect);
    }

    #[track_caller]
    fn compare(&self, came_out: bool, diagnostics: &[Diagnostic], expect: Expect) {
        let is_sound = !diagnostics.iter().any(|it| it.severity == Severity::Error);
        assert_eq!(came_out, is_sound);
        self.complete(diagnostics);
        expect.assert_eq(&render(diagnostics, &|path| self.text(path), false));
    }

    /// Every diagnostic carries all that it must.
    #[track_caller]
    fn complete(&self, found: &[crate::Diagnostic]) {
        for it in found {
            assert_eq!(faults(it, self), [""; 0], "{it:?}");
        }
    }

    pub(crate) fn closure(&self) -> Closure {
        self.closure_with(&BTreeMap::new())
    }

    pub(crate) fn closure_with(&self, externals: &BTreeMap<Identity, External>) -> Closure {
        let closure = closure(&self.files(), "bundle.yaml", externals);
        let errors = |it: &crate::Diagnostic| it.severity == crate::Severity::Error;
        let sound = !closure.diagnostics.iter().any(errors) && closure.wanted.is_empty();
        assert_eq!(closure.lock.is_some(), sound, "{:?}", closure.diagnostics);
        closure
    }

    /// Compares everything that is said about the Bundle in `bundle.yaml`.
    #[track_caller]
    pub(crate) fn check_closure(&self, expect: Expect) {
        let found = self.closure().diagnostics;
        self.complete(&found);
        expect.assert_eq(&render(&found, &|path| self.text(path), false));
    }

    /// The codes of everything that is said about the Bundle, in order.
    #[track_caller]
    pub(crate) fn closure_codes(&self) -> Vec<String> {
        let found = self.closure().diagnostics;
        found.iter().map(|it| it.code.to_string()).collect()
    }

    /// The codes of everything that is said, in order.
    pub(crate) fn codes(&self) -> Vec<String> {
        self.compile()
            .diagnostics
            .iter()
            .map(|it| it.code.to_string())
            .collect()
    }
}
