//! The user and the password for a server that the operator has configured.

#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    pub user: String,
    pub password: String,
}

/// Omits the password, because settings are printed.
impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("user", &self.user).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_not_printed() {
        let account = Account { user: "names".into(), password: "hunter2".into() };
        let shown = format!("{account:?}");
        assert!(shown.contains("names") && !shown.contains("hunter2"), "{shown}");
    }
}
