// Do two triangles touch? By the separating axes of both faces and of all pairs of edges, in double. Coplanar triangles are told apart in
// their plane. Rounding is not accounted for: pairs that barely touch may be told either way.
#pragma once

#include <algorithm>
#include <array>

using Point = std::array<double, 3>;
using Corners = std::array<Point, 3>;

inline Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Point cross(const Point& a, const Point& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline bool apart_along(const Point& axis, const Corners& a, const Corners& b) {
    double a0 = dot(axis, a[0]), a1 = dot(axis, a[1]), a2 = dot(axis, a[2]);
    double b0 = dot(axis, b[0]), b1 = dot(axis, b[1]), b2 = dot(axis, b[2]);
    return std::max({a0, a1, a2}) < std::min({b0, b1, b2}) || std::max({b0, b1, b2}) < std::min({a0, a1, a2});
}

inline bool touch(const Corners& a, const Corners& b) {
    Point edges_a[3], edges_b[3];
    for (int i = 0; i < 3; ++i) {
        edges_a[i] = minus(a[(i + 1) % 3], a[i]);
        edges_b[i] = minus(b[(i + 1) % 3], b[i]);
    }
    Point normal_a = cross(edges_a[0], edges_a[1]), normal_b = cross(edges_b[0], edges_b[1]);
    if (apart_along(normal_a, a, b) || apart_along(normal_b, a, b)) return false;
    for (const Point& x : edges_a)
        for (const Point& y : edges_b)
            if (apart_along(cross(x, y), a, b)) return false;
    // In one plane the products of edges vanish: their normals in the plane decide.
    for (const Point& x : edges_a)
        if (apart_along(cross(normal_a, x), a, b)) return false;
    for (const Point& y : edges_b)
        if (apart_along(cross(normal_b, y), a, b)) return false;
    return true;
}
