//! What is known of the formats as languages. Each stands between two: a text must be in the wider
//! one to be of the format, and surely is if it is in the narrower one.

/// What is known of one format.
pub(crate) struct Known {
    /// Every text of the format matches; none is known if absent.
    pub(crate) wider: Option<&'static str>,
    /// Every text that matches is of the format.
    pub(crate) narrower: Option<&'static str>,
    /// Some texts of the format.
    pub(crate) examples: &'static [&'static str],
}

const DATE: &str = r"^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$";
const IPV4: &str = r"^(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])\.){3}(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])$";
const UUID: &str = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$";
const DATE_TIME_WIDER: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$";
const DATE_TIME_NARROWER: &str = r"^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$";
const TIME_WIDER: &str = r"^[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$";
const TIME_NARROWER: &str = r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$";

pub(crate) fn known(name: &str) -> Known {
    let exact = |language: &'static str| Known {
        wider: Some(language),
        narrower: Some(language),
        examples: &[],
    };
    let between = |wider, narrower| Known {
        wider: Some(wider),
        narrower: Some(narrower),
        examples: &[],
    };
    let named = |examples| Known {
        wider: None,
        narrower: None,
        examples,
    };
    match name {
        "date" => exact(DATE),
        "ipv4" => exact(IPV4),
        "uuid" => exact(UUID),
        "date-time" => between(DATE_TIME_WIDER, DATE_TIME_NARROWER),
        "time" => between(TIME_WIDER, TIME_NARROWER),
        "ipv6" => Known {
            wider: Some(r"^[0-9a-fA-F:.]{2,45}$"),
            narrower: Some(r"^(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}$"),
            examples: &["::1"],
        },
        "duration" => named(&["P1D", "PT1H", "P1W", "P1Y"]),
        "email" => Known {
            wider: None,
            narrower: Some(r"^[a-z]{1,20}@example\.com$"),
            examples: &[],
        },
        "hostname" => named(&["example.com", "a", "b", "example.org"]),
        "uri" | "iri" => Known {
            wider: Some(r"^[a-zA-Z][a-zA-Z0-9+.-]*:"),
            narrower: Some(r"^https://example\.com/[a-z0-9]*$"),
            examples: &["https://example.com/", "urn:a:b", "a:b"],
        },
        "uri-reference" | "iri-reference" => named(&["/a", "", "a", "https://example.com/"]),
        "uri-template" => named(&["/a", "", "a", "/{a}"]),
        "json-pointer" => named(&["", "/a", "/b"]),
        "relative-json-pointer" => named(&["0", "1", "0/a"]),
        "regex" => named(&["a", "", "b", "^a$"]),
        // Contents: base64 of JSON, which is each by itself as well.
        _ => named(&["MA==", "MQ==", "1", "{}", ""]),
    }
}
