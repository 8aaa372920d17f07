//! Spheres packed into closed meshes, and how they follow example poses.

use kinetree::proxy::{DistanceField, Faults, PackingDef, PoseMap, PoseTrack, Proxy as Spheres, Resolution, Solid};
use kinetree::{Error, Mesh, Sphere};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArrayDyn};
use pyo3::prelude::*;

use crate::arrays::{flat, rows};
use crate::errors::{fault, raised, refused};
use crate::interrupt::interruptible;

/// Numbers of a plain array, to be reshaped.
type Numbers<'py> = Bound<'py, PyArray1<f64>>;

/// Spheres in a closed mesh, in its rest pose and in example poses; `kinetree.SphereProxy` wraps
/// it.
#[pyclass(frozen, module = "kinetree")]
pub(crate) struct Proxy {
    proxy: Spheres,
}

#[pymethods]
impl Proxy {
    /// `poses` are the rest pose `(1, N, 3)` and examples after it; `cell` is the edge of a cell of
    /// the distance field, metres, or 0 for `cells` along the longest side.
    #[new]
    fn new(
        py: Python<'_>,
        triangles: PyReadonlyArrayDyn<'_, u32>,
        poses: PyReadonlyArrayDyn<'_, f64>,
        vertices: usize,
        radii: (f64, f64),
        most: usize,
        cell: f64,
        cells: u32,
        longest_loop: Option<usize>,
    ) -> PyResult<Self> {
        let mesh = Mesh::new(vertices, rows("triangles", &triangles)?).map_err(raised)?;
        let poses: Vec<[f64; 3]> = rows("positions", &poses)?;
        if vertices == 0 {
            return Err(refused("Shape", "positions: there are none".into()));
        }
        let def = PackingDef { r_min: radii.0, r_max: radii.1, max_count: most };
        let faults = longest_loop.map_or(Faults::Refuse, |longest_loop| Faults::Repair { longest_loop });
        let resolution = if cell > 0.0 { Resolution::CellSize(cell) } else { Resolution::CellsAlongLongest(cells) };
        let made = interruptible(py, move |_| {
            let mut poses = poses.chunks(vertices);
            let (rest, _) = Solid::new(&mesh, poses.next().unwrap_or_default(), faults)?;
            let examples = poses.enumerate().map(|(place, posed)| rest.example(place + 1, &mesh, posed));
            let examples = examples.collect::<Result<Vec<Solid>, _>>()?;
            let packing = def.pack(&DistanceField::new(&rest, resolution)?)?;
            Ok::<_, Error>(Spheres::new(&rest, &packing, def, &examples, PoseMap::Surface)?)
        })?;
        Ok(Self { proxy: made.map_err(fault)? })
    }

    #[getter]
    fn sphere_count(&self) -> usize {
        self.proxy.sphere_count()
    }

    #[getter]
    fn pose_count(&self) -> usize {
        self.proxy.pose_count()
    }

    /// Spheres of a pose, x, y, z and radius each.
    fn pose<'py>(&self, py: Python<'py>, pose: usize) -> PyResult<Numbers<'py>> {
        let missing = || refused("NoSuchPose", format!("there is no pose {pose}"));
        Ok(numbers(py, self.proxy.pose(pose).ok_or_else(missing)?))
    }

    /// Spheres at key times, of one list of pose weights a key.
    fn keys<'py>(
        &self,
        py: Python<'py>,
        times: PyReadonlyArrayDyn<'_, f64>,
        weights: PyReadonlyArrayDyn<'_, f64>,
    ) -> PyResult<Numbers<'py>> {
        let (times, weights) = (flat("times", &times)?.to_vec(), flat("weights", &weights)?.to_vec());
        let track = PoseTrack::new(times, 1, self.proxy.pose_count(), weights).map_err(raised)?;
        let clip = self.proxy.keys(&track).map_err(raised)?;
        Ok(numbers(py, &clip.spheres.concat()))
    }
}

fn numbers<'py>(py: Python<'py>, spheres: &[Sphere]) -> Numbers<'py> {
    let row = |&Sphere { centre: [x, y, z], radius }: &Sphere| [x, y, z, radius];
    spheres.iter().flat_map(row).collect::<Vec<f64>>().into_pyarray(py)
}
