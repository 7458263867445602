//! What is left of an instance whose code panicked: nothing in it can be trusted, so every call
//! says so.

use std::sync::{Mutex, Once, PoisonError};

use varve_types::{Error, Result};

static MESSAGE: Mutex<Option<String>> = Mutex::new(None);

/// Has panics recorded; only the first call does anything.
pub fn record_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            let mut message = MESSAGE.lock().unwrap_or_else(PoisonError::into_inner);
            message.get_or_insert_with(|| panic.to_string());
        }));
    });
}

/// What the panic said and where it was, if there was one.
pub fn panic_message() -> Option<String> {
    MESSAGE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}

/// Refuses to go on after a panic.
pub fn check_sound() -> Result<()> {
    match panic_message() {
        None => Ok(()),
        Some(message) => Err(
            Error::internal("the engine has crashed and must be started again")
                .with_detail(message),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{check_sound, panic_message, record_panics};

    #[test]
    fn the_first_panic_is_kept_and_refuses_every_call_after_it() {
        record_panics();
        assert_eq!(check_sound(), Ok(()));
        for reason in ["out of ideas", "later"] {
            assert!(std::panic::catch_unwind(|| panic!("{reason}")).is_err());
        }
        let message = panic_message().unwrap();
        assert!(
            message.contains("out of ideas") && message.contains("panic.rs"),
            "{message}"
        );
        let error = check_sound().unwrap_err();
        assert_eq!(error.state().code(), "XX000");
        assert_eq!(error.fields().detail, Some(message));
    }
}
