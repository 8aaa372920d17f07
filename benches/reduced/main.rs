//! Reduced bodies: bounds against exact boxes, tightness, spheres, whole queries; the papers' tables with ours beside theirs.
//! Figures are processor time of one thread, medians; ratios are of one run, taken in turns.
//!
//! Skins are `CesiumMan` (3.3 k vertices), the same with every triangle divided in four once and twice, and, for queries, those with their
//! longest edges divided until there are as many vertices as the bars are stated for; meshless bodies a
//! furrowed ball of 30 k vertices. Without the model beside the repository the skins are left out.
//!
//! Not by criterion: ours and the rivals take turns within each step, and processor time of one thread is compared pair by pair.

#![allow(unreachable_pub, reason = "modules of a benchmark are seen by it alone")]

#[path = "../../examples/bounds_picture/balls.rs"]
mod balls;
mod cloth;
#[path = "../common/mod.rs"]
mod common;
mod dops;
mod meshless;
mod models;
mod plain;
mod queries;
mod rings;
mod rivals;
mod skins;
mod spheres;
mod spherical;
mod streams;
mod worlds;

fn main() {
    // Cargo passes arguments of its own; the first word without a dash chooses a table.
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| name.contains(wanted));
    if is_wanted("meshless roots") || is_wanted("meshless tightness") {
        meshless::tables(is_wanted("meshless tightness"));
    }
    if is_wanted("rings") {
        rings::table();
    }
    if is_wanted("polytopes") {
        dops::table();
    }
    if is_wanted("cloth") {
        cloth::table();
    }
    if is_wanted("streams") {
        streams::table();
    }
    let skins = models::skins();
    if skins.is_empty() {
        println!("\nskins: left out, CesiumMan.gltf is not beside the repository");
        return;
    }
    if is_wanted("skins roots") {
        skins::root_bounds(&skins);
    }
    if is_wanted("skins tightness") {
        skins::tightness(&skins[1]);
    }
    if is_wanted("skins in time") {
        skins::in_time(&skins[1]);
    }
    if is_wanted("spheres") {
        spheres::tables(&skins[0]);
    }
    if is_wanted("queries") {
        queries::table(skins.iter().chain(&models::skins_of_the_bar()));
    }
    if is_wanted("spherical") {
        let figure = models::makehuman();
        spherical::table([&skins[0]].into_iter().chain(&models::skins_of_the_bar()[..1]), false);
        spherical::table(figure.iter(), true);
    }
    if is_wanted("worlds") {
        worlds::table(&skins);
    }
}
