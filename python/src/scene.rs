//! Scenes: bodies from files and arrays.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use kinetree::io::{Input, InputOptions, MeshData, MotionData, Outside, SceneBody, read_inputs};
use kinetree::report::render::{Frame, RenderOptions, render};
use kinetree::{Engine, IgnoredContacts, WorldDef};
use numpy::{IntoPyArray, PyArray2, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{flat, rows};
use crate::errors::{Fault, fault, raised, refused};
use crate::interrupt::interruptible;
use crate::plan::outside_named;
use crate::whole::write_bytes;

/// Triangles, positions, motion and options of a body.
type BodyParts<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyAny>, Bound<'py, PyDict>, Bound<'py, PyDict>);

/// Bodies, their motion, and which pairs are of interest; `kinetree.Scene` wraps it.
#[pyclass(module = "kinetree")]
pub(crate) struct Scene {
    /// Shared with results; copied only if it is changed afterwards.
    pub(crate) scene: Arc<kinetree::io::Scene>,
}

#[pymethods]
impl Scene {
    #[new]
    fn new() -> Self {
        Self { scene: Arc::default() }
    }

    /// Reads a scene file, or meshes, motions and models, as the program's arguments name them.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        inputs: Vec<String>,
        fps: Option<f64>,
        allow_outside: bool,
        stored: bool,
        repair: bool,
    ) -> PyResult<Self> {
        let options = InputOptions::default().at_fps(fps).allowing_outside(allow_outside).storing(stored);
        let options = options.repairing(repair);
        let parsed = inputs.iter().map(|input| input.parse::<Input>());
        let inputs = parsed.collect::<Result<Vec<Input>, _>>().map_err(|error| refused("Input", error.to_string()))?;
        let read = interruptible(py, move |cancel| read_inputs(&inputs, &options.cancelled_by(cancel.clone())));
        Ok(Self { scene: Arc::new(read?.map_err(raised)?) })
    }

    /// Writes a picture of a time as PNG, with touching triangles marked.
    fn render(&self, py: Python<'_>, path: PathBuf, time: f64, width: usize, height: usize) -> PyResult<usize> {
        let def = WorldDef::new().start(time).engine(Engine::Refit);
        let scene = Arc::clone(&self.scene);
        let (image, marked) = interruptible(py, move |_| {
            let (mut world, ids) = scene.world(def, IgnoredContacts::None).map_err(fault)?;
            world.advance_to(time).map_err(fault)?;
            let mut frame = Frame::of_world(&world, &ids).map_err(fault)?;
            frame.label = vec![Frame::at(time, scene.fps)];
            let picture = |error: &dyn std::fmt::Display| Fault::Refused("Picture".into(), error.to_string());
            let image = render(&frame, &RenderOptions::sized(width, height)).map_err(|error| picture(&error))?;
            Ok::<_, Fault>((image.png().map_err(|error| picture(&error))?, frame.highlighted()))
        })??;
        py.detach(|| write_bytes(&path, &image))?;
        Ok(marked)
    }

    /// Adds a body. `motion` is `None`, or a dictionary of what `kinetree.Scene.add` checked.
    fn add(
        &mut self,
        name: &str,
        triangles: PyReadonlyArrayDyn<'_, u32>,
        positions: PyReadonlyArrayDyn<'_, f32>,
        motion: Option<&Bound<'_, PyDict>>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<()> {
        if name.trim().is_empty() {
            return Err(refused("Option", "name: a body needs a name".into()));
        }
        if self.scene.bodies.iter().any(|body| body.name == name) {
            return Err(refused("Option", format!("name: there is a body '{name}' already")));
        }
        let mesh = MeshData { positions: rows("positions", &positions)?, triangles: rows("triangles", &triangles)? };
        let motion = motion.map_or(Ok(MotionData::Fixed), |motion| motion_data(motion))?;
        let mut body = SceneBody::new(name, mesh, motion);
        let option = |key: &str| options.get_item(key)?.ok_or_else(|| refused("Option", format!("{key} is missing")));
        body.self_contact = option("self_contact")?.extract()?;
        body.neighbours = option("neighbours")?.extract()?;
        body.thickness = option("thickness")?.extract()?;
        body.group = option("group")?.extract()?;
        body.outside = match outside_named(&option("outside")?.extract::<String>()?)? {
            kinetree::Outside::Hold => Outside::Hold,
            kinetree::Outside::Loop => Outside::Loop,
            kinetree::Outside::Error => Outside::Error,
        };
        Arc::make_mut(&mut self.scene).bodies.push(body);
        Ok(())
    }

    /// Numbers of two different bodies that are not tested against each other.
    fn exclude(&mut self, a: usize, b: usize) {
        let pair = [a.min(b), a.max(b)];
        if a != b && !self.scene.excluded.contains(&pair) {
            let scene = Arc::make_mut(&mut self.scene);
            scene.excluded.push(pair);
            scene.excluded.sort_unstable();
        }
    }

    /// Pairs of bodies that are left out.
    #[getter]
    fn excluded(&self) -> Vec<[usize; 2]> {
        self.scene.excluded.clone()
    }

    /// What `add` takes, of a body: triangles, positions, motion and options.
    fn parts<'py>(&self, py: Python<'py>, body: usize) -> PyResult<BodyParts<'py>> {
        let triangles = self.triangles(py, body)?;
        let body = self.body(body)?;
        let motion = PyDict::new(py);
        let vertices = body.mesh.positions.len();
        match &body.motion {
            MotionData::Fixed => {}
            MotionData::Keyframes { times, positions } => {
                let frames = positions.clone().into_pyarray(py);
                motion.set_item("frames", frames.call_method1("reshape", (times.len(), vertices, 3))?)?;
                motion.set_item("times", times.clone().into_pyarray(py))?;
            }
            MotionData::Cached { times, frames } => {
                let all = frames.read(0..times.len()).map_err(|error| refused("Read", error.to_string()))?;
                let all = all.into_pyarray(py);
                motion.set_item("frames", all.call_method1("reshape", (times.len(), vertices, 3))?)?;
                motion.set_item("times", times.clone().into_pyarray(py))?;
            }
            MotionData::Rigid { times, transforms } => {
                let matrices = transforms.clone().into_flattened().into_pyarray(py);
                motion.set_item("transforms", matrices.call_method1("reshape", (times.len(), 4, 4))?)?;
                motion.set_item("times", times.clone().into_pyarray(py))?;
            }
            MotionData::Velocity { velocity } => {
                motion.set_item("velocity", (velocity[0], velocity[1], velocity[2]))?;
            }
            MotionData::Planned(_) => {
                let message = format!(
                    "body '{}' moves by a plan, and has no positions at keys; check its scene as a file",
                    body.name
                );
                return Err(refused("Motion", message));
            }
            MotionData::Reduced(_) => {
                let message = format!("body '{}' has no stored positions; read its file with stored=True", body.name);
                return Err(refused("Motion", message));
            }
        }
        let options = PyDict::new(py);
        let outside = match body.outside {
            Outside::Hold => "hold",
            Outside::Loop => "loop",
            Outside::Error => "error",
        };
        options.set_item("outside", outside)?;
        options.set_item("self_contact", body.self_contact)?;
        options.set_item("neighbours", body.neighbours)?;
        options.set_item("thickness", body.thickness)?;
        options.set_item("group", body.group.as_deref())?;
        let positions = body.mesh.positions.clone().into_flattened().into_pyarray(py);
        let positions = positions.call_method1("reshape", (vertices, 3))?;
        Ok((triangles, positions, motion, options))
    }

    /// What results say of the bodies besides their meshes and motions: one text for equal ones.
    fn wording(&self) -> String {
        let mut text = String::new();
        for body in &self.scene.bodies {
            let deviation = (body.deviation.map(f64::to_bits), body.measured_deviation.to_bits());
            let _ = writeln!(text, "{:?} {deviation:?} {} {:?}", body.name, body.self_contact, body.labels);
        }
        let _ = write!(text, "{:?}", self.scene.excluded);
        text
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.scene.bodies.iter().map(|body| body.name.clone()).collect()
    }

    /// Vertices and triangles of a body.
    fn sizes(&self, body: usize) -> PyResult<(usize, usize)> {
        let body = self.body(body)?;
        Ok((body.mesh.positions.len(), body.mesh.triangles.len()))
    }

    fn triangles<'py>(&self, py: Python<'py>, body: usize) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let triangles = self.body(body)?.mesh.triangles.clone();
        let count = triangles.len();
        let flat = triangles.into_flattened().into_pyarray(py);
        flat.call_method1("reshape", (count, 3))?.extract().map_err(PyErr::from)
    }

    /// The vertices of a body at a time, metres.
    fn positions<'py>(&self, py: Python<'py>, body: usize, time: f64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.body(body)?;
        let positions = py.detach(|| self.scene.positions_at(body, time)).map_err(raised)?;
        let count = positions.len();
        let flat = positions.into_flattened().into_pyarray(py);
        flat.call_method1("reshape", (count, 3))?.extract().map_err(PyErr::from)
    }

    /// Tests all bodies against themselves too, and counts as contact from a distance on.
    fn apply_rules(&mut self, self_contact: bool, neighbours: bool, thickness: Option<f64>) -> PyResult<()> {
        if let Some(value) = thickness.filter(|value| !(0.0..=kinetree::limits::MAX_COORDINATE).contains(value)) {
            let most = kinetree::limits::MAX_COORDINATE;
            return Err(refused("Option", format!("thickness: {value} is not a number of metres from 0 to {most:e}")));
        }
        let is_alone = self.scene.bodies.len() == 1;
        if !(self_contact || neighbours || is_alone || thickness.is_some()) {
            return Ok(());
        }
        for body in &mut Arc::make_mut(&mut self.scene).bodies {
            body.self_contact |= self_contact || neighbours || is_alone;
            body.neighbours |= neighbours;
            body.thickness = thickness.unwrap_or(body.thickness);
        }
        Ok(())
    }

    #[getter]
    fn get_fps(&self) -> Option<f64> {
        self.scene.fps
    }

    #[setter]
    fn set_fps(&mut self, fps: Option<f64>) -> PyResult<()> {
        if let Some(fps) = fps.filter(|fps| !(*fps > 0.0 && fps.is_finite())) {
            return Err(refused("Option", format!("fps: {fps} is not a number of frames a second above 0")));
        }
        Arc::make_mut(&mut self.scene).fps = fps;
        Ok(())
    }

    #[getter]
    fn get_span(&self) -> Option<(f64, f64)> {
        self.scene.default_span().map(|[begin, end]| (begin, end))
    }

    /// The span that was set or read; `None` if it follows from the keys.
    #[getter]
    fn own_span(&self) -> Option<(f64, f64)> {
        self.scene.span.map(|[begin, end]| (begin, end))
    }

    #[setter]
    fn set_span(&mut self, span: Option<(f64, f64)>) -> PyResult<()> {
        if let Some((begin, end)) = span
            && !(begin <= end && begin.is_finite() && end.is_finite())
        {
            return Err(refused("Option", format!("span: {begin} s to {end} s is no stretch of time")));
        }
        Arc::make_mut(&mut self.scene).span = span.map(|(begin, end)| [begin, end]);
        Ok(())
    }

    #[getter]
    fn notes(&self) -> Vec<String> {
        self.scene.notes.clone()
    }

    fn copy(&self) -> Self {
        Self { scene: Arc::clone(&self.scene) }
    }
}

impl Scene {
    fn body(&self, number: usize) -> PyResult<&SceneBody> {
        let count = self.scene.bodies.len();
        let missing = || refused("NoSuchBody", format!("there is no body {number}; the scene has {count}"));
        self.scene.bodies.get(number).ok_or_else(missing)
    }
}

/// An input with the names of its files in full. What is no input is left as it is: reading refuses
/// it.
#[pyfunction]
pub(crate) fn absolute_input(input: &str, folder: PathBuf) -> PathBuf {
    match input.parse::<Input>() {
        Ok(Input { path, motion: Some(motion), .. }) => {
            let mut pair = folder.join(path).into_os_string();
            pair.push(":");
            pair.push(folder.join(motion));
            pair.into()
        }
        // Node and clip follow the name of the file.
        Ok(_) => folder.join(input),
        Err(_) => input.into(),
    }
}

fn motion_data(motion: &Bound<'_, PyDict>) -> PyResult<MotionData> {
    let item = |key: &str| motion.get_item(key);
    let times = item("times")?.map(|times| times.extract::<PyReadonlyArrayDyn<'_, f64>>()).transpose()?;
    let times = times.map(|times| Ok::<_, PyErr>(flat("times", &times)?.to_vec())).transpose()?.unwrap_or_default();
    if let Some(frames) = item("frames")? {
        let frames: PyReadonlyArrayDyn<'_, f32> = frames.extract()?;
        return Ok(MotionData::Keyframes { times, positions: flat("frames", &frames)?.to_vec() });
    }
    if let Some(transforms) = item("transforms")? {
        let transforms: PyReadonlyArrayDyn<'_, f64> = transforms.extract()?;
        let (matrices, _) = flat("transforms", &transforms)?.as_chunks::<16>();
        return Ok(MotionData::Rigid { times, transforms: matrices.to_vec() });
    }
    match item("velocity")? {
        Some(velocity) => Ok(MotionData::Velocity { velocity: velocity.extract()? }),
        None => Ok(MotionData::Fixed),
    }
}
