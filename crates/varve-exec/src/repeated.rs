//! Parts of a plan that run several times.

use std::rc::Rc;

use varve_types::Result;

use crate::context::Running;
use crate::source::BatchStream;

/// Makes the operators of a part of a plan for one more run of it. The operator that runs it gets
/// it made, so that no operator knows how others are made.
pub(crate) type Repeated<'a> = Rc<dyn Fn(Running<'a>) -> Result<Box<dyn BatchStream + 'a>> + 'a>;
