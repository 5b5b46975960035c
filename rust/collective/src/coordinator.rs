//! `Coordinator`: rank 0's table of the tensors that each rank has submitted.

use crate::message::{Kind, Request, Response};
use ferroflow_tensor::{DType, Shape};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// Tensors of this size and above are exchanged in place. Copying them into a common buffer would take longer than an
/// additional exchange.
pub(crate) const ALONE_BYTES: usize = 1 << 20;

/// A tensor that some ranks have submitted.
struct Entry {
    requests: Vec<Option<Request>>,
    missing: usize,
    since: Instant,
    /// The time of the last warning.
    warned: Instant,
}

/// A tensor that all ranks have submitted.
struct Ready {
    request: Request,
    response: Response,
}

pub(crate) struct Coordinator {
    size: usize,
    fusion_bytes: usize,
    waiting: FxHashMap<String, Entry>,
    ready: Vec<Ready>,
}

impl Coordinator {
    pub fn new(size: usize, fusion_bytes: usize) -> Coordinator {
        Coordinator { size, fusion_bytes, waiting: FxHashMap::default(), ready: Vec::new() }
    }

    /// Notes the tensors that a rank has submitted.
    pub fn add(&mut self, rank: usize, requests: Vec<Request>) {
        for request in requests {
            let now = Instant::now();
            let entry = self.waiting.entry(request.name.clone()).or_insert_with(|| Entry {
                requests: vec![None; self.size],
                missing: self.size,
                since: now,
                warned: now,
            });
            let Some(place) = entry.requests.get_mut(rank) else { continue };
            if place.replace(request.clone()).is_none() {
                entry.missing -= 1;
            }
            if entry.missing == 0
                && let Some(entry) = self.waiting.remove(&request.name)
            {
                let requests: Vec<Request> = entry.requests.into_iter().flatten().collect();
                let response = response(&requests);
                self.ready.push(Ready { request, response });
            }
        }
    }

    /// Returns whether some rank waits for others.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Returns the tensors that all ranks have submitted, in groups to be exchanged together.
    pub fn take_ready(&mut self) -> Vec<Response> {
        let mut groups: Vec<(Response, Request, usize)> = Vec::new();
        for Ready { request, response } in self.ready.drain(..) {
            let bytes = bytes(&request);
            let is_small = response.error.is_none() && bytes < ALONE_BYTES;
            let fits = |(group, first, sum): &&mut (Response, Request, usize)| {
                group.error.is_none() && can_share(first, &request) && sum.saturating_add(bytes) <= self.fusion_bytes
            };
            // Nothing joins a large tensor.
            if !is_small {
                groups.push((response, request, usize::MAX));
            } else if let Some((group, _, sum)) = groups.iter_mut().rev().find(fits) {
                group.names.extend(response.names);
                *sum += bytes;
            } else {
                groups.push((response, request, bytes));
            }
        }
        groups.into_iter().map(|(group, ..)| group).collect()
    }

    /// Returns a list of the tensors that some ranks have not submitted, as text, and the oldest tensor's waiting time. A
    /// tensor is listed at most once in `every`.
    pub fn stalled(&mut self, every: Duration) -> Option<(String, Duration)> {
        let now = Instant::now();
        let oldest = self.waiting.values().map(|e| now.duration_since(e.since)).max()?;
        let mut lines: Vec<String> = Vec::new();
        for (name, entry) in &mut self.waiting {
            if now.duration_since(entry.warned) >= every {
                entry.warned = now;
                let missing: Vec<String> = (0..self.size)
                    .filter(|&rank| entry.requests.get(rank).is_some_and(Option::is_none))
                    .map(|rank| rank.to_string())
                    .collect();
                lines.push(format!("{name} [missing ranks: {}]", missing.join(", ")));
            }
        }
        lines.sort();
        (!lines.is_empty()).then(|| (lines.join("; "), oldest))
    }
}

fn bytes(request: &Request) -> usize {
    let size = DType::from_number(request.dtype).map_or(1, DType::size);
    Shape::checked(&request.shape).map_or(0, |s| s.elements().saturating_mul(size))
}

/// Returns whether two tensors may be summed in one buffer.
fn can_share(a: &Request, b: &Request) -> bool {
    a.kind() == Kind::Allreduce
        && b.kind() == Kind::Allreduce
        && (a.dtype, a.average) == (b.dtype, b.average)
        && (a.prescale, a.postscale) == (b.prescale, b.postscale)
}

/// Returns the response to a tensor that all ranks have submitted: an error if they differ where they must not.
fn response(requests: &[Request]) -> Response {
    let error = requests.iter().enumerate().skip(1).find_map(|(rank, r)| mismatch(&requests[0], r, rank));
    let first = requests.first();
    let name = first.map_or_else(String::new, |r| r.name.clone());
    let is_gather = first.is_some_and(|r| r.kind() == Kind::Allgather);
    let rows = requests.iter().map(|r| r.shape.first().copied().unwrap_or(0) as u64);
    let rows = if is_gather { rows.collect() } else { Vec::new() };
    Response { names: vec![name], error, rows }
}

/// Returns the first difference between the tensor of rank 0 and that of another rank.
fn mismatch(first: &Request, other: &Request, rank: usize) -> Option<String> {
    let type_name = |r: &Request| DType::from_number(r.dtype).map_or("unknown", DType::name);
    let (kind, other_kind) = (first.kind(), other.kind());
    if kind != other_kind {
        return Some(format!(
            "Mismatched MPI operations: rank 0 requested {}, but rank {rank} requested {}",
            kind.name(),
            other_kind.name()
        ));
    }
    if first.dtype != other.dtype {
        return Some(format!(
            "Mismatched data types: rank 0 had type {}, but rank {rank} had type {}",
            type_name(first),
            type_name(other)
        ));
    }
    let skip = usize::from(kind == Kind::Allgather);
    if first.shape.len() != other.shape.len() || first.shape.iter().skip(skip).ne(other.shape.iter().skip(skip)) {
        let except = if skip == 1 { " (the first dimension may differ)" } else { "" };
        return Some(format!(
            "Mismatched {} tensor shapes: rank 0 sent a tensor of shape {:?}, but rank {rank} sent a tensor of shape {:?}{except}",
            kind.name(),
            first.shape,
            other.shape
        ));
    }
    if first.root != other.root {
        return Some(format!(
            "Mismatched broadcast root ranks: rank 0 specified root rank {}, but rank {rank} specified root rank {}",
            first.root, other.root
        ));
    }
    if !(can_share(first, other) || kind != Kind::Allreduce) {
        return Some(format!("Mismatched allreduce reductions or scale factors on rank 0 and rank {rank}"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(name: &str, shape: &[i64]) -> Request {
        let dtype = DType::F32.number();
        Request { name: name.into(), dtype, shape: shape.into(), prescale: 1.0, postscale: 1.0, ..Request::default() }
    }

    fn names(ready: &[Response]) -> Vec<Vec<&str>> {
        ready.iter().map(|r| r.names.iter().map(String::as_str).collect()).collect()
    }

    #[test]
    fn a_tensor_is_ready_when_the_last_rank_has_it() {
        let mut c = Coordinator::new(3, 1 << 26);
        c.add(2, vec![request("b", &[2]), request("a", &[2])]);
        c.add(0, vec![request("a", &[2])]);
        assert!(c.take_ready().is_empty() && c.is_waiting());
        c.add(1, vec![request("a", &[2]), request("b", &[2])]);
        assert_eq!(names(&c.take_ready()), [["a"]]);
        c.add(0, vec![request("b", &[2])]);
        assert_eq!(names(&c.take_ready()), [["b"]]);
        assert!(!c.is_waiting());
    }

    #[test]
    fn small_tensors_share_a_buffer_of_limited_size() {
        let mut c = Coordinator::new(1, 20);
        let large = request("large", &[1 << 18]);
        c.add(0, vec![request("a", &[2]), large, request("b", &[3]), request("c", &[1]), request("d", &[5])]);
        assert_eq!(names(&c.take_ready()), [vec!["a", "b"], vec!["large"], vec!["c"], vec!["d"]]);
    }

    #[test]
    fn differences_between_ranks_are_errors() {
        let differ = |change: fn(&mut Request)| {
            let mut c = Coordinator::new(2, 1 << 26);
            let mut other = request("a", &[2, 3]);
            change(&mut other);
            c.add(0, vec![request("a", &[2, 3])]);
            c.add(1, vec![other]);
            c.take_ready()[0].error.clone().unwrap()
        };
        assert!(differ(|r| r.shape[1] = 4).contains("shape [2, 3], but rank 1 sent a tensor of shape [2, 4]"));
        assert!(differ(|r| r.dtype = DType::F64.number()).contains("float32, but rank 1 had type float64"));
        assert!(
            differ(|r| r.set_kind(Kind::Broadcast)).contains("requested allreduce, but rank 1 requested broadcast")
        );
        assert!(differ(|r| r.root = 1).contains("root rank 0, but rank 1 specified root rank 1"));
        assert!(differ(|r| r.average = true).contains("reductions"));
    }

    #[test]
    fn the_rows_of_an_allgather_may_differ() {
        let mut c = Coordinator::new(2, 1 << 26);
        for (rank, rows) in [(0, 4), (1, 0)] {
            let mut r = request("a", &[rows, 3]);
            r.set_kind(Kind::Allgather);
            c.add(rank, vec![r]);
        }
        assert_eq!(c.take_ready()[0], Response { names: vec!["a".into()], error: None, rows: vec![4, 0] });
    }

    #[test]
    fn a_stall_names_the_tensors_and_the_missing_ranks() {
        let mut c = Coordinator::new(3, 1 << 26);
        c.add(1, vec![request("a", &[])]);
        assert!(c.stalled(Duration::from_secs(60)).is_none());
        assert_eq!(c.stalled(Duration::ZERO).unwrap().0, "a [missing ranks: 0, 2]");
    }
}
