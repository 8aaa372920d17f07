//! The two oracles against each other: triangles hashed into a grid, and every triangle against
//! every triangle.

use kinetree::narrow::EveryPair;
use kinetree::oracle::{Shape, touching_by_brute_force};
use kinetree::scenes::material::random_soup;

#[path = "../../benches/common/grid.rs"]
mod grid;

use grid::{Grid, touching_by_grid};

#[test]
fn the_grid_finds_what_brute_force_finds() {
    let mut seen = 0;
    for seed in 0..40 {
        // From many small triangles to a few large ones, which fill more cells than are hashed.
        let extent = [0.1, 0.5, 1.0, 20.0][seed as usize % 4];
        let soups = [random_soup(seed, 40, 1, extent), random_soup(seed + 1000, 40, 1, 1.0)];
        let positions = [0, 1].map(|side: usize| {
            soups[side].positions.as_chunks::<3>().0.iter().map(|p| p.map(f64::from)).collect::<Vec<[f64; 3]>>()
        });
        let shape = |side: usize| Shape { triangles: &soups[side].triangles, positions: &positions[side] };
        let (mut hashed, mut compared) = (Vec::new(), Vec::new());
        let mut grid = Grid::default();
        grid.fill(shape(0).triangles, shape(0).positions, 0.0);
        touching_by_grid(&grid, shape(0), shape(1), &EveryPair, &mut |p, q| hashed.push((p, q)));
        touching_by_brute_force(shape(0), shape(1), &EveryPair, &mut |p, q| compared.push((p, q)));
        hashed.sort_unstable();
        compared.sort_unstable();
        assert_eq!(hashed, compared, "{seed}");
        seen += compared.len();
    }
    assert!(seen > 100, "{seen}");
}
