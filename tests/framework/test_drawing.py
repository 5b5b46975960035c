"""Pictures of graphs show each node once, in boxes that do not overlap, and are safe to put into a page."""

import base64
import itertools
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings, strategies as st

import ferroflow as tf
from ferroflow._src.drawing.boxes import ScopeIndex, collapsed
from ferroflow._src.drawing.layout import layered
from ferroflow._src.drawing.nodes import Node, nodes_of_graph_def, nodes_of_operations
from ferroflow._src.drawing.notebook import LARGEST, notebook_html
from ferroflow._src.drawing.svg import graph_html, graph_svg

_SVG = "{http://www.w3.org/2000/svg}"


def _node(name, *inputs, op="Op", controls=()):
    return Node(name, op, tuple((i, 0) for i in inputs), tuple(controls), ("?x3",), "")


@st.composite
def _digraphs(draw):
    count = draw(st.integers(1, 14))
    pairs = [(a, b) for a in range(count) for b in range(count) if a != b]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=30)) if pairs else []
    sizes = draw(st.lists(st.tuples(st.floats(20, 200), st.just(36.0)), min_size=count, max_size=count))
    return sizes, edges


@settings(max_examples=200, deadline=None)
@given(_digraphs())
def test_boxes_do_not_overlap_and_edges_join_theirs(graph):
    sizes, edges = graph
    layout = layered(sizes, edges)
    for (w, h), (x, y) in zip(sizes, layout.centers, strict=True):
        assert w / 2 <= x <= layout.width - w / 2
        assert h / 2 <= y <= layout.height - h / 2
    for (a, (wa, ha)), (b, (wb, hb)) in itertools.combinations(enumerate(sizes), 2):
        (xa, ya), (xb, yb) = layout.centers[a], layout.centers[b]
        assert abs(xa - xb) >= (wa + wb) / 2 or abs(ya - yb) >= (ha + hb) / 2
    for (source, target), route in zip(edges, layout.routes, strict=True):
        assert route[0][0] == layout.centers[source][0]
        assert route[-1][0] == layout.centers[target][0]
        assert route[0][1] < layout.centers[source][1] < route[0][2]
        assert route[-1][1] < layout.centers[target][1] < route[-1][2]
        levels = [top for _, top, _ in route]
        assert levels == sorted(levels, reverse=levels[0] > levels[-1])
        # Where it passes a layer between, no box is in the way.
        for x, top, bottom in route[1:-1]:
            for (w, _), (cx, cy) in zip(sizes, layout.centers, strict=True):
                assert not (top <= cy <= bottom and abs(cx - x) < w / 2)


@settings(max_examples=100, deadline=None)
@given(_digraphs())
def test_without_cycles_every_edge_goes_down(graph):
    sizes, edges = graph
    edges = sorted({(min(edge), max(edge)) for edge in edges})
    layout = layered(sizes, edges)
    assert all(layout.centers[a][1] < layout.centers[b][1] for a, b in edges)


def test_a_planar_drawing_is_found_for_crossed_pairs():
    layout = layered([(50.0, 36.0)] * 6, [(0, 4), (1, 3), (2, 5)])
    assert [layout.centers[a][0] == layout.centers[b][0] for a, b in ((0, 4), (1, 3), (2, 5))] == [True] * 3


_names = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@st.composite
def _named_graphs(draw):
    names = draw(st.lists(_names, unique=True, min_size=1, max_size=12))
    nodes = [_node(n, *draw(st.lists(st.sampled_from(names), max_size=3))) for n in names]
    scopes = [""] + [s for s in ("a", "b", "a/a", "a/b") if any(n.startswith(f"{s}/") for n in names)]
    return nodes, draw(st.sampled_from(scopes))


def _box_of(name, scope):
    """The box by its definition: one part more than what the name and the scope have in common."""
    parts, path = name.split("/"), scope.split("/") if scope else []
    common = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], zip(parts, path, strict=False))))
    return "/".join(parts[: common + 1])


@settings(max_examples=300, deadline=None)
@given(_named_graphs())
def test_a_view_has_the_boxes_and_edges_of_its_definition(graph):
    nodes, scope = graph
    view = collapsed(ScopeIndex(nodes), scope)
    inside = {n.name for n in nodes if not scope or n.name == scope or n.name.startswith(f"{scope}/")}
    edges = {
        (_box_of(source, scope), _box_of(n.name, scope))
        for n in nodes
        for source, _ in n.inputs
        if n.name in inside or source in inside
    }
    edges = {(a, b) for a, b in edges if a != b}
    assert {(view.boxes[e.source].key, view.boxes[e.target].key) for e in view.edges} == edges
    assert {b.key for b in view.boxes} == {_box_of(n, scope) for n in inside} | {k for e in edges for k in e}
    assert {b.key for b in view.boxes if not b.outside} == {_box_of(n, scope) for n in inside}
    assert view.left_out == 0


def test_boxes_tell_what_they_are():
    nodes = [
        _node("x", op="Placeholder"),
        _node("w", op="VariableV2"),
        _node("w/read", "w", op="Identity"),
        _node("c", op="Const"),
        _node("net/mul", "x", "w/read", op="Mul"),
        _node("net/add", "net/mul", "c", op="Add", controls=["x"]),
    ]
    view = collapsed(ScopeIndex(nodes))
    assert {box.key: (box.kind, box.note) for box in view.boxes} == {
        "x": ("input", "Placeholder"),
        "w": ("variable", "variable ?x3"),
        "c": ("constant", "Const"),
        "net": ("scope", "2 nodes"),
    }
    labels = {(view.boxes[e.source].key, e.label) for e in view.edges}
    assert labels == {("x", "?x3"), ("w", "?x3"), ("c", "?x3")}
    waits = collapsed(ScopeIndex([_node("a"), _node("b", controls=["a"])]))
    assert [(e.tensors, e.label) for e in waits.edges] == [(0, "")]


_NASTY = ["<script>alert(1)</script>", "a\"b'c&d", "\x00\x1b\ud800\ufffe", "]]>", "é" * 80]


@pytest.mark.parametrize("name", _NASTY)
def test_names_are_escaped(name):
    nodes = [_node(f"{name}/{name}", op=name), _node("b", f"{name}/{name}"), _node(f"{name}/c", "b")]
    drawing = ElementTree.fromstring(graph_svg(nodes).encode("utf-8"))
    page = graph_html(nodes)
    assert {element.tag.removeprefix(_SVG) for element in drawing.iter()} == {
        "svg",
        "g",
        "title",
        "rect",
        "text",
        "path",
    }
    assert "<script" not in page
    titles = [element.text for element in drawing.iter(f"{_SVG}title")]
    if name in _NASTY[1:2]:
        assert f"{name}/\n2 nodes" in titles


def test_edges_of_tensors_are_drawn_through_and_those_of_control_are_dashed():
    nodes = [_node("a"), _node("b", "a"), _node("c", controls=["b"])]
    edges = {}
    for group in ElementTree.fromstring(graph_svg(nodes)).iter(f"{_SVG}g"):
        line, *heads = group.findall(f"{_SVG}path")[:2] or [None]
        if heads:
            edges[group.findtext(f"{_SVG}title")] = line.attrib, heads[0].attrib
    (by_tensor, its_head), (by_control, other_head) = (edges[title] for title in sorted(edges))
    for line, head in ((by_tensor, its_head), (by_control, other_head)):
        assert re.fullmatch("#[0-9a-f]{6}", line["stroke"])
        assert head["fill"] == line["stroke"]
    assert by_tensor["stroke"] != by_control["stroke"]
    assert ("stroke-dasharray" in by_tensor, "stroke-dasharray" in by_control) == (False, True)


def test_a_picture_asks_for_nothing_from_outside():
    page = graph_html([_node("a"), _node("s/b", "a"), _node("s/c", "s/b")])
    assert not any(word in page for word in ("<script", "src=", "href", "url(", "@import", "<link"))
    assert page.replace("http://www.w3.org/2000/svg", "").count("http") == 0


class _Outline(HTMLParser):
    """The summaries of a page's sections, nested as they are; every element must be closed where it should be."""

    def __init__(self):
        super().__init__()
        self.open, self.sections, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "summary":
            self.sections.append((self.open.count("details"), self.text))

    def handle_data(self, data):
        self.text = data


def test_every_scope_of_a_graph_opens():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        with tf.name_scope("outer"):
            y = tf.layers.dense(x, 2, name="dense")
            tf.nn.relu(y + 1.0)
    outline = _Outline()
    outline.feed(graph_html(nodes_of_operations(graph.get_operations())))
    assert outline.open == []
    count = len([op for op in graph.get_operations() if op.name.startswith("dense/")])
    assert (1, f"dense ({count} nodes)") in outline.sections
    assert (2, "kernel (variable 3x2)") in outline.sections
    assert any(depth == 1 and text.startswith("outer (") for depth, text in outline.sections)


def test_a_graph_and_its_definition_are_drawn_alike():
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:0"):
            x = tf.placeholder(tf.float32, [None, 3])
        with tf.control_dependencies([tf.no_op()]):
            tf.split(x * 2.0, 3, axis=1)
    definition = nodes_of_graph_def(graph.as_graph_def(add_shapes=True))
    assert definition == nodes_of_operations(graph.get_operations())
    unshaped = nodes_of_graph_def(graph.as_graph_def())
    assert [n._replace(shapes=()) for n in definition] == unshaped


def test_loops_are_drawn_with_their_way_back():
    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    drawing = ElementTree.fromstring(graph_svg(nodes_of_operations(graph.get_operations()), "while"))
    titles = {element.text for element in drawing.iter(f"{_SVG}title")}
    assert {"while/NextIteration to while/Merge: scalar", "while/Merge to while/Switch: scalar"} <= titles


def test_large_and_deep_graphs_are_drawn_in_part():
    wide = [_node(f"n{i}") for i in range(1000)]
    assert "700 more are not drawn" in graph_svg(wide)
    many = [_node(f"s{i}/{j}/{k}") for i in range(100) for j in range(10) for k in range(2)]
    assert "more scopes are not drawn" in graph_html(many)
    assert "<details" in graph_html([_node("a/" * 2000 + "b"), _node("a/" * 2000 + "c")])
    assert graph_svg([]).startswith("<svg")
    assert tf.Graph()._repr_html_().startswith("<div")


def test_the_note_of_what_is_left_out_is_below_the_boxes_and_within_the_picture():
    drawing = ElementTree.fromstring(graph_svg([_node(f"n{i}") for i in range(310)]))
    (note,) = (text for text in drawing.iter(f"{_SVG}text") if "not drawn" in (text.text or ""))
    background, *boxes = drawing.iter(f"{_SVG}rect")
    assert background.attrib["height"] == "100%"
    lowest = max(float(box.attrib["y"]) + float(box.attrib["height"]) for box in boxes)
    top = float(note.attrib["y"]) - float(note.attrib["font-size"])
    assert lowest <= top
    assert float(note.attrib["y"]) < float(drawing.attrib["height"]) <= lowest + 40
    assert drawing.attrib["viewBox"] == f"0 0 {drawing.attrib['width']} {drawing.attrib['height']}"


def test_a_scope_without_nodes_is_refused():
    with pytest.raises(ValueError, match="no node is in the scope b"):
        graph_svg([_node("a/b"), _node("b")], "b")


def _training_graph(layers):
    with tf.Graph().as_default() as graph:
        y = tf.placeholder(tf.float32, [None, 4], name="x")
        for _ in range(layers):
            y = tf.layers.dense(y, 4, activation=tf.nn.relu)
        tf.train.AdamOptimizer().minimize(tf.reduce_mean(y))
        tf.global_variables_initializer()
        tf.train.Saver()
    return graph


@pytest.mark.parametrize("layers", [1, 5, 40])
def test_a_notebook_keeps_a_picture_of_bounded_size(layers):
    page = _training_graph(layers)._repr_html_()
    assert len(page.encode()) <= LARGEST
    # What a notebook that is not trusted removes is not there.
    assert not re.search("<svg|<script|<style|onclick|javascript:", page)
    outline = _Outline()
    outline.feed(page.replace("<img", "<p").replace("/>", "></p>"))
    assert outline.open == []
    assert re.search(r"set aside: gradients \(\d+\), init \(1\), save \(\d+\)", page)
    assert "gradients" not in page.partition("set aside")[0]
    images = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    drawings = [ElementTree.fromstring(base64.b64decode(image)) for image in images]
    words = {element.text for element in drawings[0].iter(f"{_SVG}text")}
    assert {"x", "dense"} <= words


@given(st.lists(st.text(alphabet="abcde/<&é_", min_size=1, max_size=60), max_size=200, unique=True))
def test_no_names_make_a_notebook_large(names):
    assert len(notebook_html([_node(name) for name in names]).encode()) <= LARGEST


def test_a_graph_of_savers_and_gradients_alone_is_drawn():
    page = notebook_html([_node("save/Const"), _node("gradients/Fill", "save/Const")])
    assert "set aside" not in page
    assert "<img" in page
