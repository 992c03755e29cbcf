//! Locks, counters and tasks. Under `--cfg shuttle` they are those of `shuttle`, which runs a test over and over, each time
//! with another order of what its tasks do.

mod shared;

pub(crate) use shared::{Held, Shared};
/// For the store of files, which shuttle never runs.
pub(crate) use tokio::task::spawn_blocking;
pub(crate) use tokio::task_local;

#[cfg(not(shuttle))]
pub(crate) use {
    parking_lot::{Condvar, Mutex, MutexGuard},
    std::sync::atomic::{AtomicBool, AtomicUsize},
    tokio::spawn,
    tokio::sync::Notify,
    tokio::task::{AbortHandle, JoinError, JoinHandle},
};

#[cfg(shuttle)]
pub(crate) use self::shuttled::*;

/// For statics, which outlive a test's run and are shared by tests: shuttle's own locks belong to one run.
pub(crate) use parking_lot::Mutex as StaticMutex;

/// A number that no other living thread has.
pub(crate) fn thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    let here = HERE.with(|here| std::ptr::from_ref(here).addr());
    // all tasks of one run are on one thread
    #[cfg(shuttle)]
    let here = here + usize::from(shuttle::current::me());
    here
}

/// What a task panicked with, where it did.
#[cfg(not(shuttle))]
pub(crate) fn panic_of(task: JoinError) -> Result<Box<dyn std::any::Any + Send>, JoinError> {
    task.try_into_panic()
}

#[cfg(shuttle)]
mod shuttled {
    use std::any::Any;
    use std::ops::{Deref, DerefMut};
    use std::sync::PoisonError;

    pub(crate) use shuttle::future::{AbortHandle, JoinError, JoinHandle, spawn};
    use shuttle::sync as inner;
    pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicUsize};
    use tokio::sync::futures::Notified;

    /// As `parking_lot`'s: without poison.
    #[derive(Default)]
    pub(crate) struct Mutex<T>(inner::Mutex<T>);

    /// In an option, since a condition variable takes the guard for a while.
    pub(crate) struct MutexGuard<'a, T>(Option<inner::MutexGuard<'a, T>>);

    pub(crate) struct Condvar(inner::Condvar);

    impl<T> Mutex<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(inner::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(Some(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
        }

        pub(crate) fn get_mut(&mut self) -> &mut T {
            self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
        }

        pub(crate) fn into_inner(self) -> T {
            self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;
        fn deref(&self) -> &T {
            self.0.as_ref().expect("only `Condvar::wait` takes it")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_mut().expect("only `Condvar::wait` takes it")
        }
    }

    impl Condvar {
        pub(crate) const fn new() -> Self {
            Self(inner::Condvar::new())
        }

        pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            let held = guard.0.take().expect("only this takes it");
            guard.0 = Some(self.0.wait(held).unwrap_or_else(PoisonError::into_inner));
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }
    }

    /// tokio's own, which wakes shuttle's tasks as it does any; others may run before each of its operations.
    #[derive(Default)]
    pub(crate) struct Notify(tokio::sync::Notify);

    impl Notify {
        pub(crate) fn notified(&self) -> Notified<'_> {
            shuttle::thread::yield_now();
            self.0.notified()
        }

        pub(crate) fn notify_waiters(&self) {
            shuttle::thread::yield_now();
            self.0.notify_waiters();
        }
    }

    /// A panic of a task ends the test.
    pub(crate) fn panic_of(task: JoinError) -> Result<Box<dyn Any + Send>, JoinError> {
        Err(task)
    }
}
