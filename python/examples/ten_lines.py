"""Prints the incidents of a numpy clip: a sloping sheet falls through a floor."""

import numpy as np

import kinetree as kt

square = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
slope = square * [0.8, 0.8, 0] + square[:, :1] * [0, 0, 0.4] + [0.1, 0.1, 0]
triangles = [[0, 1, 2], [0, 2, 3]]
scene = kt.Scene(fps=24)
scene.add("floor", triangles, square)
scene.add("sheet", triangles, frames=[slope + [0, 0, 1 - frame / 12] for frame in range(25)])
for incident in kt.check(scene).incidents:
    print(incident)
