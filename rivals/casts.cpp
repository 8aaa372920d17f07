// Bullet's continuous convex cast on the balls of `cargo bench --bench versus_ccd --features peers -- balls`, which writes them.
//
// usage: casts target/ccd/balls.txt
//
// A ball is the convex hull of its vertices, without a margin. It moves from key to key without turning, as in the bench. Pairs of balls
// whose boxes over the step overlap are cast, found by comparing all, which is charged. The cast finds the first time of impact.

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <set>
#include <vector>

#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/NarrowPhaseCollision/btContinuousConvexCollision.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

using Point = std::array<float, 3>;
using Hit = std::array<int, 3>;

static double milliseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}

static btTransform at(const Point& place) {
    btTransform transform = btTransform::getIdentity();
    transform.setOrigin(btVector3(place[0], place[1], place[2]));
    return transform;
}

int main(int count, char** words) {
    std::ifstream in(count > 1 ? words[1] : "target/ccd/balls.txt");
    int balls = 0, vertices = 0, keys = 0, touching = 0;
    if (!(in >> balls >> vertices >> keys)) {
        std::fprintf(stderr, "usage: casts target/ccd/balls.txt, which versus_ccd writes\n");
        return 2;
    }
    auto points = [&](int number) {
        std::vector<Point> all(number);
        for (Point& point : all) in >> point[0] >> point[1] >> point[2];
        return all;
    };
    const std::vector<Point> rest = points(vertices);
    std::vector<std::vector<Point>> places;
    for (int ball = 0; ball < balls; ++ball) places.push_back(points(keys));
    in >> touching;
    std::set<Hit> exact;
    for (int row = 0; row < touching; ++row) {
        Hit hit;
        in >> hit[0] >> hit[1] >> hit[2];
        exact.insert(hit);
    }
    btConvexHullShape hull;
    Point low = rest[0], high = rest[0];
    for (const Point& point : rest) {
        hull.addPoint(btVector3(point[0], point[1], point[2]), false);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], point[axis]);
            high[axis] = std::max(high[axis], point[axis]);
        }
    }
    hull.setMargin(0);
    hull.recalcLocalAabb();

    std::set<Hit> hits;
    std::vector<double> times;
    for (int repeat = 0; repeat < 5; ++repeat) {
        hits.clear();
        const double begin = milliseconds();
        for (int step = 0; step + 1 < keys; ++step) {
            for (int a = 0; a < balls; ++a) {
                for (int b = a + 1; b < balls; ++b) {
                    bool overlap = true;
                    for (int axis = 0; axis < 3 && overlap; ++axis) {
                        const float p = places[a][step][axis], q = places[a][step + 1][axis];
                        const float r = places[b][step][axis], s = places[b][step + 1][axis];
                        overlap = std::min(p, q) + low[axis] <= std::max(r, s) + high[axis] &&
                                  std::min(r, s) + low[axis] <= std::max(p, q) + high[axis];
                    }
                    if (!overlap) continue;
                    btVoronoiSimplexSolver simplex;
                    btGjkEpaPenetrationDepthSolver depth;
                    btContinuousConvexCollision cast(&hull, &hull, &simplex, &depth);
                    btConvexCast::CastResult result;
                    const bool hit = cast.calcTimeOfImpact(at(places[a][step]), at(places[a][step + 1]), at(places[b][step]),
                                                           at(places[b][step + 1]), result);
                    if (hit) hits.insert({a, b, step});
                }
            }
        }
        times.push_back(milliseconds() - begin);
    }
    std::sort(times.begin(), times.end());
    float radius = 0;
    for (const Point& point : rest) radius = std::max(radius, btVector3(point[0], point[1], point[2]).length());
    int only_theirs = 0, only_ours = 0, inside = 0;
    for (const Hit& hit : hits) only_theirs += !exact.count(hit);
    for (const Hit& hit : exact) {
        if (hits.count(hit)) continue;
        ++only_ours;
        const btVector3 way = at(places[hit[0]][hit[2]]).getOrigin() - at(places[hit[1]][hit[2]]).getOrigin();
        inside += way.length() < 2 * radius;
    }
    std::printf("Bullet: %.1f ms, impacts in %zu pairs and steps; only it finds %d, only kinetree %d, of which the balls overlap at the begin "
                "of %d\n",
                times[2], hits.size(), only_theirs, only_ours, inside);
}
