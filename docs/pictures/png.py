"""Makes PNG files smaller: an image of a page has few colors, and a palette of 256 shows it as well."""

import collections
import itertools
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Channels of the color types RGB and RGBA.
CHANNELS = {2: 3, 6: 4}


def chunks(data):
    assert data.startswith(SIGNATURE), "not a PNG file"
    at = len(SIGNATURE)
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


def paeth(left, up, corner):
    guess = left + up - corner
    a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
    if a <= b and a <= c:
        return left
    return up if b <= c else corner


def unfiltered(kind, line, before, step):
    """A line of the image; `before` is the one above it, `step` the number of bytes of a pixel."""
    if kind == 0:
        return line
    if kind == 2:
        return bytes([(value + up) & 255 for value, up in zip(line, before)])
    out = bytearray(len(line))
    if kind == 1:
        for channel in range(step):
            out[channel::step] = bytes(itertools.accumulate(line[channel::step], lambda left, value: (left + value) & 255))
        return bytes(out)
    for at, value in enumerate(line):
        left, up = (out[at - step] if at >= step else 0), before[at]
        if kind == 3:
            guess = (left + up) // 2
        else:
            guess = paeth(left, up, before[at - step] if at >= step else 0)
        out[at] = (value + guess) & 255
    return bytes(out)


def pixels(data):
    """The width, and the lines as lists of colors."""
    parts = list(chunks(data))
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", parts[0][1])
    assert depth == 8 and color in CHANNELS and not interlaced, f"depth {depth}, color type {color}, interlacing {interlaced}"
    step = CHANNELS[color]
    raw = zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT"))
    length, before, lines = width * step, bytes(width * step), []
    for top in range(0, height * (length + 1), length + 1):
        before = unfiltered(raw[top], raw[top + 1:top + 1 + length], before, step)
        # Pages are opaque.
        lines.append(list(zip(before[0::step], before[1::step], before[2::step])))
    return width, lines


def palette(colors):
    """The color that stands for each color: the most frequent of those that are like it. Ever less alike, until 256 are left."""
    ordered = [color for color, _ in colors.most_common()]
    for shift in range(8):
        first = {}
        chosen = {color: first.setdefault(tuple(part >> shift for part in color), color) for color in ordered}
        if len(first) <= 256:
            return chosen
    raise AssertionError("no palette was found")


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def shrunk(data):
    """The same image with a palette."""
    width, lines = pixels(data)
    counted = collections.Counter()
    for line in lines:
        counted.update(line)
    chosen = palette(counted)
    kept = sorted(set(chosen.values()))
    index = {color: kept.index(stands) for color, stands in chosen.items()}
    rows = b"".join(b"\0" + bytes(map(index.__getitem__, line)) for line in lines)
    header = struct.pack(">IIBBBBB", width, len(lines), 8, 3, 0, 0, 0)
    colors = b"".join(map(bytes, kept))
    body = [(b"IHDR", header), (b"PLTE", colors), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
    return SIGNATURE + b"".join(chunk(name, part) for name, part in body)
