//! Trees as bytes, which checkpoints contain.

use super::tree::{Branch, Node};
use ferroflow_tensor::{Result, bail, ensure};

const MAGIC: &[u8; 8] = b"rndtree1";
const LEAF: u32 = u32::MAX;
/// The numbers of a node before its values.
const HEAD: usize = 5;

/// Returns nodes as little-endian numbers of four bytes: outputs, nodes, then those of each node.
pub(super) fn encode(nodes: &[Node]) -> Vec<u8> {
    let outputs = nodes.first().map_or(0, |n| n.values.len());
    let mut bytes = MAGIC.to_vec();
    let mut put = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
    put(outputs as u32);
    put(nodes.len() as u32);
    for node in nodes {
        let branch = node.branch.unwrap_or(Branch { feature: LEAF, threshold: 0.0, left: 0, right: 0 });
        [branch.feature, branch.threshold.to_bits(), branch.left, branch.right].into_iter().for_each(&mut put);
        put(node.weight.to_bits());
        node.values.iter().for_each(|value| put(value.to_bits()));
    }
    bytes
}

/// Returns the nodes of bytes; none for no bytes.
///
/// Errors: `InvalidArgument` if the bytes are no such nodes, or have another number of outputs.
pub(super) fn decode(bytes: &[u8], outputs: usize) -> Result<Vec<Node>> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else { bail!(InvalidArgument, "The bytes are not a random tree") };
    let numbers: Vec<u32> = rest.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let [of_outputs, count, rows @ ..] = &numbers[..] else {
        bail!(InvalidArgument, "A random tree's bytes end early")
    };
    ensure!(
        *of_outputs as usize == outputs,
        InvalidArgument,
        "The random tree has {of_outputs} outputs, but {outputs} were expected"
    );
    let (count, width) = (*count as usize, HEAD + outputs);
    ensure!(
        count > 0 && rows.len() == count.saturating_mul(width) && rest.len() % 4 == 0,
        InvalidArgument,
        "A random tree of {count} nodes has a wrong number of bytes"
    );
    let node = |(at, row): (usize, &[u32])| {
        let (left, right) = (row[2], row[3]);
        let is_below = |child: u32| child as usize > at && (child as usize) < count;
        let is_leaf = row[0] == LEAF;
        ensure!(is_leaf || (is_below(left) && is_below(right)), InvalidArgument, "Node {at} has no such children");
        let branch = Branch { feature: row[0], threshold: f32::from_bits(row[1]), left, right };
        let values = row[HEAD..].iter().map(|&bits| f32::from_bits(bits)).collect();
        Ok(Node { branch: (!is_leaf).then_some(branch), weight: f32::from_bits(row[4]), values })
    };
    rows.chunks_exact(width).enumerate().map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes() -> Vec<Node> {
        let leaf = |weight: f32| Node { branch: None, weight, values: vec![weight, 0.5] };
        let branch = Some(Branch { feature: 3, threshold: -0.25, left: 1, right: 2 });
        vec![Node { branch, ..leaf(7.0) }, leaf(3.0), leaf(4.0)]
    }

    #[test]
    fn a_tree_survives_its_bytes() {
        assert_eq!(decode(&encode(&nodes()), 2).unwrap(), nodes());
        assert!(decode(&[], 2).unwrap().is_empty());
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = encode(&nodes());
        for end in 1..bytes.len() {
            assert!(decode(&bytes[..end], 2).is_err(), "{end} bytes");
        }
        assert!(decode(&bytes, 3).is_err());
        let mut loops = nodes();
        loops[0].branch = Some(Branch { feature: 0, threshold: 0.0, left: 0, right: 1 });
        assert!(decode(&encode(&loops), 2).is_err());
    }
}
