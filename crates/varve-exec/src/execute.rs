//! From a plan to a tree of operators.

use varve_sql::Plan;
use varve_types::{Error, Result};

use crate::context::Running;
use crate::profile::{Profile, ProfiledStream};
use crate::{BatchStream, ExecContext};

/// Builds the operators of `plan`; nothing is read before the first batch is asked for.
pub fn execute<'a>(
    plan: &'a Plan,
    context: &'a ExecContext<'a>,
) -> Result<Box<dyn BatchStream + 'a>> {
    let _ = (plan, Running::new(context));
    Err(Error::unsupported("execution"))
}

/// As [`execute`], and counts what each node does.
pub fn execute_instrumented<'a>(
    plan: &'a Plan,
    context: &'a ExecContext<'a>,
) -> Result<(Box<dyn BatchStream + 'a>, Profile)> {
    let profile = Profile::default();
    let stream = ProfiledStream {
        input: execute(plan, context)?,
        env: context.env,
        profile: profile.clone(),
        node: profile.add_node(),
    };
    Ok((Box::new(stream), profile))
}
