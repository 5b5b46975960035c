//! Devices of a local session, and the check that a node's requested device is one of them.

use ferroflow_graph::Node;
use ferroflow_tensor::{Result, bail};

/// The CPU devices a session offers; all are the same processor.
#[derive(Clone, Debug)]
pub struct Devices {
    pub cpus: usize,
    /// Requests for devices that do not exist fall back to CPU 0.
    pub allow_soft_placement: bool,
}

impl Devices {
    /// Full names, such as `/job:localhost/replica:0/task:0/device:CPU:0`.
    pub fn names(&self) -> Vec<String> {
        (0..self.cpus).map(|i| format!("/job:localhost/replica:0/task:0/device:CPU:{i}")).collect()
    }

    /// The device a node runs on.
    ///
    /// Errors: `InvalidArgument` for a device this session does not have, unless placement is soft.
    pub fn place(&self, node: &Node) -> Result<usize> {
        match self.index_of(&node.device) {
            Some(i) if i < self.cpus => Ok(i),
            _ if self.allow_soft_placement => Ok(0),
            _ => bail!(
                InvalidArgument,
                "Cannot assign a device for operation '{}': Operation was explicitly assigned to {} but available \
                 devices are [ {} ]. Make sure the device specification refers to a valid device.",
                node.name,
                node.device,
                self.names().join(", ")
            ),
        }
    }

    /// CPU index that a (partial) device string asks for; `None` where it asks for anything else.
    fn index_of(&self, device: &str) -> Option<usize> {
        let mut index = 0;
        for part in device.split('/').filter(|p| !p.is_empty()) {
            let lower = part.to_ascii_lowercase();
            let (key, value) = lower.split_once(':').unwrap_or((&lower, ""));
            match key {
                "job" if matches!(value, "localhost" | "*" | "") => {}
                "replica" | "task" if matches!(value, "0" | "*") => {}
                "device" => {
                    let (kind, number) = value.split_once(':').unwrap_or((value, "0"));
                    if !matches!(kind, "cpu" | "*") {
                        return None;
                    }
                    index = if number == "*" { 0 } else { number.parse().ok()? };
                }
                "cpu" => index = if matches!(value, "" | "*") { 0 } else { value.parse().ok()? },
                _ => return None,
            }
        }
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_strings_of_every_spelling() {
        let d = Devices { cpus: 2, allow_soft_placement: false };
        for (text, want) in [
            ("", Some(0)),
            ("/cpu:0", Some(0)),
            ("/CPU:1", Some(1)),
            ("/device:CPU:1", Some(1)),
            ("/job:localhost/replica:0/task:0/device:CPU:1", Some(1)),
            ("/device:CPU:*", Some(0)),
            ("/gpu:0", None),
            ("/device:GPU:0", None),
            ("/job:worker/task:1", None),
        ] {
            assert_eq!(d.index_of(text), want, "{text}");
        }
    }
}
