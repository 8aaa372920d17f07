"""Faces, colours and groups written to the objects' own meshes."""

import bpy
import numpy as np

from . import plain

#: The names of the colour attribute and of the vertex group: attributes and groups share their names.
COLOURS = "kinetree_colour"
GROUP = "kinetree"


def _own(name):
    """The object of a body, if it is still there and can be changed."""
    thing = next((thing for thing in bpy.data.objects if thing.name_full == name), None)
    return thing if thing is not None and thing.type == "MESH" and thing.data.library is None else None


def _by_mesh(severities):
    """Objects and severities of each mesh that can be changed: several objects can have one."""
    things = [thing for thing in map(_own, severities) if thing is not None]
    merged = plain.by_mesh(severities, {thing.name_full: thing.data.name_full for thing in things})
    return [([thing for thing in things if thing.data.name_full == mesh], faces) for mesh, faces in merged.items()]


def leave_edit_mode(context):
    if context.mode != "OBJECT" and context.view_layer.objects.active is not None:
        bpy.ops.object.mode_set(mode="OBJECT")


def select_faces(context, severities):
    """Selects the faces that touch, of all bodies, and enters edit mode. Returns how many."""
    leave_edit_mode(context)
    for thing in context.view_layer.objects:
        thing.select_set(False)
    count, chosen = 0, []
    for things, faces in _by_mesh(severities):
        mesh = things[0].data
        wanted = np.zeros(len(mesh.polygons), bool)
        known = [face for face in faces if face < len(wanted)]
        wanted[known] = True
        mesh.polygons.foreach_set("select", wanted)
        vertices, edges = np.zeros(len(mesh.vertices), bool), np.zeros(len(mesh.edges), bool)
        for face in known:
            vertices[list(mesh.polygons[face].vertices)] = True
        by_key = {tuple(sorted(edge.vertices)): edge.index for edge in mesh.edges} if known else {}
        for face in known:
            edges[[by_key[key] for key in mesh.polygons[face].edge_keys]] = True
        mesh.vertices.foreach_set("select", vertices)
        mesh.edges.foreach_set("select", edges)
        mesh.update()
        count += len(known)
        chosen += [thing for thing in things if not severities[thing.name_full].keys().isdisjoint(known)]
    for thing in chosen:
        thing.select_set(True)
    if chosen:
        context.view_layer.objects.active = chosen[0]
        context.tool_settings.mesh_select_mode = (False, False, True)
        bpy.ops.object.mode_set(mode="EDIT")
    return count


def write(context, severities):
    """Writes a colour attribute and a vertex group: red and heavy where findings are severe.

    Returns how many meshes. Objects that share a mesh share its colours and weights.
    """
    leave_edit_mode(context)
    written = 0
    for (thing, *_), strength in _by_mesh(plain.strengths(severities)):
        mesh = thing.data
        sizes = np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("loop_total", sizes)
        strength = {face: value for face, value in strength.items() if face < len(sizes)}
        old = mesh.color_attributes.get(COLOURS)
        if old is not None:
            mesh.color_attributes.remove(old)
        colours = mesh.color_attributes.new(COLOURS, "FLOAT_COLOR", "CORNER")
        colours.data.foreach_set("color", plain.corner_colours(strength, sizes).ravel())
        mesh.color_attributes.active_color = colours
        group = thing.vertex_groups.get(GROUP)
        if group is not None:
            thing.vertex_groups.remove(group)
        group = thing.vertex_groups.new(name=GROUP)
        faces = {face: list(mesh.polygons[face].vertices) for face in strength}
        for vertex, weight in plain.vertex_weights(strength, faces).items():
            group.add([vertex], weight, "REPLACE")
        mesh.update()
        written += 1
    return written
