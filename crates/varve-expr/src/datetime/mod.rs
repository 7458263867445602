//! Dates and timestamps.
