//! Three-valued truth: what a condition says about a call. Knows nothing of fields or policies.

/// What a condition says. Ordered, so that *and* is the minimum and *or* the maximum (Kleene).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Truth {
    /// It does not hold.
    False,
    /// It cannot be told: a field is missing, or has a type that the comparison does not take.
    Unknown,
    /// It holds.
    True,
}

impl Truth {
    /// The weaker of the two.
    #[must_use]
    pub fn and(self, other: Truth) -> Truth {
        self.min(other)
    }

    /// The stronger of the two.
    #[must_use]
    pub fn or(self, other: Truth) -> Truth {
        self.max(other)
    }

    /// The opposite; what is unknown stays unknown.
    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "beside `and` and `or` a method reads better than an operator"
    )]
    pub fn not(self) -> Truth {
        match self {
            Truth::False => Truth::True,
            Truth::Unknown => Truth::Unknown,
            Truth::True => Truth::False,
        }
    }

    /// `true`, `false` or `unknown`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Truth::False => "false",
            Truth::Unknown => "unknown",
            Truth::True => "true",
        }
    }
}

impl From<bool> for Truth {
    fn from(holds: bool) -> Self {
        if holds { Truth::True } else { Truth::False }
    }
}

#[cfg(test)]
mod tests {
    use super::Truth::{False, True, Unknown};

    #[test]
    fn kleene_tables() {
        for (a, b, and, or) in [
            (True, True, True, True),
            (True, Unknown, Unknown, True),
            (True, False, False, True),
            (Unknown, True, Unknown, True),
            (Unknown, Unknown, Unknown, Unknown),
            (Unknown, False, False, Unknown),
            (False, True, False, True),
            (False, Unknown, False, Unknown),
            (False, False, False, False),
        ] {
            assert_eq!(a.and(b), and, "{a:?} and {b:?}");
            assert_eq!(a.or(b), or, "{a:?} or {b:?}");
        }
        for (a, not) in [(True, False), (Unknown, Unknown), (False, True)] {
            assert_eq!(a.not(), not, "not {a:?}");
        }
    }
}
