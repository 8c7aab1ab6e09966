/*
  The figures of a report under the pointer: values of the curves, and zoom. Drag a rectangle to zoom; a double click or Escape shows all of the figure again.

  Each figure is an SVG whose data-panels lists its panels (report_page.py): `box` in coordinates of the SVG (left, top, right, bottom), `x` and `y`
  {from, to, log, name}, and `curves` {id, name}. Curves are read back from their paths, so a value has the resolution of the drawing, 1e-4 of the panel.
*/
"use strict";

/* Numbers of a panel. */

function valueAt(axis, share) {
  return axis.log ? axis.from * Math.pow(axis.to / axis.from, share) : axis.from + share * (axis.to - axis.from);
}

function shown(value) {
  return String(Number(value.toPrecision(4))).replace("-", "\u2212");
}

/* [[x, y], ...] of a path that consists of lines; a gap between two parts is not a line, and is left out by `atX`. */
function pointsOf(path) {
  const points = [];
  for (const [, letter, x, y] of path.matchAll(/([ML])\s*(-?[\d.e+-]+)[\s,]+(-?[\d.e+-]+)/g)) points.push([Number(x), Number(y), letter === "M"]);
  return points;
}

function rises(points) {
  return points.every((point, i) => i === 0 || point[0] >= points[i - 1][0]);
}

/* Of a curve that is a function of x: its y there, or null. */
function atX(points, x) {
  let low = 0, high = points.length - 1;
  if (high < 1 || x < points[0][0] || x > points[high][0]) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= x) low = middle;
    else high = middle;
  }
  const [a, b] = [points[low], points[high]];
  if (b[2]) return null;
  return b[0] === a[0] ? b[1] : a[1] + ((b[1] - a[1]) * (x - a[0])) / (b[0] - a[0]);
}

/* Of any other curve: its vertex closest to the place, or null if that is further than `reach`. */
function closest(points, x, y, reach) {
  let best = null, least = reach;
  for (const point of points) {
    const distance = Math.hypot(point[0] - x, point[1] - y);
    if (distance < least) [best, least] = [point, distance];
  }
  return best;
}

/* What is at a place of a panel: [[name, text], ...], of the axes first. `read` gives the points of a curve. */
function linesAt(panel, x, y, read) {
  const [left, top, right, bottom] = panel.box;
  const horizontal = (at) => shown(valueAt(panel.x, (at - left) / (right - left)));
  const vertical = (at) => shown(valueAt(panel.y, (bottom - at) / (bottom - top)));
  const lines = [];
  for (const curve of panel.curves) {
    const points = read(curve);
    if (points.length < 2) continue;
    if (rises(points)) {
      const found = atX(points, x);
      if (found !== null) lines.push([curve, vertical(found)]);
    } else {
      const found = closest(points, x, y, 8);
      if (found) lines.push([curve, `${horizontal(found[0])}, ${vertical(found[1])}`]);
    }
  }
  return [[{ name: panel.x.name || "x" }, horizontal(x)], [{ name: panel.y.name || "y" }, vertical(y)], ...lines];
}

/* The part of a figure that contains the rectangle and has the figure's shape: [x, y, width, height]; null if the rectangle is a click. */
function zoomTo(whole, from, to) {
  const width = Math.abs(to[0] - from[0]), height = Math.abs(to[1] - from[1]);
  if (width < 6 && height < 6) return null;
  const scale = Math.max(width / whole[2], height / whole[3]);
  const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  return [middle[0] - (scale * whole[2]) / 2, middle[1] - (scale * whole[3]) / 2, scale * whole[2], scale * whole[3]];
}

/* The page. */

function interact(svg, box) {
  const panels = JSON.parse(svg.dataset.panels);
  const whole = svg.getAttribute("viewBox").split(" ").map(Number);
  const known = new Map();
  const frame = document.createElementNS(svg.namespaceURI, "rect");
  let from = null;

  const read = (curve) => {
    if (!known.has(curve.id)) {
      const path = document.querySelector(`#${CSS.escape(curve.id)} > path`);
      curve.colour = path && (path.style.stroke || path.getAttribute("stroke"));
      known.set(curve.id, path ? pointsOf(path.getAttribute("d")) : []);
    }
    return known.get(curve.id);
  };
  const place = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  const show = (event, [x, y]) => {
    const over = panels.filter(({ box: [left, top, right, bottom] }) => x >= left && x <= right && y >= top && y <= bottom);
    box.replaceChildren();
    for (const panel of over) {
      for (const [curve, text] of linesAt(panel, x, y, read)) {
        const line = box.appendChild(document.createElement("div"));
        line.textContent = `${curve.name}: ${text}`;
        if (curve.colour) line.style.color = curve.colour;
      }
    }
    box.hidden = over.length === 0;
    box.style.left = `${Math.min(event.pageX + 14, document.documentElement.scrollWidth - box.offsetWidth - 4)}px`;
    box.style.top = `${event.pageY + 14}px`;
  };
  const reset = () => svg.setAttribute("viewBox", whole.join(" "));

  frame.setAttribute("class", "zoom");
  svg.addEventListener("pointermove", (event) => {
    const at = place(event);
    show(event, at);
    if (!from) return;
    frame.setAttribute("x", Math.min(from[0], at[0]));
    frame.setAttribute("y", Math.min(from[1], at[1]));
    frame.setAttribute("width", Math.abs(at[0] - from[0]));
    frame.setAttribute("height", Math.abs(at[1] - from[1]));
  });
  svg.addEventListener("pointerleave", () => { box.hidden = true; });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    from = place(event);
    frame.setAttribute("width", 0);
    frame.setAttribute("height", 0);
    svg.append(frame);
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  svg.addEventListener("pointerup", (event) => {
    const part = from && zoomTo(whole, from, place(event));
    from = null;
    frame.remove();
    if (part) svg.setAttribute("viewBox", part.join(" "));
  });
  svg.addEventListener("dblclick", reset);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") reset(); });
}

if (typeof document !== "undefined") {
  const box = document.body.appendChild(document.createElement("div"));
  box.className = "hover";
  box.hidden = true;
  for (const svg of document.querySelectorAll("svg[data-panels]")) interact(svg, box);
} else {
  module.exports = { atX, closest, linesAt, pointsOf, rises, shown, valueAt, zoomTo };
}
