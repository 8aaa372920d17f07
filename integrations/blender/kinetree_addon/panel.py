"""Settings, the list of findings, and the panel in the sidebar."""

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
)


class KINETREE_PG_finding(bpy.types.PropertyGroup):
    """A row of the list; its name is its text."""

    first: IntProperty(name="First frame")
    last: IntProperty(name="Last frame")
    worst: FloatProperty(name="Worst frame")


class KINETREE_PG_settings(bpy.types.PropertyGroup):
    use_scene_range: BoolProperty(name="Frames of the Scene", default=True)
    frame_first: IntProperty(name="First", default=1)
    frame_last: IntProperty(name="Last", default=250)
    samples_per_frame: IntProperty(
        name="Samples per Frame",
        description="Times a frame at which the objects are evaluated; between them vertices move linearly",
        default=1,
        min=1,
        max=64,
    )
    self_contact: BoolProperty(
        name="Self Contact", description="Test each object against itself too", default=False
    )
    thickness: FloatProperty(
        name="Thickness",
        description="Distance from which surfaces count as touching",
        default=0.0,
        min=0.0,
        soft_max=0.1,
        subtype="DISTANCE",
        unit="LENGTH",
    )
    only_new: BoolProperty(
        name="Only What Begins Later",
        description="Leave out findings whose triangles all touch at the first frame",
        default=False,
    )
    findings: CollectionProperty(type=KINETREE_PG_finding)
    # Rows of the list are buttons that set it. The `bpy` module crashes at the end of Python after a
    # class whose property has an update function was registered, also if it was unregistered.
    active: IntProperty(name="Finding", default=0)


class KINETREE_UL_findings(bpy.types.UIList):
    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index):
        layout.operator("kinetree.jump", text=item.name, translate=False, emboss=False).index = index


class KINETREE_PT_panel(bpy.types.Panel):
    bl_label = "kinetree"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "kinetree"

    def draw(self, context):
        layout, settings = self.layout, context.scene.kinetree
        layout.use_property_split = True
        layout.prop(settings, "use_scene_range")
        if not settings.use_scene_range:
            column = layout.column(align=True)
            column.prop(settings, "frame_first")
            column.prop(settings, "frame_last")
        layout.prop(settings, "samples_per_frame")
        layout.prop(settings, "self_contact")
        layout.prop(settings, "thickness")
        layout.prop(settings, "only_new")
        layout.operator("kinetree.check")
        layout.template_list("KINETREE_UL_findings", "", settings, "findings", settings, "active")
        layout.operator("kinetree.jump")
        row = layout.row(align=True)
        row.operator("kinetree.select").every = False
        row.operator("kinetree.select", text="Select All").every = True
        layout.operator("kinetree.mark")
        layout.operator("kinetree.report")
        layout.operator("kinetree.export")


CLASSES = (KINETREE_PG_finding, KINETREE_PG_settings, KINETREE_UL_findings, KINETREE_PT_panel)


def register():
    for kind in CLASSES:
        bpy.utils.register_class(kind)
    bpy.types.Scene.kinetree = PointerProperty(type=KINETREE_PG_settings)


def unregister():
    del bpy.types.Scene.kinetree
    for kind in reversed(CLASSES):
        bpy.utils.unregister_class(kind)
