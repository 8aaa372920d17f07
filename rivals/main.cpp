// Refit and query times of C and C++ libraries on a scene of the race. Two bodies only.
//
//     rivals SCENE L [INTERVALS]
//
// L frames per key interval are shown; five of an interval at most are asked about. Times are processor time of this thread: medians over the
// intervals, interpolation of vertices charged to the update.

#include <algorithm>
#include <memory>

#include "scene.h"
#include "triangles.h"

#ifdef WITH_EMBREE
#include <embree3/rtcore.h>
#endif
#ifdef WITH_FCL
#include <fcl/fcl.h>
#endif
#ifdef WITH_BULLET
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>
#include <BulletCollision/Gimpact/btGImpactShape.h>
#endif

struct Rival {
    virtual ~Rival() = default;
    virtual const char* name() const = 0;
    // A body's `now` has changed.
    virtual void update(size_t body) = 0;
    // Pairs of triangles that touch.
    virtual size_t query() = 0;
};

static Corners corners(const Body& body, uint32_t triangle) {
    Corners out;
    for (int i = 0; i < 3; ++i)
        for (int axis = 0; axis < 3; ++axis) out[i][axis] = body.now[3 * body.triangles[triangle][i] + axis];
    return out;
}

#ifdef WITH_EMBREE
// As Embree's own tutorial of collision detection does: user geometry, refitted, rtcCollide.
struct Embree : Rival {
    Scene& scene;
    RTCDevice device = rtcNewDevice("threads=1");
    RTCScene trees[2];
    RTCGeometry geometries[2];
    size_t found = 0;

    explicit Embree(Scene& scene) : scene(scene) {
        for (int side = 0; side < 2; ++side) {
            trees[side] = rtcNewScene(device);
            rtcSetSceneFlags(trees[side], RTC_SCENE_FLAG_DYNAMIC);
            rtcSetSceneBuildQuality(trees[side], RTC_BUILD_QUALITY_LOW);
            geometries[side] = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
            rtcSetGeometryBuildQuality(geometries[side], RTC_BUILD_QUALITY_REFIT);
            rtcSetGeometryUserPrimitiveCount(geometries[side], unsigned(scene.bodies[side].triangles.size()));
            rtcSetGeometryUserData(geometries[side], &scene.bodies[side]);
            rtcSetGeometryBoundsFunction(geometries[side], bounds, nullptr);
            rtcCommitGeometry(geometries[side]);
            rtcAttachGeometry(trees[side], geometries[side]);
            rtcCommitScene(trees[side]);
        }
    }

    static void bounds(const RTCBoundsFunctionArguments* arguments) {
        const Body& body = *static_cast<const Body*>(arguments->geometryUserPtr);
        const Triangle& triangle = body.triangles[arguments->primID];
        const float *p = &body.now[3 * triangle[0]], *q = &body.now[3 * triangle[1]], *r = &body.now[3 * triangle[2]];
        RTCBounds* out = arguments->bounds_o;
        out->lower_x = std::min({p[0], q[0], r[0]});
        out->lower_y = std::min({p[1], q[1], r[1]});
        out->lower_z = std::min({p[2], q[2], r[2]});
        out->upper_x = std::max({p[0], q[0], r[0]});
        out->upper_y = std::max({p[1], q[1], r[1]});
        out->upper_z = std::max({p[2], q[2], r[2]});
    }

    static void met(void* user, RTCCollision* pairs, unsigned count) {
        Embree& self = *static_cast<Embree*>(user);
        for (unsigned i = 0; i < count; ++i)
            self.found += touch(corners(self.scene.bodies[0], pairs[i].primID0), corners(self.scene.bodies[1], pairs[i].primID1));
    }

    const char* name() const override { return "Embree: rtcCollide"; }
    void update(size_t body) override {
        rtcCommitGeometry(geometries[body]);
        rtcCommitScene(trees[body]);
    }
    size_t query() override {
        found = 0;
        rtcCollide(trees[0], trees[1], met, this);
        return found;
    }
};
#endif

#ifdef WITH_FCL
// AABB trees, vertices replaced and refitted bottom-up; the traversal without the copies that `collide` makes of such models.
struct Fcl : Rival {
    using Model = fcl::BVHModel<fcl::AABB<double>>;
    Scene& scene;
    Model models[2];
    std::vector<fcl::Vector3<double>> points[2];

    void place(size_t side) {
        const Body& body = scene.bodies[side];
        points[side].resize(body.vertices);
        for (size_t i = 0; i < body.vertices; ++i)
            points[side][i] = {body.now[3 * i], body.now[3 * i + 1], body.now[3 * i + 2]};
    }

    explicit Fcl(Scene& scene) : scene(scene) {
        for (size_t side = 0; side < 2; ++side) {
            std::vector<fcl::Triangle> triangles;
            for (const Triangle& t : scene.bodies[side].triangles) triangles.emplace_back(t[0], t[1], t[2]);
            place(side);
            models[side].beginModel(int(triangles.size()), int(points[side].size()));
            models[side].addSubModel(points[side], triangles);
            models[side].endModel();
        }
    }

    const char* name() const override { return "FCL: AABB"; }
    void update(size_t body) override {
        place(body);
        models[body].beginReplaceModel();
        models[body].replaceSubModel(points[body]);
        models[body].endReplaceModel(true, true);
    }
    size_t query() override {
        fcl::CollisionRequest<double> request(size_t(1) << 30, true);
        fcl::CollisionResult<double> result;
        fcl::detail::MeshCollisionTraversalNode<fcl::AABB<double>> node;
        fcl::Transform3<double> none_a = fcl::Transform3<double>::Identity(), none_b = none_a;
        fcl::detail::initialize(node, models[0], none_a, models[1], none_b, request, result);
        fcl::detail::collide(&node);
        // A pair has as many contacts as points.
        std::vector<std::pair<intptr_t, intptr_t>> pairs;
        for (size_t i = 0; i < result.numContacts(); ++i) pairs.emplace_back(result.getContact(i).b1, result.getContact(i).b2);
        std::sort(pairs.begin(), pairs.end());
        return size_t(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
    }
};
#endif

#ifdef WITH_BULLET
// GImpact, Bullet's trees for meshes that deform: boxes refitted by `postUpdate` and `updateBound`, pairs by its traversal.
struct Bullet : Rival {
    Scene& scene;
    std::unique_ptr<btTriangleIndexVertexArray> meshes[2];
    std::unique_ptr<btGImpactMeshShape> shapes[2];

    explicit Bullet(Scene& scene) : scene(scene) {
        for (size_t side = 0; side < 2; ++side) {
            Body& body = scene.bodies[side];
            meshes[side] = std::make_unique<btTriangleIndexVertexArray>();
            btIndexedMesh mesh;
            mesh.m_numTriangles = int(body.triangles.size());
            mesh.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(body.triangles.data());
            mesh.m_triangleIndexStride = sizeof(Triangle);
            mesh.m_numVertices = int(body.vertices);
            mesh.m_vertexBase = reinterpret_cast<const unsigned char*>(body.now.data());
            mesh.m_vertexStride = 3 * sizeof(float);
            mesh.m_vertexType = PHY_FLOAT;
            meshes[side]->addIndexedMesh(mesh);
            shapes[side] = std::make_unique<btGImpactMeshShape>(meshes[side].get());
            shapes[side]->setMargin(0.0f);
            shapes[side]->updateBound();
        }
    }

    const char* name() const override { return "Bullet: GImpact"; }
    void update(size_t body) override {
        shapes[body]->postUpdate();
        shapes[body]->updateBound();
    }
    size_t query() override {
        btPairSet pairs;
        btGImpactMeshShapePart *a = shapes[0]->getMeshPart(0), *b = shapes[1]->getMeshPart(0);
        btTransform none = btTransform::getIdentity();
        btGImpactBoxSet::find_collision(a->getBoxSet(), none, b->getBoxSet(), none, pairs);
        size_t found = 0;
        for (int i = 0; i < pairs.size(); ++i)
            found += touch(corners(scene.bodies[0], uint32_t(pairs[i].m_index1)), corners(scene.bodies[1], uint32_t(pairs[i].m_index2)));
        return found;
    }
};
#endif

static double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

static void run(Rival& rival, Scene& scene, size_t frames, size_t intervals) {
    frames *= scene.per_key;
    size_t asked = std::min<size_t>(frames, 5), pairs = 0, looked = 0;
    std::vector<double> updates, queries;
    for (size_t interval = 0; interval < intervals; ++interval) {
        double update = 0, query = 0;
        for (size_t frame = 0; frame < frames; ++frame) {
            if (frame * asked % frames >= asked) continue;
            double begin = seconds();
            for (size_t body = 0; body < scene.bodies.size(); ++body) {
                if (scene.bodies[body].is_fixed()) continue;
                scene.bodies[body].interpolate(interval, float(frame + 1) / float(frames));
                rival.update(body);
            }
            double middle = seconds();
            pairs += rival.query();
            ++looked;
            query += seconds() - middle;
            update += middle - begin;
        }
        updates.push_back(update / double(asked));
        queries.push_back(query / double(asked));
    }
    double update = 1e6 * median(updates), query = 1e6 * median(queries);
    std::printf("| %s | %.1f | %.0f | %.0f | %.0f |\n", rival.name(), double(pairs) / double(looked), update, query, update + query);
    std::fflush(stdout);
}

int main(int count, char** words) {
    if (count < 3) {
        std::fprintf(stderr, "rivals SCENE L [INTERVALS]\n");
        return 2;
    }
    Scene scene = read_scene(words[1]);
    if (scene.bodies.size() != 2) {
        std::fprintf(stderr, "a scene of two bodies is needed\n");
        return 2;
    }
    size_t frames = std::max(1l, std::atol(words[2]));
    size_t intervals = scene.key_count - 1;
    if (count > 3) intervals = std::min<size_t>(intervals, std::max(1l, std::atol(words[3])));
    std::printf("| | pairs per frame | update, us | query, us | whole frame, us |\n|---|---|---|---|---|\n");
#ifdef WITH_EMBREE
    { Embree rival(scene); run(rival, scene, frames, intervals); }
#endif
#ifdef WITH_FCL
    { Fcl rival(scene); run(rival, scene, frames, intervals); }
#endif
#ifdef WITH_BULLET
    { Bullet rival(scene); run(rival, scene, frames, intervals); }
#endif
}
