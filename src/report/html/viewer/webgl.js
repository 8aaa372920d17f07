// ---------------------------------------------------------------------------------------------
// Drawing with WebGL 2.
// ---------------------------------------------------------------------------------------------

const VERTEX_SHADER = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
uniform mat4 view;
uniform mat4 clip;
out vec3 eyePosition;
out vec3 eyeNormal;
void main() {
  eyePosition = (view * vec4(position, 1.0)).xyz;
  float size = length(normal);
  eyeNormal = size > 0.0 ? mat3(view) * (normal / size) : vec3(0.0);
  gl_Position = clip * vec4(position, 1.0);
}`;

// Both sides are lit from above the viewer. At creases the triangle's own normal is used. Between the corners' normals,
// which have length 1, the mean of their cosines to it is compared, so that a flat face is lit evenly.
const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec3 eyePosition;
in vec3 eyeNormal;
uniform vec4 colour;
uniform float lit;
out vec4 result;
void main() {
  vec3 face = normalize(cross(dFdx(eyePosition), dFdy(eyePosition)));
  float size = length(eyeNormal);
  vec3 smoothed = size > 0.0 ? eyeNormal / size : face;
  if (dot(smoothed, face) < 0.0) smoothed = -smoothed;
  vec3 normal = abs(dot(eyeNormal, face)) < 0.85 ? face : smoothed;
  float light = 0.42 + 0.62 * max(dot(normal, normalize(vec3(0.35, 0.6, 0.75))), 0.0);
  if (!gl_FrontFacing) light *= 0.88;
  result = vec4(colour.rgb * mix(1.0, light, lit), colour.a);
}`;

/** Draws bodies with WebGL 2; the constructor throws where there is none. */
class WebGlRenderer {
  constructor(canvas) {
    this.name = "webgl";
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "low-power" });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.buffers = new Map();
    this.program = this.link();
    this.places = {};
    for (const name of ["view", "clip", "colour", "lit"]) {
      this.places[name] = gl.getUniformLocation(this.program, name);
    }
    gl.useProgram(this.program);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.polygonOffset(1, 2);
  }

  link() {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX_SHADER], [gl.FRAGMENT_SHADER, FRAGMENT_SHADER]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) || "link");
    return program;
  }

  /** The buffers of a body; positions are sent again when they have changed. */
  buffersOf(body) {
    const gl = this.gl;
    let own = this.buffers.get(body);
    if (!own) {
      own = { array: gl.createVertexArray(), version: -1, edgeCount: 0 };
      for (const name of ["positions", "normals", "indices", "edges", "marked"]) own[name] = gl.createBuffer();
      gl.bindVertexArray(own.array);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, own.indices);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, body.data.indices, gl.STATIC_DRAW);
      [own.positions, own.normals].forEach((buffer, location) => {
        gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 0, 0);
      });
      this.buffers.set(body, own);
    }
    gl.bindVertexArray(own.array);
    if (own.version !== body.version) {
      own.version = body.version;
      gl.bindBuffer(gl.ARRAY_BUFFER, own.positions);
      gl.bufferData(gl.ARRAY_BUFFER, body.positions, gl.DYNAMIC_DRAW);
      gl.bindBuffer(gl.ARRAY_BUFFER, own.normals);
      gl.bufferData(gl.ARRAY_BUFFER, body.normals, gl.DYNAMIC_DRAW);
    }
    return own;
  }

  draw(bodies, camera, size, options) {
    const gl = this.gl;
    const { view, clip } = camera.matrices(size.width / size.height);
    gl.viewport(0, 0, size.width, size.height);
    gl.clearColor(...options.background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.uniformMatrix4fv(this.places.view, false, view);
    gl.uniformMatrix4fv(this.places.clip, false, clip);
    const visible = bodies.filter((body) => body.isVisible);
    this.drawBodies(visible, options);
    this.drawHighlights(visible, options);
  }

  paint(colour, alpha, lit) {
    this.gl.uniform4f(this.places.colour, ...colour, alpha);
    this.gl.uniform1f(this.places.lit, lit);
  }

  drawBodies(bodies, options) {
    const gl = this.gl;
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    if (options.through) {
      gl.enable(gl.BLEND);
      gl.depthMask(false);
    }
    for (const body of bodies) {
      const own = this.buffersOf(body);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, own.indices);
      this.paint(body.colour, options.through ? 0.3 : 1, 1);
      gl.drawElements(gl.TRIANGLES, body.data.indices.length, gl.UNSIGNED_INT, 0);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.BLEND);
    if (options.edges) bodies.forEach((body) => this.drawEdges(body, options));
    gl.depthMask(true);
  }

  drawEdges(body, options) {
    const gl = this.gl;
    const own = this.buffersOf(body);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, own.edges);
    if (own.edgeCount === 0) {
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, body.edges(), gl.STATIC_DRAW);
      own.edgeCount = body.edges().length;
    }
    gl.enable(gl.BLEND);
    this.paint(options.edgeColour, 0.35, 0);
    gl.drawElements(gl.LINES, own.edgeCount, gl.UNSIGNED_INT, 0);
    gl.disable(gl.BLEND);
  }

  /** Marked triangles: paler where they are hidden, and in full where they are seen. */
  drawHighlights(bodies, options) {
    const gl = this.gl;
    for (const [depthTest, alpha] of [[false, 0.3], [true, 1]]) {
      if (depthTest) gl.enable(gl.DEPTH_TEST);
      else gl.disable(gl.DEPTH_TEST);
      gl.enable(gl.BLEND);
      for (const kind of KINDS) {
        for (const body of bodies.filter((body) => body[kind].length > 0)) {
          const own = this.buffersOf(body);
          const corners = cornersOf(body, body[kind]);
          gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, own.marked);
          gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, corners, gl.STREAM_DRAW);
          this.paint(options[kind], alpha, depthTest ? 0.6 : 0);
          gl.drawElements(gl.TRIANGLES, corners.length, gl.UNSIGNED_INT, 0);
        }
      }
      gl.disable(gl.BLEND);
    }
    gl.enable(gl.DEPTH_TEST);
  }
}
