//! Times a pass with Criterion, for a measuring program that is not in Rust (criterion.cpp).

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Criterion, SamplingMode};
use std::ffi::{c_char, c_void, CStr};
use std::io::Write;
use std::time::{Duration, Instant};

/// Functions of the measuring program, which are called with `context`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Program {
    context: *mut c_void,
    pass: extern "C" fn(*mut c_void),
    /// Before and after the passes that are timed together.
    begin: extern "C" fn(*mut c_void),
    end: extern "C" fn(*mut c_void, elapsed_ns: u64),
}

/// Wall time as Criterion measures it, which the measuring program is told of.
struct Told {
    wall: WallTime,
    program: Program,
}

impl Measurement for Told {
    type Intermediate = Instant;
    type Value = Duration;

    fn start(&self) -> Instant {
        (self.program.begin)(self.program.context);
        self.wall.start()
    }
    fn end(&self, start: Instant) -> Duration {
        let elapsed = self.wall.end(start);
        (self.program.end)(self.program.context, elapsed.as_nanos() as u64);
        elapsed
    }
    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        self.wall.add(one, other)
    }
    fn zero(&self) -> Duration {
        self.wall.zero()
    }
    fn to_f64(&self, value: &Duration) -> f64 {
        self.wall.to_f64(value)
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        self.wall.formatter()
    }
}

/// The fewest samples that Criterion takes.
const FEWEST: usize = 10;

/// How many samples its warm-up lasts, which is about as long as ours: a processor learns the branches of a
/// message of JSON for some forty milliseconds, so that the longer one would be the faster by 3 %.
const WARM_UP: u64 = 4;

/// Has Criterion take samples of passes, which last about `sample_ns` each; the last calls of `begin` and
/// `end` are those of the samples, those before of its warm-up. It writes its reports to `folder`.
///
/// # Safety
///
/// `folder` is a text with a NUL at its end.
#[no_mangle]
pub unsafe extern "C" fn serbench_criterion(
    program: Program,
    sample_ns: u64,
    samples: usize,
    folder: *const c_char,
) {
    let folder = CStr::from_ptr(folder).to_str().expect("the folder's name is ours");
    std::env::set_var("CRITERION_HOME", folder); // or it asks Cargo for one
    let samples = samples.max(FEWEST);
    let all = Duration::from_nanos(sample_ns * samples as u64);
    let mut criterion = Criterion::default()
        .with_measurement(Told { wall: WallTime, program })
        .output_directory(folder.as_ref())
        .without_plots()
        .nresamples(1000) // for its own statistics, which nobody reads
        .sample_size(samples)
        .warm_up_time(Duration::from_nanos(sample_ns * WARM_UP))
        .measurement_time(all);
    let mut group = criterion.benchmark_group("serbench");
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function("pass", |bencher| bencher.iter(|| (program.pass)(program.context)));
    group.finish();
    std::io::stdout().flush().expect("standard output is open");
}
