//! Groups of threads, for tests.

use crate::group::Group;
use crate::operation::{Operation, Options};
use crate::transport::{Part, Transport};
use ferroflow_graph::Bell;
use ferroflow_tensor::{DType, Result, Status, Tensor};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Longer than any test takes.
const HANGS: Duration = Duration::from_secs(20);

/// Messages of two kinds: those of the coordinator, and data.
pub struct Channels {
    rank: usize,
    messages: Vec<Sender<(usize, Vec<u8>)>>,
    arrived: Receiver<(usize, Vec<u8>)>,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    /// Stands for a rank that vanished: it sends nothing any more.
    pub is_lost: bool,
}

pub fn transports(size: usize) -> Vec<Channels> {
    let (messages, arrived): (Vec<_>, Vec<_>) = (0..size).map(|_| channel()).unzip();
    let mut to: Vec<Vec<_>> = (0..size).map(|_| Vec::new()).collect();
    let mut from: Vec<Vec<_>> = (0..size).map(|_| Vec::new()).collect();
    for to in &mut to {
        for from in &mut from {
            let (sender, receiver) = channel();
            to.push(sender);
            from.push(receiver);
        }
    }
    let ends = arrived.into_iter().zip(to).zip(from).enumerate();
    ends.map(|(rank, ((arrived, to), from))| Channels {
        rank,
        messages: messages.clone(),
        arrived,
        to,
        from,
        is_lost: false,
    })
    .collect()
}

impl Channels {
    fn send_data(&self, to: usize, data: &[u8]) -> Result<()> {
        self.to[to].send(data.to_vec()).map_err(|_| Status::unknown("the other rank has ended"))
    }

    fn receive_data(&self, from: usize, data: &mut [u8]) -> Result<()> {
        let got = self.from[from].recv_timeout(HANGS).map_err(|_| Status::unknown("the other rank has ended"))?;
        data.copy_from_slice(&got);
        Ok(())
    }
}

impl Transport for Channels {
    fn send(&mut self, to: usize, message: &[u8]) -> Result<()> {
        if !self.is_lost {
            let _ = self.messages[to].send((self.rank, message.to_vec()));
        }
        Ok(())
    }

    fn poll(&mut self) -> Result<Option<(usize, Vec<u8>)>> {
        Ok(self.arrived.try_recv().ok())
    }

    fn is_flushed(&mut self) -> Result<bool> {
        Ok(true)
    }

    fn exchange(&mut self, send: &[u8], sizes: &[usize], receive: &mut [u8]) -> Result<()> {
        let mut send = send;
        for (to, &size) in sizes.iter().enumerate() {
            let (part, rest) = send.split_at(size);
            send = rest;
            if to != self.rank {
                self.send_data(to, part)?;
            }
        }
        let others = (0..sizes.len()).filter(|&from| from != self.rank);
        let own = sizes[self.rank];
        assert_eq!(receive.len(), own * (sizes.len() - 1));
        for (i, from) in others.enumerate() {
            self.receive_data(from, &mut receive[i * own..(i + 1) * own])?;
        }
        Ok(())
    }

    fn gather(&mut self, data: &mut [u8], sizes: &[usize]) -> Result<()> {
        let starts: Vec<usize> = (0..sizes.len()).map(|i| sizes[..i].iter().sum()).collect();
        let part = |i: usize| starts[i]..starts[i] + sizes[i];
        for to in (0..sizes.len()).filter(|&to| to != self.rank) {
            self.send_data(to, &data[part(self.rank)])?;
        }
        for from in (0..sizes.len()).filter(|&from| from != self.rank) {
            self.receive_data(from, &mut data[part(from)])?;
        }
        Ok(())
    }

    fn broadcast(&mut self, data: Part<'_>, root: usize) -> Result<()> {
        match data {
            Part::Send(data) => (0..self.to.len()).filter(|&to| to != root).try_for_each(|to| self.send_data(to, data)),
            Part::Receive(data) => self.receive_data(root, data),
        }
    }

    fn sum(&mut self, _: &mut [u8], _: DType) -> Result<bool> {
        Ok(false)
    }
}

/// Runs `act` for each rank of a group, on a thread of its own, and returns what they return.
pub fn with_ranks<T: Send>(size: usize, options: &Options, act: impl Fn(&Group) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = transports(size)
            .into_iter()
            .enumerate()
            .map(|(rank, transport)| {
                let (act, options) = (&act, options.clone());
                scope.spawn(move || {
                    let group = Group::join(Box::new(transport), rank, size, options).unwrap();
                    let outcome = act(&group);
                    assert!(group.leave(HANGS));
                    outcome
                })
            })
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

/// Submits a tensor and waits for its outcome.
pub fn run(group: &Group, name: &str, operation: Operation, tensor: Tensor) -> Result<Tensor> {
    let (bell, began, mut heard) = (Arc::new(Bell::default()), Instant::now(), 0);
    let ticket = group.submit(name, operation, tensor, bell.clone())?;
    loop {
        if let Some(outcome) = ticket.poll() {
            return outcome;
        }
        assert!(began.elapsed() < HANGS, "the operation hangs");
        bell.wait(&mut heard, Duration::from_secs(1));
    }
}
