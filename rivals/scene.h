// A scene as `cargo bench --bench versus_peers --features peers -- export` writes it, and the frames asked for.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using Triangle = std::array<uint32_t, 3>;

struct Body {
    std::vector<Triangle> triangles;
    size_t vertices = 0;
    // Positions by key, x y z one after the other; one entry where nothing moves.
    std::vector<std::vector<float>> keys;
    // Positions at the present frame.
    std::vector<float> now;

    bool is_fixed() const { return keys.size() == 1; }

    void interpolate(size_t interval, float part) {
        if (is_fixed()) return;
        const std::vector<float>&begin = keys[interval], &end = keys[interval + 1];
        for (size_t i = 0; i < now.size(); ++i) now[i] = begin[i] + (end[i] - begin[i]) * part;
    }
};

struct Scene {
    std::vector<Body> bodies;
    size_t key_count = 0;
    size_t per_key = 1;
};

class Reader {
public:
    explicit Reader(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        if (!file) fail("cannot be opened");
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
        if (bytes_.size() < 8 || std::memcmp(bytes_.data(), "KTRACE01", 8) != 0) fail("is not a scene");
        place_ = 8;
    }

    uint32_t number() {
        uint32_t value;
        take(&value, sizeof value);
        return value;
    }

    void take(void* out, size_t size) {
        if (size > bytes_.size() - place_) fail("is too short");
        std::memcpy(out, bytes_.data() + place_, size);
        place_ += size;
    }

private:
    [[noreturn]] void fail(const char* what) {
        std::fprintf(stderr, "the scene %s\n", what);
        std::exit(2);
    }

    std::vector<char> bytes_;
    size_t place_ = 0;
};

inline Scene read_scene(const std::string& path) {
    Reader reader(path);
    Scene scene;
    scene.bodies.resize(reader.number());
    scene.key_count = reader.number();
    scene.per_key = reader.number();
    for (Body& body : scene.bodies) {
        body.vertices = reader.number();
        body.triangles.resize(reader.number());
        body.keys.resize(reader.number());
        reader.take(body.triangles.data(), body.triangles.size() * sizeof(Triangle));
        for (std::vector<float>& key : body.keys) {
            key.resize(3 * body.vertices);
            reader.take(key.data(), key.size() * sizeof(float));
        }
        body.now = body.keys[0];
    }
    return scene;
}

// Seconds of processor time of this thread.
inline double seconds() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}
