// ---------------------------------------------------------------------------------------------
// Camera: turns around a target.
// ---------------------------------------------------------------------------------------------

const FIELD_OF_VIEW = (38 * Math.PI) / 180;

class Camera {
  /** `box` has the corners `min` and `max` of the whole scene; `up` is the axis that is upright. */
  constructor(box, up) {
    this.box = box;
    this.size = Math.max(Math.hypot(...subtract(box.max, box.min)), 1e-6);
    this.up = up;
    this.reset();
  }

  /** From the front, a little from the right and from above, with a box whole. */
  reset(box = this.box) {
    this.yaw = this.up === 1 ? 1.05 : -1.05;
    this.pitch = 0.35;
    this.frame(box, 1.05);
  }

  /** Shows a box whole; `margin` is how much room is around it. */
  frame(box, margin = 1) {
    this.target = scale(add(box.min, box.max), 0.5);
    const radius = Math.max(Math.hypot(...subtract(box.max, box.min)) / 2, this.size * 1e-4);
    this.distance = (margin * radius) / Math.sin(FIELD_OF_VIEW / 2);
  }

  /** Turns so that the eye is in a direction from the target, between the ground and high above. */
  standIn(direction) {
    const [x, y, height] = [1, 2, 3].map((step) => direction[(this.up + step) % 3]);
    const level = Math.hypot(x, y);
    if (level < this.size * 0.01) return;
    this.yaw = Math.atan2(y, x);
    this.pitch = Math.min(1.1, Math.max(0.15, Math.atan2(height, level)));
  }

  /** Unit vectors to the right, upward, and from the target to the eye. */
  axes() {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const [first, second] = [(this.up + 1) % 3, (this.up + 2) % 3];
    const back = [0, 0, 0];
    const right = [0, 0, 0];
    back[first] = cp * cy;
    back[second] = cp * sy;
    back[this.up] = sp;
    right[first] = -sy;
    right[second] = cy;
    return { right, up: cross(back, right), back };
  }

  /** Turns by angles in radians. */
  orbit(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + pitch));
  }

  /** Moves sideways by parts of the height of the picture. */
  pan(x, y) {
    const { right, up } = this.axes();
    const height = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
    this.target = add(this.target, add(scale(right, -x * height), scale(up, y * height)));
  }

  /** Goes nearer for factors below 1. */
  zoom(factor) {
    this.distance = Math.min(this.size * 20, Math.max(this.size * 1e-4, this.distance * factor));
  }

  /** Matrices for a picture of this aspect: to the eye, and on to clip coordinates. */
  matrices(aspect) {
    const { right, up, back } = this.axes();
    const eye = add(this.target, scale(back, this.distance));
    const view = toEye(eye, right, up, back);
    // The far side of the scene is never cut off; the near side is cut as late as 24 bits of depth allow.
    const centre = scale(add(this.box.min, this.box.max), 0.5);
    const far = Math.hypot(...subtract(eye, centre)) + this.size;
    const near = Math.max(Math.min(this.distance * 0.05, far * 0.1), far * 1e-4);
    return { view, clip: multiply(perspective(FIELD_OF_VIEW, aspect, near, far), view), near };
  }
}
