//! A Bundle on this machine with all its members. Asks a runtime only for versions that are pinned,
//! and for tools and policies that the files refer to and do not have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proto::runtime::v1::{AgentRef, GetAgentVersionRequest, GetAgentVersionResponse};
use publish::{
    Closure, External, Files as _, LOCK_FILE, Lock, LockedOrigin, Origin, Recorder, Severity,
};
use spec::Json;
use spec::snapshot::Identity;

use crate::connect::Runtime;
use crate::context::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::findings::Findings;
use crate::local::{self, Opened};
use crate::lookup;
use crate::secrets;

/// The file of a Bundle in a folder that is named instead of it.
const MANIFEST: &str = "bundle.yaml";

/// A Bundle and what lies beside it.
pub(super) struct Loaded {
    pub(super) closure: Closure,
    /// Every file that was read, by path from the Bundle's folder.
    pub(super) sources: BTreeMap<String, Vec<u8>>,
    pub(super) folder: PathBuf,
    /// The bytes of the lock file, if there is one.
    pub(super) committed: Option<Vec<u8>>,
}

/// A secret that a run from here would lack.
pub(super) struct Unset {
    pub(super) child_name: String,
    pub(super) reference: String,
    pub(super) secret: String,
    pub(super) variable: String,
}

/// Walks and compiles the Bundle at `path`, a file or the folder that it is in.
pub(super) async fn load(path: &Path, context: &Context) -> Result<Loaded, Failure> {
    let Opened {
        disk,
        folder,
        manifest,
    } = local::open(path, MANIFEST)?;
    let recorder = Recorder::new(&disk);
    let mut externals = BTreeMap::new();
    let (mut closure, catalog) = lookup::with_catalog(context, |catalog| {
        let closure = publish::closure_with(&recorder, catalog, &manifest, &externals);
        let wanted = closure.wanted_documents.clone();
        (closure, wanted)
    })
    .await?;
    // What is wrong here can be said without a runtime.
    if !closure.wanted.is_empty() && local::count(&closure.diagnostics, Severity::Error) == 0 {
        let runtime = Runtime::dial(context).await?;
        for pin in &closure.wanted {
            externals.insert(pin.clone(), fetch(pin, &runtime, context).await?);
        }
        closure = publish::closure_with(&recorder, &catalog, &manifest, &externals);
    }
    let unreadable = |why: publish::FileError| {
        Failure::new(Exit::Failed, format!("read {LOCK_FILE}")).because(&why)
    };
    if folder.join(LOCK_FILE).is_dir() {
        let message = format!("{LOCK_FILE} is a folder; move it out of the way");
        return Err(Failure::new(Exit::Invalid, message));
    }
    let committed = disk.read(LOCK_FILE).map_err(unreadable)?;
    Ok(Loaded {
        closure,
        sources: recorder.into_sources(),
        folder,
        committed,
    })
}

/// What the runtime has of a pinned version.
async fn fetch(pin: &Identity, runtime: &Runtime, context: &Context) -> Result<External, Failure> {
    let action = format!("get agent version {pin}");
    let request = GetAgentVersionRequest {
        agent_ref: Some(AgentRef {
            namespace: pin.namespace.clone(),
            name: pin.name.clone(),
            version: pin.version.clone(),
        }),
    };
    let answer = runtime.api().get_agent_version(request).await;
    let version = answer.map_err(runtime.failed(&action))?.into_inner();
    let standing = [
        ("deprecated", &version.deprecated_at),
        ("retired", &version.retired_at),
    ];
    for (word, time) in standing {
        if !time.is_empty() {
            let text = format!("{pin} is {word}: the runtime starts no run of it");
            context.printer.warn(&text);
        }
    }
    read(&version).map_err(|why| Failure {
        message: format!("{action}: {}", why.message),
        ..why
    })
}

fn read(version: &GetAgentVersionResponse) -> Result<External, Failure> {
    let failed = |what: &str| Failure::new(Exit::Failed, format!("the runtime answers {what}"));
    let content_hash = version
        .content_hash
        .parse()
        .map_err(|_| failed("a content hash that is none"))?;
    let manifest = Json::parse(&version.manifest)
        .map_err(|why| failed("a manifest that is no JSON").because(&why))?;
    let purpose = manifest
        .get("spec")
        .and_then(|it| it.get("purpose"))
        .and_then(Json::as_str);
    let declared = secrets::declared(&manifest);
    Ok(External {
        content_hash,
        purpose: purpose.unwrap_or_default().to_owned(),
        secrets: declared
            .into_iter()
            .map(|(name, variable)| (name.to_owned(), variable.to_owned()))
            .collect(),
    })
}

impl Loaded {
    /// What was found, for programs.
    pub(super) fn findings(&self) -> Findings<'_> {
        Findings {
            diagnostics: &self.closure.diagnostics,
            sources: &self.sources,
            folder: &self.folder,
        }
    }

    /// What the Bundle comes to now, or the error that it has errors.
    pub(super) fn lock(&self) -> Result<(&Identity, &Lock), Failure> {
        let found = self.closure.bundle.as_ref().zip(self.closure.lock.as_ref());
        found.ok_or_else(|| local::invalid("bundle", &self.closure.diagnostics))
    }

    /// Secrets of vendored members whose variables are not set here.
    pub(super) fn unset_secrets(&self, context: &Context) -> Vec<Unset> {
        let mut unset = Vec::new();
        for member in &self.closure.members {
            let snapshot = match &member.origin {
                Origin::Vendored(Some(snapshot)) => snapshot,
                Origin::Vendored(None) | Origin::External(_) => continue,
            };
            for (secret, source) in &snapshot.secrets {
                if context.environment.get_trimmed(&source.from_env).is_none() {
                    unset.push(Unset {
                        child_name: member.child_name.clone(),
                        reference: member.reference.clone(),
                        secret: secret.clone(),
                        variable: source.from_env.clone(),
                    });
                }
            }
        }
        unset
    }
}

/// The second line of both verbs.
pub(super) fn members_line(lock: &Lock) -> String {
    let (count, root) = (lock.members().len(), lock.root_child_name());
    format!("members: {count} (root: {root})")
}

/// The members of a lock for programs.
pub(super) fn members_to_json(lock: &Lock) -> Json {
    let one = |(name, member): (&String, &publish::LockedMember)| {
        let origin = match &member.origin {
            LockedOrigin::Vendored(_) => "vendored",
            LockedOrigin::External(_) => "external",
        };
        Json::from_members([
            ("child_name", Json::from(name.as_str())),
            ("origin", Json::from(origin)),
            ("ref", Json::from(member.reference())),
            ("content_hash", Json::from(member.content_hash.to_string())),
        ])
    };
    Json::from(lock.members().iter().map(one).collect::<Vec<_>>())
}
