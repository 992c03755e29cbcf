//! Locks, counters and tasks. Under `--cfg shuttle` they are those of `shuttle`, which runs a test over and over, each time
//! with another order of what its tasks do.

mod shared;

pub(crate) use shared::{Held, Shared};
/// For the store of files, which shuttle never runs.
pub(crate) use tokio::task::spawn_blocking;

#[cfg(not(shuttle))]
pub(crate) use {
    parking_lot::{Condvar, Mutex, MutexGuard},
    std::sync::atomic::{AtomicBool, AtomicUsize},
    tokio::runtime::Handle,
    tokio::spawn,
    tokio::sync::Notify,
    tokio::task::{AbortHandle, JoinError, JoinHandle},
    tokio::task_local,
    tokio::time::timeout,
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
    use std::collections::BTreeMap;
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

        pub(crate) fn notify_one(&self) {
            shuttle::thread::yield_now();
            self.0.notify_one();
        }

        pub(crate) fn notify_waiters(&self) {
            shuttle::thread::yield_now();
            self.0.notify_waiters();
        }
    }

    /// A value of a task: tokio's are of a thread while a task is polled, and all tasks of one run are on one thread.
    pub(crate) struct TaskLocal<T>(super::StaticMutex<BTreeMap<usize, T>>);

    macro_rules! task_local {
        ($(#[$doc:meta])* static $name:ident: $ty:ty;) => {
            $(#[$doc])*
            static $name: $crate::sync::TaskLocal<$ty> = $crate::sync::TaskLocal::new();
        };
    }
    pub(crate) use task_local;

    impl<T> TaskLocal<T> {
        pub(crate) const fn new() -> Self {
            Self(parking_lot::const_mutex(BTreeMap::new()))
        }

        pub(crate) fn try_with<R>(&self, with: impl FnOnce(&T) -> R) -> Result<R, &'static str> {
            self.0.lock().get(&super::thread()).map(with).ok_or("outside of its scope")
        }

        pub(crate) async fn scope<O>(&self, value: T, work: impl Future<Output = O>) -> O {
            let (mut work, mut other) = (std::pin::pin!(work), Some(value));
            std::future::poll_fn(|cx| {
                self.swap(&mut other);
                let done = work.as_mut().poll(cx);
                self.swap(&mut other);
                done
            })
            .await
        }

        fn swap(&self, other: &mut Option<T>) {
            let mut all = self.0.lock();
            let own = all.remove(&super::thread());
            if let Some(other) = std::mem::replace(other, own) {
                all.insert(super::thread(), other);
            }
        }
    }

    /// No time passes.
    pub(crate) async fn timeout<T>(
        _: std::time::Duration,
        work: impl Future<Output = T>,
    ) -> Result<T, std::convert::Infallible> {
        Ok(work.await)
    }

    /// Where tasks are spawned: in the test.
    pub(crate) struct Handle;

    impl Handle {
        pub(crate) fn try_current() -> Result<Self, std::convert::Infallible> {
            Ok(Self)
        }

        pub(crate) fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
        where
            F: Future<Output: Send> + Send + 'static,
        {
            spawn(task)
        }
    }

    /// A panic of a task ends the test.
    pub(crate) fn panic_of(task: JoinError) -> Result<Box<dyn Any + Send>, JoinError> {
        Err(task)
    }
}
