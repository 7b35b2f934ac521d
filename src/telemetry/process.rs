//! Process metrics from `/proc`.

use rustix::time::ClockId;

/// A sample.
pub struct Process {
    pub memory_bytes: i64,
    pub cpu_seconds: f64,
    pub open_files: i64,
    /// Seconds since 1970.
    pub started: f64,
}

/// `None` without `/proc`.
pub fn sample() -> Option<Process> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The process name in parentheses may contain anything. The fields after it start with the third.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok();
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    let page = i64::try_from(rustix::param::page_size()).ok()?;
    // Not from `/proc/stat`, which a service manager may hide.
    let seconds = |clock| {
        let time = rustix::time::clock_gettime(clock);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let booted = seconds(ClockId::Realtime) - seconds(ClockId::Boottime);
    // Without the handle that reads the folder.
    let open = std::fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1);
    Some(Process {
        memory_bytes: number(24)? * page,
        cpu_seconds: (number(14)? + number(15)?) as f64 / ticks,
        open_files: i64::try_from(open).ok()?,
        started: booted + number(22)? as f64 / ticks,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_kernel_knows_this_process() {
        let process = super::sample().expect("there is a /proc");
        assert!(process.memory_bytes > 1 << 20, "{}", process.memory_bytes);
        assert!((3..1_000_000).contains(&process.open_files), "{}", process.open_files);
        assert!(process.cpu_seconds >= 0.0 && process.started > 1.6e9);
    }
}
