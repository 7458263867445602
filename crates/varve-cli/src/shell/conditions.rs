//! The branches of `\if`, `\elif`, `\else` and `\endif`.

/// The branches that are open in one input.
#[derive(Debug, Default)]
pub struct Conditions(Vec<Branch>);

#[derive(Debug)]
struct Branch {
    /// Whether this part is read.
    is_active: bool,
    /// Whether one of the parts was, or none may be.
    was_taken: bool,
    has_else: bool,
}

impl Conditions {
    /// Whether what follows is run.
    pub fn is_active(&self) -> bool {
        self.0.iter().all(|branch| branch.is_active)
    }

    /// Whether a branch is open.
    pub fn is_open(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether the value after `\elif` counts.
    pub fn awaits_elif(&self) -> bool {
        self.0
            .last()
            .is_some_and(|branch| !branch.was_taken && !branch.has_else)
    }

    /// `\if`
    pub fn begin(&mut self, value: bool) {
        let is_active = value && self.is_active();
        let was_taken = value || !self.is_active();
        self.0.push(Branch {
            is_active,
            was_taken,
            has_else: false,
        });
    }

    /// `\elif`
    pub fn elif(&mut self, value: bool) -> Result<(), &'static str> {
        let Some(branch) = self.0.last_mut() else {
            return Err("\\elif: no matching \\if");
        };
        if branch.has_else {
            return Err("\\elif: cannot occur after \\else");
        }
        branch.is_active = value && !branch.was_taken;
        branch.was_taken |= value;
        Ok(())
    }

    /// `\else`
    pub fn otherwise(&mut self) -> Result<(), &'static str> {
        let Some(branch) = self.0.last_mut() else {
            return Err("\\else: no matching \\if");
        };
        if branch.has_else {
            return Err("\\else: cannot occur after \\else");
        }
        branch.is_active = !branch.was_taken;
        branch.was_taken = true;
        branch.has_else = true;
        Ok(())
    }

    /// `\endif`
    pub fn end(&mut self) -> Result<(), &'static str> {
        self.0.pop().map(drop).ok_or("\\endif: no matching \\if")
    }
}

#[cfg(test)]
mod tests {
    use super::Conditions;

    #[test]
    fn one_part_is_read() {
        let mut conditions = Conditions::default();
        assert!(conditions.is_active());
        conditions.begin(false);
        assert!(!conditions.is_active());
        conditions.begin(true);
        assert!(!conditions.is_active());
        conditions.otherwise().unwrap();
        assert!(!conditions.is_active());
        conditions.end().unwrap();
        conditions.elif(true).unwrap();
        assert!(conditions.is_active());
        conditions.elif(true).unwrap();
        assert!(!conditions.is_active());
        conditions.otherwise().unwrap();
        assert!(!conditions.is_active());
        assert!(conditions.elif(true).is_err());
        conditions.end().unwrap();
        assert!(conditions.end().is_err());
    }
}
