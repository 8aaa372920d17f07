"""kinetree in Blender: checks of selected objects over a range of frames.

| file | does |
|---|---|
| `plain` | what needs no Blender: findings, colours, files of a scene |
| `capture` | evaluated meshes of objects, frame by frame |
| `marks` | faces, colours and groups written to meshes |
| `operators` | what buttons do |
| `panel` | settings, the list of findings, the panel |
"""

import atexit

import bpy

from . import operators, panel


def register():
    panel.register()
    operators.register()
    # The module `bpy` crashes at the end of Python while a class with methods is registered.
    if not bpy.app.binary_path:
        atexit.register(unregister)


def unregister():
    atexit.unregister(unregister)
    operators.unregister()
    panel.unregister()
