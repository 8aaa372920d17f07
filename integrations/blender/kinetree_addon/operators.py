"""What buttons do."""

import tempfile
from pathlib import Path

import bpy
from bpy.app.handlers import persistent

from . import capture, marks, plain

#: What the last check of a scene found, by the scene's name: not stored in the file.
_outcomes = {}


class Outcome:
    """Bodies, the result of their check, and the findings that are shown."""

    def __init__(self, bodies, result, fps, only_new):
        self.bodies, self.result, self.fps = bodies, result, fps
        self.incidents = [incident for incident in result.incidents if incident.is_new or not only_new]


def outcome_of(scene):
    return _outcomes.get(scene.name_full)


def frames_of(scene):
    settings = scene.kinetree
    if settings.use_scene_range:
        return scene.frame_start, scene.frame_end
    return settings.frame_first, settings.frame_last


def captured(context):
    """The selected objects over the frames of the settings, with a progress cursor."""
    settings, manager = context.scene.kinetree, context.window_manager
    first, last = frames_of(context.scene)
    manager.progress_begin(0, 100)
    try:
        return capture.capture(
            context,
            context.selected_objects,
            first,
            last,
            settings.samples_per_frame,
            lambda done, count: manager.progress_update(int(100 * done / count)),
        )
    finally:
        manager.progress_end()


class KINETREE_OT_check(bpy.types.Operator):
    """Check the selected objects over the frames, with their modifiers applied"""

    bl_idname = "kinetree.check"
    bl_label = "Check Selected"

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and any(thing.type == "MESH" for thing in context.selected_objects)

    def execute(self, context):
        import kinetree

        settings = context.scene.kinetree
        settings.findings.clear()
        _outcomes.pop(context.scene.name_full, None)
        try:
            bodies, times, fps = capture_or_refuse(context)
            thickness = settings.thickness * context.scene.unit_settings.scale_length
            scene = plain.scene_of(bodies, times, fps, settings.self_contact, thickness)
            baseline = "start" if settings.only_new else None
            result = kinetree.check(scene, times=times, baseline=baseline)
        except (plain.Refused, kinetree.KinetreeError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        outcome = _outcomes[context.scene.name_full] = Outcome(bodies, result, fps, settings.only_new)
        for row in plain.rows(outcome.incidents, fps):
            item = settings.findings.add()
            item.name, item.first, item.last, item.worst = row.text, row.first, row.last, row.worst
        count = len(outcome.incidents)
        self.report({"INFO"}, f"{count} findings" if count else "Nothing touches")
        return {"FINISHED"}


def capture_or_refuse(context):
    bodies, times, fps = captured(context)
    if not bodies:
        raise plain.Refused("the selected objects have no faces")
    return bodies, times, fps


class _WithOutcome:
    @classmethod
    def poll(cls, context):
        return outcome_of(context.scene) is not None


class KINETREE_OT_jump(_WithOutcome, bpy.types.Operator):
    """Go to the frame at which the finding is worst"""

    bl_idname = "kinetree.jump"
    bl_label = "Jump to Frame"

    index: bpy.props.IntProperty(default=-1, options={"SKIP_SAVE"})

    def execute(self, context):
        settings = context.scene.kinetree
        index = settings.active if self.index < 0 else self.index
        if not 0 <= index < len(settings.findings):
            self.report({"ERROR"}, "There is no such finding")
            return {"CANCELLED"}
        settings.active = index
        worst = settings.findings[index].worst
        frame = int(worst // 1)
        context.scene.frame_set(frame, subframe=worst - frame)
        return {"FINISHED"}


class KINETREE_OT_select(_WithOutcome, bpy.types.Operator):
    """Select the faces that touch, and enter edit mode"""

    bl_idname = "kinetree.select"
    bl_label = "Select Faces"
    bl_options = {"REGISTER", "UNDO"}

    every: bpy.props.BoolProperty(name="All findings", default=False)

    def execute(self, context):
        outcome, active = outcome_of(context.scene), context.scene.kinetree.active
        incidents = outcome.incidents if self.every else outcome.incidents[active : active + 1]
        count = marks.select_faces(context, plain.touched(incidents, outcome.bodies))
        self.report({"INFO"}, f"{count} faces selected")
        return {"FINISHED"}


class KINETREE_OT_mark(_WithOutcome, bpy.types.Operator):
    """Write the colour attribute 'kinetree_colour' and the vertex group 'kinetree' to the checked meshes"""

    bl_idname = "kinetree.mark"
    bl_label = "Write Colours and Groups"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        outcome = outcome_of(context.scene)
        count = marks.write(context, plain.touched(outcome.incidents, outcome.bodies))
        self.report({"INFO"}, f"{count} meshes marked")
        return {"FINISHED"}


class KINETREE_OT_report(_WithOutcome, bpy.types.Operator):
    """Write the report, one HTML file, and open it in the browser"""

    bl_idname = "kinetree.report"
    bl_label = "Open Report"

    filepath: bpy.props.StringProperty(subtype="FILE_PATH", options={"SKIP_SAVE"})
    show: bpy.props.BoolProperty(name="Open it", default=True, options={"SKIP_SAVE"})

    def execute(self, context):
        import kinetree

        path = Path(self.filepath or Path(tempfile.mkdtemp(prefix="kinetree-"), "report.html"))
        title = Path(bpy.data.filepath).stem or context.scene.name
        try:
            outcome_of(context.scene).result.report(path, title=title, up="z")
        except (OSError, kinetree.KinetreeError) as error:
            self.report({"ERROR"}, f"The report cannot be written: {error}")
            return {"CANCELLED"}
        if self.show:
            bpy.ops.wm.url_open(url=path.resolve().as_uri())
        self.report({"INFO"}, f"Report: {path}")
        return {"FINISHED"}


class KINETREE_OT_export(bpy.types.Operator):
    """Write the selected objects as a scene for the program kinetree"""

    bl_idname = "kinetree.export"
    bl_label = "Export Scene"

    directory: bpy.props.StringProperty(subtype="DIR_PATH")

    poll = KINETREE_OT_check.poll

    def invoke(self, context, event):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        settings = context.scene.kinetree
        try:
            bodies, times, fps = capture_or_refuse(context)
            thickness = settings.thickness * context.scene.unit_settings.scale_length
            path = plain.write_scene(self.directory, bodies, times, fps, settings.self_contact, thickness)
        except (plain.Refused, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"Scene: {path}")
        return {"FINISHED"}


CLASSES = (
    KINETREE_OT_check,
    KINETREE_OT_jump,
    KINETREE_OT_select,
    KINETREE_OT_mark,
    KINETREE_OT_report,
    KINETREE_OT_export,
)


@persistent
def _forget(*_):
    _outcomes.clear()
    for scene in bpy.data.scenes:
        scene.kinetree.findings.clear()


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.app.handlers.load_post.append(_forget)


def unregister():
    _outcomes.clear()
    bpy.app.handlers.load_post.remove(_forget)
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
