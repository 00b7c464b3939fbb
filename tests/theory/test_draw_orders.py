import isonomy as iso
from isonomy.theory import draw_orders, partial_order
from isonomy.theory._draw_orders import ALARM


def drawn(objective, **arguments):
    order = partial_order(objective, **arguments)
    chart = draw_orders({"title": order})
    spec = chart.to_dict()
    layers = spec["hconcat"][0]["layer"]
    return order, chart, [spec["datasets"][layer["data"]["name"]] for layer in layers]


def test_one_arrow_per_edge_and_one_dot_per_pattern():
    order, _, (lines, tips, dots, texts) = drawn(iso.LabelAggregation(), n_labels=3)
    assert len(lines) == len(tips) == len(order.edges)
    assert len(dots) == 8
    assert {row["pattern"] for row in texts} >= {"000", "101", "111"}


def test_arrows_point_up_and_preferences_are_red():
    order, _, layers = drawn(iso.LossAggregation(), priors=[0.4, 0.01])
    arrows = layers[0]
    assert all(arrow["y2"] > arrow["y"] for arrow in arrows)
    red = [arrow["color"] == ALARM for arrow in arrows]
    assert red == [edge.takes_sides for edge in order.edges]


def test_it_renders(tmp_path):
    _, chart, _ = drawn(iso.LabelAggregation("product"))
    chart.save(tmp_path / "order.png")
    assert (tmp_path / "order.png").stat().st_size > 1000
