"""What every figure has to keep to: `faults(figure)` lists what is wrong. The rules are those of python/percuss/style.py."""
import numpy as np
from matplotlib.colors import to_hex


def texts(figure, renderer):
    """(text, box in pixels) of everything that is written in a figure."""
    found = []
    for axis in figure.axes:
        if not axis.get_visible():
            continue
        view = axis.get_window_extent(renderer).expanded(1.01, 1.01)
        parts = [axis.title, axis._left_title, axis._right_title, axis.xaxis.label, axis.yaxis.label, *axis.texts]
        for side, number in ((axis.xaxis, 0), (axis.yaxis, 1)):
            if not side.get_visible() or not axis.axison:
                parts = [part for part in parts if part is not side.label]
                continue
            parts.append(side.offsetText)
            for label in side.get_ticklabels():
                box = label.get_window_extent(renderer)
                middle = ((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)[number]
                low, high = ((view.x0, view.x1), (view.y0, view.y1))[number]
                if low <= middle <= high:
                    parts.append(label)
        legend = axis.get_legend()
        parts += legend.get_texts() if legend else []
        found += [(part.get_text(), part.get_window_extent(renderer)) for part in parts if part.get_visible() and part.get_text().strip()]
    for legend in figure.legends:
        found += [(part.get_text(), part.get_window_extent(renderer)) for part in legend.get_texts()]
    if figure._suptitle:
        found.append((figure._suptitle.get_text(), figure._suptitle.get_window_extent(renderer)))
    return found


def faults(figure):
    """Sentences about what is wrong with a figure; none if nothing is."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    found, wrong = texts(figure, renderer), []
    for number, (text, box) in enumerate(found):
        for other, its in found[number + 1 :]:
            width, height = min(box.x1, its.x1) - max(box.x0, its.x0), min(box.y1, its.y1) - max(box.y0, its.y0)
            if width > 1.5 and height > 2.5:
                wrong.append(f"'{text}' and '{other}' overlap by {width:.0f} x {height:.0f} pixels")
    whole = figure.get_tightbbox(renderer)
    across, up = figure.get_figwidth(), figure.get_figheight()
    if min(whole.x0, whole.y0) < -0.05 or whole.x1 > across + 0.05 or whole.y1 > up + 0.05:
        wrong.append(f"parts stand out: from ({whole.x0:.2f}, {whole.y0:.2f}) to ({whole.x1:.2f}, {whole.y1:.2f}) inches instead of {across:.2f} x {up:.2f}")
    for axis in figure.axes:
        for line in axis.lines:
            if len(line.get_xdata()) == 1 and line.get_marker() in ("None", None, "") and axis.get_visible():
                wrong.append("a line of one point is not seen")
    for axis in figure.axes:
        if not axis.get_visible():
            continue
        room = axis.get_window_extent(renderer)
        for label, size in ((axis.xaxis.label, room.width), (axis.yaxis.label, room.height)) if axis.axison else ():
            box = label.get_window_extent(renderer)
            if label.get_visible() and label.get_text() and max(box.width, box.height) > 1.4 * size + 10:
                wrong.append(f"'{label.get_text()}' is outside of its panel")
        styles = [(to_hex(line.get_color()), str(line._unscaled_dash_pattern), str(line.get_marker())) for line in axis.lines if not line.get_label().startswith("_") and len(line.get_xdata())]
        for style in {style for style in styles if styles.count(style) > 1}:
            wrong.append(f"two series of one panel look the same: {style}")
        for line in axis.lines:
            if not line.get_label().startswith("_") and len(line.get_ydata()) and not np.isfinite(np.asarray(line.get_ydata(), float)).any():
                wrong.append(f"'{line.get_label()}' has no point")
        if axis.axison and not axis.lines and not axis.collections and not axis.images and not axis.patches:
            wrong.append("an empty panel")
    return wrong
