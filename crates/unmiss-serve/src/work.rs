//! Work on the computing threads, in slices: many small requests and a large one share them fairly.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use unmiss::run::Run;

use crate::fault::{Answer, Fault};

/// Time after which a long request lets others go first.
const SLICE: Duration = Duration::from_millis(3);

/// A request that is worked on step by step.
pub trait Work: Sized + Send + 'static {
    /// What comes out.
    type Done: Send + 'static;

    /// Does a bounded part, some rows; false when all is done.
    fn step(&mut self) -> Answer<bool>;

    /// What came out.
    fn finish(self) -> Answer<Self::Done>;
}

enum Slice<W: Work> {
    Unfinished(W),
    Finished(Answer<W::Done>),
}

/// Does all of the work. Dropped, it ends after the slice at hand.
pub async fn carry_out<W: Work>(run: &Run, mut work: W) -> Answer<W::Done> {
    loop {
        match on_threads(run, move || slice(work)).await? {
            Slice::Finished(done) => return done,
            Slice::Unfinished(rest) => work = rest,
        }
    }
}

fn slice<W: Work>(mut work: W) -> Slice<W> {
    let start = Instant::now();
    while start.elapsed() < SLICE {
        match work.step() {
            Ok(true) => {}
            Ok(false) => return Slice::Finished(work.finish()),
            Err(fault) => return Slice::Finished(Err(fault)),
        }
    }
    Slice::Unfinished(work)
}

/// Does something on the computing threads. What panics there is a fault of this request alone.
pub async fn on_threads<T: Send + 'static>(
    run: &Run,
    work: impl FnOnce() -> T + Send + 'static,
) -> Answer<T> {
    let (give, take) = tokio::sync::oneshot::channel();
    run.begin(move || {
        // Whoever asked may be gone.
        drop(give.send(catch_unwind(AssertUnwindSafe(work))));
    });
    match take.await {
        Ok(Ok(done)) => Ok(done),
        _ => Err(Fault::internal("the computation failed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(u32, u32);

    impl Work for Count {
        type Done = u32;

        fn step(&mut self) -> Answer<bool> {
            std::thread::sleep(Duration::from_millis(2));
            self.0 += 1;
            assert!(self.0 < 100, "more steps than asked for");
            Ok(self.0 < self.1)
        }

        fn finish(self) -> Answer<u32> {
            Ok(self.0)
        }
    }

    #[tokio::test]
    async fn long_work_goes_on_where_it_was_and_panics_stay_inside() {
        let run = Run::new(0, 1).unwrap();
        assert_eq!(carry_out(&run, Count(0, 7)).await.unwrap(), 7);
        assert!(carry_out(&run, Count(0, 1000)).await.is_err());
        assert_eq!(on_threads(&run, || 3).await.unwrap(), 3);
    }
}
