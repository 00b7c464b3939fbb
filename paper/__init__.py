"""Every table and figure of the paper again, with the printed numbers beside ours.

`python -m paper` (or `make paper`) computes what is not computed yet. One module per table or
figure: `run` computes, `render` writes Markdown and a picture.
"""
