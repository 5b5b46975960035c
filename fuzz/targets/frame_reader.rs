//! Bytes of another process: frames and messages or a refusal, never a panic, and what was understood survives a second
//! journey.
//!
//! The first byte chooses the limits and how many bytes arrive at once; the rest is what arrives.

#![no_main]

mod registry;

use ferroflow_cluster::codec::{Decoder, Encoder};
use ferroflow_cluster::frame::{Frame, Incoming, Limits, Outgoing, Received};
use ferroflow_cluster::message::{
    Description, Done, Hello, Outcome, PartMessage, Proof, Register, Reset, StepMessage, Welcome, kind,
};
use ferroflow_plan::Part;
use ferroflow_proto::Message;
use ferroflow_tensor::{Code, Tensor};
use libfuzzer_sys::fuzz_target;
use registry::REGISTRY;
use std::io::Read;

/// A socket that hands out so many bytes at a time.
struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let n = self.size.min(into.len());
        self.bytes.read(&mut into[..n])
    }
}

/// Returns the frames that arrive before the end or a refusal.
fn arrived(bytes: &[u8], size: usize, limits: Limits) -> Vec<Frame> {
    let mut incoming = Incoming::new(limits);
    let mut socket = Pieces { bytes, size };
    let mut frames = Vec::new();
    loop {
        match incoming.read(&mut socket) {
            Ok(Received::Frame(frame)) => frames.push(frame),
            Ok(Received::Nothing | Received::End) => return frames,
            Err(status) => {
                assert!(matches!(status.code(), Code::InvalidArgument | Code::ResourceExhausted), "{status:?}");
                return frames;
            }
        }
    }
}

fn sent(frames: &[Frame]) -> Vec<u8> {
    let mut outgoing = Outgoing::default();
    for Frame { kind, message, tensors } in frames {
        let frame = Frame { kind: *kind, message: message.clone(), tensors: tensors.clone() };
        outgoing.push(frame).unwrap();
    }
    let mut bytes = Vec::new();
    assert!(outgoing.write(&mut bytes).unwrap());
    bytes
}

/// Checks that a message is the same after it was written and read again.
fn read<T: Message + Default>(frame: &Frame) -> Option<T> {
    let message: T = frame.decode().ok()?;
    let bytes = message.encode_to_vec();
    assert_eq!(T::decode(&bytes[..]).unwrap().encode_to_vec(), bytes);
    Some(message)
}

fn encoded(part: &Part) -> (PartMessage, Vec<(u64, Tensor)>) {
    let mut encoder = Encoder::default();
    (encoder.part(part), encoder.tensors)
}

fn register(frame: &Frame) {
    let Some(message) = read::<Register>(frame) else { return };
    let decoder = Decoder { tensors: &frame.tensors };
    for function in &message.functions {
        if let Ok(function) = decoder.function(function, &REGISTRY) {
            let graph = function.graph.read();
            for output in function.arguments.iter().chain(&function.results) {
                graph.output(*output).unwrap();
            }
        }
    }
    let Some(Ok(part)) = message.part.map(|part| decoder.part(&part)) else { return };
    let (message, tensors) = encoded(&part);
    let again = Decoder { tensors: &tensors }.part(&message).unwrap();
    assert_eq!(encoded(&again).0.encode_to_vec(), message.encode_to_vec());
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else { return };
    let limits = if choice % 4 == 0 { Limits::STRANGER } else { Limits { bytes: 1 << 24, ..Limits::KNOWN } };
    let frames = arrived(bytes, 1 + usize::from(choice / 4), limits);
    let wire = sent(&frames);
    assert_eq!(sent(&arrived(bytes, usize::MAX, limits)), wire);
    assert_eq!(sent(&arrived(&wire, usize::MAX, Limits::KNOWN)), wire);
    for frame in &frames {
        match frame.kind {
            kind::HELLO => drop(read::<Hello>(frame)),
            kind::WELCOME => drop(read::<Welcome>(frame)),
            kind::PROOF => drop(read::<Proof>(frame)),
            kind::DESCRIPTION => drop(read::<Description>(frame)),
            kind::REGISTER => register(frame),
            kind::RESET => drop(read::<Reset>(frame)),
            kind::OUTCOME => drop(read::<Outcome>(frame).map(Outcome::into_result)),
            kind::STEP => drop(read::<StepMessage>(frame)),
            kind::DONE => drop(read::<Done>(frame)),
            _ => {}
        }
    }
});
